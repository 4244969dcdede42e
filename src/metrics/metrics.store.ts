import { type Selectable, sql } from 'kysely'
import { MAX_ADDRESS, toSafeJson, toSafeText } from '../detectors/safe-text.ts'
import { type FilterMapping, listTerms } from '../findings/filter.ts'
import { findTermById } from '../glossary/glossary.store.ts'
import type { NamedRow, TermRecord } from '../glossary/model.ts'
import { db } from '../store/builder.ts'
import type { MetricRow } from '../store/schema.ts'
import type { Reader, Writer } from '../store/store.ts'
import { matchingTexts } from '../store/text-search.ts'
import type {
  Dimension,
  MetricFormat,
  MetricRecord,
  MetricStatus,
  MetricTest,
  MetricType,
  TypedDefinition,
} from './model.ts'

type Row = Selectable<MetricRow>

export interface MetricFilter {
  type?: MetricType | undefined
  status?: MetricStatus | undefined
  termId?: number | undefined
  /** FTS5 expression. */
  match?: string | undefined
}

/** One page of metrics, best match first (by slug without a match), and the total number. */
export function listMetrics(
  reader: Reader,
  filter: MetricFilter,
  page: { limit: number; offset: number },
): { metrics: MetricRecord[]; total: number } {
  const conditions = [
    filter.type === undefined ? sql`TRUE` : sql`metric.type = ${filter.type}`,
    filter.status === undefined ? sql`TRUE` : sql`metric.status = ${filter.status}`,
    filter.termId === undefined ? sql`TRUE` : sql`metric.term_id = ${filter.termId}`,
  ]
  const text =
    filter.match === undefined
      ? sql``
      : sql`JOIN ${matchingTexts(reader, 'metric', filter.match)} matching ON matching.id = metric.id`
  const matched = sql`FROM metric ${text} WHERE ${sql.join(conditions, sql` AND `)}`
  const order = filter.match === undefined ? sql`metric.slug` : sql`matching.rank, metric.slug`
  const rows = reader.all<Row>(
    sql<Row>`SELECT metric.* ${matched} ORDER BY ${order} LIMIT ${page.limit} OFFSET ${page.offset}`,
  )
  const total = reader.first<{ n: number }>(sql<{ n: number }>`SELECT count(*) AS n ${matched}`)?.n ?? 0
  return { metrics: toRecords(reader, rows), total }
}

/** Every metric by slug, for traversals of the whole dependency graph. */
export function loadMetrics(reader: Reader): Map<string, MetricRecord> {
  const rows = reader.all(db.selectFrom('metric').selectAll().orderBy('slug'))
  return new Map(toRecords(reader, rows).map((metric) => [metric.slug, metric]))
}

export function findMetricBySlug(reader: Reader, slug: string): MetricRecord | undefined {
  const row = reader.first(db.selectFrom('metric').selectAll().where('slug', '=', slug))
  return row === undefined ? undefined : toRecords(reader, [row])[0]
}

export function listMetricNames(reader: Reader): NamedRow[] {
  return reader
    .all(db.selectFrom('metric').select(['slug', 'uid', 'display_name', 'synonyms']).orderBy('slug'))
    .map(({ slug, uid, display_name, synonyms }) => ({
      slug,
      uid,
      displayName: display_name,
      synonyms: JSON.parse(synonyms) as string[],
    }))
}

/** The names of the dashboards that show a metric. */
export function listDashboardsOf(reader: Reader, metricId: number): string[] {
  return reader
    .all(
      db
        .selectFrom('placement')
        .innerJoin('dashboard', 'dashboard.id', 'placement.dashboard_id')
        .select('dashboard.name')
        .where('placement.metric_id', '=', metricId)
        .orderBy('dashboard.name'),
    )
    .map(({ name }) => name)
}

/** The slugs of the watches on a metric. */
export function listWatchesOf(reader: Reader, metricId: number): string[] {
  const query = db.selectFrom('watch').select('slug').where('metric_id', '=', metricId).orderBy('slug')
  return reader.all(query).map(({ slug }) => slug)
}

/** The slugs of the watches that a term narrows. */
export function listWatchesUnder(reader: Reader, termId: number): string[] {
  const query = db.selectFrom('watch').select('slug').where('term_id', '=', termId).orderBy('slug')
  return reader.all(query).map(({ slug }) => slug)
}

/** The slugs of the watches whose filters name a term. */
export function listWatchesNaming(reader: Reader, termSlug: string): string[] {
  const rows = reader.all(
    db.selectFrom('watch').select(['slug', 'filters']).where('filters', 'is not', null).orderBy('slug'),
  )
  return rows.flatMap(({ slug, filters }) =>
    filters !== null && listTerms(JSON.parse(filters) as FilterMapping).includes(termSlug) ? [slug] : [],
  )
}

/** The names of the dashboards with a placement whose pinned filters name a term. */
export function listDashboardsPinning(reader: Reader, termSlug: string): string[] {
  const rows = reader.all(
    db
      .selectFrom('placement')
      .innerJoin('dashboard', 'dashboard.id', 'placement.dashboard_id')
      .select(['dashboard.name', 'placement.pinned_filters'])
      .where('placement.pinned_filters', 'is not', null)
      .orderBy('dashboard.name'),
  )
  const naming = rows.filter(
    ({ pinned_filters }) =>
      pinned_filters !== null && listTerms(JSON.parse(pinned_filters) as FilterMapping).includes(termSlug),
  )
  return [...new Set(naming.map(({ name }) => name))]
}

export type MetricMembers = Omit<MetricRecord, 'id' | 'createdAt' | 'type' | 'definition'> & TypedDefinition

