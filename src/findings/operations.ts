import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import { toSafeText } from '../detectors/safe-text.ts'
import { conflict, invalidInput, notFound } from '../kernel/errors.ts'
import { quote } from '../kernel/shown.ts'
import type { ReadContext } from '../operation/context.ts'
import { decodeCursor, encodeCursor } from '../operation/cursor.ts'
import { ownText } from '../operation/lockdown/disclosure.ts'
import { type Operation, operation } from '../operation/operation.ts'
import type { Reader, Store, Writer } from '../store/store.ts'
import { getAsset, listAssets } from './asset-list.store.ts'
import { FilterMapping, restrictsNothing } from './filter.ts'
import type { FindingChange } from './finding-record.ts'
import { FindingLedger } from './ledger.store.ts'
import {
  countFindings,
  findNewestId,
  getFinding,
  isKnownName,
  listFindingIds,
  listFindings,
  listStatusChanges,
} from './list.store.ts'
import { Asset, AssetDetail, Finding, FindingDetail } from './model.ts'
import { requireSources } from './source-names.ts'
import { auditTriage, deciderOf, requireReason, requireTriageConsent, triageShape } from './triage.ts'

const { exclude: _, ...filterShape } = FilterMapping.shape
const Search = z
  .string()
  .trim()
  .max(200)
  .describe('Words that must all occur in the text, title, address or container.')
const Limit = z.int().min(1).max(500).default(50).describe('Maximum number of items (up to 500).')
const Cursor = z.string().max(4_000).describe('nextCursor of the previous page.')
const NextCursor = ownText().describe('Where the next page begins; absent on the last one.')
/** Findings whose status is set in one transaction. */
const AT_ONCE = 100
/** Range of row ids searched in one step, which takes a few milliseconds. */
const LOOKED_AT_ONCE = 2_000
/**
 * Maximum of a cursor with the bounds of a hundred pending imports: two sort keys, the greatest id, and two for each.
 */
const MAX_CURSOR_KEYS = 203
const FindingId = z.string().min(1).max(40).describe('Id of the finding.')

/** Lists of free names may be separated by commas; a known name that contains a comma is not split. */
function splitNames(reader: Reader, filter: FilterMapping): FilterMapping {
  const split = (values: unknown) =>
    Array.isArray(values)
      ? values.flatMap((value) => {
          if (typeof value !== 'string' || !value.includes(',') || isKnownName(reader, value)) return [value]
          const parts = value.split(',').map((part) => part.trim())
          return parts.filter((part) => part !== '')
        })
      : values
  return Object.fromEntries(Object.entries(filter).map(([key, values]) => [key, split(values)])) as FilterMapping
}

/** @throws AppError `not_found` for an unknown source. */
function readFilter(reader: Reader, filter: FilterMapping): FilterMapping {
  const split = splitNames(reader, filter)
  requireSources(reader, split, '')
  return split
}

const toNext = (reader: Reader, context: ReadContext, list: string, keys: readonly number[] | undefined) =>
  keys === undefined ? {} : { nextCursor: encodeCursor(reader, context, list, keys) }

function showFinding(reader: Reader, id: string): FindingDetail {
  return { ...getFinding(reader, id), history: listStatusChanges(reader, Number(id)) }
}

/** Returns how many of the findings had another status. */
function setStatuses(writer: Writer, ids: readonly number[], change: FindingChange): number {
  return FindingLedger.keep(writer, change.at, (ledger) => {
    const others = ids.flatMap((id) => ledger.findById(id) ?? []).filter(({ facets }) => facets.status !== change.to)
    for (const finding of others) ledger.changeStatus(finding, change)
    return others.length
  })
}

function countCritical(writer: Writer, ids: readonly number[]): number {
  return FindingLedger.keep(writer, 0, (ledger) =>
    ids.filter((id) => ledger.findById(id)?.facets.severity === 'CRITICAL'),
  ).length
}

