import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { notFound } from '../kernel/errors.ts'
import { ownText, parseSafeObject } from '../kernel/safe-text.ts'
import { quote } from '../kernel/shown.ts'
import { comparand, db } from '../store/builder.ts'
import { type Bind, type Bound, bindList, cachedQuery, cachedQueryByShape } from '../store/cached-query.ts'
import { CONFIDENCE_SCALE, statusCodes } from '../store/schema.ts'
import type { Reader } from '../store/store.ts'
import { findWord } from '../store/words.store.ts'
import { listLabels, listLinks } from './assets.store.ts'
import { toSeverity, toStatus } from './facets.store.ts'
import type { FilterKey } from './facets.ts'
import { assetTerms, findingTerms, ownAssetTerms, splitByJoin } from './filter.store.ts'
import { type FilterMapping, toConditions } from './filter.ts'
import { type Compared, type FilterTerm, placeTerms, toFilterTerms, toTermShape } from './filter-terms.ts'
import { readLocation, toFingerprint } from './ledger.store.ts'
import { readListBounds, withinListBounds } from './list-bounds.store.ts'
import type { Asset, AssetDetail, Finding, StatusChange } from './model.ts'

const MAX_WORDS = 10
const MAX_LINKS = 500

const toInstant = (ms: number) => new Date(ms).toISOString()

const findings = () =>
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
    .select([
      'f.id',
      'f.fp',
      'f.first_detected_at',
      'f.last_detected_at',
      'f.resolved_at',
      'f.conf_q',
      'f.location',
      'f.excerpt',
      'c.severity',
      'c.status',
      'a.uid as asset_uid',
      'a.key as asset_key',
      'a.name as asset_name',
      'a.url as asset_url',
      'a.last_scanned_at',
      's.uid as source_uid',
      'detector.text as detector',
      'type.text as type',
      'category.text as category',
      'custom.text as custom_key',
      'kind.text as kind',
      'container.text as container',
    ])

type FindingSqlRow =
  ReturnType<typeof findings> extends { executeTakeFirst(): Promise<infer Row> } ? Exclude<Row, undefined> : never

function toFinding(row: FindingSqlRow): Finding {
  const lastDetectedAt = row.last_detected_at ?? Math.max(row.last_scanned_at ?? 0, row.first_detected_at)
  return {
    id: String(row.id),
    assetId: row.asset_uid,
    sourceId: row.source_uid,
    detectorType: row.detector,
    findingType: row.type,
    category: row.category,
    severity: toSeverity(row.severity),
    confidence: row.conf_q / CONFIDENCE_SCALE,
    status: toStatus(row.status),
    ...(row.custom_key === '' ? {} : { customDetectorKey: row.custom_key }),
    ...(row.location === null ? {} : { location: readLocation(row.location) }),
    ...(row.excerpt === null ? {} : { excerpt: row.excerpt }),
    fingerprint: toFingerprint(row.fp),
    firstDetectedAt: toInstant(row.first_detected_at),
    lastDetectedAt: toInstant(lastDetectedAt),
    ...(row.resolved_at === null ? {} : { resolvedAt: toInstant(row.resolved_at) }),
    asset: {
      key: row.asset_key,
      kind: row.kind,
      name: row.asset_name,
      url: row.asset_url,
      container: row.container,
    },
  }
}

export interface FindingPage {
  filter: FilterMapping
  search?: string | undefined
  assetId?: string | undefined
  limit: number
  /** First detection and id of the last finding of the previous page, then the bounds of the list. */
  after?: readonly number[] | undefined
}

interface FindingPageTerms {
  terms: readonly FilterTerm[]
  words: readonly string[]
  limit: number
  assetId: string | undefined
  after: readonly number[] | undefined
}

export interface PageOf<Item> {
  items: Item[]
  /** The sort keys of the last item, if more follow. */
  next?: number[]
}

const toPageShape = ({ terms, words, assetId, after }: FindingPageTerms) => ({
  terms: terms.map(toTermShape),
  words: words.length,
  ofAsset: assetId !== undefined,
  after: after?.length ?? 0,
})

