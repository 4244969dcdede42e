import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { type FacetRow, facetOf, facetRows, findFacet, findFacetByFilterKey } from '../../findings/facets.ts'
import { type FindingTermOptions, findingTerms, ownAssetTerms, splitByAsset } from '../../findings/filter.store.ts'
import type { Dimension, MetricField, TimeField } from '../../metrics/model.ts'
import { whileWanted } from '../../store/builder.ts'
import { statusCodes } from '../../store/schema.ts'
import type { Reader } from '../../store/store.ts'
import type { Plan, PlanCondition } from '../plan/plan.ts'
import type { PlanTerms } from './plan-terms.ts'

export type Sql<Value = unknown> = RawBuilder<Value>

/** The rows of a plan before grouping: the columns to select and the tables they come from. */
export interface RowSource {
  /** The code of a dimension or a distinct field: an id of the dictionary, a rank, or a text. */
  code(name: Dimension | MetricField): Sql
  /** The id of the row's set of labels. */
  labelSet(): Sql
  /** A numeric field in the units of the store; NULL where a row has none. */
  number(field: MetricField): Sql
  /** The time of a row in a flow. */
  time: Sql
  /** Everything after SELECT …; call it last, because it joins the tables of the columns requested so far. */
  from(): Sql
}

export const and = (conditions: readonly (Sql | Expression<SqlBool>)[]): Sql =>
  conditions.length === 0 ? sql`1 = 1` : sql.join(conditions, sql` AND `)

/** The rows of a flow, or of a stock at one moment. */
export function toRowSource(plan: PlanTerms): RowSource {
  return plan.entity === 'asset' ? assetRows(plan) : findingRows(plan)
}

/** Joins that are included only if one of their columns is used. */
function lazyJoins(on: Readonly<Record<string, Sql>>) {
  const used = new Set<string>()
  return {
    use<Column>(name: string, column: Column): Column {
      used.add(name)
      return column
    },
    sql: (): Sql =>
      sql.join(
        Object.entries(on).flatMap(([name, join]) => (used.has(name) ? [join] : [])),
        sql` `,
      ),
  }
}

type Joins = ReturnType<typeof lazyJoins>

/** One row for each label of an asset, or one with the empty word. */
const joinLabels = sql`CROSS JOIN label_set_member l ON l.set_id = a.labels_id`

export const findingJoins = () =>
  lazyJoins({
    c: sql`CROSS JOIN combo c ON c.id = f.combo_id`,
    a: sql`CROSS JOIN asset a ON a.id = f.asset_id`,
    l: joinLabels,
    s: sql`CROSS JOIN source s ON s.id = c.source_id`,
  })

/** The code of a finding's facet; `status` replaces the present status. */
export function findingCode(name: string, joins: Joins, status: Sql | undefined): Sql {
  const facet = findFacet(name)
  if (facet === undefined) throw new TypeError(`${name} is not a facet of findings`)
  if (facet.name === 'status' && status !== undefined) return status
  if (facet.name === 'asset') return sql`f.asset_id`
  if (facet.table === 'finding') return sql`${sql.ref(`f.${facet.column}`)}`
  const alias = facet.table === 'combo' ? 'c' : 'a'
  joins.use(alias, undefined)
  return facetCode(facet, alias, joins)
}

/** The code of a facet in the columns of a table, with its sources joined as `s`. */
function facetCode({ column, storage, isOptional }: FacetRow, alias: 'a' | 'c', joins: Joins): Sql {
  if (storage.stores === 'source' && storage.sourceColumn === 'type') return joins.use('s', sql`s.type`)
  if (storage.stores === 'wordSet') return joins.use('l', sql`nullif(l.word_id, 0)`)
  const code = sql.ref(`${alias}.${column}`)
  return isOptional ? sql`nullif(${code}, 0)` : sql`${code}`
}

/** The set of labels of a finding's asset. */
export const findingLabelSet = (joins: Joins): Sql => joins.use('a', sql`a.labels_id`)

function findingTime(field: TimeField, joins: Joins): Sql {
  switch (field) {
    case 'lastDetectedAt':
      return joins.use('a', sql`coalesce(f.last_detected_at, max(coalesce(a.last_scanned_at, 0), f.first_detected_at))`)
    case 'resolvedAt':
      return sql`f.resolved_at`
    default:
      return sql`f.first_detected_at`
  }
}

/** When a finding was last resolved before a moment, with its first change since then as `changed`. */
const resolvedBefore = (at: number): Sql =>
  sql`CASE WHEN changed.seq IS NULL THEN f.resolved_at ELSE ${resolutionBefore(sql`r.at < ${at}`)} END`

/** The state of findings at a moment, for conditions; without a `status` it is the present one. */
function toStateOptions(at: number, status: Sql<number> | undefined): FindingTermOptions {
  if (status === undefined) return {}
  return { status, resolvedAt: whileResolved(status, resolvedBefore(at)) }
}

