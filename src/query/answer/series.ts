import { isDeepStrictEqual } from 'node:util'
import { toSafeMessage } from '../../detectors/safe-text.ts'
import { lacksPolicy } from '../../findings/due-conditions.ts'
import { isManyValued } from '../../findings/facets.ts'
import type { FindingAsset } from '../../findings/model.ts'
import { type AppError, invalidInput } from '../../kernel/errors.ts'
import { ownText } from '../../kernel/safe-text.ts'
import { likeness } from '../../kernel/suggest.ts'
import { listMetricNames, listMetrics } from '../../metrics/metrics.store.ts'
import type { MetricRecord } from '../../metrics/model.ts'
import { parseRange } from '../../operation/input/range.ts'
import type { Reader } from '../../store/store.ts'
import { type FindTop, openExecutor, openTop } from '../engine/executor.ts'
import type { Point, SeriesAnswer, SeriesQuestion } from '../model.ts'
import { type Cell, emptyPartial, isTypical, toGroupId, toValue } from '../plan/cells.ts'
import { readDimensions } from '../plan/dimensions.ts'
import { compareKeys, toAssetId, toValueName } from '../plan/group-names.ts'
import { type GroupKey, type MeasureNode, type Plan, planMetric, toSeriesPlan } from '../plan/plan.ts'
import { openScope } from '../plan/scope.ts'
import { type Bucket, getZone, toBuckets } from '../plan/time.ts'
import { toWindow, type WindowRange } from '../plan/window.ts'
import { openAssetFacts } from '../sql/groups.store.ts'
import { toBreakdown } from './breakdown.ts'
import { describeAnswer } from './describe.ts'
import { diagnose } from './diagnosis.ts'
import type { EvaluateOptions } from './evaluate.ts'
import { findObservedFrom } from './freshness.ts'
import { toPoint } from './node-series.ts'
import type { RunPlan } from './value.ts'
import { runWindows } from './windows.ts'

const MAX_SERIES = 10
/** Size limit of a breakdown series and the approximate size of a point, in bytes. */
const SERIES_BYTES = 16_000
const POINT_BYTES = 75

/**
 * Evaluates a SIMPLE metric in every bucket of a range, in the snapshot of the reader.
 * @throws AppError as `evaluateMetric`; `invalid_input`, reason `unsupported_metric_type`, for other types.
 */
export function evaluateSeries(reader: Reader, question: SeriesQuestion, options: EvaluateOptions): SeriesAnswer {
  const { now } = options
  const { metric, inputs, conditions, termOf } = openScope(reader, question, options.pinnedFilters)
  if (metric.type !== 'SIMPLE') throw unsupportedType(reader, metric)
  const named = question.dimension === undefined ? [] : [question.dimension]
  const { dimensions, coerced } = readDimensions(reader, metric, named, () => 'dimension')
  const [dimension] = dimensions
  const zone = getZone(question.timeZone ?? 'UTC')
  const { granularity, weekStart = 'monday' } = question
  const { range, buckets } = toBuckets(parseRange(question, zone), { granularity, zone, weekStart, now })
  const runOne = openExecutor(reader)
  const node = planMetric(metric, conditions, { range, now, zone, weekStart, dimensions: [], inputs, termOf })
  if (node.kind !== 'measure') throw new TypeError(`${metric.slug} is SIMPLE but did not compile to a single measure`)

  const { window } = metric.definition
  const windows = window && buckets.map(({ end }) => toWindow(window, Math.min(end, range.to), zone, weekStart))
  const run: RunPlan = windows === undefined ? runOne : (plan) => runWindows(plan, windows, runOne)
  const plan = windows === undefined ? toSeriesPlan(node.plan, range, buckets) : toWindowsPlan(node.plan, windows)
  const observedFrom = findObservedFrom(reader, [plan])
  const toPoints = (cells: readonly Cell[]) => fillBuckets(cells, plan, node.emptyAs, buckets, observedFrom)
  const cells = buckets.length === 0 ? [] : run(plan)
  const most = Math.max(1, Math.min(MAX_SERIES, Math.floor(SERIES_BYTES / (POINT_BYTES * buckets.length))))
  const top =
    dimension === undefined
      ? undefined
      : windows === undefined && plan.mode === 'flow'
        ? findTopOfFlow({ ...node, plan: { ...node.plan, dimensions } }, plan, run, {
            limit: most,
            topOf: openTop(reader),
          })
        : findTop({ ...node, plan: { ...plan, dimensions } }, run, buckets.length - 1, most)
  const description = describeAnswer(reader, {
    metric,
    plans: [plan],
    run: runOne,
    range,
    zone,
    now,
    coerced: [...(options.coerced ?? []), ...coerced],
  })
  const truncated = top !== undefined && top.keys.length < top.totalGroups
  return {
    timeSeries: toPoints(cells),
    granularity,
    ...(dimension === undefined || top === undefined
      ? {}
      : {
          dimension,
          series: toSeries(top.cells, top.keys, toPoints, dimension === 'asset' ? openAssetFacts(reader) : undefined),
          ...(isManyValued(dimension) ? { overlapping: true as const } : {}),
          totalGroups: top.totalGroups,
          truncated,
        }),
    ...description,
    warnings: truncated
      ? [
          ...description.warnings,
          {
            code: 'truncated',
            message: toSafeMessage(`Series for the top ${top.keys.length} of ${top.totalGroups} values are listed.`),
          },
        ]
      : description.warnings,
    ...(cells.some(({ n }) => n > 0) || buckets.length === 0 || lacksPolicy(plan.conditions)
      ? {}
      : { diagnosis: diagnose(plan, runOne, now) }),
  }
}

