import { toInstantOrNull } from '../../kernel/instant.ts'
import type { TimeRange } from '../../kernel/time-range.ts'
import type { Zone } from '../../kernel/zone.ts'
import { getTrust } from '../../metrics/drift.ts'
import type { MetricRecord } from '../../metrics/model.ts'
import type { Coercion } from '../../operation/input/coerce.ts'
import type { Reader } from '../../store/store.ts'
import type { MetricAnswer, MetricFacts } from '../model.ts'
import type { Plan } from '../plan/plan.ts'
import { listFilters } from './diagnosis.ts'
import { listSourcesInScope, toFreshness, warnOfCoverage, warnOfDoubles } from './freshness.ts'
import { warnOfOutsideTerm } from './outside-term.ts'
import { warnOfPresence, warnOfUnread } from './presence.ts'
import { warnOfMissingValues, warnOfValues } from './unknown-values.ts'
import type { RunPlan } from './value.ts'
import {
  warnOfCoercions,
  warnOfContradictions,
  warnOfFuture,
  warnOfGovernance,
  warnOfMissingPolicy,
} from './warnings.ts'

/** The part of an answer that describes the question, its population and how far to trust the result. */
export type Description = Pick<MetricAnswer, 'metric' | 'applied' | 'trust' | 'freshness' | 'warnings'>

export function describeAnswer(
  reader: Reader,
  asked: {
    metric: MetricRecord
    plans: readonly Plan[]
    run: RunPlan
    range: TimeRange
    /** The range that it is compared with. */
    compared?: TimeRange | undefined
    zone: Zone
    now: number
    coerced: readonly Coercion[]
    /** The formatted value of the metric that replaces a deprecated one. */
    successor?: string | undefined
  },
): Description {
  const { metric, plans, range, zone, now } = asked
  const trust = getTrust(reader, metric)
  const sources = listSourcesInScope(reader, plans, asked.run, now)
  const { freshness, warnings } = toFreshness(sources, plans, now)
  return {
    metric: toMetricFacts(metric),
    applied: {
      from: toInstantOrNull(range.from),
      to: toInstantOrNull(range.to),
      ...toMoment(plans),
      timeField: [...new Set(plans.map(({ timeField }) => timeField))].join(', '),
      timeZone: zone.name,
      filters: listFilters(plans),
    },
    trust,
    freshness,
    warnings: [
      ...(asked.compared === undefined ? [] : warnOfCoverage(sources, range, asked.compared, now)),
      ...warnOfFuture(range, now),
      ...warnOfGovernance(metric, trust, asked.successor),
      ...warnOfMissingPolicy(plans),
      ...warnOfContradictions(plans),
      ...warnings,
      ...warnOfDoubles(reader, sources),
      ...warnOfPresence(plans, asked.run),
      ...warnOfUnread(sources, plans),
      ...warnOfOutsideTerm(plans, asked.run),
      ...warnOfMissingValues(plans, asked.run),
      ...warnOfValues(reader, plans, asked.run),
      ...warnOfCoercions(asked.coerced),
    ],
  }
}

/** The moment of an answer that counts the state at one moment only, or that a series counts it at the ends of its buckets. */
function toMoment(plans: readonly Plan[]): { asOf?: string; atEnds?: true } {
  const [first] = plans
  if (plans.length > 0 && plans.every(({ mode, edges }) => mode === 'stock' && edges !== undefined))
    return { atEnds: true }
  const isMoment = ({ mode, edges, at }: Plan) => mode === 'stock' && edges === undefined && at === first?.at
  return first !== undefined && plans.every(isMoment) ? { asOf: new Date(first.at).toISOString() } : {}
}

function toMetricFacts(metric: MetricRecord): MetricFacts {
  const { slug, displayName, type, status, version, format, unit, certifiedBy } = metric
  const certifiedAt = toInstantOrNull(metric.certifiedAt ?? undefined)
  return { slug, displayName, type, status, version, format, unit, certifiedBy, certifiedAt }
}

/** The range that a value was computed over: for a stock its moment, for a trend or a window its (current) window. */
export function toAppliedRange(metric: MetricRecord, plans: readonly Plan[], range: TimeRange): TimeRange {
  const [first] = plans
  if (metric.type === 'SIMPLE' && metric.definition.window !== undefined && first !== undefined) return first.range
  if (metric.type === 'TREND' && first !== undefined) return first.mode === 'stock' ? { to: first.at } : first.range
  const stock = plans.find(({ mode }) => mode === 'stock')
  if (stock === undefined) return range
  return plans.every(({ mode }) => mode === 'stock') ? { to: stock.at } : { ...range, to: stock.at }
}

/** The window that a trend compares with. */
export function toTrendBase({ type }: MetricRecord, plans: readonly Plan[]): TimeRange | undefined {
  const last = plans.at(-1)
  return type !== 'TREND' || last === undefined ? undefined : last.mode === 'stock' ? { to: last.at } : last.range
}
