import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { appendAudit } from '../../audit/audit.store.ts'
import { compilePattern } from '../../detectors/custom/pattern.ts'
import { detectorTypes } from '../../detectors/detector.ts'
import { type Issue, invalidInput, notFound } from '../../kernel/errors.ts'
import { foldCase } from '../../kernel/fold.ts'
import { toInstant } from '../../kernel/instant.ts'
import { ownText } from '../../kernel/safe-text.ts'
import { quote, showNames } from '../../kernel/shown.ts'
import { closest } from '../../kernel/suggest.ts'
import { endMeaning } from '../../kernel/time-range.ts'
import { authorOf, describeAuthor } from '../../operation/author.ts'
import type { WriteContext } from '../../operation/context.ts'
import { type Operation, operation } from '../../operation/operation.ts'
import type { Reader } from '../../store/store.ts'
import { FilterMapping, restrictsNothing } from '../filter.ts'
import { toFingerprint } from '../finding-record.ts'
import { FindingLedger } from '../ledger.store.ts'
import { requireSources } from '../source-names.ts'
import { requireTerms } from '../term-filters.store.ts'
import { deciderOf, toEnd, Until } from '../triage.ts'
import { toUnseenWarnings, UnseenValues } from '../unseen-values.ts'
import {
  findSuppression,
  findValueFp,
  insertSuppression,
  listDecidedBy,
  listFoundDetectors,
  listSuppressible,
  listSuppressions,
  patternFields,
  removeSuppression,
  type SuppressionRecord,
} from './suppressions.store.ts'
import { actorOf, compilePatterns, suppressFindings } from './suppressions.ts'

const AT_ONCE = 100

const Pattern = z.strictObject({
  field: z
    .enum(patternFields)
    .describe('Of the asset: title, address, space. Of the finding: place, heading, table column, excerpt, reason.'),
  pattern: z.string().min(1).max(512).describe('RE2 pattern, case-insensitive.'),
})
const status = z.enum(['IGNORED', 'FALSE_POSITIVE'])

const Suppression = z.object({
  id: z.string().describe('Id of the suppression.'),
  filters: FilterMapping,
  valueFingerprint: z.string().describe('Keyed hash of the suppressed value.').optional(),
  patterns: z.array(Pattern).describe('Further conditions.'),
  status: status.describe('Status that matching findings get.'),
  reason: z.string().describe('Why.'),
  createdBy: z.string().describe('Who created it.'),
  createdAt: z.string().describe('ISO 8601 UTC timestamp.'),
  until: z.string().describe('When it ends: findings it changed are open again from then on.').optional(),
})

const SuppressionId = z.string().min(1).max(40).describe('Id of the suppression.')

function toView(suppression: SuppressionRecord) {
  const { id, filters, valueFp, patterns, status: to, reason, createdBy, createdAt, until } = suppression
  return {
    id: String(id),
    filters,
    ...(valueFp === null ? {} : { valueFingerprint: toFingerprint(valueFp) }),
    patterns,
    status: status.parse(to),
    reason,
    createdBy,
    createdAt: toInstant(createdAt),
    ...(until === null ? {} : { until: toInstant(until) }),
  }
}

function getSuppression(reader: Reader, id: string): SuppressionRecord {
  const found = /^\d{1,15}$/.test(id) ? findSuppression(reader, Number(id)) : undefined
  if (found === undefined) throw notFound(`There is no suppression ${quote(id)}; list_suppressions shows them all.`)
  return found
}