/** The plan of a series of windows: from the start of the first to the end of the last. */
function toWindowsPlan(plan: Plan, windows: readonly WindowRange[]): Plan {
  const [first, last] = [windows[0], windows.at(-1)]
  return first === undefined || last === undefined ? plan : { ...plan, range: { from: first.from, to: last.to } }
}

interface Top {
  keys: GroupKey[]
  totalGroups: number
  cells: readonly Cell[]
}

/** The groups of a flow to list as series: those with the greatest value over the whole range. */
function findTopOfFlow(node: MeasureNode, series: Plan, run: RunPlan, options: { limit: number; topOf: FindTop }): Top {
  const { dimensions } = node.plan
  const { groups, totalGroups } = toBreakdown(node, run, options)
  const keys = groups.map(({ key }) => key)
  return { keys, totalGroups, cells: run({ ...series, dimensions, groups: { dimensions, keys, exclude: false } }) }
}

/**
 * The groups of a stock, or of windows, to list as series: those with the greatest value in the last bucket, then in
 * any.
 */
function findTop({ plan, emptyAs }: MeasureNode, run: RunPlan, last: number, most: number): Top {
  const cells = run(plan)
  const ranks = new Map<string, { key: GroupKey; end: number; peak: number }>()
  for (const cell of cells) {
    const value = toValue(plan, cell, emptyAs) ?? 0
    const rank = ranks.get(toGroupId(cell.key)) ?? { key: cell.key, end: 0, peak: value }
    rank.peak = Math.max(rank.peak, value)
    if (cell.bucket === last) rank.end = value
    ranks.set(toGroupId(cell.key), rank)
  }
  const ranked = [...ranks.values()].sort((a, b) => b.end - a.end || b.peak - a.peak || compareKeys(a.key, b.key))
  return { keys: ranked.slice(0, most).map(({ key }) => key), totalGroups: ranked.length, cells }
}

function toSeries(
  cells: readonly Cell[],
  keys: readonly GroupKey[],
  toPoints: (cells: readonly Cell[]) => Point[],
  assetOf: ((id: number) => FindingAsset | undefined) | undefined,
): NonNullable<SeriesAnswer['series']> {
  return keys.map((key) => {
    const id = toGroupId(key)
    const asset = assetOf?.(toAssetId(key[0] ?? ownText('')))
    return {
      dimensionValue: toValueName(key[0]),
      ...(asset === undefined ? {} : { asset }),
      timeSeries: toPoints(cells.filter((cell) => toGroupId(cell.key) === id)),
    }
  })
}

function fillBuckets(
  cells: readonly Cell[],
  plan: Plan,
  emptyAs: 'zero' | 'null',
  buckets: readonly Bucket[],
  observedFrom: number | undefined,
): Point[] {
  const byBucket = new Map(cells.map((cell) => [cell.bucket, cell]))
  const isUndated = lacksPolicy(plan.conditions)
  return buckets.map((bucket, index) => {
    const value = isUndated ? null : toValue(plan, byBucket.get(index) ?? emptyPartial, emptyAs)
    return toPoint(bucket, isTypical(plan) ? { value, n: byBucket.get(index)?.n ?? 0 } : { value }, observedFrom)
  })
}

function unsupportedType(reader: Reader, metric: MetricRecord): AppError {
  const names = new Map(listMetricNames(reader).map((row) => [row.slug, row.displayName]))
  const simple = listMetrics(reader, { type: 'SIMPLE' }, { limit: 500, offset: 0 }).metrics
  const inputs = simple.filter(({ slug }) => JSON.stringify(metric.definition).includes(`"${slug}"`))
  const parts = simple.filter(({ definition }) =>
    Object.values(metric.definition).some((part) => isDeepStrictEqual(part, definition)),
  )
  const others = simple.toSorted((a, b) => likeness(metric.slug, b.slug) - likeness(metric.slug, a.slug))
  const near = [...new Set([...inputs, ...parts, ...others])].slice(0, 5)
  const hint = near.length === 0 ? '' : ` The nearest are ${near.map(({ slug }) => slug).join(', ')}.`
  return invalidInput(
    `${metric.slug} is a ${metric.type} metric; a time series requires a SIMPLE one. Use query_metric for its value.${hint}`,
    {
      reason: 'unsupported_metric_type',
      issues: [{ path: 'metricSlug', message: `is of type ${metric.type}; a time series requires a SIMPLE metric.` }],
      suggestions: near.map(({ slug }) => ({ value: slug, kind: 'metric', label: names.get(slug) ?? slug })),
    },
  )
}