export function insertMetric(writer: Writer, metric: MetricMembers): void {
  writer.run(db.insertInto('metric').values({ ...toRow(metric), created_at: metric.updatedAt }))
}

export function replaceMetric(writer: Writer, id: number, metric: MetricMembers): void {
  writer.run(db.updateTable('metric').set(toRow(metric)).where('id', '=', id))
}

/** What tests of metrics saw: how many scans had ended, and the definitions of an instant. */
export interface TestedState {
  scans: number
  at: number
}

/** Stores which tests of a metric failed, unless it was changed since; without `seen`, they stay due. */
export function saveFailing(writer: Writer, slug: string, failing: readonly string[] | null, seen?: TestedState): void {
  const set = { failing: failing === null ? null : toSafeJson(failing, 'definition') }
  const update = db.updateTable('metric').where('slug', '=', slug)
  if (seen === undefined) writer.run(update.set(set))
  else writer.run(update.set({ ...set, tested_scans: seen.scans }).where('updated_at', '<=', seen.at))
}

/** The metrics with tests that have not been run since the last scan or import ended. */
export function listDueTests(reader: Reader): string[] {
  const query = sql<{ slug: string }>`SELECT slug FROM metric
    WHERE tests <> '[]' AND tested_scans < (SELECT scans FROM watch_signal) ORDER BY slug`
  return reader.all(query).map(({ slug }) => slug)
}

/** How many scans and imports have ended. */
export const countEndedScans = (reader: Reader): number =>
  reader.first(db.selectFrom('watch_signal').select('scans'))?.scans ?? 0

export function removeMetric(writer: Writer, id: number): void {
  writer.run(db.deleteFrom('metric').where('id', '=', id))
}

export interface MetricVersionRow {
  version: number
  at: number
  actor: string
  via: string
  snapshot: object
}

export function insertVersion(writer: Writer, metricId: number, { snapshot, actor, ...row }: MetricVersionRow): void {
  writer.run(
    db.insertInto('metric_version').values({
      ...row,
      metric_id: metricId,
      actor: toSafeText(actor, 'prose'),
      snapshot: toSafeJson(snapshot, 'definition'),
    }),
  )
}

/** Newest version first. */
export function listVersions(reader: Reader, metricId: number): MetricVersionRow[] {
  return reader
    .all(db.selectFrom('metric_version').selectAll().where('metric_id', '=', metricId).orderBy('version', 'desc'))
    .map(({ metric_id, snapshot, ...row }) => ({ ...row, snapshot: JSON.parse(snapshot) as object }))
}

const toSafeOrNull = (text: string | null) => (text === null ? null : toSafeText(text, 'definition'))

function toRow(metric: MetricMembers) {
  return {
    uid: metric.uid,
    slug: metric.slug,
    display_name: toSafeText(metric.displayName, 'definition'),
    description: toSafeText(metric.description, 'definition', MAX_ADDRESS),
    type: metric.type,
    definition: toSafeJson(metric.definition, 'definition'),
    allowed_dimensions: JSON.stringify(metric.allowedDimensions),
    format: metric.format,
    unit: toSafeText(metric.unit, 'definition'),
    status: metric.status,
    term_id: metric.term?.id ?? null,
    owner: toSafeOrNull(metric.owner),
    color: metric.color,
    synonyms: toSafeJson(metric.synonyms, 'definition'),
    empty_as: metric.emptyAs,
    better: metric.better,
    tests: toSafeJson(metric.tests, 'definition'),
    failing: metric.failing === null ? null : toSafeJson(metric.failing, 'definition'),
    version: metric.version,
    certified_by: toSafeOrNull(metric.certifiedBy),
    certified_at: metric.certifiedAt,
    certified_version: metric.certifiedVersion,
    certified_via: metric.certifiedVia,
    certified_digest: metric.certifiedDigest,
    deprecated_by: toSafeOrNull(metric.deprecatedBy),
    deprecated_at: metric.deprecatedAt,
    deprecation_reason: toSafeOrNull(metric.deprecationReason),
    replaced_by: metric.replacedBy,
    updated_at: metric.updatedAt,
  }
}

function toRecords(reader: Reader, rows: readonly Row[]): MetricRecord[] {
  const terms = new Map<number, TermRecord | null>()
  const termOf = (id: number | null): TermRecord | null => {
    if (id === null) return null
    const known = terms.get(id)
    if (known !== undefined) return known
    const term = findTermById(reader, id) ?? null
    terms.set(id, term)
    return term
  }
  return rows.map((row) => {
    const typed = { type: row.type, definition: JSON.parse(row.definition) } as TypedDefinition
    return {
      ...typed,
      id: row.id,
      uid: row.uid,
      slug: row.slug,
      displayName: row.display_name,
      description: row.description,
      allowedDimensions: JSON.parse(row.allowed_dimensions) as Dimension[],
      format: row.format as MetricFormat,
      unit: row.unit,
      status: row.status,
      term: termOf(row.term_id),
      owner: row.owner,
      color: row.color,
      synonyms: JSON.parse(row.synonyms) as string[],
      emptyAs: row.empty_as,
      better: row.better,
      tests: JSON.parse(row.tests) as MetricTest[],
      failing: row.failing === null ? null : (JSON.parse(row.failing) as string[]),
      version: row.version,
      certifiedBy: row.certified_by,
      certifiedAt: row.certified_at,
      certifiedVersion: row.certified_version,
      certifiedVia: row.certified_via,
      certifiedDigest: row.certified_digest,
      deprecatedBy: row.deprecated_by,
      deprecatedAt: row.deprecated_at,
      deprecationReason: row.deprecation_reason,
      replacedBy: row.replaced_by,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    }
  })
}
