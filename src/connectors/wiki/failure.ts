import { AppError } from '../../kernel/errors.ts'

export function reasonOf(error: unknown): string {
  return error instanceof AppError ? (error.facts.reason ?? error.code) : 'internal'
}

/** Ends or parks the whole scan, so no smaller unit may swallow it. */
export function endsScan(error: unknown): boolean {
  if (!(error instanceof AppError) || error.code === 'internal') return true
  return ['auth_failed', 'auth_expired', 'retry_later', 'aborted'].includes(reasonOf(error))
}

/** The platform says no, and will say so again. */
export const isRefusal = (error: unknown) => reasonOf(error) === 'forbidden'

/** The platform broke down or was not reached: a smaller request may do. */
export const isBreakdown = (error: unknown) => ['server_error', 'network', 'too_large'].includes(reasonOf(error))

export function messageOf(error: unknown): string {
  return error instanceof AppError ? error.message : 'Something unexpected happened; see the log.'
}