/** Ids of the matching findings in one snapshot; yields to the event loop between steps. */
async function listMatching(store: Store, filter: FilterMapping, search: string | undefined): Promise<number[]> {
  const { reader, close } = store.openSnapshot()
  try {
    const newest = findNewestId(reader)
    const ids: number[] = []
    for (let after = 0; after < newest; after += LOOKED_AT_ONCE) {
      ids.push(...listFindingIds(reader, { filter, search, after, upTo: after + LOOKED_AT_ONCE }))
      await nextTurn()
    }
    return ids
  } finally {
    close()
  }
}

export const findingOperations: readonly Operation[] = [
  operation({
    name: 'search_findings',
    title: 'Search findings',
    summary: 'List individual findings, newest first, by filter. For counts use query_metric.',
    effect: 'read',
    runsOn: 'query-thread',
    scope: 'read',
    route: 'GET /findings',
    toolset: 'admin',
    untrusted: true,
    input: z.strictObject({
      ...filterShape,
      search: Search.optional(),
      assetId: z.string().min(1).max(1000).describe('Only findings in this asset, by id or key.').optional(),
      limit: Limit,
      cursor: Cursor.optional(),
    }),
    output: z.object({
      items: z.array(Finding).describe('Findings, newest first.'),
      nextCursor: NextCursor.optional(),
    }),
    run: ({ search, assetId, limit, cursor, ...filter }, context) =>
      context.read((reader) => {
        const after =
          cursor === undefined ? undefined : decodeCursor(reader, context, 'findings', cursor, 2, MAX_CURSOR_KEYS)
        const page = listFindings(reader, { filter: readFilter(reader, filter), search, assetId, limit, after })
        return { items: page.items, ...toNext(reader, context, 'findings', page.next) }
      }),
  }),

  operation({
    name: 'get_finding',
    title: 'Get a finding',
    summary: 'Show one finding with its asset and the history of its status.',
    effect: 'read',
    scope: 'read',
    route: 'GET /findings/{id}',
    toolset: 'admin',
    untrusted: true,
    input: z.strictObject({ id: FindingId }),
    output: FindingDetail,
    run: ({ id }, context) => context.read((reader) => showFinding(reader, id)),
  }),

  operation({
    name: 'update_finding',
    title: 'Triage a finding',
    summary: 'Set the status of a finding, with a reason. FALSE_POSITIVE and IGNORED survive later scans.',
    effect: 'write',
    consent: 'by_extent',
    scope: 'triage',
    route: 'PATCH /findings/{id}',
    toolset: 'admin',
    idempotent: true,
    untrusted: true,
    input: z.strictObject({ id: FindingId, ...triageShape }).superRefine(requireReason),
    output: FindingDetail,
    run: ({ id, status, reason }, context) =>
      context.store.write(
        (writer) => {
          const at = context.now()
          FindingLedger.keep(writer, at, (ledger) => {
            const finding = /^\d{1,15}$/.test(id) ? ledger.findById(Number(id)) : undefined
            if (finding === undefined) throw notFound(`There is no finding ${quote(id)}; search_findings lists them.`)
            const { status: from, severity } = finding.facets
            if (from === status) return
            const critical = severity === 'CRITICAL' ? 1 : 0
            requireTriageConsent(writer, context, { status, findings: 1, critical })
            const after = { status, reason, findings: 1 }
            auditTriage(writer, context, { name: id, before: { status: from }, after })
            ledger.changeStatus(finding, { at, to: status, ...deciderOf(context), reason: toReason(reason) })
          })
          return showFinding(writer, id)
        },
        { durable: true },
      ),
  }),

  operation({
    name: 'preview_triage',
    title: 'Preview a triage',
    summary: 'Count the findings that triage_findings would change with this filter.',
    effect: 'read',
    runsOn: 'query-thread',
    cost: 'computed',
    scope: 'read',
    route: 'POST /findings/triage/preview',
    input: z.strictObject({ filters: FilterMapping, search: Search.optional() }),
    output: z.object({ count: z.number().describe('Findings that match the filter.') }),
    run: ({ filters, search }, context) =>
      context.read((reader) => {
        requireSources(reader, filters, 'filters')
        return { count: countFindings(reader, filters, search) }
      }),
  }),

  operation({
    name: 'triage_findings',
    title: 'Triage findings by filter',
    summary: 'Set the status of every finding that matches a filter; preview_triage counts them first.',
    effect: 'write',
    runsOn: 'scan-thread',
    consent: 'by_extent',
    scope: 'triage',
    route: 'POST /findings/triage',
    input: z
      .strictObject({
        filters: FilterMapping,
        search: Search.optional(),
        ...triageShape,
        expected: z
          .int()
          .min(0)
          .describe('The count from preview_triage; if it differs now, nothing is changed.')
          .optional(),
      })
      .superRefine(requireReason),
    output: z.object({
      matched: z.number().describe('Findings that match the filter.'),
      changed: z.number().describe('Findings whose status changed.'),
    }),
    run: async ({ filters, search, status, reason, expected }, context) => {
      if (restrictsNothing(filters) && (search ?? '') === '') {
        throw invalidInput('The filter matches every finding; add a condition.', {
          issues: [{ path: 'filters', message: 'must contain at least one condition.' }],
        })
      }
      context.read((reader) => requireSources(reader, filters, 'filters'))
      const matched = await listMatching(context.store, filters, search)
      if (expected !== undefined && matched.length !== expected) {
        const message = `The filter now matches ${matched.length} findings, not ${expected}; review them and try again.`
        throw conflict(message, { reason: 'count_changed', facts: { matched: matched.length, expected } })
      }
      const change = { to: status, ...deciderOf(context), reason: toReason(reason) }
      const done = { matched: matched.length, changed: 0 }
      const after = { status, reason, filters, search, findings: matched.length }
      for (let from = 0; from < matched.length; from += AT_ONCE) {
        const ids = matched.slice(from, from + AT_ONCE)
        // A durable commit makes all commits before it durable, too.
        const durable = from + AT_ONCE >= matched.length
        done.changed += context.store.write(
          (writer) => {
            if (from === 0) {
              const critical = countCritical(writer, matched.slice(0, AT_ONCE))
              requireTriageConsent(writer, context, { status, findings: matched.length, critical })
              auditTriage(writer, context, { name: '*', after })
            }
            return setStatuses(writer, ids, { ...change, at: context.now() })
          },
          { durable },
        )
        await context.store.yieldBetweenBatches(context.signal)
      }
      return done
    },
  }),

  operation({
    name: 'list_assets',
    title: 'List assets',
    summary: 'List scanned pages, attachments, reports and so on; with finding filters, those with matching findings.',
    effect: 'read',
    runsOn: 'query-thread',
    scope: 'read',
    route: 'GET /assets',
    untrusted: true,
    input: z.strictObject({
      ...filterShape,
      status: z.enum(['ACTIVE', 'DELETED']).describe('Only assets in this state.').optional(),
      search: Search.optional(),
      limit: Limit,
      cursor: Cursor.optional(),
    }),
    output: z.object({ items: z.array(Asset).describe('Assets.'), nextCursor: NextCursor.optional() }),
    run: ({ status, search, limit, cursor, ...filter }, context) =>
      context.read((reader) => {
        const [after] = cursor === undefined ? [] : decodeCursor(reader, context, 'assets', cursor, 1)
        const page = listAssets(reader, { filter: readFilter(reader, filter), status, search, limit, after })
        return { items: page.items, ...toNext(reader, context, 'assets', page.next) }
      }),
  }),

  operation({
    name: 'get_asset',
    title: 'Get an asset',
    summary: 'Show one asset by id or key, with its links and metadata.',
    effect: 'read',
    scope: 'read',
    route: 'GET /assets/{id}',
    untrusted: true,
    input: z.strictObject({ id: z.string().min(1).max(1000).describe('Id or key of the asset.') }),
    output: AssetDetail,
    run: ({ id }, context) => context.read((reader) => getAsset(reader, id)),
  }),
]

const toReason = (reason: string | undefined) => (reason === undefined ? undefined : toSafeText(reason, 'definition'))