const selectFindings = cachedQueryByShape(
  toPageShape,
  ({ terms, words, ofAsset, after }, give: Bind<FindingPageTerms>) => {
    let query = findings()
      .where(findingTerms(placeTerms(terms, give, (page) => page.terms)))
      .orderBy('f.first_detected_at', 'desc')
      .orderBy('f.id', 'desc')
      .limit(give(({ limit }) => limit))
    if (ofAsset) {
      const id = give(({ assetId = '' }) => assetId)
      query = query.where((eb) => eb.or([eb('a.uid', '=', id), eb('a.key', '=', comparand(id))]))
    }
    for (const word of bindList(give, words, (page) => page.words)) query = query.where(contains(word, searchedColumns))
    if (after === 0) return query
    const [at, id, ...bounds] = bindList(give, after, (page) => page.after ?? []) as [
      RawBuilder<number>,
      RawBuilder<number>,
      ...RawBuilder<number>[],
    ]
    return query
      .where('f.first_detected_at', '<=', at)
      .where((eb) => eb.or([eb('f.first_detected_at', '<', at), eb('f.id', '<', id)]))
      .where(withinListBounds(bounds))
  },
)

/** Sorted by first detection, newest first. */
export function listFindings(reader: Reader, { filter, search, assetId, limit, after }: FindingPage): PageOf<Finding> {
  const rows = reader.all(
    selectFindings({
      terms: toFilterTerms(toConditions(filter)),
      words: toPatterns(search),
      limit: limit + 1,
      assetId,
      after,
    }),
  )
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return {
    items: rows.slice(0, limit).map(toFinding),
    ...(last === undefined
      ? {}
      : { next: [last.first_detected_at, last.id, ...(after?.slice(2) ?? readListBounds(reader))] }),
  }
}

interface Matching {
  ofAssets: readonly FilterTerm<Compared, FilterKey>[]
  ofFindings: readonly FilterTerm[]
  words: readonly string[]
}

function toMatching(filter: FilterMapping, search: string | undefined): Matching {
  const { ofAssets, ofFindings } = splitByJoin(toConditions(filter))
  return { ofAssets: toFilterTerms(ofAssets), ofFindings: toFilterTerms(ofFindings), words: toPatterns(search) }
}

const toMatchingShape = ({ ofAssets, ofFindings, words }: Matching) => ({
  ofAssets: ofAssets.map(toTermShape),
  ofFindings: ofFindings.map(toTermShape),
  words: words.length,
})

const selectIds = cachedQueryByShape(toMatchingShape, (shape, give: Bind<Matching & { after: number; upTo: number }>) =>
  matching(shape, give)
    .select('f.id')
    .where(
      'f.id',
      '>',
      give(({ after }) => after),
    )
    .where(
      'f.id',
      '<=',
      give(({ upTo }) => upTo),
    )
    .orderBy('f.id'),
)

/** Row ids of the matching findings in insertion order, above `after` and up to `upTo`. */
export function listFindingIds(
  reader: Reader,
  { filter, search, after, upTo }: { filter: FilterMapping; search?: string | undefined; after: number; upTo: number },
): number[] {
  return reader.all(selectIds({ ...toMatching(filter, search), after, upTo })).map(({ id }) => id)
}

const selectNewestId = cachedQuery(() => db.selectFrom('finding').select((eb) => eb.fn.max('id').as('id')))

/** The greatest row id of a finding; 0 if there is none. */
export function findNewestId(reader: Reader): number {
  return reader.first(selectNewestId(undefined))?.id ?? 0
}

const selectCount = cachedQueryByShape(toMatchingShape, (shape, give: Bind<Matching>) =>
  matching(shape, give).select((eb) => eb.fn.countAll<number>().as('n')),
)

export function countFindings(reader: Reader, filter: FilterMapping, search: string | undefined): number {
  return reader.first(selectCount(toMatching(filter, search)))?.n ?? 0
}

