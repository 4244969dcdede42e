import { AppError } from '../kernel/errors.ts'

const reasons: ReadonlySet<unknown> = new Set([
  ...['database_unreachable', 'database_refused', 'database_missing', 'database_newer', 'database_timeout'],
  ...['certificate_refused', 'no_tls', 'outcome_unknown', 'read_only', 'busy', 'import_in_progress'],
])

/** Whether an error means that the database cannot be used at present, so that work in progress has to be resumed later. */
export const isStoreAway = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'unavailable' && reasons.has(error.facts.reason)
