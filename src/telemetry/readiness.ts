import { dirname } from 'node:path'
import { AppError } from '../kernel/errors.ts'
import type { KeyedVault } from '../store/keys/vault-file.ts'
import { MIN_FREE_BYTES, readFreeBytes } from '../store/space.ts'
import type { Store } from '../store/store.ts'

export interface Readiness extends Record<'database' | 'schema' | 'key' | 'disk', 'ok' | 'failed'> {
  /** The reason of the first check that failed, such as `database_unreachable`. */
  reason?: string
}

/** Whether everything needed to answer and to write is available; reports no details but a reason. */
export function examineReadiness(store: Store, vault: Pick<KeyedVault, 'problem'>): Readiness {
  const reasons: string[] = []
  const outcome = (find: () => string | undefined) => {
    try {
      const problem = find()
      if (problem === undefined) return 'ok'
      reasons.push(problem)
    } catch (error) {
      reasons.push((error instanceof AppError ? error.facts.reason : undefined) ?? 'internal')
    }
    return 'failed'
  }
  const hasRoom = () => store.files === undefined || readFreeBytes(dirname(store.files.file)) >= MIN_FREE_BYTES
  const checks = {
    database: outcome(() => {
      store.read((reader) => reader.prepare('SELECT count(*) AS n FROM install').get())
      return store.server?.findWriteProblem()
    }),
    schema: outcome(() => (store.isCurrent() ? undefined : 'database_newer')),
    key: outcome(() => {
      const problem = vault.problem()
      return problem && (problem.facts.reason ?? problem.code)
    }),
    disk: outcome(() => (hasRoom() ? undefined : 'storage_full')),
  } as const
  const [reason] = reasons
  return { ...checks, ...(reason === undefined ? {} : { reason }) }
}
