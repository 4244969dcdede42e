import { dirname } from 'node:path'
import type { KeyedVault } from '../store/keys/vault-file.ts'
import { MIN_FREE_BYTES, readFreeBytes } from '../store/space.ts'
import type { Store } from '../store/store.ts'

export type Readiness = Record<'database' | 'schema' | 'key' | 'disk', 'ok' | 'failed'>

/** Whether everything needed to answer is available; reports only ok or failed, without details. */
export function examineReadiness(store: Store, vault: Pick<KeyedVault, 'problem'>): Readiness {
  const outcome = (work: () => boolean) => {
    try {
      return work() ? 'ok' : 'failed'
    } catch {
      return 'failed'
    }
  }
  return {
    database: outcome(
      () => store.read((reader) => reader.prepare('SELECT count(*) AS n FROM install').get()) !== undefined,
    ),
    schema: outcome(() => store.isCurrent()),
    key: outcome(() => vault.problem() === undefined),
    disk: outcome(() => store.files === undefined || readFreeBytes(dirname(store.files.file)) >= MIN_FREE_BYTES),
  }
}
