// Deletes a source of a data folder, and stands still after the first part of it.

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { scopes } from '../../src/operation/context.ts'
import { call } from '../../src/operation/operation.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { scanOperations } from '../../src/scans/operations.ts'
import { Store } from '../../src/store/store.ts'

const [home = '', source = ''] = process.argv.slice(2)
const store = Store.open(join(home, 'assay.db'), { now: Date.now })
store.yieldBetweenBatches = async () => {
  process.stdout.write('one part is gone\n')
  await sleep(600_000)
}

async function deleteSource(): Promise<void> {
  const operation = scanOperations.find(({ name }) => name === 'delete_source')
  if (operation === undefined) throw new Error('no operation deletes a source')
  await call(
    operation,
    { id: source },
    {
      read: (work) => store.read(work),
      store,
      now: Date.now,
      caller: { name: 'ada', via: 'cli', scopes: new Set(scopes) },
      signal: new AbortController().signal,
      log: silentLog,
      progress: () => {},
      vault: { seal: () => '', open: () => '', fingerprintKey: () => new Uint8Array(32) },
      scans: { start: () => {}, cancel: () => {} },
    },
  )
}

void deleteSource()