/** NULL unless the finding is resolved. */
export const whileResolved = (status: Sql<number>, resolvedAt: Sql): Sql<number | null> =>
  sql<number | null>`CASE WHEN ${status} = ${statusCodes.RESOLVED} THEN ${resolvedAt} END`

function findingRows(plan: PlanTerms): RowSource {
  const joins = findingJoins()
  const past = plan.isPast
  const status = past ? joins.use('c', sql<number>`coalesce(changed.from_status, c.status)`) : undefined
  // Naming a column joins its table, and counts have no assets.
  const time = plan.isCounted ? sql`NULL` : findingTime(plan.timeField, joins)
  const where = [
    findingTerms(onFilterKeys(plan.conditions), toStateOptions(plan.at, status)),
    ...(plan.isCounted ? [] : [whileWanted('f.id')]),
    ...(plan.isCounted ? [] : plan.mode === 'stock' ? [sql`f.first_detected_at < ${plan.at}`] : inRange(time, plan)),
  ]
  const rows = plan.isCounted ? sql`(SELECT id AS combo_id, n FROM combo WHERE n > 0)` : sql`finding`
  return {
    code: (name) => findingCode(name, joins, status),
    labelSet: () => findingLabelSet(joins),
    number: (field) => {
      if (field === 'confidence') return sql`f.conf_q`
      if (field === 'ageHours') return sql`max(0, ${plan.at} - f.first_detected_at)`
      const resolvedAt = past ? resolvedBefore(plan.at) : sql`f.resolved_at`
      return sql`CASE WHEN ${findingCode('status', joins, status)} = ${statusCodes.RESOLVED} THEN max(0, ${resolvedAt} - f.first_detected_at) END`
    },
    time,
    from: () => sql`FROM ${rows} f ${joins.sql()} ${past ? joinChange(plan.at, 'first') : sql``} WHERE ${and(where)}`,
  }
}

/** Fields that the index of findings by time lacks, or that are facets of their assets. */
const outsideIndex: ReadonlySet<string | undefined> = new Set([
  'resolutionHours',
  ...facetRows.filter(({ table }) => table === 'asset').map(({ field }) => field),
])

/**
 * Forces a scan of all findings in asset order for fields that the index by time lacks, or for distinct values of their
 * assets: with that index, each row or each asset would be a separate lookup.
 */
export const readWhole = ({ measure }: Pick<PlanTerms, 'measure'>): Sql[] =>
  outsideIndex.has(measure.field) ? [sql`f.asset_id > 0`] : []

/**
 * When a finding was last resolved according to the changes that `before` admits, or NULL; `r` is the alias of the change.
 * The present resolution is no substitute: it may be later than the moment.
 */
export const resolutionBefore = (before: Sql): Sql => sql`(SELECT coalesce(r.resolved_at, r.at) FROM status_change r
  WHERE r.finding_id = f.id AND r.to_status = ${statusCodes.RESOLVED} AND ${before} ORDER BY r.seq DESC LIMIT 1)`

/**
 * Joins, as `changed`, one status change of each finding at or after a moment, if any: the first, which changed the
 * state at that moment, or the last, which led to the present state. The query forces lookup by key regardless of the
 * planner's estimates, because a materialized list of changes might be scanned for each finding. Findings without
 * changes are excluded by a set, which is faster than a lookup for each.
 */
export function joinChange(at: number, which: 'first' | 'last'): Sql {
  const order = which === 'first' ? sql`+s.at, s.seq` : sql`+s.at DESC, s.seq DESC`
  return sql`LEFT JOIN status_change changed ON changed.finding_id = f.id
    AND changed.seq = CASE WHEN f.id IN (SELECT finding_id FROM status_change WHERE at >= ${at})
      THEN (SELECT s.seq FROM status_change s WHERE s.finding_id = f.id AND +s.at >= ${at} ORDER BY ${order} LIMIT 1) END`
}

/**
 * Whether any finding may have changed status at or after a moment, including ends of decisions that are not recorded
 * yet.
 */
export function hasChangesSince(reader: Reader, at: number): boolean {
  if (reader.seesEnds) return true
  const latest = reader.prepare(selectLastChange).pluck().get() as number | null
  return latest !== null && latest >= at
}

const selectLastChange = 'SELECT max(at) FROM main.status_change'

/** Whether combinations of facets decide which findings a plan counts, and in which group. */
const isByCombo = ({ entity, measure, edges, conditions, dimensions, groups }: Plan): boolean =>
  entity === 'finding' &&
  measure.aggregation === 'COUNT' &&
  edges === undefined &&
  conditions.every(isOfCombo) &&
  [...dimensions, ...(groups?.dimensions ?? [])].every((dimension) => facetOf(dimension).table === 'combo')

const isOfCombo = ({ key, anyOf, due }: Pick<PlanCondition, 'key' | 'anyOf' | 'due'>): boolean =>
  due === undefined &&
  (anyOf === undefined
    ? findFacetByFilterKey(key)?.table === 'combo'
    : anyOf.every((conditions) => conditions.every(isOfCombo)))

