import { type Expression, type SqlBool, sql } from 'kysely'
import { findingTerms, ownAssetTerms, splitByAsset } from '../findings/filter.store.ts'
import { statusCodes } from '../store/schema.ts'
import type { Place } from '../store/shapes.ts'
import type { PlacedPlan } from './plan-terms.ts'
import {
  assetCode,
  assetJoins,
  findingCode,
  findingJoins,
  isScanned,
  onFilterKeys,
  type RowSource,
  resolutionAt,
  type Sql,
} from './rows.store.ts'

/** Stretches of time in which a row counts: at the moments `since < moment <= until`; no `until` means to this day. */
export interface SpanSource extends Pick<RowSource, 'code' | 'number'> {
  with: Sql
  since: Sql
  until: Sql
  /** FROM …, with its joins; called last. */
  from(): Sql
  where: readonly (Sql | Expression<SqlBool>)[]
}

const status = sql<number>`coalesce(span.status, c.status)`
const findingSince = sql`max(f.first_detected_at, coalesce(span.since, f.first_detected_at))`

/** The spans in which each finding kept its status; only changes from the first moment on tell the moments apart. */
const statusSpans = (first: Place<number>): Sql => sql`WITH span AS (
  SELECT finding_id, from_status AS status, lag(at) OVER (PARTITION BY finding_id ORDER BY at, seq) AS since, at AS until
  FROM status_change WHERE at >= ${first}
  UNION ALL
  SELECT f.id, NULL, (SELECT max(h.at) FROM status_change h WHERE h.finding_id = f.id AND h.at >= ${first}), NULL
  FROM finding f)`

/** The spans of findings between the first and the last moment of a series. */
export function findingSpans(plan: PlacedPlan, first: Place<number>, last: Place<number>): SpanSource {
  const joins = findingJoins()
  joins.use('c', undefined)
  const resolvedAt = resolutionAt(sql`r.at <= coalesce(span.since, ${first} - 1)`, sql`span.until IS NULL`)
  return {
    with: statusSpans(first),
    since: findingSince,
    until: sql`span.until`,
    code: (name) => findingCode(name, joins, status),
    number: (field) => {
      if (field === 'confidence') return sql`f.conf_q`
      if (field === 'ageHours') return sql`(${last} - f.first_detected_at)`
      return sql`CASE WHEN ${status} = ${statusCodes.RESOLVED} THEN ${resolvedAt} - f.first_detected_at END`
    },
    from: () => sql`FROM span CROSS JOIN finding f ON f.id = span.finding_id ${joins.sql()}`,
    where: [findingTerms(onFilterKeys(plan.conditions), { status, isReached: true })],
  }
}

/** The spans in which each asset was there, or had a finding that fits: one asset may have many that overlap. */
export function assetSpans(plan: PlacedPlan, first: Place<number>): SpanSource {
  const joins = assetJoins()
  const { own, ofFindings } = splitByAsset(onFilterKeys(plan.conditions))
  const hasFindings = ofFindings.length > 0
  const ended = sql`CASE WHEN a.status = 'DELETED' THEN a.deleted_at END`
  const conditions = hasFindings ? [findingTerms(ofFindings, { status })] : []
  return {
    with: hasFindings ? statusSpans(first) : sql``,
    since: hasFindings ? findingSince : sql`a.first_seen_at`,
    until: hasFindings ? sql`coalesce(min(span.until, ${ended}), span.until, ${ended})` : ended,
    code: (name) => assetCode(name, joins),
    number: () => sql`NULL`,
    from: () =>
      hasFindings
        ? sql`FROM span CROSS JOIN finding f ON f.id = span.finding_id CROSS JOIN combo c ON c.id = f.combo_id
            CROSS JOIN asset a ON a.id = f.asset_id ${joins.sql()}`
        : sql`FROM asset a ${joins.sql()}`,
    where: [
      ownAssetTerms(own),
      ...isScanned(plan),
      sql`(a.status = 'ACTIVE' OR a.deleted_at IS NOT NULL)`,
      ...conditions,
    ],
  }
}
