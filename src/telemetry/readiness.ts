import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { KeyedVault } from '../store/keys/vault-file.ts'
import type { Store } from '../store/store.ts'

export type Readiness = Record<'database' | 'schema' | 'key' | 'disk', 'ok' | 'failed'>

/** With less free space, writes will soon fail. */
const MIN_FREE_BYTES = 64 * 1024 * 1024

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
    disk: outcome(() => {
      const { bavail, bsize } = statfsSync(dirname(store.file))
      return bavail * bsize >= MIN_FREE_BYTES
    }),
  }
}
