import { toSafeMessage } from '../../detectors/safe-text.ts'
import { NONE } from '../../findings/facets.ts'
import type { FilterMapping } from '../../findings/filter.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { ownText } from '../../kernel/safe-text.ts'
import type { Dimension, MetricRecord } from '../../metrics/model.ts'
import type { Coercion } from '../../operation/input/coerce.ts'
import type { Reader } from '../../store/store.ts'
import { openExecutor } from '../engine/executor.ts'
import {
  type BreakdownEntry,
  DEFAULT_GROUPS,
  type Diagnosis,
  type MetricAnswer,
  type MetricQuestion,
  type QueryWarning,
} from '../model.ts'
import { emptyPartial, toGroupId } from '../plan/cells.ts'
import { readDimensions } from '../plan/dimensions.ts'
import { type GroupKey, listPlans, planMetric, toTrendWindows, type ValueNode } from '../plan/plan.ts'
import { openScope } from '../plan/scope.ts'
import { getZone, parseRange, previousPeriod, shiftYears, type TimeRange } from '../plan/time.ts'
import type { Zone } from '../plan/zone.ts'
import { describeAnswer, toAppliedRange } from './describe.ts'
import { diagnose } from './diagnosis.ts'
import { toFormatted } from './format.ts'
import {
  type Breakdown,
  once,
  type RunPlan,
  toBreakdown,
  toDifference,
  toGroupName,
  toGroupValues,
  toTotal,
  type Value,
} from './value.ts'

export interface EvaluateOptions {
  now: number
  /** Filters of a placement, combined with all others. */
  pinnedFilters?: FilterMapping | undefined
  /** Corrections made to the form of the input. */
  coerced?: readonly Coercion[] | undefined
}

/** Size limit, in bytes, of the groups listed when the caller sets no limit on their number. */
const GROUP_BYTES = 13_000

/**
 * Evaluates a metric in the snapshot of the reader.
 * @throws AppError `not_found`, `invalid_input` or `conflict`; a value that cannot be computed is null with a reason.
 */
export function evaluateMetric(reader: Reader, question: MetricQuestion, options: EvaluateOptions): MetricAnswer {
  const { now } = options
  const { metric, inputs, conditions } = openScope(reader, question, options.pinnedFilters)
  const { dimensions, coerced } = readDimensions(reader, metric, question.dimensions ?? [])
  const zone = getZone(question.timeZone ?? 'UTC')
  const range = parseRange(question, zone)
  const run = once(openExecutor(reader))
  const nodeOver = (over: TimeRange) => planMetric(metric, conditions, { range: over, now, zone, dimensions, inputs })

  const node = nodeOver(range)
  const plans = listPlans(node)
  const total = toTotal(node, run)
  const breakdown = dimensions.length === 0 ? undefined : boundBreakdown(node, run, dimensions, question.limit)
  const description = describeAnswer(reader, {
    metric,
    plans,
    range: toAppliedRange(metric, plans, range),
    zone,
    now,
    coerced: [...(options.coerced ?? []), ...coerced],
  })
  const answer: MetricAnswer = {
    value: total.value,
    formatted: toFormatted(total.value, metric.format, metric.unit),
    ...toParts(total),
    breakdown: breakdown?.entries ?? [],
    ...(breakdown === undefined ? {} : toBreakdownFacts(breakdown)),
    ...description,
    warnings: [...description.warnings, ...warnOfCut(breakdown)],
    ...toDiagnosis(node, total, run),
  }
  const before = question.compare && toComparedRange(question.compare, { metric, range, zone, now })
  if (before === undefined) return answer
  const earlier = nodeOver(before)
  // A trend is compared over its own window, regardless of the start of the range.
  const looked = metric.type === 'TREND' ? toAppliedRange(metric, listPlans(earlier), before) : before
  return addComparison(answer, earlier, looked, { breakdown, dimensions, run })
}

interface ListedBreakdown extends Breakdown {
  entries: BreakdownEntry[]
}

/** A breakdown of `limit` groups, or without a limit, of as many as fit in `GROUP_BYTES`. */
function boundBreakdown(
  node: ValueNode,
  run: RunPlan,
  dimensions: readonly Dimension[],
  limit: number | undefined,
): ListedBreakdown {
  const list = (most: number): ListedBreakdown => {
    const breakdown = toBreakdown(node, run, most)
    return { ...breakdown, entries: breakdown.groups.map((group) => toEntry(group.key, dimensions, group)) }
  }
  const listed = list(limit ?? DEFAULT_GROUPS)
  if (limit !== undefined) return listed
  let bytes = 0
  const fitting = listed.entries.findIndex((entry) => {
    bytes += Buffer.byteLength(JSON.stringify(entry))
    return bytes > GROUP_BYTES
  })
  return fitting === -1 ? listed : list(Math.max(1, fitting))
}

