import { hash } from 'node:crypto'
import { z } from 'zod'
import type { WrittenRange } from '../kernel/time-range.ts'
import { endMeaning, startMeaning } from '../kernel/time-range.ts'
import { utc } from '../kernel/zone.ts'
import type { ReadContext } from '../operation/context.ts'
import { decodeCursor, encodeCursor } from '../operation/cursor.ts'
import { parseRange } from '../operation/input/range.ts'
import { ownText } from '../operation/lockdown/disclosure.ts'
import { fileFormats, type Operation, operation, type WriteFile } from '../operation/operation.ts'
import type { Reader } from '../store/store.ts'
import { getAsset, listAssets } from './asset-list.store.ts'
import type { FilterCondition } from './conditions.ts'
import { exportFindings } from './export/export.ts'
import { FilterMapping } from './filter.ts'
import { findValue } from './find-value.ts'
import { findingOrders } from './finding-index.ts'
import {
  countFindings,
  countSortKeys,
  type FindingSelection,
  isKnownName,
  listFindings,
  showFinding,
} from './list.store.ts'
import { Asset, AssetDetail, Finding, FindingDetail } from './model.ts'
import { requireSources } from './source-names.ts'
import { resolveFilter } from './term-filters.store.ts'
import { triageOperations } from './triage-operations.ts'
import { toUnseenWarnings, UnseenValues } from './unseen-values.ts'

const filterShape = FilterMapping.shape
const Search = z.string().trim().max(200).describe('Words in the text, title, address or container.')
const Instant = z.string().max(60)
const Limit = z.int().min(1).max(500).default(50).describe('Maximum number of items.')
const Cursor = z.string().max(4_000).describe('nextCursor of the previous page.')
const NextCursor = ownText().describe('Where the next page begins; absent on the last one.')
/** Of a cursor: two keys of the order, the last id, and the greatest id. */
const MAX_CURSOR_KEYS = 4
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

/** @throws AppError `invalid_input` for a text that is no time, or when `from` is after `to` */
function toDetectionRange(written: WrittenRange): FilterCondition[] {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = parseRange(written, utc)
  if (written.from === undefined && written.to === undefined) return []
  return [{ key: 'firstDetectedAt', values: [from, to], exclude: false }]
}

/** @throws AppError `not_found` for an unknown source or term. */
function readFilter(reader: Reader, filter: FilterMapping, at: number): FilterCondition[] {
  const { exclude, ranges, ...keys } = filter
  const split = {
    ...splitNames(reader, keys),
    ...(ranges === undefined ? {} : { ranges }),
    ...(exclude === undefined ? {} : { exclude }),
  }
  requireSources(reader, split, '')
  return resolveFilter(reader, split, at)
}

/** The name of a list in its cursors, which are of no other filter or order. */
const nameList = (list: string, { cursor, limit, total, ...selection }: Record<string, unknown>): string =>
  `${list} ${hash('sha256', JSON.stringify(selection), 'base64url').slice(0, 16)}`

const toNext = (reader: Reader, context: ReadContext, list: string, keys: readonly number[] | undefined) =>
  keys === undefined ? {} : { nextCursor: encodeCursor(reader, context, list, keys) }

const SearchInput = z.strictObject({
  ...filterShape,
  search: Search.optional(),
  assetId: z.string().min(1).max(1000).describe('Its asset, by id or key.').optional(),
  from: Instant.describe(`Of the first detection. ${startMeaning}`).optional(),
  to: Instant.describe(`Of the first detection. ${endMeaning}`).optional(),
  sort: z.enum(findingOrders).describe('Order; default newest.').optional(),
  total: z.boolean().describe('Also count all matches.').optional(),
  limit: Limit,
  cursor: Cursor.optional(),
})
type FindingSearch = z.output<typeof SearchInput>

/** What a search selects. @throws AppError for an unknown source or term, or a bad range */
function toSelection(
  reader: Reader,
  {
    search,
    assetId,
    from,
    to,
    sort = 'newest',
    total: _total,
    limit: _limit,
    cursor: _cursor,
    ...filter
  }: FindingSearch,
  { now }: Pick<ReadContext, 'now'>,
): FindingSelection {
  return {
    conditions: [...readFilter(reader, filter, now()), ...toDetectionRange({ from, to })],
    search,
    assetId,
    sort,
  }
}

const searchFindings: Operation = operation({
  name: 'search_findings',
  title: 'Search findings',
  summary: 'List individual findings, newest first, by filter. For counts use query_metric.',
  effect: 'read',
  runsOn: 'query-thread',
  scope: 'read',
  route: 'GET /findings',
  toolset: 'admin',
  untrusted: true,
  files: Object.fromEntries(
    fileFormats.map(
      (format) =>
        [
          format,
          (raw, context) => exportFindings(format, { operation: searchFindings, select: toSelection }, raw, context),
        ] satisfies [string, WriteFile],
    ),
  ),
  input: SearchInput,
  output: z.object({
    items: z.array(Finding).describe('Findings, newest first unless sorted otherwise.'),
    total: z.number().describe('Number of all matches, if requested.').optional(),
    nextCursor: NextCursor.optional(),
    warnings: UnseenValues.optional(),
  }),
  run: (input, context) =>
    context.read((reader) => {
      const { total = false, limit, cursor } = input
      const { sort, conditions, search, assetId } = toSelection(reader, input, context)
      const list = nameList('findings', input)
      const keys = countSortKeys(sort)
      const after =
        cursor === undefined ? undefined : decodeCursor(reader, context, list, cursor, keys, MAX_CURSOR_KEYS)
      const page = listFindings(reader, { sort, conditions, search, assetId, at: context.now(), limit, after })
      const counted = total ? { total: countFindings(reader, { conditions, search, assetId }) } : {}
      const isEmpty = page.items.length === 0 && cursor === undefined
      const warned = isEmpty ? toUnseenWarnings(reader, splitNames(reader, FilterMapping.strip().parse(input))) : {}
      return { items: page.items, ...counted, ...toNext(reader, context, list, page.next), ...warned }
    }),
})

export const findingOperations: readonly Operation[] = [
  searchFindings,

  operation({
    name: 'get_finding',
    title: 'Get finding',
    summary: 'Show one finding with its asset and the history of its status.',
    effect: 'read',
    scope: 'read',
    route: 'GET /findings/{id}',
    toolset: 'admin',
    untrusted: true,
    input: z.strictObject({ id: FindingId }),
    output: FindingDetail,
    run: ({ id }, context) => context.read((reader) => showFinding(reader, id, context.now())),
  }),

  ...triageOperations,
  findValue,

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
    run: (input, context) =>
      context.read((reader) => {
        const { status, search, limit, cursor, ...filter } = input
        const list = nameList('assets', input)
        const [after] = cursor === undefined ? [] : decodeCursor(reader, context, list, cursor, 1)
        const page = listAssets(reader, {
          conditions: readFilter(reader, filter, context.now()),
          status,
          search,
          limit,
          after,
        })
        return { items: page.items, ...toNext(reader, context, list, page.next) }
      }),
  }),

  operation({
    name: 'get_asset',
    title: 'Get asset',
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
