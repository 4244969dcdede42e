import { z } from 'zod'
import { appendAudit, countTriagedOverMcp, toStoredClient } from '../audit/audit.store.ts'
import { toSafeText } from '../detectors/safe-text.ts'
import { count } from '../kernel/count.ts'
import { invalidInput } from '../kernel/errors.ts'
import { toInstant } from '../kernel/instant.ts'
import { endMeaning, readBound } from '../kernel/time-range.ts'
import { utc } from '../kernel/zone.ts'
import { authorOf, describeAuthor } from '../operation/author.ts'
import { requireConsent } from '../operation/consent.ts'
import type { WriteContext } from '../operation/context.ts'
import type { Reader, Writer } from '../store/store.ts'
import type { FilterMapping } from './filter.ts'
import type { FindingChange } from './finding-record.ts'
import { type FindingStatus, findingStatuses, isDecided } from './model.ts'

/** Maximum number of findings that an assistant may triage within an hour without a person's consent. */
const MAX_UNCONSENTED = 20
const HOUR_MS = 3_600_000

/** When a decision ends by itself. */
export const Until = z
  .string()
  .max(40)
  .refine((text) => typeof readBound(text, 'to', utc) === 'number', 'must be a date, month or ISO 8601 timestamp.')
  .describe(`${endMeaning} A FALSE_POSITIVE or IGNORED finding is then OPEN again.`)

/** Input members of operations that set a status. */
export const triageShape = {
  status: z.enum(findingStatuses).describe('The new status.'),
  reason: z.string().trim().max(1000).describe('Reason; required for FALSE_POSITIVE and IGNORED.').optional(),
  until: Until.optional(),
  future: z.boolean().describe('With filters.values: also findings to come.').optional(),
}

/** Refuses FALSE_POSITIVE and IGNORED without a reason, and an end of any other status. */
export function requireReason(
  { status, reason, until }: { status: FindingStatus; reason?: string | undefined; until?: string | undefined },
  context: z.core.$RefinementCtx,
): void {
  if (until !== undefined && !isDecided(status)) {
    const message = `cannot be given with ${status}; only FALSE_POSITIVE and IGNORED end by themselves.`
    context.addIssue({ code: 'custom', path: ['until'], message })
  }
  if (!isDecided(status) || (reason ?? '') !== '') return
  context.addIssue({ code: 'custom', path: ['reason'], message: `is missing; give the reason for ${status}.` })
}

/** Refuses a decision on findings to come that no suppression can make. */
export function requireValues(
  given: { future?: boolean | undefined; status: FindingStatus; filters?: FilterMapping | undefined; search?: unknown },
  context: z.core.$RefinementCtx,
): void {
  if (given.future !== true) return
  const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['future'], message })
  if (!isDecided(given.status)) refuse(`cannot be given with ${given.status}; only FALSE_POSITIVE and IGNORED last.`)
  if (given.filters?.values === undefined || given.search !== undefined)
    refuse('needs filters with values, and no search; for other filters use POST /suppressions.')
}

/** @throws AppError `invalid_input` for an end that is not in the future */
export function toEnd(until: string | undefined, now: number): number | undefined {
  if (until === undefined) return undefined
  const end = Number(readBound(until, 'to', utc))
  if (end > now) return end
  const message = `must be in the future; it is ${toInstant(now)} now.`
  throw invalidInput(`until ${message}`, { issues: [{ path: 'until', message }] })
}

/** The author of a change of status, as stored in the history. */
export const deciderOf = ({ caller }: WriteContext): Pick<FindingChange, 'actor' | 'via' | 'client'> => ({
  actor: toSafeText(describeAuthor(caller), 'prose'),
  via: caller.via,
  client: toStoredClient(caller.client),
})

/** Numbers of findings, and of CRITICAL ones, that are about to get one status. */
export interface TriageExtent {
  status: FindingStatus
  findings: number
  critical: number
}

/** @throws AppError `forbidden`, reason `consent_required`, if an assistant triages many findings or a CRITICAL one. */
export function requireTriageConsent(
  reader: Reader,
  { caller, now }: Pick<WriteContext, 'caller' | 'now'>,
  { status, findings, critical }: TriageExtent,
  details: () => readonly string[],
): void {
  if (status === 'OPEN' || caller.needsConsent !== true) return
  const what = `Setting ${count(findings, 'finding')} to ${status}`
  if (critical > 0) requireConsent(caller, `${what} (${critical} CRITICAL)`, details)
  const before = countTriagedOverMcp(reader, caller, now() - HOUR_MS)
  if (before + findings > MAX_UNCONSENTED)
    requireConsent(caller, `${what} (${before} were set in the hour before)`, details)
}

/** Records a triage in the audit trail; `name` is the id of the finding, or * for those that `filters` match. */
export function auditTriage(
  writer: Writer,
  context: WriteContext,
  {
    name,
    before,
    after,
  }: { name: string; before?: object; after: { status: FindingStatus; findings: number } & Record<string, unknown> },
): void {
  const entry = { action: 'triage', kind: 'finding', name, after }
  appendAudit(writer, authorOf(context), before === undefined ? entry : { ...entry, before })
}
