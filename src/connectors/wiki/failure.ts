import type { UnreadReason } from '../../documents/section.ts'
import { AppError } from '../../kernel/errors.ts'

export function reasonOf(error: unknown): string {
  return error instanceof AppError ? (error.facts.reason ?? error.code) : 'internal'
}

/** Ends or parks the whole scan, so no smaller unit may swallow it. */
export function endsScan(error: unknown): boolean {
  if (!(error instanceof AppError) || error.code === 'internal') return true
  return ['auth_failed', 'auth_expired', 'retry_later', 'aborted'].includes(reasonOf(error))
}

/** What a failed call for a detail means for what it would have told. */
export const toUnreadReason = (error: unknown): UnreadReason =>
  ['forbidden', 'gone', 'bad_request'].includes(reasonOf(error)) ? 'refused' : 'failed'

/** The platform says no, and will say so again. */
export const isRefusal = (error: unknown) => reasonOf(error) === 'forbidden'

/** The token may not do this kind of thing at all, on whatever page. */
export function isCapabilityDenied(error: unknown): boolean {
  const facts = error instanceof AppError ? error.facts.facts : undefined
  return isRefusal(error) && (facts?.status === 401 || facts?.scopeMissing === true)
}

/**
 * Some calls answer a missing scope as they answer an expired token. Where the account is still signed in, it is the
 * scope: the failure of this call, not of the scan.
 */
export async function settleRefusal(error: unknown, isSignedIn: () => Promise<boolean>): Promise<unknown> {
  if (!(error instanceof AppError) || !reasonOf(error).startsWith('auth_') || !(await isSignedIn())) return error
  return new AppError('unavailable', 'The token lacks a scope that this needs; create one with more scopes.', {
    reason: 'forbidden',
    facts: { status: 401, scopeMissing: true },
    cause: error,
  })
}

/** The platform broke down or was not reached: a smaller request may do. */
export const isBreakdown = (error: unknown) => ['server_error', 'network', 'too_large'].includes(reasonOf(error))

export function messageOf(error: unknown): string {
  return error instanceof AppError ? error.message : 'Something unexpected happened; see the log.'
}
