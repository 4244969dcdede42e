import { toSafeMessage, toSafeText } from '../../detectors/safe-text.ts'
import { isManyValued } from '../../findings/facets.ts'
import type { FilterMapping } from '../../findings/filter.ts'
import type { FindingAsset } from '../../findings/model.ts'
import { AppError } from '../../kernel/errors.ts'
import { toInstantOrNull } from '../../kernel/instant.ts'
import type { SafeText } from '../../kernel/safe-text.ts'
import type { TimeRange } from '../../kernel/time-range.ts'
import { listInline } from '../../metrics/definition.ts'
import type { Dimension, MetricRecord } from '../../metrics/model.ts'
import type { Coercion } from '../../operation/input/coerce.ts'
import { parseRange } from '../../operation/input/range.ts'
import type { Reader } from '../../store/store.ts'
import { type FindTop, openExecutor, openTop } from '../engine/executor.ts'
import {
  type BreakdownEntry,
  DEFAULT_GROUPS,
  type Diagnosis,
  type MetricAnswer,
  type MetricQuestion,
  type OneMetricAnswer,
  type QueryWarning,
} from '../model.ts'
import { readDimensions } from '../plan/dimensions.ts'
import { toAssetId, toGroupName, toValueName } from '../plan/group-names.ts'
import { listPlans, type Plan, planMetric, type ValueNode } from '../plan/plan.ts'
import { openScope, type ScopeQuestion } from '../plan/scope.ts'
import { getZone } from '../plan/time.ts'
import { openAssetFacts } from '../sql/groups.store.ts'
import { type Breakdown, type GroupValue, toBreakdown } from './breakdown.ts'
import { noteMonths, toComparedRange, warnOfLength } from './comparison.ts'
import { describeAnswer, toAppliedRange, toTrendBase } from './describe.ts'
import { diagnose } from './diagnosis.ts'
import { explainChange } from './explain.ts'
import { toFormatted } from './format.ts'
import { once, type RunPlan, toDifference, toTotal, toWhole, type Value } from './value.ts'
import { warnOfTie, warnOfUndecided } from './warnings.ts'

export interface EvaluateOptions {
  now: number
  /** Filters of a placement, combined with all others. */
  pinnedFilters?: FilterMapping | undefined
  /** The metric, if it is not the stored one of that name. */
  draft?: MetricRecord | undefined
  /** Of a successor that a deprecated metric names, whose own successor is not asked. */
  isSuccessor?: boolean
  /** The answer is whole: no part of one about a dashboard, a term or a page. */
  isWhole?: boolean
  /** Corrections made to the form of the input. */
  coerced?: readonly Coercion[] | undefined
}

/** A question, within the findings that have some words. */
type SearchedQuestion = MetricQuestion & Pick<ScopeQuestion, 'search'>

/** Size limit, in bytes, of the groups listed for all metrics when the caller sets no limit on their number. */
const GROUP_BYTES = 13_000

/**
 * Evaluates a metric in the snapshot of the reader, and those of `alsoMetrics`, whose errors are reported individually.
 * @throws AppError `not_found`, `invalid_input` or `conflict`; a value that cannot be computed is null with a reason.
 */
export function evaluateMetric(reader: Reader, question: SearchedQuestion, options: EvaluateOptions): MetricAnswer {
  const { alsoMetrics, ...asked } = question
  if (alsoMetrics === undefined) return evaluateOne(reader, asked, options, GROUP_BYTES)
  const bytes = GROUP_BYTES / (1 + alsoMetrics.length)
  const answer = evaluateOne(reader, asked, options, bytes)
  const also = alsoMetrics.map((metricSlug) => {
    try {
      return evaluateOne(reader, { ...asked, metricSlug }, { ...options, coerced: [] }, bytes)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const { code, message } = error
      const slug = toSafeText(metricSlug, 'definition')
      return { metric: { slug }, value: null, error: { code, message: toSafeMessage(message) } }
    }
  })
  return { ...answer, also }
}

