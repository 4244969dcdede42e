import { AppError } from '../kernel/errors.ts'
import type { Caller, Scope } from './context.ts'

/**
 * When a person must agree to a call by an assistant: never, always, or when `run` demands it by calling
 * `requireConsent`.
 */
export type Consent = 'none' | 'always' | 'by_extent'

export const CONSENT_REQUIRED = 'consent_required'

/**
 * Whether others than those with its scope may propose it: not what only administrators do, such as setting credentials,
 * nor what takes input that is not stored.
 */
export const isProposable = ({ effect, scope, destructive, privateInput }: Proposable): boolean =>
  effect === 'write' && privateInput === undefined && (['triage', 'author', 'certify'].includes(scope) || destructive)

interface Proposable {
  effect: 'read' | 'write'
  scope: Scope
  destructive: boolean
  privateInput?: string
}

/** Whether a caller may only propose an operation. */
export const mustPropose = (operation: Proposable, { scopes }: Pick<Caller, 'scopes'>): boolean =>
  isProposable(operation) && !scopes.has(operation.scope) && scopes.has('propose')

/**
 * Stops a call by an assistant to which no person has agreed yet. An operation with consent `by_extent` calls this
 * before it changes anything. `details` are what a person needs to judge it: titles, and values before and after.
 * @throws AppError `forbidden`, reason `consent_required`.
 */
export function requireConsent(caller: Caller, what: string, details: () => readonly string[] = () => []): void {
  if (caller.needsConsent !== true) return
  throw new AppError('forbidden', `${what} requires the consent of a person.`, {
    reason: CONSENT_REQUIRED,
    facts: { what, details: details() },
  })
}
