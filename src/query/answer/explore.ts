import { toSafeMessage } from '../../detectors/safe-text.ts'
import { requireSources } from '../../findings/source-names.ts'
import { openTermFilters } from '../../findings/term-filters.store.ts'
import { AppError } from '../../kernel/errors.ts'
import { cutSafe, ownText } from '../../kernel/safe-text.ts'
import type { TimeRange } from '../../kernel/time-range.ts'
import { cutText } from '../../kernel/well-formed.ts'
import { listMetrics, loadMetrics } from '../../metrics/metrics.store.ts'
import { type Dimension, dimensions, type MetricRecord } from '../../metrics/model.ts'
import { parseRange } from '../../operation/input/range.ts'
import type { Reader } from '../../store/store.ts'
import { type FindTop, openExecutor, openTop } from '../engine/executor.ts'
import type { ExploreAnswer, ExploreQuestion } from '../explore-model.ts'
import type { QueryWarning } from '../model.ts'
import { emptyPartial } from '../plan/cells.ts'
import { readDimensions } from '../plan/dimensions.ts'
import { toValueName } from '../plan/group-names.ts'
import { type Plan, type PlanCondition, toMeasureNode, toScope, toSeriesPlan } from '../plan/plan.ts'
import { getActiveTerm } from '../plan/scope.ts'
import { getZone, toBuckets, toGranularity } from '../plan/time.ts'
import { listExamples } from '../sql/explore.store.ts'
import { toBreakdown } from './breakdown.ts'
import { diagnose, listFilters } from './diagnosis.ts'
import { type EvaluateOptions, evaluateMetric } from './evaluate.ts'
import { toDigits } from './format.ts'
import { listSourcesInScope, toFreshness, warnOfDoubles } from './freshness.ts'
import { warnOfOutsideTerm } from './outside-term.ts'
import { warnOfValues } from './unknown-values.ts'
import { once, type RunPlan } from './value.ts'
import { warnOfCoercions, warnOfContradictions, warnOfFuture, warnOfTie } from './warnings.ts'

const MAX_METRICS = 6
const MAX_EXAMPLES = 5
const MAX_VALUES = 8
const MAX_BREAKDOWNS = 3
const EXCERPT_LENGTH = 200
const NAME_LENGTH = 120
const DAY = 24 * 3_600_000
/** The longest trend: 60 months. */
const MAX_TREND_LENGTH = 1826 * DAY

/** The order in which dimensions are tried when the caller names none. */
const defaultDimensionOrder: readonly Dimension[] = [
  'severity',
  'findingType',
  'container',
  'status',
  'detectorType',
  'source',
  'category',
  'assetKind',
]

/**
 * One bounded answer about a glossary term: the number of findings, its metrics, breakdowns, a trend and a few
 * examples.
 */
export function exploreTerm(reader: Reader, question: ExploreQuestion, options: EvaluateOptions): ExploreAnswer {
  const { now } = options
  const term = getActiveTerm(reader, question.glossaryTermSlug)
  requireSources(reader, question.filters, 'filters')
  const zone = getZone(question.timeZone ?? 'UTC')
  const range = parseRange(question, zone)
  const read = readDimensions(reader, { slug: 'a term', allowedDimensions: [...dimensions] }, question.dimensions ?? [])
  const run: RunPlan = once(openExecutor(reader))
  const termOf = openTermFilters(reader)
  const plan: Plan = {
    entity: 'finding',
    mode: 'flow',
    measure: { aggregation: 'COUNT' },
    conditions: [
      ...toScope(term.filterMapping, { origin: 'term', term: term.slug }, termOf),
      ...toScope(question.filters ?? {}, { origin: 'caller' }, termOf),
    ],
    timeField: 'firstDetectedAt',
    range,
    at: now,
    dimensions: [],
  }
  const count = (change: Partial<Plan>) => (run({ ...plan, ...change })[0] ?? emptyPartial).n
  const isOpen: PlanCondition = { key: 'statuses', values: ['OPEN'], exclude: false, origin: 'caller' }
  const total = count({})
  const sources = listSourcesInScope(reader, [plan], run, now)
  const { freshness, warnings } = toFreshness(sources, [plan], now)
  const { weekStart = 'monday' } = question
  const granularity = toGranularity(range, now)
  const bucketed = toBuckets(toTrendRange(range, now), { granularity, zone, weekStart, now })
  const cells = bucketed.buckets.length === 0 ? [] : run(toSeriesPlan(plan, bucketed.range, bucketed.buckets))
  const points = bucketed.buckets.map(({ start, complete }, index) => ({
    timestamp: new Date(start).toISOString(),
    value: cells.find(({ bucket }) => bucket === index)?.n ?? 0,
    complete,
  }))
  const metrics = chooseMetrics(reader, term.id).map((metric) =>
    evaluateWithin(reader, metric, term.slug, question, options),
  )
  const breakdowns = total === 0 ? [] : listBreakdowns(plan, run, read.dimensions, openTop(reader))
  const examples = listExamples(reader, plan, MAX_EXAMPLES)
  return {
    term: {
      slug: term.slug,
      displayName: term.displayName,
      description: cutText(term.description, 500),
      filterMapping: term.filterMapping,
    },
    count: total,
    open: count({ conditions: [...plan.conditions, isOpen] }),
    assets: count({ measure: { aggregation: 'COUNT_DISTINCT', field: 'assetId' } }),
    metrics: metrics.map(({ item }) => item),
    breakdowns: breakdowns.map(({ item }) => item),
    trend: {
      granularity,
      timeSeries: points,
    },
    examples: examples.map(toExample),
    cut: { examples: { shown: examples.length, total } },
    applied: {
      from: range.from === undefined ? null : new Date(range.from).toISOString(),
      to: range.to === undefined ? null : new Date(range.to).toISOString(),
      timeField: plan.timeField,
      timeZone: zone.name,
      filters: listFilters([plan]),
    },
    freshness,
    warnings: withoutDuplicates([
      ...warnOfContradictions([plan]),
      ...warnOfFuture(range, now),
      ...warnings,
      ...warnOfDoubles(reader, sources),
      ...warnOfOutsideTerm([plan], run),
      ...warnOfShortTrend(points, total),
      ...warnOfValues(reader, [plan], run),
      ...warnOfCoercions([...(options.coerced ?? []), ...read.coerced]),
      ...breakdowns.flatMap((breakdown) => breakdown.warnings),
      ...metrics.flatMap((metric) => metric.warnings),
    ]),
    ...(total === 0 ? { diagnosis: diagnose(plan, run, now) } : {}),
  }
}

