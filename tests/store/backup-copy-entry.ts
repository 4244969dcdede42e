// Makes or restores a backup; whoever started it may kill it on the way.
import { setTimeout as sleep } from 'node:timers/promises'
import { backUp, restore } from '../../src/store/backup.ts'

const [verb, from = '', to = ''] = process.argv.slice(2)

async function copy(): Promise<void> {
  process.stdout.write('started\n')
  await sleep(5)
  if (verb === 'backup') backUp(from, to)
  else restore(from, to, Date.now())
}

void copy()