function evaluateOne(
  reader: Reader,
  question: Omit<SearchedQuestion, 'alsoMetrics'>,
  options: EvaluateOptions,
  groupBytes: number,
): OneMetricAnswer {
  const { now } = options
  const { metric, inputs, conditions, termOf } = openScope(
    reader,
    { ...question, draft: options.draft },
    options.pinnedFilters,
  )
  const { dimensions, coerced } = readDimensions(reader, metric, question.dimensions ?? [])
  const zone = getZone(question.timeZone ?? 'UTC')
  const { weekStart = 'monday' } = question
  const range = parseRange(question, zone)
  const run = once(openExecutor(reader))
  const nodeOver = (over: TimeRange, by: readonly Dimension[]) =>
    planMetric(metric, conditions, { range: over, now, zone, weekStart, dimensions: by, inputs, termOf })

  const node = nodeOver(range, dimensions)
  const plans = listPlans(node)
  const compared = toComparedRange(question, { metric, range, zone, now })
  const before = compared === undefined ? undefined : { node: nodeOver(compared, dimensions), range: compared }
  const total = toTotal(node, run)
  const breakdown =
    dimensions.length === 0
      ? undefined
      : boundBreakdown(node, run, {
          ...{ ...question, dimensions, groupBytes },
          before: before?.node,
          assetOf: openAssetFacts(reader),
          topOf: openTop(reader),
        })
  const earlier = before && toEarlier(metric, before, run)
  const appliedRange = toAppliedRange(metric, plans, range)
  const description = describeAnswer(reader, {
    metric,
    plans,
    run,
    range: appliedRange,
    successor: answerOfSuccessor(reader, metric, question, options),
    compared: earlier?.range ?? toTrendBase(metric, plans),
    zone,
    now,
    coerced: [
      ...(options.coerced ?? []),
      ...coerced,
      ...noteIgnoredStart(metric, inputs, range),
      ...noteMoment(question, plans, options),
      ...(plans.some(({ mode }) => mode === 'flow') ? noteMonths(question, range, compared, zone) : []),
    ],
  })
  const explained =
    compared === undefined || question.explain !== true
      ? undefined
      : explainChange(
          metric,
          (dimensions.length > 0 ? dimensions : metric.allowedDimensions).filter(
            (dimension) => !isManyValued(dimension),
          ),
          (dimension) => ({ now: nodeOver(range, [dimension]), before: nodeOver(compared, [dimension]) }),
          run,
          openTop(reader),
        )
  const value = isCovered(description) ? total : withoutPercentage(metric, total)
  return {
    ...value,
    formatted: toFormatted(value.value, metric.format, metric.unit),
    ...(breakdown === undefined ? { breakdown: [] } : toListed(metric, description, breakdown, breakdown.entries)),
    ...(dimensions.some(isManyValued) ? { overlapping: true as const } : {}),
    ...(earlier === undefined ? {} : { comparison: toComparison(total, earlier, isCovered(description)) }),
    ...(explained === undefined ? {} : { drivers: explained.drivers, driverDimensions: explained.driverDimensions }),
    ...description,
    warnings: [
      ...(earlier === undefined ? [] : warnOfLength(appliedRange, earlier.range, zone, now)),
      ...description.warnings,
      ...(options.isWhole === true ? warnOfUndecided(node, run) : []),
      ...(explained?.warnings ?? []),
      ...warnOfCut(breakdown, dimensions, metric),
    ],
    ...toDiagnosis(node, total, run, now),
  }
}

