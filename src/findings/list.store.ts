import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { findAdvice } from '../detectors/advice.ts'
import { findReason } from '../detectors/reasons.ts'
import { toSafeText } from '../detectors/safe-text.ts'
import { createSlugs } from '../documents/markup/anchors.ts'
import { byCodeUnits } from '../kernel/by-code-units.ts'
import { notFound } from '../kernel/errors.ts'
import { toInstant } from '../kernel/instant.ts'
import type { SafeText } from '../kernel/safe-text.ts'
import { quote } from '../kernel/shown.ts'
import { comparand, db, numbersIn, whileWanted } from '../store/builder.ts'
import { CONFIDENCE_SCALE, severityCodes, statusCodes } from '../store/schema.ts'
import type { Reader } from '../store/store.ts'
import { findWord } from '../store/words.store.ts'
import { showAudience } from './audience.store.ts'
import type { FilterCondition } from './conditions.ts'
import { findDueDates } from './due-dates.store.ts'
import { toPresence, toSeverity, toStatus } from './facets.store.ts'
import { toValueId } from './facets.ts'
import { findingTerms, ownAssetTerms, splitByJoin } from './filter.store.ts'
import { toFilterTerms } from './filter-terms.ts'
import { type FindingOrder, findIndex, type IndexedPage } from './finding-index.ts'
import { readLocation, readRule, toFingerprint } from './finding-record.ts'
import type { Finding, FindingDetail, FindingStatus, StatusChange } from './model.ts'
import { contains, findingColumns, searchedFindings, toPatterns } from './search-words.store.ts'

/** Findings with their facets, assets and sources, except those of deleted sources. */
export const findings = () =>
  db
    .selectFrom('finding as f')
    .innerJoin('combo as c', 'c.id', 'f.combo_id')
    .innerJoin('asset as a', 'a.id', 'f.asset_id')
    .innerJoin('source as s', (join) => join.onRef('s.id', '=', 'a.source_id').on('s.deleted_at', 'is', null))
    .innerJoin('word as detector', 'detector.id', 'c.detector_id')
    .innerJoin('word as type', 'type.id', 'c.type_id')
    .innerJoin('word as category', 'category.id', 'c.category_id')
    .innerJoin('word as custom', 'custom.id', 'c.custom_key_id')
    .innerJoin('word as kind', 'kind.id', 'a.kind_id')
    .innerJoin('word as container', 'container.id', 'a.container_id')
    .leftJoin('expiry as x', (join) =>
      join.onRef('x.finding_id', '=', 'f.id').on('c.status', '>', statusCodes.RESOLVED),
    )
    .where(whileWanted('f.id'))
    .select([
      'f.id',
      'f.fp',
      'f.first_detected_at',
      'f.last_detected_at',
      'f.resolved_at',
      'f.conf_q',
      'f.location',
      'f.excerpt',
      'f.value_id',
      'c.severity',
      'c.status',
      'c.presence',
      'a.uid as asset_uid',
      'a.key as asset_key',
      'a.name as asset_name',
      'a.url as asset_url',
      'a.last_scanned_at',
      'a.audience',
      'a.audience_size',
      's.uid as source_uid',
      's.name as source_name',
      'detector.text as detector',
      'type.text as type',
      'category.text as category',
      'custom.text as custom_key',
      'kind.text as kind',
      'container.text as container',
      'x.at as until',
    ])

export type ListedFindingRow =
  ReturnType<typeof findings> extends { executeTakeFirst(): Promise<infer Row> } ? Exclude<Row, undefined> : never

export function toFinding(row: ListedFindingRow, dueAt: number | undefined): Finding {
  const lastDetectedAt = row.last_detected_at ?? Math.max(row.last_scanned_at ?? 0, row.first_detected_at)
  return {
    id: String(row.id),
    assetId: row.asset_uid,
    sourceId: row.source_uid,
    source: row.source_name,
    detectorType: row.detector,
    findingType: row.type,
    category: row.category,
    severity: toSeverity(row.severity),
    confidence: row.conf_q / CONFIDENCE_SCALE,
    status: toStatus(row.status),
    presence: toPresence(row.presence),
    ...showAudience(row),
    ...(row.value_id === null ? {} : { value: toValueId(row.value_id) }),
    ...(row.custom_key === '' ? {} : { customDetectorKey: row.custom_key }),
    ...(row.location === null ? {} : { location: readLocation(row.location) }),
    ...(row.excerpt === null ? {} : { excerpt: row.excerpt }),
    fingerprint: toFingerprint(row.fp),
    firstDetectedAt: toInstant(row.first_detected_at),
    lastDetectedAt: toInstant(lastDetectedAt),
    ...(row.resolved_at === null ? {} : { resolvedAt: toInstant(row.resolved_at) }),
    ...(row.until === null ? {} : { until: toInstant(row.until) }),
    ...(dueAt === undefined ? {} : { dueAt: toInstant(dueAt) }),
    asset: {
      key: row.asset_key,
      kind: row.kind,
      name: row.asset_name,
      url: row.asset_url,
      container: row.container,
    },
  }
}

