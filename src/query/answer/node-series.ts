import type { Zone } from '../../kernel/zone.ts'
import { listInline } from '../../metrics/definition.ts'
import type { Reader } from '../../store/store.ts'
import type { Point } from '../model.ts'
import { type Cell, emptyPartial } from '../plan/cells.ts'
import { type Plan, planMetric, toSeriesPlan, type ValueNode } from '../plan/plan.ts'
import type { ResolvedQuestion } from '../plan/scope.ts'
import type { Bucket, Buckets, WeekDay } from '../plan/time.ts'
import { toMetricTotal } from './trend.ts'
import { once, type RunPlan, toNodeValue, type Value } from './value.ts'

/** The values of a metric of any type in every bucket: each is what a query over the bucket's part of the range gives. */
export function evaluateBuckets(
  reader: Reader,
  { metric, inputs, conditions, termOf }: Pick<ResolvedQuestion, 'metric' | 'inputs' | 'conditions' | 'termOf'>,
  { range, buckets }: Buckets,
  { observedFrom, ...at }: { now: number; zone: Zone; weekStart: WeekDay; observedFrom: number | undefined },
  run: RunPlan,
): Point[] {
  const nodeOver = (from: number, to: number): ValueNode =>
    planMetric(metric, conditions, { ...at, range: { from, to }, dimensions: [], inputs, termOf })
  const parts = [metric, ...inputs.values()]
  // A window or a trend begins before its bucket, so buckets cannot be cut from one scan of the range.
  const isSeparate = parts.some(
    (part) => part.type === 'TREND' || listInline(part).some(({ window }) => window !== undefined),
  )
  if (isSeparate) {
    return buckets.map((bucket) => {
      const part = { from: Math.max(bucket.start, range.from), to: Math.min(bucket.end, range.to) }
      const asked = { metric, range: part, now: at.now, run }
      return toPoint(bucket, toMetricTotal(reader, nodeOver(part.from, part.to), asked), observedFrom)
    })
  }
  const node = nodeOver(range.from, range.to)
  const cellsOf = once((plan: Plan): ReadonlyMap<number, Cell> => {
    const cells = run(toSeriesPlan(plan, range, buckets))
    return new Map(cells.map((cell) => [cell.bucket, cell]))
  })
  return buckets.map((bucket, index) => {
    const value = toNodeValue(node, (plan) => cellsOf(plan).get(index) ?? emptyPartial)
    return toPoint(bucket, value, observedFrom)
  })
}

export function toPoint(
  { start, end, complete }: Bucket,
  { value, n }: Pick<Value, 'value' | 'n'>,
  observedFrom: number | undefined,
): Point {
  return {
    timestamp: new Date(start).toISOString(),
    value,
    complete,
    ...(observedFrom === undefined || end > observedFrom ? {} : { observed: false as const }),
    ...(n === undefined ? {} : { n }),
  }
}
