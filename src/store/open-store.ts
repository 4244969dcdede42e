import { rememberSecret } from '../kernel/redaction.ts'
import { FileStore, type Store, type StoreOptions } from './store.ts'
import type { StorePlace } from './store-place.ts'

/**
 * Opens the store at a place. The code for PostgreSQL is loaded only where it is selected.
 * @throws AppError
 */
export async function openStore(place: StorePlace, options: StoreOptions): Promise<Store> {
  if (place.kind === 'file') return FileStore.open(place.file, options)
  const { address } = place
  if (address.password !== undefined) rememberSecret(address.password)
  const { PostgresStore } = await import('./postgres/store.ts')
  const { now, mustExist, onUpgrade, connections } = options
  return PostgresStore.open({
    ...{ now, address },
    ...(mustExist === undefined ? {} : { mustExist }),
    ...(onUpgrade === undefined ? {} : { onUpgrade }),
    ...(connections === undefined ? {} : { connections }),
  })
}

/** The code that copies a database to or from a PostgreSQL server. */
export const loadPostgresCopies = () =>
  Promise.all([import('./postgres/copy-target.ts'), import('./postgres/copied-rows.ts')])
