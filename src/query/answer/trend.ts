import type { TimeRange } from '../../kernel/time-range.ts'
import type { MetricRecord } from '../../metrics/model.ts'
import type { Reader } from '../../store/store.ts'
import { listPlans, type ValueNode } from '../plan/plan.ts'
import { toAppliedRange, toTrendBase } from './describe.ts'
import { listSourcesInScope, warnOfCoverage } from './freshness.ts'
import { type RunPlan, toTotal, type Value } from './value.ts'

interface Asked {
  metric: MetricRecord
  range: TimeRange
  now: number
  run: RunPlan
}

/** False for a trend whose two windows cover different sources: its change would be new coverage. */
export function isTrendCovered(reader: Reader, node: ValueNode, { metric, range, now, run }: Asked): boolean {
  const plans = listPlans(node)
  const base = toTrendBase(metric, plans)
  if (base === undefined) return true
  const sources = listSourcesInScope(reader, plans, run, now)
  return warnOfCoverage(sources, toAppliedRange(metric, plans, range), base, now).length === 0
}

/** The value of a metric as an answer gives it. */
export const toMetricTotal = (reader: Reader, node: ValueNode, asked: Asked): Value =>
  isTrendCovered(reader, node, asked) ? toTotal(node, asked.run) : { value: null, reason: 'not_observed' }