/** Whether the stored counts of combinations answer a plan: it counts all findings that are present, by their facets. */
export function countsSuffice(reader: Reader, plan: Plan): boolean {
  if (!isByCombo(plan)) return false
  const { mode, at, timeField, range } = plan
  if (mode === 'stock') return !hasChangesSince(reader, at) && findNewestDetection(reader) < at
  if (timeField === 'lastDetectedAt') return range.from === undefined && range.to === undefined
  return (
    timeField === 'firstDetectedAt' &&
    range.from === undefined &&
    (range.to === undefined || findNewestDetection(reader) < range.to)
  )
}

/** When the newest finding was first detected. */
function findNewestDetection(reader: Reader): number {
  const newest = reader.prepare('SELECT max(first_detected_at) FROM main.finding').pluck().get() as number | null
  return newest ?? Number.NEGATIVE_INFINITY
}

/** A flow includes rows that have the time; an open end of the range adds no condition. */
function inRange(time: Sql, { range }: PlanTerms): Sql[] {
  const { from, to } = range
  if (from === undefined && to === undefined) return [sql`${time} IS NOT NULL`]
  return [...(from === undefined ? [] : [sql`${time} >= ${from}`]), ...(to === undefined ? [] : [sql`${time} < ${to}`])]
}

/** The conditions with filter keys: those of findings, or of assets by their filters. */
export function onFilterKeys<Term extends { key: PlanCondition['key'] }>(terms: readonly Term[]) {
  return terms.flatMap((term) => {
    const { key } = term
    return key === 'scanned' ? [] : [{ ...term, key }]
  })
}

const assetTimes: Readonly<Partial<Record<TimeField, Sql>>> = {
  firstSeenAt: sql`a.first_seen_at`,
  lastSeenAt: sql`a.last_seen_at`,
  lastScannedAt: sql`a.last_scanned_at`,
  contentUpdatedAt: sql`a.content_updated_at`,
}

export const assetJoins = () => lazyJoins({ l: joinLabels, s: sql`CROSS JOIN source s ON s.id = a.source_id` })

/** The code of an asset's facet. */
export function assetCode(name: string, joins: Joins): Sql {
  const facet = findFacet(name)
  if (facet?.isOfAsset !== true) throw new TypeError(`${name} is not a facet of assets`)
  return facetCode(facet, 'a', joins)
}

function assetRows(plan: PlanTerms): RowSource {
  const joins = assetJoins()
  const stock = plan.mode === 'stock'
  const past = plan.isPast
  const time = assetTimes[plan.timeField] ?? sql`a.first_seen_at`
  const { own, ofFindings } = splitByAsset(onFilterKeys(plan.conditions))

  const status = past ? sql<number>`coalesce(changed.from_status, c.status)` : sql<number>`c.status`
  const findingsWhere = (condition: Sql | Expression<SqlBool>): Sql => sql`
    FROM finding f CROSS JOIN combo c ON c.id = f.combo_id ${past ? joinChange(plan.at, 'first') : sql``}
    WHERE f.asset_id = a.id ${stock ? sql`AND f.first_detected_at < ${plan.at}` : sql``} AND ${condition}`

  const where: (Sql | Expression<SqlBool>)[] = [whileWanted('a.id'), ownAssetTerms(own), ...isScanned(plan)]
  if (ofFindings.length > 0) {
    where.push(
      sql`EXISTS (SELECT 1 ${findingsWhere(findingTerms(ofFindings, past ? toStateOptions(plan.at, status) : {}))})`,
    )
  }
  if (stock) where.push(...existedAt(plan.at, ofFindings.length > 0))
  else where.push(sql`a.status = 'ACTIVE'`, ...inRange(time, plan))

  return {
    code: (name) => assetCode(name, joins),
    labelSet: () => sql`a.labels_id`,
    number: (field) =>
      field === 'openFindings'
        ? sql`(SELECT count(*) ${findingsWhere(sql`${status} = ${statusCodes.OPEN}`)})`
        : sql`max(0, ${plan.at} - a.content_updated_at)`,
    time,
    from: () => sql`FROM asset a ${joins.sql()} WHERE ${and(where)}`,
  }
}

/** The condition on whether an asset was ever scanned, if the plan has one. */
export function isScanned({ conditions }: PlanTerms): Sql[] {
  return conditions.flatMap(({ key, values }) =>
    key === 'scanned' ? [sql`(a.last_scanned_at IS NOT NULL) = ${values[0]}`] : [],
  )
}

/** An asset counts at a moment if it was known then, by itself or through a finding, and not yet deleted. */
function existedAt(at: number, hasFinding: boolean): Sql[] {
  const kept = sql`(a.status = 'ACTIVE' OR a.deleted_at >= ${at})`
  return hasFinding ? [kept] : [kept, sql`a.first_seen_at < ${at}`]
}