function toEntry(key: GroupKey, dimensions: readonly Dimension[], value: Value): BreakdownEntry {
  const names = key.map((name) => name ?? ownText(NONE))
  return {
    dimensionValue: toGroupName(key),
    value: value.value,
    dimensions: Object.fromEntries(dimensions.map((dimension, index) => [dimension, names[index] ?? ownText(NONE)])),
    ...toParts(value),
  }
}

/** The components of a value, if it has any. */
function toParts({ reason, numerator, denominator, current, previous, delta }: Value) {
  return {
    ...(reason === undefined ? {} : { reason }),
    ...(numerator === undefined ? {} : { numerator }),
    ...(denominator === undefined ? {} : { denominator }),
    ...(current === undefined ? {} : { current }),
    ...(previous === undefined ? {} : { previous }),
    ...(delta === undefined ? {} : { delta }),
  }
}

function toBreakdownFacts({ totalGroups, other }: Breakdown) {
  if (other === undefined) return { totalGroups, truncated: false }
  const { groups, value } = other
  return { totalGroups, truncated: true, other: { groups, value, ...toParts(other) } }
}

function warnOfCut(breakdown: ListedBreakdown | undefined): QueryWarning[] {
  if (breakdown?.other === undefined) return []
  const { totalGroups, groups, other } = breakdown
  const message = toSafeMessage(
    `The first ${groups.length} of ${totalGroups} groups are listed; the ${other.groups} others are together in other.`,
  )
  return [{ code: 'truncated', message }]
}

/** Only an answer over no rows is diagnosed, or a ratio whose denominator has none. */
function toDiagnosis(node: ValueNode, total: Value, run: RunPlan): { diagnosis?: Diagnosis } {
  const empty =
    node.kind === 'measure'
      ? node
      : node.kind === 'ratio' && total.reason === 'zero_denominator' && node.denominator.kind === 'measure'
        ? node.denominator
        : undefined
  if (empty === undefined) return {}
  const { n } = run({ ...empty.plan, dimensions: [] })[0] ?? emptyPartial
  return n === 0 ? { diagnosis: diagnose(empty.plan, run) } : {}
}

type Compare = NonNullable<MetricQuestion['compare']>

function toComparedRange(
  compare: Compare,
  { metric, range, zone, now }: { metric: MetricRecord; range: TimeRange; zone: Zone; now: number },
): TimeRange {
  if (typeof compare === 'object') return parseRange(compare, zone, 'compare')
  const to = range.to ?? now
  if (compare === 'previous_year') {
    const before = { to: shiftYears(to, zone, -1) }
    return range.from === undefined ? before : { ...before, from: shiftYears(range.from, zone, -1) }
  }
  const from =
    metric.type === 'TREND' ? toTrendWindows(metric.definition, { range, now, zone }).current.from : range.from
  if (from === undefined) {
    throw invalidInput('compare previous_period needs a range with a start; give from, or compare with {from, to}.', {
      reason: 'range_required',
      issues: [{ path: 'from', message: 'is needed to know how long the previous period is.' }],
    })
  }
  return previousPeriod({ from, to })
}

function addComparison(
  answer: MetricAnswer,
  node: ValueNode,
  range: TimeRange,
  shown: { breakdown: ListedBreakdown | undefined; dimensions: readonly Dimension[]; run: RunPlan },
): MetricAnswer {
  const { breakdown, run } = shown
  const before = toTotal(node, run).value
  const comparison = {
    from: range.from === undefined ? null : new Date(range.from).toISOString(),
    to: range.to === undefined ? null : new Date(range.to).toISOString(),
    value: before,
    ...toDifference(answer.value, before),
  }
  if (breakdown === undefined) return { ...answer, comparison }
  const keys = breakdown.groups.map(({ key }) => key)
  const previous = toGroupValues(node, run, keys)
  return {
    ...answer,
    comparison,
    breakdown: answer.breakdown.map(({ current, delta, ...entry }, index) => ({
      ...entry,
      previous: previous.get(toGroupId(keys[index] ?? []))?.value ?? null,
    })),
  }
}
