// Opens the database named by the first argument, writes one row, and says so: one of many processes starting at once.
import { Store } from '../../src/store/store.ts'
import { ensureDictionaryId } from '../../src/store/words.store.ts'
import { safe } from '../support/safe-text.ts'

const [file = '', name = ''] = process.argv.slice(2)

async function write(): Promise<void> {
  const store = Store.open(file, { now: () => Date.now() })
  for (let round = 0; round < 20; round++) {
    store.write((tx) => {
      ensureDictionaryId(tx, safe('shared'))
      ensureDictionaryId(tx, safe(`${name}-${round}`))
    })
    // Without turns whoever has just written takes the lock again, and nineteen others wait for all that it writes.
    await store.yieldBetweenBatches()
  }
  store.close()
  process.stdout.write('done')
}

void write()