/** The value of the metric that replaces a deprecated one, for the same question. */
function answerOfSuccessor(
  reader: Reader,
  { status, replacedBy }: MetricRecord,
  { dimensions, limit, compare, explain, orderBy, ...asked }: Omit<MetricQuestion, 'alsoMetrics'>,
  options: EvaluateOptions,
): string | undefined {
  if (status !== 'DEPRECATED' || replacedBy === null || options.isSuccessor === true) return undefined
  try {
    return evaluateOne(reader, { ...asked, metricSlug: replacedBy }, { ...options, isSuccessor: true }, 0).formatted
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** A window determines its own start, so a given start has no effect. */
function noteIgnoredStart(
  metric: MetricRecord,
  inputs: ReadonlyMap<string, MetricRecord>,
  { from }: TimeRange,
): Coercion[] {
  if (from === undefined) return []
  const [window] = [metric, ...inputs.values()].flatMap(listInline).flatMap(({ window }) => window ?? [])
  if (window === undefined) return []
  const length = window.last === undefined ? `${window.toDate} to date` : `last ${window.last}`
  return [{ path: 'from', message: `is ignored where the metric counts a window of its own: the ${length}.` }]
}

/** A stock is counted at one moment, so the start of a range has no effect, unless it gives the length of a comparison. */
function noteMoment(
  { compare, from }: Pick<MetricQuestion, 'compare' | 'from'>,
  plans: readonly Plan[],
  { isWhole = false }: EvaluateOptions,
): Coercion[] {
  if (!plans.every(({ mode }) => mode === 'stock')) return []
  const says = (path: string, to: string) => ({
    path,
    message: `is not used: the metric counts the state at one moment, ${to}.`,
  })
  return [
    ...(isWhole && from !== undefined && typeof compare !== 'string' ? [says('from', 'to or now')] : []),
    ...(typeof compare === 'object' ? [says('compare.from', 'compare.to')] : []),
  ]
}

interface Earlier {
  range: TimeRange
  total: Value
}

/** The value over the compared range; a stock is compared at its end, a trend over its own window. */
function toEarlier(
  metric: MetricRecord,
  { node, range }: { node: ValueNode; range: TimeRange },
  run: RunPlan,
): Earlier {
  return { range: toAppliedRange(metric, listPlans(node), range), total: toTotal(node, run) }
}

function toComparison(
  { value }: Value,
  { range, total }: Earlier,
  isCovered: boolean,
): NonNullable<OneMetricAnswer['comparison']> {
  const { from, to } = range
  return {
    from: toInstantOrNull(from),
    to: toInstantOrNull(to),
    value: total.value,
    ...toDifference(value, total.value),
    ...(isCovered ? {} : { pctChange: null }),
  }
}

/** False where different sources were observed in the two ranges of a comparison: a percentage would mislead. */
const isCovered = ({ warnings }: Pick<OneMetricAnswer, 'warnings'>) =>
  !warnings.some(({ code }) => code === 'coverage_differs')

/** The value without its change in percent, which is the value itself of a trend. */
function withoutPercentage<Shown extends Pick<BreakdownEntry, 'value' | 'pctChange'>>(
  { type }: MetricRecord,
  shown: Shown,
): Shown {
  if (type === 'TREND') return { ...shown, value: null, reason: 'not_observed' }
  return shown.pctChange === undefined ? shown : { ...shown, pctChange: null }
}

interface ListedBreakdown extends Breakdown {
  entries: BreakdownEntry[]
}

/** A lookup of assets by row id. */
type FindAsset = (id: number) => FindingAsset | undefined

interface BreakdownQuestion extends Pick<MetricQuestion, 'limit' | 'orderBy'> {
  dimensions: readonly Dimension[]
  before: ValueNode | undefined
  groupBytes: number
  assetOf: FindAsset
  topOf: FindTop
}

/** A breakdown of `limit` groups, or without a limit, of as many as fit in `groupBytes`. */
function boundBreakdown(
  node: ValueNode,
  run: RunPlan,
  { dimensions, before, limit, orderBy, groupBytes, assetOf, topOf }: BreakdownQuestion,
): ListedBreakdown {
  const list = (most: number): ListedBreakdown => {
    const breakdown = toBreakdown(node, run, { limit: most, before, orderBy, topOf })
    return { ...breakdown, entries: breakdown.groups.map((group) => toEntry(group, dimensions, assetOf)) }
  }
  const listed = list(limit ?? DEFAULT_GROUPS)
  if (limit !== undefined) return listed
  let bytes = 0
  const fitting = listed.entries.findIndex((entry) => {
    bytes += Buffer.byteLength(JSON.stringify(entry))
    return bytes > groupBytes
  })
  return fitting === -1 ? listed : list(Math.max(1, fitting))
}

export function toEntry(group: GroupValue, dimensions: readonly Dimension[], assetOf: FindAsset): BreakdownEntry {
  const { key, before, ...value } = group
  const named = key[dimensions.indexOf('asset')]
  const asset = named == null ? undefined : assetOf(toAssetId(named))
  const names: Record<string, SafeText> = {}
  for (const [index, dimension] of dimensions.entries()) names[dimension] = toValueName(key[index])
  const entry = { dimensionValue: toGroupName(key), dimensions: names, ...toComparable(value, before) }
  return asset === undefined ? entry : { ...entry, asset }
}

/** A value with its components; compared with another range, with the difference from that instead of a trend's own. */
function toComparable(value: Value, before: Value | undefined): Value & { pctChange?: number | null } {
  if (before === undefined) return value
  const { current, previous, delta, ...own } = value
  return { ...own, previous: before.value, ...toDifference(value.value, before.value) }
}

/** A breakdown as answers list it. */
export function toListed(
  metric: MetricRecord,
  description: Pick<OneMetricAnswer, 'warnings'>,
  breakdown: Breakdown,
  entries: BreakdownEntry[],
) {
  const { other, ...facts } = toBreakdownFacts(breakdown)
  const toShown = <Shown extends Pick<BreakdownEntry, 'value' | 'pctChange'>>(shown: Shown) =>
    isCovered(description) ? shown : withoutPercentage(metric, shown)
  return { breakdown: entries.map(toShown), ...facts, ...(other === undefined ? {} : { other: toShown(other) }) }
}

function toBreakdownFacts({ totalGroups, other }: Breakdown) {
  if (other === undefined) return { totalGroups, truncated: false, other }
  const { groups, before, ...value } = other
  return { totalGroups, truncated: true, other: { groups, ...toComparable(value, before) } }
}

function warnOfCut(
  breakdown: ListedBreakdown | undefined,
  dimensions: readonly Dimension[],
  { format, unit }: MetricRecord,
): QueryWarning[] {
  if (breakdown?.other === undefined) return []
  const { totalGroups, groups, other } = breakdown
  const message = toSafeMessage(
    `The first ${groups.length} of ${totalGroups} groups are listed; the remaining ${other.groups} are combined in other.`,
  )
  return [
    { code: 'truncated', message },
    ...warnOfTie({ dimensions, tie: breakdown.tie }, 'groups', (value) => toFormatted(value, format, unit)),
  ]
}

/** Only an answer over no rows is diagnosed, or a ratio whose denominator has none. */
function toDiagnosis(node: ValueNode, total: Value, run: RunPlan, now: number): { diagnosis?: Diagnosis } {
  const empty =
    node.kind === 'measure'
      ? node
      : node.kind === 'ratio' && total.reason === 'zero_denominator' && node.denominator.kind === 'measure'
        ? node.denominator
        : undefined
  if (empty === undefined || total.reason === 'no_policy') return {}
  return toWhole(empty.plan, run).n === 0 ? { diagnosis: diagnose(empty.plan, run, now) } : {}
}
