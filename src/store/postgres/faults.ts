import { AppError } from '../../kernel/errors.ts'
import { PostgresError } from './client.ts'

const faults: ReadonlyArray<{ code: RegExp; reason: string; message: string }> = [
  { code: /^55P03$/, reason: 'busy', message: 'The database is busy with another process; try again in a moment.' },
  {
    code: /^53100$/,
    reason: 'storage_full',
    message: 'The disk of the database is full: free some space and try again; nothing was written.',
  },
  {
    code: /^(?:08\w{3}|57P0[1-3]|53300|ECONN\w+|ENOTFOUND|ETIMEDOUT|EPIPE)$/,
    reason: 'database_unreachable',
    message: 'The PostgreSQL database cannot be reached; try again when it is back.',
  },
]

export const isUnreachable = (error: unknown): boolean =>
  error instanceof AppError && error.facts.reason === 'database_unreachable'

/** Turns an error of PostgreSQL into an `AppError` that states what to do next; returns any other error unchanged. */
export function toPostgresAppError(error: unknown): unknown {
  if (!(error instanceof PostgresError)) return error
  const known = faults.find(({ code }) => code.test(error.code))
  if (known === undefined) return error
  return new AppError('unavailable', known.message, { reason: known.reason, cause: error })
}