/** Which findings are listed, and in which order. */
export interface FindingSelection {
  sort: FindingOrder
  conditions: readonly FilterCondition[]
  search?: string | undefined
  assetId?: string | undefined
}

export interface FindingPage extends Omit<FindingSelection, 'sort'> {
  sort?: FindingOrder | undefined
  /** The instant from which ages in the filters of policies are measured. */
  at: number
  limit: number
  /**
   * First detection and id of the last finding of the previous page, then the newest id when the list began: later
   * findings are on no page.
   */
  after?: readonly number[] | undefined
}

export interface PageOf<Item> {
  items: Item[]
  /** The sort keys of the last item, if more follow. */
  next?: number[]
}

/** By what findings are sorted, in descending order; the id comes last. */
export const sortedBy: Readonly<Record<FindingOrder, readonly RawBuilder<number>[]>> = {
  newest: [sql<number>`f.first_detected_at`],
  severity: [sql<number>`c.severity`, sql<number>`f.first_detected_at`],
  lastDetectedAt: [
    sql<number>`coalesce(f.last_detected_at, max(coalesce(a.last_scanned_at, 0), f.first_detected_at))`,
    sql<number>`f.first_detected_at`,
  ],
}

const toSortKeys = (sort: FindingOrder, finding: Finding): number[] => {
  const first = Date.parse(finding.firstDetectedAt)
  if (sort === 'newest') return [first]
  return [sort === 'severity' ? severityCodes[finding.severity] : Date.parse(finding.lastDetectedAt), first]
}

/** The number of sort keys in a cursor, with the id. */
export const countSortKeys = (sort: FindingOrder): number => sortedBy[sort].length + 1

/** Sorted by first detection, newest first, unless `sort` says otherwise. */
export function listFindings(
  reader: Reader,
  { sort = 'newest', conditions, search, assetId, at, limit, after }: FindingPage,
): PageOf<Finding> {
  const assets = assetId === undefined ? undefined : findAssetIds(reader, assetId)
  const places = countSortKeys(sort)
  const page = { conditions, assets, sort, limit: limit + 1, after: after?.slice(0, places) }
  const upTo = after?.[places] ?? Number.POSITIVE_INFINITY
  const indexed = isWithoutWords(search) ? listIndexed(reader, { ...page, upTo }) : undefined
  const rows = indexed ?? listRows(reader, { ...page, search, upTo })
  const shown = rows.slice(0, limit)
  const dueDates = findDueDates(reader, shown, at)
  const items = shown.map((row) => toFinding(row, dueDates.get(row.id)))
  const last = rows.length > limit ? items.at(-1) : undefined
  if (last === undefined) return { items }
  const newest = after?.[places] ?? findNewestId(reader)
  return { items, next: [...toSortKeys(sort, last), Number(last.id), newest] }
}

const isWithoutWords = (search: string | undefined) => toPatterns(search).length === 0

