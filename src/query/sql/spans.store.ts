import { type Expression, type SqlBool, sql } from 'kysely'
import { type FindingTermOptions, findingTerms, ownAssetTerms, splitByAsset } from '../../findings/filter.store.ts'
import type { Bound } from '../../store/cached-query.ts'
import { statusCodes } from '../../store/schema.ts'
import type { PlacedPlan, PlanTerms } from './plan-terms.ts'
import {
  assetCode,
  assetJoins,
  findingCode,
  findingJoins,
  isScanned,
  joinChange,
  onFilterKeys,
  type RowSource,
  readWhole,
  resolutionBefore,
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

/**
 * The spans in which findings kept their status are told in two parts: those that are `ended`, one for each change from
 * the first moment on, and the `last` one of every finding. Changes before tell no two moments apart.
 */
export type SpanPart = 'ended' | 'last'

/** The findings of one part of the spans; without a status of their own they have that of their combination. */
interface StatusSpans {
  with: Sql
  from: Sql
  status: Sql<number> | undefined
  since: Sql
  until: Sql
  /** When a finding was resolved, as far as the span knows. */
  resolvedAt: Sql
  options: FindingTermOptions
}

/** A finding counts from the change before on, or where there was none from its first detection. */
const sinceChange = (at: Sql): Sql => sql`max(f.first_detected_at, coalesce(${at}, f.first_detected_at))`

function statusSpans(part: SpanPart, first: Bound<number>): StatusSpans {
  if (part === 'last') {
    return {
      with: sql``,
      from: sql`finding f ${joinChange(first, 'last')}`,
      status: undefined,
      since: sinceChange(sql`changed.at`),
      until: sql`NULL`,
      resolvedAt: sql`f.resolved_at`,
      options: {},
    }
  }
  const status = sql<number>`span.status`
  return {
    with: sql`WITH span AS (
      SELECT finding_id, from_status AS status, lag(at) OVER (PARTITION BY finding_id ORDER BY at, seq) AS since, at AS until
      FROM status_change WHERE at >= ${first})`,
    from: sql`span CROSS JOIN finding f ON f.id = span.finding_id`,
    status,
    since: sinceChange(sql`span.since`),
    until: sql`span.until`,
    resolvedAt: resolutionBefore(sql`r.at <= coalesce(span.since, ${first} - 1)`),
    options: { status, isReached: true },
  }
}

/** One part of the spans of findings between the first and the last moment of a series. */
export function findingSpans(plan: PlacedPlan, part: SpanPart, first: Bound<number>, last: Bound<number>): SpanSource {
  const joins = findingJoins()
  const { status, resolvedAt, options, from, ...spans } = statusSpans(part, first)
  return {
    ...spans,
    code: (name) => findingCode(name, joins, status),
    number: (field) => {
      if (field === 'confidence') return sql`f.conf_q`
      if (field === 'ageHours') return sql`(${last} - f.first_detected_at)`
      return sql`CASE WHEN ${findingCode('status', joins, status)} = ${statusCodes.RESOLVED} THEN max(0, ${resolvedAt} - f.first_detected_at) END`
    },
    from: () => sql`FROM ${from} ${joins.sql()}`,
    where: [findingTerms(onFilterKeys(plan.conditions), options), ...(part === 'last' ? readWhole(plan) : [])],
  }
}

/**
 * The spans of assets: one asset may have many that overlap. Where findings have a say in it, an asset was there while
 * one of them fitted, which is told in the parts of their spans.
 */
export function assetSpans(plan: PlacedPlan, part: SpanPart, first: Bound<number>): SpanSource {
  const joins = assetJoins()
  const { own, ofFindings } = splitByAsset(onFilterKeys(plan.conditions))
  const ended = sql`CASE WHEN a.status = 'DELETED' THEN a.deleted_at END`
  const asset = {
    code: (name: Parameters<SpanSource['code']>[0]) => assetCode(name, joins),
    number: () => sql`NULL`,
  }
  const where = [ownAssetTerms(own), ...isScanned(plan), sql`(a.status = 'ACTIVE' OR a.deleted_at IS NOT NULL)`]
  if (ofFindings.length === 0) {
    const from = () => sql`FROM asset a ${joins.sql()}`
    return { ...asset, with: sql``, since: sql`a.first_seen_at`, until: ended, from, where }
  }
  const spans = statusSpans(part, first)
  return {
    ...asset,
    with: spans.with,
    since: spans.since,
    until: sql`coalesce(min(${spans.until}, ${ended}), ${spans.until}, ${ended})`,
    from: () => sql`FROM ${spans.from} CROSS JOIN asset a ON a.id = f.asset_id ${joins.sql()}`,
    where: [...where, findingTerms(ofFindings, spans.options)],
  }
}

/** Whether the spans of a plan have a part that ended: assets by themselves are there in one span each. */
export function hasEndedSpans({ entity, conditions }: Pick<PlanTerms, 'entity' | 'conditions'>): boolean {
  return entity === 'finding' || splitByAsset(onFilterKeys(conditions)).ofFindings.length > 0
}
