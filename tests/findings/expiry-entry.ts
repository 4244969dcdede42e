// Records ended decisions, one transaction after the other, until it is killed.
import { recordExpiries } from '../../src/findings/expiries.ts'
import { Store } from '../../src/store/store.ts'

const [file = '', now = ''] = process.argv.slice(2)

async function record(): Promise<void> {
  const store = Store.open(file, { now: () => Number(now) })
  process.stdout.write('ready\n')
  await recordExpiries({ store, now: () => Number(now) })
  process.stdout.write('done\n')
}

void record()
