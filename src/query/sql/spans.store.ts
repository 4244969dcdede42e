import { type Expression, type SqlBool, sql } from 'kysely'
import { type FindingTermOptions, findingTerms, ownAssetTerms, splitByAsset } from '../../findings/filter.store.ts'
import { whileWanted } from '../../store/builder.ts'
import { statusCodes } from '../../store/schema.ts'
import type { PlanTerms } from './plan-terms.ts'
import {
  assetCode,
  assetJoins,
  findingCode,
  findingJoins,
  findingLabelSet,
  isScanned,
  joinChange,
  onFilterKeys,
  type RowSource,
  readWhole,
  resolutionBefore,
  type Sql,
  whileResolved,
} from './rows.store.ts'

/** Periods in which a row counts: at moments `since < moment <= until`; without `until`, to the present. */
export interface SpanSource extends Pick<RowSource, 'code' | 'number' | 'labelSet'> {
  with: Sql
  since: Sql
  until: Sql
  /** FROM …, with its joins; call it last. */
  from(): Sql
  where: readonly (Sql | Expression<SqlBool>)[]
}

/**
 * The spans in which findings kept their status come in two parts: the `ended` ones, one for each change from the first
 * moment on, and the `last` one of every finding. Earlier changes do not affect any requested moment.
 */
export type SpanPart = 'ended' | 'last'

/** One part of the spans of findings; without a `status`, that of their combination applies. */
interface StatusSpans {
  with: Sql
  from: Sql
  status: Sql<number> | undefined
  since: Sql
  until: Sql
  /** When the finding was resolved, as of the span. */
  resolvedAt: Sql
  options: FindingTermOptions
}

/** A finding counts from the previous change on, or if there is none, from its first detection. */
const sinceChange = (at: Sql): Sql => sql`max(f.first_detected_at, coalesce(${at}, f.first_detected_at))`

function statusSpans(part: SpanPart, first: number): StatusSpans {
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
  const resolvedAt = resolutionBefore(sql`r.at <= coalesce(span.since, CAST(${first} AS BIGINT) - 1)`)
  return {
    with: sql`WITH span AS (
      SELECT finding_id, from_status AS status, lag(at) OVER (PARTITION BY finding_id ORDER BY at, seq) AS since, at AS until
      FROM status_change WHERE at >= ${first})`,
    from: sql`span CROSS JOIN finding f ON f.id = span.finding_id`,
    status,
    since: sinceChange(sql`span.since`),
    until: sql`span.until`,
    resolvedAt,
    options: { status, resolvedAt: whileResolved(status, resolvedAt), isReached: true },
  }
}

/** Later than any moment; added to an instant, it is an integer still. */
const NEVER = Number.MAX_SAFE_INTEGER

/** The millisecond before a finding is overdue. */
function beforeDue(overdue: NonNullable<PlanTerms['overdue']>, options: FindingTermOptions): Sql {
  const waits = overdue.map(
    ({ afterMs, conditions }) =>
      sql`CASE WHEN ${findingTerms(conditions, options)} THEN CAST(${afterMs} AS BIGINT) ELSE ${NEVER} END`,
  )
  return sql`f.first_detected_at - 1 + min(${sql.join(waits)}, ${NEVER})`
}

const sinceDue = (since: Sql, { overdue }: PlanTerms, options: FindingTermOptions): Sql =>
  overdue === undefined ? since : sql`max(${since}, ${beforeDue(overdue, options)})`

/** One part of the spans of findings between the first and last moment of a series. */
export function findingSpans(plan: PlanTerms, part: SpanPart, first: number, last: number): SpanSource {
  const joins = findingJoins()
  const { status, resolvedAt, options, from, since, ...spans } = statusSpans(part, first)
  return {
    ...spans,
    since: sinceDue(since, plan, options),
    code: (name) => findingCode(name, joins, status),
    labelSet: () => findingLabelSet(joins),
    number: (field) => {
      if (field === 'confidence') return sql`f.conf_q`
      if (field === 'ageHours') return sql`(${last} - f.first_detected_at)`
      return sql`CASE WHEN ${findingCode('status', joins, status)} = ${statusCodes.RESOLVED} THEN max(0, ${resolvedAt} - f.first_detected_at) END`
    },
    from: () => sql`FROM ${from} ${joins.sql()}`,
    where: [
      whileWanted('f.id'),
      findingTerms(onFilterKeys(plan.conditions), options),
      ...(part === 'last' ? readWhole(plan) : []),
    ],
  }
}

/**
 * The spans of assets; those of one asset may overlap. With conditions on findings, an asset counts while one of its
 * findings matches, and its spans come in the same parts as theirs.
 */
export function assetSpans(plan: PlanTerms, part: SpanPart, first: number): SpanSource {
  const joins = assetJoins()
  const { own, ofFindings } = splitByAsset(onFilterKeys(plan.conditions))
  const ended = sql`CASE WHEN a.status = 'DELETED' THEN a.deleted_at END`
  const asset = {
    code: (name: Parameters<SpanSource['code']>[0]) => assetCode(name, joins),
    labelSet: () => sql`a.labels_id`,
    number: () => sql`NULL`,
  }
  const where = [ownAssetTerms(own), ...isScanned(plan), sql`(a.status = 'ACTIVE' OR a.deleted_at IS NOT NULL)`]
  if (ofFindings.length === 0 && plan.overdue === undefined) {
    const from = () => sql`FROM asset a ${joins.sql()}`
    return { ...asset, with: sql``, since: sql`a.first_seen_at`, until: ended, from, where }
  }
  const spans = statusSpans(part, first)
  return {
    ...asset,
    with: spans.with,
    since: sinceDue(spans.since, plan, spans.options),
    until: sql`coalesce(min(${spans.until}, ${ended}), ${spans.until}, ${ended})`,
    from: () => sql`FROM ${spans.from} CROSS JOIN asset a ON a.id = f.asset_id ${joins.sql()}`,
    where: [...where, whileWanted('f.id'), findingTerms(ofFindings, spans.options)],
  }
}

/** Whether the spans of a plan have an ended part; assets without conditions on findings have one span each. */
export function hasEndedSpans({
  entity,
  conditions,
  overdue,
}: Pick<PlanTerms, 'entity' | 'conditions' | 'overdue'>): boolean {
  return entity === 'finding' || overdue !== undefined || splitByAsset(onFilterKeys(conditions)).ofFindings.length > 0
}
