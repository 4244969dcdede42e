import { sql } from 'kysely'
import { notFound } from '../kernel/errors.ts'
import { toInstant } from '../kernel/instant.ts'
import { ownText, parseSafeObject } from '../kernel/safe-text.ts'
import { quote } from '../kernel/shown.ts'
import { comparand, db, numbersIn, whileWanted } from '../store/builder.ts'
import { statusCodes } from '../store/schema.ts'
import type { Reader } from '../store/store.ts'
import { listLabels, listLinks } from './assets.store.ts'
import { listAudienceChanges, showAudience } from './audience.store.ts'
import type { FilterCondition } from './conditions.ts'
import { assetTerms, splitByAsset } from './filter.store.ts'
import { toFilterTerms } from './filter-terms.ts'
import { findIndex } from './finding-index.ts'
import type { PageOf } from './list.store.ts'
import type { Asset, AssetDetail } from './model.ts'
import { contains, toPatterns } from './search-words.store.ts'

const MAX_LINKS = 500

const assets = () =>
  db
    .selectFrom('asset as a')
    .innerJoin('source as s', (join) => join.onRef('s.id', '=', 'a.source_id').on('s.deleted_at', 'is', null))
    .innerJoin('word as kind', 'kind.id', 'a.kind_id')
    .innerJoin('word as container', 'container.id', 'a.container_id')
    .innerJoin('word as parent', 'parent.id', 'a.parent_container_id')
    .innerJoin('word as owner', 'owner.id', 'a.owner_id')
    .innerJoin('word as dataset', 'dataset.id', 'a.dataset_id')
    .where(whileWanted('a.id'))
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
      'a.audience',
      'a.audience_size',
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
    ...showAudience(row),
    openFindings: row.open_findings,
  }
}

export interface AssetPage {
  conditions: readonly FilterCondition[]
  search?: string | undefined
  status?: 'ACTIVE' | 'DELETED' | undefined
  limit: number
  /** Row id of the last asset of the previous page. */
  after?: number | undefined
}

/** In the order in which they were first seen. */
export function listAssets(reader: Reader, page: AssetPage): PageOf<Asset> {
  const { limit } = page
  const rows = listIndexed(reader, page) ?? listRows(reader, page)
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return {
    items: rows.slice(0, limit).map((row) => toAsset(reader, row)),
    ...(last === undefined ? {} : { next: [last.id] }),
  }
}

/** The page and one more; undefined without an index, and for a search. */
function listIndexed(
  reader: Reader,
  { conditions, search, status, limit, after = 0 }: AssetPage,
): AssetSqlRow[] | undefined {
  if (toPatterns(search).length > 0) return undefined
  const ids = findIndex(reader)?.listAssets({ ...splitByAsset(conditions), status, limit: limit + 1, after })
  if (ids === undefined) return undefined
  return reader.all(
    assets()
      .where('a.id', 'in', numbersIn(JSON.stringify(ids)))
      .orderBy('a.id'),
  )
}

function listRows(reader: Reader, { conditions, search, status, limit, after }: AssetPage): AssetSqlRow[] {
  let query = assets()
    .where(assetTerms(toFilterTerms(conditions)))
    .orderBy('a.id')
    .limit(limit + 1)
  if (status !== undefined) query = query.where('a.status', '=', status)
  if (after !== undefined) query = query.where('a.id', '>', after)
  for (const word of toPatterns(search)) {
    query = query.where(contains(word, ['a.name', 'a.url', 'a.key', 'container.text']))
  }
  return reader.all(query)
}

/** An asset by id or key, with its links. @throws AppError `not_found`. */
export function getAsset(reader: Reader, idOrKey: string): AssetDetail {
  const byKey = assets().where('a.key', '=', comparand(idOrKey)).orderBy('a.id').limit(1)
  const row = reader.first(assets().where('a.uid', '=', idOrKey.toLowerCase())) ?? reader.first(byKey)
  if (row === undefined) throw notFound(`There is no asset ${quote(idOrKey)}; list_assets lists them.`)
  const links = listLinks(reader, row.id, MAX_LINKS).map(({ type, targetKey, url, label }) => ({
    type: ownText(type),
    ...(targetKey === undefined ? {} : { targetKey }),
    ...(url === undefined ? {} : { url }),
    ...(label === undefined ? {} : { label }),
  }))
  return {
    ...toAsset(reader, row),
    links,
    facts: row.facts === null ? {} : parseSafeObject(row.facts),
    audienceChanges: listAudienceChanges(reader, row.id),
  }
}