/** A part of the answer with its warnings. */
interface Warned<Item> {
  item: Item
  warnings: readonly QueryWarning[]
}

/** The metrics of the term, followed by general certified metrics in the order of their creation, up to the limit. */
function chooseMetrics(reader: Reader, termId: number): { metric: MetricRecord; linked: boolean }[] {
  const linked = listMetrics(reader, { termId }, { limit: MAX_METRICS, offset: 0 }).metrics
  const general = [...loadMetrics(reader).values()]
    .filter(({ term, status, type }) => term === null && status === 'ACTIVE' && (type === 'SIMPLE' || type === 'RATIO'))
    .sort((a, b) => a.id - b.id)
  return [
    ...linked.map((metric) => ({ metric, linked: true })),
    ...general.map((metric) => ({ metric, linked: false })),
  ].slice(0, MAX_METRICS)
}

function evaluateWithin(
  reader: Reader,
  { metric, linked }: { metric: MetricRecord; linked: boolean },
  termSlug: string,
  { filters, from, to, timeZone }: ExploreQuestion,
  options: EvaluateOptions,
): Warned<ExploreAnswer['metrics'][number]> {
  const named = { metricSlug: metric.slug, displayName: metric.displayName, linked }
  const question = { metricSlug: metric.slug, glossaryTermSlug: termSlug, filters, from, to, timeZone }
  try {
    const { value, formatted, trust, warnings } = evaluateMetric(reader, question, { now: options.now })
    return { item: { ...named, value, formatted, trust: trust.tier }, warnings }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, message } = error
    const failed = { code, message: toSafeMessage(message) }
    return { item: { ...named, value: null, formatted: 'no value', trust: 'draft', error: failed }, warnings: [] }
  }
}

function listBreakdowns(
  plan: Plan,
  run: RunPlan,
  asked: readonly Dimension[],
  topOf: FindTop,
): Warned<ExploreAnswer['breakdowns'][number]>[] {
  const found: Warned<ExploreAnswer['breakdowns'][number]>[] = []
  for (const dimension of asked.length > 0 ? asked : defaultDimensionOrder) {
    const node = toMeasureNode({ ...plan, dimensions: [dimension] }, 'zero')
    const { groups, totalGroups, other, tie } = toBreakdown(node, run, { limit: MAX_VALUES, topOf })
    // A dimension with a single group adds nothing to the count.
    if (asked.length === 0 && totalGroups < 2) continue
    const entries = groups.map(({ key, value }) => ({
      dimensionValue: cutSafe(toValueName(key[0]), NAME_LENGTH),
      value,
    }))
    found.push({
      item: { dimension, totalGroups, entries, ...(other === undefined ? {} : { other: other.value ?? 0 }) },
      warnings: [
        ...warnOfCut(dimension, groups.length, totalGroups),
        ...warnOfTie({ dimensions: [dimension], tie }, `values of ${dimension}`, toDigits),
      ],
    })
    if (asked.length === 0 && found.length === MAX_BREAKDOWNS) break
  }
  return found
}

function warnOfCut(dimension: Dimension, shown: number, total: number): QueryWarning[] {
  if (shown === total) return []
  const message = `The first ${shown} of ${total} values of ${dimension} are listed; the others are combined in other.`
  return [{ code: 'truncated', message: toSafeMessage(message) }]
}

/** A warning about findings from before the beginning of the trend. */
function warnOfShortTrend(points: readonly { timestamp: string; value: number }[], total: number): QueryWarning[] {
  const earlier = total - points.reduce((sum, { value }) => sum + value, 0)
  const [first] = points
  if (first === undefined || earlier <= 0) return []
  const message = `The trend begins at ${first.timestamp}: ${earlier} of ${total} findings are earlier; give from.`
  return [{ code: 'short_trend', message: toSafeMessage(message) }]
}

function withoutDuplicates(warnings: readonly QueryWarning[]): QueryWarning[] {
  return [...new Map(warnings.map((warning) => [`${warning.code} ${warning.message}`, warning])).values()]
}

/** A trend covers the requested range up to `MAX_TREND_LENGTH`, or the default range of a series. */
function toTrendRange({ from, to }: TimeRange, now: number): TimeRange {
  const end = to ?? now
  return from === undefined ? { to: end } : { from: Math.max(Math.min(from, end), end - MAX_TREND_LENGTH), to: end }
}

function toExample(row: ReturnType<typeof listExamples>[number]): ExploreAnswer['examples'][number] {
  const { firstDetectedAt, excerpt, page, url, container, id, ...facts } = row
  return {
    id: String(id),
    ...facts,
    excerpt: cutSafe(excerpt ?? ownText(''), EXCERPT_LENGTH),
    page: cutSafe(page, NAME_LENGTH),
    url: cutSafe(url, 400),
    container: cutSafe(container, NAME_LENGTH),
    firstDetectedAt: new Date(firstDetectedAt).toISOString(),
  }
}