/** The asset is joined in any case, so conditions on it are evaluated there, without a list of all matching assets. */
function matching({ ofAssets, ofFindings, words }: ReturnType<typeof toMatchingShape>, give: Bind<Matching>) {
  let query = db
    .selectFrom('finding as f')
    .innerJoin('combo as c', 'c.id', 'f.combo_id')
    .innerJoin('asset as a', 'a.id', 'f.asset_id')
    .innerJoin('word as type', 'type.id', 'c.type_id')
    .innerJoin('word as container', 'container.id', 'a.container_id')
    .where(findingTerms(placeTerms(ofFindings, give, (asked) => asked.ofFindings)))
    .where(ownAssetTerms(placeTerms(ofAssets, give, (asked) => asked.ofAssets)))
    .where('a.source_id', 'not in', db.selectFrom('source').select('id').where('deleted_at', 'is not', null))
  for (const word of bindList(give, words, (asked) => asked.words)) query = query.where(contains(word, searchedColumns))
  return query
}

const searchedColumns = ['f.excerpt', 'a.name', 'a.url', 'type.text', 'container.text'] as const

/** A LIKE pattern for each word of a search. */
function toPatterns(search: string | undefined): string[] {
  const words = (search ?? '').split(/\s+/).filter(Boolean)
  return words.slice(0, MAX_WORDS).map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`)
}

function contains(pattern: Bound<string>, columns: readonly string[]): Expression<SqlBool> {
  const found = columns.map((column) => sql<SqlBool>`${sql.ref(column)} LIKE ${pattern} ESCAPE '\\'`)
  return sql<SqlBool>`(${sql.join(found, sql` OR `)})`
}

export const selectFinding = cachedQuery((give: Bind<string>) => findings().where('f.id', '=', give(Number)))

/** @throws AppError `not_found`. */
export function getFinding(reader: Reader, id: string): Finding {
  const row = /^\d{1,15}$/.test(id) ? reader.first(selectFinding(id)) : undefined
  if (row === undefined) throw notFound(`There is no finding ${quote(id)}; search_findings lists them.`)
  return toFinding(row)
}

const selectStatusChanges = cachedQuery((give: Bind<number>) =>
  db
    .selectFrom('status_change')
    .select(['at', 'from_status', 'to_status', 'actor', 'via', 'client', 'reason'])
    .where('finding_id', '=', give(Number))
    .orderBy('seq'),
)

export function listStatusChanges(reader: Reader, findingId: number): StatusChange[] {
  const rows = reader.all(selectStatusChanges(findingId))
  return rows.map((row) => ({
    at: toInstant(row.at),
    from: toStatus(row.from_status),
    to: toStatus(row.to_status),
    by: row.actor,
    ...(row.via === null ? {} : { via: row.via }),
    ...(row.client === null ? {} : { client: row.client }),
    ...(row.reason === null ? {} : { reason: row.reason }),
  }))
}

const assets = () =>
  db
    .selectFrom('asset as a')
    .innerJoin('source as s', (join) => join.onRef('s.id', '=', 'a.source_id').on('s.deleted_at', 'is', null))
    .innerJoin('word as kind', 'kind.id', 'a.kind_id')
    .innerJoin('word as container', 'container.id', 'a.container_id')
    .innerJoin('word as parent', 'parent.id', 'a.parent_container_id')
    .innerJoin('word as owner', 'owner.id', 'a.owner_id')
    .innerJoin('word as dataset', 'dataset.id', 'a.dataset_id')
    .select([
      'a.id',
      'a.uid',
      'a.key',
      'a.name',
      'a.url',
      'owner.text as owner',
      'dataset.text as dataset',
      'a.labels_id',
      'a.checksum',
      'a.status',
      'a.facts',
      'a.content_updated_at',
      'a.first_seen_at',
      'a.last_seen_at',
      'a.last_scanned_at',
      's.uid as source_uid',
      'kind.text as kind',
      'container.text as container',
      'parent.text as parent_container',
    ])
    .select(
      sql<number>`(SELECT count(*) FROM finding f JOIN combo c ON c.id = f.combo_id
        WHERE f.asset_id = a.id AND c.status = ${sql.lit(statusCodes.OPEN)})`.as('open_findings'),
    )

type AssetSqlRow =
  ReturnType<typeof assets> extends { executeTakeFirst(): Promise<infer Row> } ? Exclude<Row, undefined> : never

function toAsset(reader: Reader, row: AssetSqlRow): Asset {
  return {
    id: row.uid,
    key: row.key,
    sourceId: row.source_uid,
    kind: row.kind,
    name: row.name,
    url: row.url,
    container: row.container,
    ...(row.parent_container === '' ? {} : { parentContainer: row.parent_container }),
    ...(row.dataset === '' ? {} : { dataset: row.dataset }),
    ...(row.owner === '' ? {} : { owner: row.owner }),
    ...(row.labels_id === 0 ? {} : { labels: listLabels(reader, row.labels_id) }),
    checksum: row.checksum,
    ...(row.content_updated_at === null ? {} : { contentUpdatedAt: toInstant(row.content_updated_at) }),
    firstSeenAt: toInstant(row.first_seen_at),
    lastSeenAt: toInstant(row.last_seen_at),
    ...(row.last_scanned_at === null ? {} : { lastScannedAt: toInstant(row.last_scanned_at) }),
    status: row.status,
    openFindings: row.open_findings,
  }
}

export interface AssetPage {
  filter: FilterMapping
  search?: string | undefined
  status?: 'ACTIVE' | 'DELETED' | undefined
  limit: number
  /** Row id of the last asset of the previous page. */
  after?: number | undefined
}

interface AssetPageTerms extends Pick<AssetPage, 'status' | 'limit' | 'after'> {
  terms: readonly FilterTerm[]
  words: readonly string[]
}

const toAssetPageShape = ({ terms, words, status, after }: AssetPageTerms) => ({
  terms: terms.map(toTermShape),
  words: words.length,
  ofStatus: status !== undefined,
  isNext: after !== undefined,
})

const selectAssets = cachedQueryByShape(
  toAssetPageShape,
  ({ terms, words, ofStatus, isNext }, give: Bind<AssetPageTerms>) => {
    let query = assets()
      .where(assetTerms(placeTerms(terms, give, (page) => page.terms)))
      .orderBy('a.id')
      .limit(give(({ limit }) => limit))
    if (ofStatus) query = query.where(sql<SqlBool>`a.status = ${give(({ status }) => status)}`)
    if (isNext) query = query.where(sql<SqlBool>`a.id > ${give(({ after }) => after)}`)
    for (const word of bindList(give, words, (page) => page.words)) {
      query = query.where(contains(word, ['a.name', 'a.url', 'a.key', 'container.text']))
    }
    return query
  },
)

/** In the order in which they were first seen. */
export function listAssets(reader: Reader, { filter, search, status, limit, after }: AssetPage): PageOf<Asset> {
  const terms = toFilterTerms(toConditions(filter))
  const rows = reader.all(selectAssets({ terms, words: toPatterns(search), status, limit: limit + 1, after }))
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return {
    items: rows.slice(0, limit).map((row) => toAsset(reader, row)),
    ...(last === undefined ? {} : { next: [last.id] }),
  }
}

const selectAssetById = cachedQuery((give: Bind<string>) => assets().where('a.uid', '=', give(String)))
const selectAssetByKey = cachedQuery((give: Bind<string>) =>
  assets()
    .where('a.key', '=', comparand(give(String)))
    .orderBy('a.id')
    .limit(1),
)

/** An asset by id or key, with its links. @throws AppError `not_found`. */
export function getAsset(reader: Reader, idOrKey: string): AssetDetail {
  const row = reader.first(selectAssetById(idOrKey.toLowerCase())) ?? reader.first(selectAssetByKey(idOrKey))
  if (row === undefined) throw notFound(`There is no asset ${quote(idOrKey)}; list_assets lists them.`)
  const links = listLinks(reader, row.id, MAX_LINKS).map(({ type, targetKey, url, label }) => ({
    type: ownText(type),
    ...(targetKey === undefined ? {} : { targetKey }),
    ...(url === undefined ? {} : { url }),
    ...(label === undefined ? {} : { label }),
  }))
  return { ...toAsset(reader, row), links, facts: row.facts === null ? {} : parseSafeObject(row.facts) }
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