function listIndexed(reader: Reader, page: IndexedPage): ListedFindingRow[] | undefined {
  const ids = findIndex(reader)?.listIds(page)
  if (ids === undefined) return undefined
  const rows = reader.all(findings().where('f.id', 'in', numbersIn(JSON.stringify(ids))))
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

function listRows(
  reader: Reader,
  {
    conditions,
    assets,
    sort,
    limit,
    after,
    upTo,
    search,
  }: IndexedPage & { sort: FindingOrder; search: string | undefined },
): ListedFindingRow[] {
  const keys = sortedBy[sort]
  let query = findings()
    .where(findingTerms(toFilterTerms(conditions)))
    .limit(limit)
  for (const key of keys) query = query.orderBy(key, 'desc')
  query = query.orderBy('f.id', 'desc')
  if (assets !== undefined) query = query.where('f.asset_id', 'in', numbersIn(JSON.stringify(assets)))
  for (const word of toPatterns(search)) query = query.where(contains(word, findingColumns))
  if (Number.isFinite(upTo)) query = query.where('f.id', '<=', upTo)
  if (after !== undefined) {
    // The first key is compared by itself, too, so that an index on it is used.
    query = query
      .where(sql<SqlBool>`${keys[0]} <= ${after[0]}`)
      .where(sql<SqlBool>`(${sql.join([...keys, sql`f.id`])}) < (${sql.join(after)})`)
  }
  return reader.all(query)
}

/** Row ids of the assets with an id or key. */
const findAssetIds = (reader: Reader, idOrKey: string): number[] =>
  reader
    .all(
      sql<{ id: number }>`SELECT id FROM asset WHERE uid = ${comparand(idOrKey)}
        UNION SELECT keyed.id FROM source CROSS JOIN asset keyed ON keyed.source_id = source.id
        WHERE keyed.key = ${comparand(idOrKey)}`,
    )
    .map(({ id }) => id)

/** Which findings are counted or listed by their ids. */
export type Matching = Pick<FindingSelection, 'conditions' | 'search' | 'assetId'>

/** Row ids above `after` and up to `upTo`. */
export interface IdRange {
  after: number
  upTo: number
}

/** Row ids of the matching findings in insertion order, above `after` and up to `upTo`. */
export function listFindingIds(reader: Reader, asked: Matching & IdRange): number[] {
  return reader.all(matchingWithin(reader, asked).select('f.id').orderBy('f.id')).map(({ id }) => id)
}

/** The greatest row id of a finding; 0 if there is none. */
export function findNewestId(reader: Reader): number {
  return reader.first(db.selectFrom('finding').select((eb) => eb.fn.max('id').as('id')))?.id ?? 0
}

export function countFindings(reader: Reader, asked: Matching): number {
  const { conditions, search, assetId } = asked
  const assets = assetId === undefined ? undefined : findAssetIds(reader, assetId)
  const indexed = isWithoutWords(search) ? findIndex(reader)?.count({ conditions, assets }) : undefined
  if (indexed !== undefined) return indexed
  return reader.first(matching(reader, asked).select((eb) => eb.fn.countAll<number>().as('n')))?.n ?? 0
}

/** The asset is joined in any case, so conditions on it are evaluated there, without a list of all matching assets. */
export function matching(reader: Reader, { conditions, search, assetId }: Matching) {
  const { ofAssets, ofFindings } = splitByJoin(conditions)
  let query = searchedFindings()
    .where(findingTerms(toFilterTerms(ofFindings)))
    .where(ownAssetTerms(toFilterTerms(ofAssets)))
    .where('a.source_id', 'not in', db.selectFrom('source').select('id').where('deleted_at', 'is not', null))
  for (const word of toPatterns(search)) query = query.where(contains(word, findingColumns))
  if (assetId === undefined) return query
  return query.where('f.asset_id', 'in', numbersIn(JSON.stringify(findAssetIds(reader, assetId))))
}

/** The matching findings with row ids in a range. */
export const matchingWithin = (reader: Reader, { after, upTo, ...asked }: Matching & IdRange) =>
  matching(reader, asked).where('f.id', '>', after).where('f.id', '<=', upTo)

/** @throws AppError `not_found`. */
function listChanges(reader: Reader, findingId: number, present: FindingStatus): StatusChange[] {
  const rows = reader.all(
    db
      .selectFrom('status_change')
      .select(['at', 'from_status', 'to_status', 'actor', 'via', 'client', 'reason', 'until'])
      .where('finding_id', '=', findingId)
      .orderBy('seq'),
  )
  const changes = rows.map((row) => ({
    at: toInstant(row.at),
    from: toStatus(row.from_status),
    to: toStatus(row.to_status),
    by: row.actor,
    ...(row.via === null ? {} : { via: row.via }),
    ...(row.client === null ? {} : { client: row.client }),
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.until === null ? {} : { until: toInstant(row.until) }),
  }))
  return withPresences(reader, findingId, changes, present)
}

