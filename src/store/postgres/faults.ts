import { AppError } from '../../kernel/errors.ts'
import { PostgresError } from './client.ts'

const faults: ReadonlyArray<{ code: RegExp; reason: string; message: string }> = [
  {
    code: /^(?:55P03|40P01|40001)$/,
    reason: 'busy',
    message: 'The database is busy with another process; try again in a moment.',
  },
  {
    code: /^53100$/,
    reason: 'storage_full',
    message: 'The disk of the database is full: free some space and try again; nothing was written.',
  },
  {
    code: /^(?:08\w{3}|25P03|57P0[1-3]|53300|ECONN\w+|ENOTFOUND|ETIMEDOUT|EPIPE)$/,
    reason: 'database_unreachable',
    message: 'The PostgreSQL database cannot be reached; try again when it is back.',
  },
]

export const isUnreachable = (error: unknown): boolean =>
  error instanceof AppError && error.facts.reason === 'database_unreachable'

/** Whether PostgreSQL has ended a transaction because it and others waited for each other. */
export const isDeadlock = (error: unknown): boolean =>
  error instanceof AppError && error.cause instanceof PostgresError && /^40(?:P01|001)$/.test(error.cause.code)

/** Turns an error of PostgreSQL into an `AppError` that states what to do next; returns any other error unchanged. */
export function toPostgresAppError(error: unknown): unknown {
  if (!(error instanceof PostgresError)) return error
  const known = faults.find(({ code }) => code.test(error.code))
  if (known === undefined) return error
  return new AppError('unavailable', known.message, { reason: known.reason, cause: error })
}
