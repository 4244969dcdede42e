import { AppError } from '../kernel/errors.ts'

export const reasonOf = (error: unknown): string =>
  error instanceof AppError ? (error.facts.reason ?? error.code) : 'internal'

/** Whether an error stops or parks the whole scan and must not be handled for a single item. */
export const endsScan = (error: unknown): boolean =>
  !(error instanceof AppError) ||
  error.code === 'internal' ||
  ['auth_failed', 'auth_expired', 'retry_later', 'aborted'].includes(reasonOf(error))

/** Whether the platform refuses permanently: no permission, not found, or not supported for this item. */
export const isRefusal = (error: unknown): boolean => ['forbidden', 'gone', 'bad_request'].includes(reasonOf(error))