/** Adds the changes of presence to those of status, each with the status that the finding had then. */
function withPresences(
  reader: Reader,
  findingId: number,
  changes: readonly StatusChange[],
  present: FindingStatus,
): StatusChange[] {
  const rows = reader.all(
    db.selectFrom('presence_change').select(['at', 'presence']).where('finding_id', '=', findingId).orderBy('seq'),
  )
  const moves = rows.map((row): StatusChange => {
    const at = toInstant(row.at)
    const status = changes.find((change) => change.at > at)?.from ?? present
    return { at, from: status, to: status, by: 'assay', presence: toPresence(row.presence) }
  })
  return [...changes, ...moves].sort((a, b) => byCodeUnits(a.at, b.at))
}

/** Whether a name is in the dictionary or is the name of a source. */
export function isKnownName(reader: Reader, name: string): boolean {
  if (findWord(reader, name) !== undefined) return true
  return (
    reader.first(
      db.selectFrom('source').select('id').where('name', '=', comparand(name)).where('deleted_at', 'is', null),
    ) !== undefined
  )
}

/** A finding with its history; its due date is that of an instant. */
export function showFinding(reader: Reader, id: string, at: number): FindingDetail {
  const row = /^\d{1,15}$/.test(id) ? reader.first(findings().where('f.id', '=', Number(id))) : undefined
  if (row === undefined) throw notFound(`There is no finding ${quote(id)}; search_findings lists them.`)
  const finding = toFinding(row, findDueDates(reader, [row], at).get(row.id))
  const reason = findReason(readRule(row.location) ?? '')
  const advice = findAdvice(finding.detectorType, finding.findingType)
  const placeUrl = toPlaceUrl(finding)
  return {
    ...finding,
    ...(row.value_id === null ? {} : { valuePlaces: listPlaces(reader, row.value_id, row.id) }),
    ...(placeUrl === undefined ? {} : { placeUrl }),
    ...(advice === undefined ? {} : { advice }),
    ...(reason === undefined ? {} : { reason }),
    history: listChanges(reader, Number(id), finding.status),
  }
}

const MAX_PLACES = 20

/** Where a value is besides one finding. */
function listPlaces(reader: Reader, valueId: number, except: number): NonNullable<FindingDetail['valuePlaces']> {
  const { items, total, assets } = listFindingsOfValues(reader, [valueId], { at: 0, limit: MAX_PLACES + 1 })
  const others = items.filter(({ id }) => id !== String(except)).slice(0, MAX_PLACES)
  return {
    items: assets,
    findings: total,
    others: others.map(({ id, findingType, status, presence, asset }) => ({
      id,
      findingType,
      status,
      presence,
      asset,
    })),
  }
}

/** The findings with one of some values, asset by asset, and the number of all of them. */
export function listFindingsOfValues(
  reader: Reader,
  values: readonly number[],
  { at, limit }: { at: number; limit: number },
): { items: Finding[]; total: number; assets: number } {
  const among = sql<SqlBool>`f.value_id IN ${numbersIn(JSON.stringify(values))}`
  const rows = reader.all(findings().where(among).orderBy('f.asset_id').orderBy('f.id').limit(limit))
  const counted = reader.first(
    sql<{ total: number; assets: number }>`SELECT count(*) AS total, count(DISTINCT f.asset_id) AS assets
      FROM finding f JOIN asset a ON a.id = f.asset_id JOIN source s ON s.id = a.source_id
      WHERE ${among} AND s.deleted_at IS NULL`,
  )
  const dueDates = findDueDates(reader, rows, at)
  const items = rows.map((row) => toFinding(row, dueDates.get(row.id)))
  return { items, total: counted?.total ?? 0, assets: counted?.assets ?? 0 }
}

const MAX_ADDRESS = 4_000

/** Pages of the wiki have addresses of their headings and comments. */
function toPlaceUrl({ asset, location }: Finding): SafeText | undefined {
  const url = asset.kind.startsWith('wiki.') ? URL.parse(asset.url) : null
  if (url === null || location === undefined) return undefined
  const [, comment] = /^comment (\d+)$/.exec(location.path) ?? []
  if (comment !== undefined) url.searchParams.set('focusedCommentId', comment)
  else if (location.heading !== undefined && location.path === 'body') url.hash = createSlugs()(location.heading)
  else return undefined
  return toSafeText(url.href, 'key', MAX_ADDRESS)
}

/** Those of the ids that findings have, in their order. */
export function listKnownIds(reader: Reader, ids: readonly number[]): number[] {
  const find = reader.prepare('SELECT id FROM finding WHERE id = ?').pluck()
  return ids.filter((id) => find.get(id) !== undefined)
}
