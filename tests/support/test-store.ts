import type { Store } from '../../src/store/store.ts'
import { openFolderStore } from '../query/estate.ts'
import { createDatabase, openPostgresStore } from './postgres.ts'

/** What a test needs that only reads and writes. */
export type TestStore = Pick<Store, 'read' | 'write'>

/** A new store: in a folder of its own, or in a database of the PostgreSQL server that `ASSAY_TEST_STORE` names. */
export function openTestStore(now: () => number): { store: TestStore; close: () => void } {
  const { ASSAY_TEST_STORE: url } = process.env
  if (url === undefined) return openFolderStore(now)
  const database = createDatabase({ url, stop: () => {} })
  const store = openPostgresStore(database.connectionString, now)
  const close = () => {
    store.close()
    database.drop()
  }
  return { store, close }
}