export const suppressionOperations: readonly Operation[] = [
  operation({
    name: 'list_suppressions',
    title: 'List suppressions',
    summary: 'List the decisions that apply to present and future findings, oldest first.',
    effect: 'read',
    scope: 'read',
    route: 'GET /suppressions',
    texts: 'own',
    input: z.strictObject({}),
    output: z.object({
      items: z.array(Suppression).describe('The suppressions.'),
      total: z.number().describe('Number of suppressions.'),
    }),
    run: (_, context) =>
      context.read((reader) => {
        const items = listSuppressions(reader).map(toView)
        return { items, total: items.length }
      }),
  }),

  operation({
    name: 'create_suppression',
    title: 'Suppress findings',
    summary: 'Ignore open and future findings by filter, by value or by pattern.',
    effect: 'write',
    runsOn: 'scan-thread',
    consent: 'always',
    scope: 'triage',
    route: 'POST /suppressions',
    status: 201,
    location: ({ id }) => `/suppressions/${id}`,
    texts: 'own',
    input: z.strictObject({
      filters: FilterMapping.optional(),
      findingId: z.string().max(40).describe('A finding whose value is suppressed wherever it occurs.').optional(),
      patterns: z.array(Pattern).max(10).default([]).describe('Further conditions, all of which must match.'),
      status: status.default('IGNORED').describe('Status that matching findings get.'),
      reason: z.string().trim().min(1).max(1000).describe('Reason, for the history.'),
      until: Until.describe(`${endMeaning} Findings it changed are then open again.`).optional(),
    }),
    output: Suppression.extend({
      changed: z.number().describe('Open findings that it changed.'),
      warnings: UnseenValues.optional(),
    }),
    run: async ({ filters = {}, findingId, patterns, status: to, reason, until }, context) => {
      const end = toEnd(until, context.now())
      const valueFp = findingId === undefined ? null : context.read((reader) => findValue(reader, findingId))
      checkSuppression({ filters, valueFp, patterns })
      const warned = context.read((reader) => {
        requireTerms(reader, filters)
        requireSources(reader, filters, 'filters')
        requireDetectors(reader, filters)
        return toUnseenWarnings(reader, filters)
      })
      const created = addSuppression({ filters, valueFp, patterns, status: to, reason, until: end ?? null }, context)
      return { ...toView(created), changed: await applyNow(created, context), ...warned }
    },
  }),

  operation({
    name: 'delete_suppression',
    title: 'Delete suppression',
    summary: 'Delete a suppression: findings that it changed are open again, or resolved if they are gone.',
    effect: 'write',
    runsOn: 'scan-thread',
    consent: 'always',
    scope: 'triage',
    route: 'DELETE /suppressions/{id}',
    destructive: true,
    texts: 'own',
    input: z.strictObject({ id: SuppressionId }),
    output: Suppression.extend({ changed: z.number().describe('Findings whose status was restored.') }),
    affected: ({ id }, context) =>
      context.read((reader) => {
        const { filters, patterns, status: to, reason, createdBy } = toView(getSuppression(reader, id))
        return [`${to} by ${quote(createdBy)} (${quote(reason)}): ${JSON.stringify({ filters, patterns })}`]
      }),
    run: async ({ id }, context) => {
      const suppression = context.store.write(
        (writer) => {
          const found = getSuppression(writer, id)
          removeSuppression(writer, found.id)
          const { id: name, ...before } = toView(found)
          appendAudit(writer, authorOf(context), { action: 'delete', kind: 'suppression', name, before })
          return found
        },
        { durable: true },
      )
      return { ...toView(suppression), changed: await revertFindings(suppression, context) }
    },
  }),
]

function addSuppression(
  decided: Omit<SuppressionRecord, 'id' | 'createdBy' | 'createdAt'>,
  context: WriteContext,
): SuppressionRecord {
  return context.store.write(
    (writer) => {
      const draft = { ...decided, createdBy: describeAuthor(context.caller), createdAt: context.now() }
      const added = getSuppression(writer, String(insertSuppression(writer, draft)))
      const { id, ...after } = toView(added)
      appendAudit(writer, authorOf(context), { action: 'create', kind: 'suppression', name: id, after })
      return added
    },
    { durable: true },
  )
}

/**
 * Makes a decision on findings last: it applies to those that come, and to those that came meanwhile. A suppression that
 * decides the same already is kept.
 */
export async function suppressLasting(
  {
    filters,
    status,
    reason,
    until,
  }: Pick<SuppressionRecord, 'filters' | 'status' | 'reason'> & { until?: number | undefined },
  context: WriteContext,
): Promise<{ id: string; changed: number }> {
  const { statuses: _, exclude, ...rest } = filters
  const { statuses: __, ...without } = exclude ?? {}
  const lasting = { ...rest, ...(Object.keys(without).length === 0 ? {} : { exclude: without }) }
  const decided = { filters: lasting, valueFp: null, patterns: [], status, until: until ?? null }
  const isSame = ({ filters, valueFp, patterns, status, until }: SuppressionRecord) =>
    isDeepStrictEqual({ filters, valueFp, patterns, status, until }, decided)
  const same = context.read(listSuppressions).find(isSame)
  const kept = same ?? addSuppression({ ...decided, reason }, context)
  return { id: String(kept.id), changed: await applyNow(kept, context) }
}

