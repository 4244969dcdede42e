// Adds pairs of words to the database until it is killed.
import { setTimeout as sleep } from 'node:timers/promises'
import { Store } from '../../src/store/store.ts'
import { ensureDictionaryId } from '../../src/store/words.store.ts'
import { safe } from '../support/safe-text.ts'

const [file = '', name = ''] = process.argv.slice(2)
const store = Store.open(file, { now: Date.now })

async function write(): Promise<void> {
  process.stdout.write('writing\n')
  for (let index = 0; ; index++) {
    store.write((writer) => {
      ensureDictionaryId(writer, safe(`${name}-${index}-left`))
      ensureDictionaryId(writer, safe(`${name}-${index}-right`))
    })
    if (index % 20 === 0) await sleep(5)
  }
}

void write()
