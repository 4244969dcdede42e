import { AppError } from '../kernel/errors.ts'
import type { Caller } from './context.ts'

/** What a person must agree to when an assistant asks for it: nothing, every call, or the calls that `run` refuses. */
export type Consent = 'none' | 'always' | 'by_extent'

export const CONSENT_REQUIRED = 'consent_required'

/**
 * Stops a call of an assistant that no person has agreed to yet. An operation whose consent is `by_extent` calls it
 * before it changes anything.
 * @throws AppError `forbidden`, reason `consent_required`.
 */
export function requireConsent(caller: Caller, what: string): void {
  if (caller.needsConsent !== true) return
  throw new AppError('forbidden', `${what} needs a person who agrees.`, { reason: CONSENT_REQUIRED, facts: { what } })
}