function findValue(reader: Reader, findingId: string): number {
  const valueFp = /^\d{1,15}$/.test(findingId) ? findValueFp(reader, Number(findingId)) : undefined
  if (valueFp === undefined) throw notFound(`There is no finding ${quote(findingId)}; search_findings lists them.`)
  if (valueFp === null) {
    throw invalidInput(`Finding ${findingId} has no value of its own; suppress it by filters or patterns.`, {
      issues: [{ path: 'findingId', message: 'must be a finding with a value of its own.' }],
    })
  }
  return valueFp
}

function checkSuppression({ filters, valueFp, patterns }: Pick<SuppressionRecord, 'filters' | 'valueFp' | 'patterns'>) {
  const issues: Issue[] = patterns.flatMap(({ pattern }, index) => {
    const compiled = compilePattern(pattern, 'i')
    return 'problem' in compiled ? [{ path: `patterns[${index}].pattern`, message: compiled.problem }] : []
  })
  if (filters.statuses !== undefined || filters.exclude?.statuses !== undefined) {
    issues.push({ path: 'filters.statuses', message: 'cannot be given: a suppression applies to open findings.' })
  }
  if (restrictsNothing(filters) && valueFp === null && patterns.length === 0) {
    issues.push({ path: 'filters', message: 'must contain at least one condition; or give findingId or patterns.' })
  }
  const [first] = issues
  if (first === undefined) return
  throw invalidInput(`The suppression was not saved: ${first.path} ${first.message}`, { issues })
}

/**
 * Requires that the detectors exist, which a misspelt one does not.
 * @throws AppError `invalid_input` with the closest names
 */
function requireDetectors(reader: Reader, filters: FilterMapping): void {
  const asked = [...(filters.detectorTypes ?? []), ...(filters.exclude?.detectorTypes ?? [])]
  if (asked.length === 0) return
  const known = [...new Set<string>([...detectorTypes, ...listFoundDetectors(reader)])]
  const unknown = asked.find((value) => !known.some((each) => foldCase(each) === foldCase(value)))
  if (unknown === undefined) return
  const near = closest(unknown, known, (name) => name, 3)
  const hint = near.length === 0 ? `the detectors are ${showNames(known)}.` : `the closest are ${showNames(near)}.`
  throw invalidInput(`No detector and no finding is called ${quote(unknown)}; ${hint}`, {
    issues: [{ path: 'filters.detectorTypes', message: `${quote(unknown)} does not exist.` }],
    suggestions: near.map((value) => ({ value, kind: 'value' })),
  })
}

/** Changes the findings that are open now, one page per transaction; returns how many. */
async function applyNow(suppression: SuppressionRecord, context: WriteContext): Promise<number> {
  const matches = compilePatterns(suppression)
  let changed = 0
  for (let after = 0; ; ) {
    const page = context.read((reader) =>
      listSuppressible(reader, suppression, { at: context.now(), after, limit: AT_ONCE }),
    )
    const last = page.at(-1)
    if (last === undefined) return changed
    const found = page.filter(matches)
    const at = context.now()
    changed += context.store.write(
      (writer) => FindingLedger.keep(writer, at, (ledger) => suppressFindings(ledger, suppression, found, at)),
      { durable: true },
    )
    after = last.id
    await context.store.yieldBetweenBatches(context.signal)
  }
}

async function revertFindings(suppression: SuppressionRecord, context: WriteContext): Promise<number> {
  const decided = { ...deciderOf(context), reason: ownText('suppression deleted') }
  let changed = 0
  for (let after = 0; ; ) {
    const page = context.read((reader) => listDecidedBy(reader, actorOf(suppression.id), { after, limit: AT_ONCE }))
    const last = page.at(-1)
    if (last === undefined) return changed
    const at = context.now()
    context.store.write(
      (writer) =>
        FindingLedger.keep(writer, at, (ledger) => {
          for (const finding of page) {
            const record = ledger.findById(finding.id)
            const to = finding.gone ? 'RESOLVED' : 'OPEN'
            if (record?.facets.status === suppression.status) ledger.changeStatus(record, { at, to, ...decided })
          }
        }),
      { durable: true },
    )
    changed += page.length
    after = last.id
    await context.store.yieldBetweenBatches(context.signal)
  }
}
