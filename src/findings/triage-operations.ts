import { hash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import { toSafeText } from '../detectors/safe-text.ts'
import { conflict, invalidInput, notFound } from '../kernel/errors.ts'
import { toInstant } from '../kernel/instant.ts'
import { quote } from '../kernel/shown.ts'
import { requireConsent } from '../operation/consent.ts'
import type { WriteContext } from '../operation/context.ts'
import { ownText, ownValue } from '../operation/lockdown/disclosure.ts'
import { isLockedDown } from '../operation/lockdown/lockdown.ts'
import { type Operation, operation } from '../operation/operation.ts'
import { severityCodes } from '../store/schema.ts'
import type { Reader, Store, Writer } from '../store/store.ts'
import { FilterMapping, restrictsNothing } from './filter.ts'
import type { FindingRecord } from './finding-record.ts'
import { FindingLedger } from './ledger.store.ts'
import { countFindings, findNewestId, listFindingIds, listKnownIds, showFinding } from './list.store.ts'
import { FindingDetail, type FindingStatus, findingStatuses, isDecided } from './model.ts'
import { requireSources } from './source-names.ts'
import { suppressLasting } from './suppressions/operations.ts'
import { resolveFilter } from './term-filters.store.ts'
import {
  auditTriage,
  deciderOf,
  requireReason,
  requireTriageConsent,
  requireValues,
  toEnd,
  triageShape,
} from './triage.ts'
import { toUnseenWarnings, UnseenValues } from './unseen-values.ts'

/** Findings whose status is set in one transaction. */
const AT_ONCE = 500
/** Range of row ids searched in one step, which takes a few milliseconds. */
const IDS_PER_STEP = 2_000
/** Maximum number of findings of one triage. */
const MAX_TRIAGED = 10_000
/** Maximum number of ids in an answer over MCP. */
const MAX_IDS = 100

const FindingId = z.string().min(1).max(40).describe('Id of the finding.')
const Search = z.string().trim().max(200).describe('Words that all occur in the text, title, address or container.')
const expectedStatus = z.enum(findingStatuses).describe('Status it must still have.').optional()
const ExpectedCount = z.int().min(0).describe('The count from preview_triage; if it differs now, nothing is changed.')

const Lasting = ownText().describe('Suppression of findings to come.')

const TriageInput = z.strictObject({
  filters: FilterMapping.optional(),
  search: Search.optional(),
  ids: z.array(FindingId).min(1).describe('Ids of the findings, instead of filters.').optional(),
  ...triageShape,
  expectedStatus: z.enum(findingStatuses).describe('Findings with another status now are skipped.').optional(),
  expectedCount: ExpectedCount.optional(),
  expected: ExpectedCount.describe('Another name of expectedCount.').optional(),
})

type TriageInput = z.output<typeof TriageInput>

/** The findings that a triage changed, with their previous statuses. */
interface Triaged {
  matched: number
  changed: number
  items: { id: string; from: FindingStatus; until?: string }[]
  /** The suppression that decides findings to come. */
  suppression?: string
}

const toReason = (reason: string | undefined) => (reason === undefined ? undefined : toSafeText(reason, 'definition'))

const findById = (ledger: FindingLedger, id: string): FindingRecord | undefined =>
  /^\d{1,15}$/.test(id) ? ledger.findById(Number(id)) : undefined

/** Ids of the matching findings in one snapshot; yields to the event loop between steps. */
async function listMatching(
  store: Store,
  filter: FilterMapping,
  search: string | undefined,
  at: number,
): Promise<number[]> {
  const { reader, close } = store.openSnapshot()
  try {
    const conditions = resolveFilter(reader, filter, at)
    const newest = findNewestId(reader)
    const ids: number[] = []
    for (let after = 0; after < newest; after += IDS_PER_STEP) {
      ids.push(...listFindingIds(reader, { conditions, search, after, upTo: after + IDS_PER_STEP }))
      await nextTurn()
    }
    return ids
  } finally {
    close()
  }
}

/** @throws AppError `invalid_input` for a filter that matches everything, or an unknown source */
function requireFilter(context: WriteContext, filters: FilterMapping, search: string | undefined): void {
  if (restrictsNothing(filters) && (search ?? '') === '') {
    throw invalidInput('The filter matches every finding; add a condition.', {
      issues: [{ path: 'filters', message: 'must contain at least one condition.' }],
    })
  }
  context.read((reader) => requireSources(reader, filters, 'filters'))
}

/** @throws AppError `invalid_input`, reason `too_many_findings`, with the count */
function requireWithinLimit(matched: number): void {
  if (matched <= MAX_TRIAGED) return
  const message = `The filter matches ${matched} findings, but one triage changes at most ${MAX_TRIAGED}; add a condition.`
  throw invalidInput(message, { reason: 'too_many_findings', facts: { matched, limit: MAX_TRIAGED } })
}

async function listTargets(input: TriageInput, context: WriteContext): Promise<number[]> {
  const { ids, filters, search } = input
  if (ids === undefined) {
    requireFilter(context, filters ?? {}, search)
    return listMatching(context.store, filters ?? {}, search, context.now())
  }
  const named = [...new Set(ids)]
  requireWithinLimit(named.length)
  const numbers = named.map((id) => (/^\d{1,15}$/.test(id) ? Number(id) : 0))
  const known = context.read((reader) => listKnownIds(reader, numbers))
  // With an expected status, a deleted finding counts as changed.
  if (input.expectedStatus !== undefined || known.length === named.length) return known
  const missing = named.find((_id, index) => !known.includes(numbers[index] ?? 0)) ?? ''
  const message = `There is no finding ${quote(missing)}; search_findings lists them.`
  const path = `ids[${ids.indexOf(missing)}]`
  throw notFound(message, { issues: [{ path, message: 'is not the id of a finding.' }] })
}

/**
 * Sets the status of many findings; each batch is a transaction with its own entry in the audit trail.
 * @throws AppError `conflict`, reason `count_changed` or `status_changed`, before anything is changed
 */
async function triageMany(input: TriageInput, context: WriteContext): Promise<Triaged> {
  const { ids, filters, search, status, reason, until, expectedStatus: wanted } = input
  const end = toEnd(until, context.now())
  const expected = input.expectedCount ?? input.expected
  const targets = await listTargets(input, context)
  const matched = targets.length
  if (expected !== undefined && matched !== expected) {
    const message = `The filter matches ${matched} findings now, not ${expected}; review them and try again.`
    throw conflict(message, { reason: 'count_changed', facts: { matched, expected } })
  }
  requireWithinLimit(matched)
  if (input.future === true) requireConsent(context.caller, 'Deciding on findings to come')
  const decided = { to: status, ...deciderOf(context), reason: toReason(reason), until: end }
  const done: Triaged = { matched, changed: 0, items: [] }
  const isDue = (ledger: FindingLedger, finding: FindingRecord) =>
    changes(ledger, finding, status, end) && (wanted === undefined || finding.facets.status === wanted)
  /** What the first entry of the audit trail says of all findings. */
  let ofAll = {}
  for (let from = 0; from < matched; from += AT_ONCE) {
    // A durable commit makes all commits before it durable, too.
    const durable = from + AT_ONCE >= matched
    const items = context.store.write(
      (writer) => {
        const at = context.now()
        return FindingLedger.keep(writer, at, (ledger) => {
          const find = (ids: readonly number[]) => ids.flatMap((id) => ledger.findById(id) ?? [])
          const isOurs = (finding: FindingRecord) => isDue(ledger, finding)
          ledger.readAheadById(from === 0 ? targets : targets.slice(from, from + AT_ONCE))
          const due = find(targets.slice(from, from + AT_ONCE)).filter(isOurs)
          if (from === 0) {
            const all = find(targets)
            requireExpectedStatus(all, input, isOurs, writer, context)
            const whole = matched > AT_ONCE ? { ofFindings: all.filter(isOurs).length } : {}
            ofAll = { ...whole, digest: toDigest(all) }
          }
          if (due.length > 0) {
            const asked = ids === undefined ? { filters, search } : { ids: ids.length }
            auditTriage(writer, context, {
              name: '*',
              after: { status, reason, until, ...asked, findings: due.length, ...ofAll },
            })
          }
          const former = due.map(({ id, facets }) => ({
            ...{ id: String(id), from: facets.status },
            ...formerEnd(ledger, id),
          }))
          for (const finding of due)
            ledger.changeStatus(finding, { ...decided, at, resolvedAt: toFormerResolution(ledger, finding, input) })
          return former
        })
      },
      { durable },
    )
    if (items.length > 0) ofAll = {}
    done.items.push(...items)
    await context.store.yieldBetweenBatches(context.signal)
  }
  const changed = done.items.length
  if (input.future !== true) return { ...done, changed }
  const lasting = await suppressLasting({ filters: filters ?? {}, status, reason: reason ?? '', until: end }, context)
  return { ...done, changed: changed + lasting.changed, suppression: lasting.id }
}

/** A hash of which findings a triage is about, and of their statuses. */
const toDigest = (findings: readonly FindingRecord[]) =>
  hash('sha256', findings.map(({ id, facets }) => `${id} ${facets.status}`).join('\n')).slice(0, 16)

/** The reason by which commands and the console undo a triage. */
const UNDO = 'undo'

/** The time of its resolution that a finding gets back, if a decision interrupted it or is undone. */
function toFormerResolution(
  ledger: FindingLedger,
  { id, facets }: FindingRecord,
  { status, reason }: Pick<TriageInput, 'status' | 'reason'>,
): number | undefined {
  if (status !== 'RESOLVED' || (facets.status === 'OPEN' && reason !== UNDO)) return undefined
  return ledger.formerResolution(id, reason === UNDO)
}

/** Whether a decision changes the status of a finding, or when its status ends. */
function changes(
  ledger: FindingLedger,
  { id, facets }: FindingRecord,
  status: FindingStatus,
  end: number | undefined,
): boolean {
  return facets.status !== status || (isDecided(status) && ledger.endOf(id) !== end)
}

function formerEnd(ledger: FindingLedger, id: number): { until?: string } {
  const end = ledger.endOf(id)
  return end === undefined ? {} : { until: toInstant(end) }
}

/** Checks in the first transaction of a triage, before anything is changed, that the findings still are as expected. */
function requireExpectedStatus(
  present: readonly FindingRecord[],
  { status, expectedStatus: wanted }: TriageInput,
  isDue: (finding: FindingRecord) => boolean,
  writer: Writer,
  context: WriteContext,
): void {
  const due = present.filter(isDue)
  if (wanted !== undefined && present.length > 0 && present.every(({ facets }) => facets.status !== wanted)) {
    throw conflict(`None of these findings is ${wanted} any more; review them and try again.`, {
      reason: 'status_changed',
      facts: { expectedStatus: wanted, matched: present.length },
    })
  }
  const critical = due.filter(({ facets }) => facets.severity === 'CRITICAL').length
  if (due.length > 0) {
    requireTriageConsent(writer, context, { status, findings: due.length, critical }, () =>
      describeFindings(writer, context, due),
    )
  }
}

/** Findings that a question to a person names. */
const MAX_DESCRIBED = 5

/** Findings that a person is asked about, each with its title and its status so far, the most severe first. */
function describeFindings(reader: Reader, context: WriteContext, findings: readonly FindingRecord[]): string[] {
  const shown = findings
    .toSorted((a, b) => severityCodes[b.facets.severity] - severityCodes[a.facets.severity])
    .slice(0, MAX_DESCRIBED)
    .map(({ id }) => {
      const { severity, status, findingType, asset } = showFinding(reader, String(id), context.now())
      const where = isLockedDown(context) ? '' : ` in ${quote(asset.name)}`
      return `Finding ${id}: ${severity} ${quote(findingType)}${where}, now ${status}`
    })
  const left = findings.length - shown.length
  return left === 0 ? shown : [...shown, `and ${left} more`]
}

type OneInput = Pick<TriageInput, 'status' | 'reason' | 'until' | 'expectedStatus'> & { id: string }

function triageOne({ id, ...decision }: OneInput, context: WriteContext): FindingDetail {
  const { status, reason, until, expectedStatus: wanted } = decision
  const end = toEnd(until, context.now())
  return context.store.write(
    (writer) => {
      const at = context.now()
      FindingLedger.keep(writer, at, (ledger) => {
        const finding = findById(ledger, id)
        if (finding === undefined) throw notFound(`There is no finding ${quote(id)}; search_findings lists them.`)
        const { status: from, severity } = finding.facets
        if (wanted !== undefined && from !== wanted) {
          throw conflict(`Finding ${id} is now ${from}, not ${wanted}; review it and try again.`, {
            reason: 'status_changed',
            facts: { status: from, expectedStatus: wanted },
          })
        }
        if (!changes(ledger, finding, status, end)) return
        const critical = severity === 'CRITICAL' ? 1 : 0
        requireTriageConsent(writer, context, { status, findings: 1, critical }, () =>
          describeFindings(writer, context, [finding]),
        )
        const after = { status, reason, until, findings: 1 }
        const before = { status: from, ...formerEnd(ledger, finding.id) }
        auditTriage(writer, context, { name: id, before, after })
        const resolvedAt = toFormerResolution(ledger, finding, decision)
        const decided = { to: status, ...deciderOf(context), reason: toReason(reason), until: end, resolvedAt }
        ledger.changeStatus(finding, { at, ...decided })
      })
      return showFinding(writer, id, context.now())
    },
    { durable: true },
  )
}

function requireOneTarget(
  given: { ids?: unknown; id?: unknown; filters?: unknown; search?: unknown },
  context: z.core.$RefinementCtx,
  name: 'id' | 'ids',
): void {
  const named = given[name] !== undefined
  const filtered = given.filters !== undefined || given.search !== undefined
  if (named !== filtered) return
  const message = named ? `cannot be combined with filters; give one of them.` : 'is missing; or give filters.'
  context.addIssue({ code: 'custom', path: [name], message })
}

export const triageOperations: readonly Operation[] = [
  operation({
    name: 'update_finding',
    title: 'Triage findings',
    summary:
      'Set the status of a finding, or of all that filters match (without expectedCount: counts). FALSE_POSITIVE and IGNORED survive later scans.',
    effect: 'write',
    consent: 'by_extent',
    scope: 'triage',
    route: 'PATCH /findings/{id}',
    toolset: 'admin',
    idempotent: true,
    untrusted: true,
    input: z
      .strictObject({
        id: FindingId.describe('Id of the finding, or give filters.').optional(),
        filters: FilterMapping.optional(),
        ...triageShape,
        expectedStatus,
        expectedCount: ExpectedCount.describe('With filters: expected number of matches.').optional(),
      })
      .superRefine(requireReason)
      .superRefine(requireValues)
      .superRefine((given, context) => requireOneTarget(given, context, 'id')),
    output: z.object({
      ...FindingDetail.partial().shape,
      matched: z.number().describe('With filters: findings that match.').optional(),
      changed: z.number().describe('With filters: findings whose status was changed.').optional(),
      ids: z.array(ownText()).describe('With filters: the first 100 changed.').optional(),
      suppression: Lasting.optional(),
      fix: z
        .object({
          tool: ownText().describe('Tool to call.'),
          arguments: z.record(ownText(), ownValue()).describe('Arguments that change the counted findings.'),
        })
        .describe('The call that changes the counted findings.')
        .optional(),
      warnings: UnseenValues.optional(),
    }),
    run: async ({ id, expectedCount, ...input }, context) => {
      if (id !== undefined) return triageOne({ id, ...input }, context)
      if (expectedCount === undefined) {
        const filters = input.filters ?? {}
        requireFilter(context, filters, undefined)
        const { matched, warned } = context.read((reader) => {
          const conditions = resolveFilter(reader, filters, context.now())
          return { matched: countFindings(reader, { conditions }), warned: toUnseenWarnings(reader, filters) }
        })
        requireWithinLimit(matched)
        const call = { ...input, expectedCount: matched }
        return { matched, changed: 0, ids: [], ...warned, fix: { tool: 'update_finding', arguments: call } }
      }
      const { items, ...counts } = await triageMany({ ...input, expectedCount }, context)
      return { ...counts, ids: items.slice(0, MAX_IDS).map((item) => item.id) }
    },
  }),

  operation({
    name: 'preview_triage',
    title: 'Preview triage',
    summary: 'Count the findings that triage_findings would change with this filter.',
    effect: 'read',
    runsOn: 'query-thread',
    cost: 'computed',
    scope: 'read',
    route: 'POST /findings/triage/preview',
    input: z.strictObject({ filters: FilterMapping, search: Search.optional() }),
    output: z.object({
      count: z.number().describe('Findings that match the filter.'),
      warnings: UnseenValues.optional(),
    }),
    run: ({ filters, search }, context) =>
      context.read((reader) => {
        requireSources(reader, filters, 'filters')
        const conditions = resolveFilter(reader, filters, context.now())
        return { count: countFindings(reader, { conditions, search }), ...toUnseenWarnings(reader, filters) }
      }),
  }),

  operation({
    name: 'triage_findings',
    title: 'Triage many findings',
    summary: 'Set the status of findings by ids or filters, at most 10,000; preview_triage counts them first.',
    effect: 'write',
    runsOn: 'scan-thread',
    consent: 'by_extent',
    scope: 'triage',
    route: 'POST /findings/triage',
    input: TriageInput.superRefine(requireReason)
      .superRefine(requireValues)
      .superRefine((given, context) => requireOneTarget(given, context, 'ids')),
    output: z.object({
      matched: z.number().describe('Findings given by id or matched.'),
      changed: z.number().describe('Findings whose status changed.'),
      items: z
        .array(
          z.object({
            id: ownText().describe('Id of the finding.'),
            from: z.enum(findingStatuses).describe('The status that it had.'),
            until: ownText().describe('When that status would have ended by itself.').optional(),
          }),
        )
        .describe('The changed findings; one call for each former status and end, with expectedStatus, undoes them.'),
      suppression: Lasting.optional(),
    }),
    run: triageMany,
  }),
]
