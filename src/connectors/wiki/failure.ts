import type { UnreadReason } from '../../documents/section.ts'
import { AppError } from '../../kernel/errors.ts'
import { isRefusal, reasonOf } from '../failure.ts'

/** Why a section is unread after a failed request. */
export const toUnreadReason = (error: unknown): UnreadReason => (isRefusal(error) ? 'refused' : 'failed')

export const isForbidden = (error: unknown) => reasonOf(error) === 'forbidden'

/** Whether the token lacks this capability for all pages. */
export function isCapabilityDenied(error: unknown): boolean {
  const facts = error instanceof AppError ? error.facts.facts : undefined
  return isForbidden(error) && (facts?.status === 401 || facts?.scopeMissing === true)
}

/**
 * Some endpoints respond to a missing scope as to an expired token. If the account is still signed in, the cause is the
 * scope, and the error fails this call only, not the scan.
 */
export async function settleRefusal(error: unknown, isSignedIn: () => Promise<boolean>): Promise<unknown> {
  if (!(error instanceof AppError) || !reasonOf(error).startsWith('auth_') || !(await isSignedIn())) return error
  return new AppError('unavailable', 'The token lacks a scope for this; create one with more scopes.', {
    reason: 'forbidden',
    facts: { status: 401, scopeMissing: true },
    cause: error,
  })
}

/** The platform failed or was not reached, so a smaller request may succeed. */
export const isBreakdown = (error: unknown) => ['server_error', 'network', 'too_large'].includes(reasonOf(error))

export function messageOf(error: unknown): string {
  return error instanceof AppError ? error.message : 'An unexpected error occurred; see the log.'
}
