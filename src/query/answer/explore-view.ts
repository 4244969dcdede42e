import { toSafeMessage, toSafeText } from '../../detectors/safe-text.ts'
import { facetOf, isManyValued } from '../../findings/facets.ts'
import type { FilterMapping } from '../../findings/filter.ts'
import { AppError, invalidInput } from '../../kernel/errors.ts'
import { toInstantOrNull } from '../../kernel/instant.ts'
import type { TimeRange } from '../../kernel/time-range.ts'
import { toDraft } from '../../metrics/lifecycle.ts'
import { type Dimension, dimensions } from '../../metrics/model.ts'
import { parseRange } from '../../operation/input/range.ts'
import type { Reader } from '../../store/store.ts'
import { openExecutor, openTop } from '../engine/executor.ts'
import { readDimensions } from '../plan/dimensions.ts'
import { listPlans, planMetric } from '../plan/plan.ts'
import { openScope, type ResolvedQuestion } from '../plan/scope.ts'
import { type Buckets, getZone, previousPeriod, toBuckets, toGranularity } from '../plan/time.ts'
import { openAssetFacts } from '../sql/groups.store.ts'
import {
  type Board,
  DEFAULT_BOARD_ENTRIES,
  type FailedView,
  MAX_VIEW_BUCKETS,
  type ViewAnswer,
  type ViewMetric,
  type ViewQuestion,
} from '../view-model.ts'
import { toBreakdown } from './breakdown.ts'
import { toComparedRange } from './comparison.ts'
import { type EvaluateOptions, evaluateMetric, toEntry, toListed } from './evaluate.ts'
import { answerOrFix } from './fix.ts'
import { findObservedFrom } from './freshness.ts'
import { evaluateBuckets } from './node-series.ts'
import { once, type RunPlan } from './value.ts'

/**
 * Everything that a page about one metric shows, in the snapshot of the reader. Values and breakdowns are those of
 * `evaluateMetric` over the focus; each breakdown ignores the caller's filter of its own dimension.
 * @throws AppError as `evaluateMetric`; other metrics fail for themselves, with the fix of a question about them.
 */
export function exploreView(reader: Reader, question: ViewQuestion, options: EvaluateOptions): ViewAnswer {
  const run = once(openExecutor(reader))
  const draft = question.draft && toDraft(reader, question.metricSlug, question.draft)
  const { answer, asked } = viewMetric(reader, question, question.metricSlug, { ...options, draft }, run)
  const also = (question.alsoMetrics ?? []).map((slug) => viewOther(reader, question, slug, options, run))
  return {
    ...answer,
    allowedDimensions: asked.metric.allowedDimensions,
    observedFrom: toInstantOrNull(asked.observedFrom),
    boards: (question.dimensions ?? []).flatMap((name, index) =>
      question.onlyAllowed === true && isDisallowed(asked.metric, name)
        ? []
        : toBoard(reader, question, { ...asked, answer, name, index, now: options.now }, run),
    ),
    also,
  }
}

/** A question about one metric with its names and times resolved. */
interface Asked extends ResolvedQuestion {
  focus: TimeRange
  compared: TimeRange | undefined
  observedFrom: number | undefined
}

function viewOther(
  reader: Reader,
  question: ViewQuestion,
  metricSlug: string,
  options: EvaluateOptions,
  run: RunPlan,
): ViewMetric | FailedView {
  try {
    return answerOrFix(reader, 'explore_view', { ...question, metricSlug }, options.now, (asked, coerced) => {
      return viewMetric(reader, asked, asked.metricSlug, { ...options, coerced }, run).answer
    })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, message, facts } = error
    // A fix of anything but the name is that of the whole question, and may have names of a tenant.
    const isOwn = facts.issues?.every(({ path }) => path === 'metricSlug') === true
    const suggestions = (facts.suggestions ?? []).flatMap(({ kind, ...named }) =>
      kind === 'metric' || kind === 'term' ? [{ kind, ...named } as const] : [],
    )
    return {
      metric: { slug: toSafeText(metricSlug, 'definition') },
      value: null,
      error: {
        code,
        message: toSafeMessage(message),
        ...(suggestions.length === 0 ? {} : { suggestions }),
        ...(isOwn && facts.fix !== undefined ? { fix: facts.fix } : {}),
      },
    }
  }
}

function viewMetric(
  reader: Reader,
  question: ViewQuestion,
  metricSlug: string,
  options: EvaluateOptions,
  run: RunPlan,
): { answer: ViewMetric; asked: Asked } {
  const { now } = options
  const { glossaryTermSlug, filters, search, timeZone, weekStart = 'monday', compare } = question
  const zone = getZone(timeZone ?? 'UTC')
  const scope = openScope(reader, { metricSlug, glossaryTermSlug, filters, search, draft: options.draft }, undefined)
  const { metric } = scope
  const range = parseRange(question, zone)
  const compared = toComparedRange({ metricSlug, compare }, { metric, range, zone, now })
  const focus = question.focus === undefined ? range : parseRange(question.focus, zone, 'focus')
  const comparedFocus = compared && toComparedFocus(range, compared, focus, question.focus !== undefined, now)
  const narrowed = { metricSlug, glossaryTermSlug, filters, search, timeZone, weekStart, ...toText(focus) }
  const evaluated = evaluateMetric(
    reader,
    comparedFocus === undefined
      ? narrowed
      : { ...narrowed, compare: toText(comparedFocus) as { from: string; to: string } },
    options,
  )
  const { breakdown, totalGroups, truncated, overlapping, other, drivers, driverDimensions, also, ...value } = evaluated
  const earlier =
    compare === 'previous_period' && range.from !== undefined ? previousOf(range, range.from, now) : compared
  const granularity = question.granularity ?? toGranularity(range, now)
  const bucketsOf = (over: TimeRange): Buckets => limited(toBuckets(over, { granularity, zone, weekStart, now }))
  const node = planMetric(metric, scope.conditions, { ...scope, range, now, zone, weekStart, dimensions: [] })
  const observedFrom = findObservedFrom(reader, listPlans(node))
  const at = { now, zone, weekStart, observedFrom }
  const pointsOf = (over: TimeRange) => evaluateBuckets(reader, scope, bucketsOf(over), at, run)
  return {
    answer: {
      ...value,
      better: metric.better,
      series: {
        granularity,
        timeSeries: pointsOf(range),
        ...(earlier?.from === undefined ? {} : { previous: pointsOf(earlier) }),
      },
    },
    asked: { ...scope, focus, compared: comparedFocus, observedFrom },
  }
}

/** A series is compared with the one directly before it, also where the value is that of a window of its own. */
const previousOf = ({ to }: TimeRange, from: number, now: number) => previousPeriod({ from, to: to ?? now })

/** The focus is compared with the part of the compared range at the same distance from its end. */
function toComparedFocus(
  range: TimeRange,
  compared: TimeRange,
  focus: TimeRange,
  isNarrowed: boolean,
  now: number,
): TimeRange {
  if (!isNarrowed) return compared
  const back = (compared.to ?? now) - (range.to ?? now)
  const shift = (instant: number | undefined) => (instant === undefined ? undefined : instant + back)
  const [from, to] = [shift(focus.from), shift(focus.to)]
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
}

function toText({ from, to }: TimeRange): { from?: string; to?: string } {
  return {
    ...(from === undefined ? {} : { from: new Date(from).toISOString() }),
    ...(to === undefined ? {} : { to: new Date(to).toISOString() }),
  }
}

function limited(buckets: Buckets): Buckets {
  if (buckets.buckets.length <= MAX_VIEW_BUCKETS) return buckets
  throw invalidInput(`The range has more than ${MAX_VIEW_BUCKETS} buckets; choose a longer granularity.`, {
    reason: 'too_many_buckets',
    issues: [{ path: 'granularity', message: 'is too short for this range; choose a longer one.' }],
  })
}

function toBoard(
  reader: Reader,
  question: ViewQuestion,
  asked: Asked & { answer: ViewMetric; name: string; index: number; now: number },
  run: RunPlan,
): Board {
  const { metric, inputs, focus, compared, now } = asked
  const read = readDimensions(reader, metric, [asked.name], () => `dimensions[${asked.index}]`)
  const [dimension] = read.dimensions as [Dimension]
  const { filterKey, label, name } = facetOf(dimension)
  const { metricSlug, glossaryTermSlug, filters = {}, search } = question
  const { conditions, termOf } = openScope(
    reader,
    { metricSlug, glossaryTermSlug, filters: withoutKey(filters, filterKey), search, draft: metric },
    undefined,
  )
  const zone = getZone(question.timeZone ?? 'UTC')
  const { weekStart = 'monday' } = question
  const nodeOver = (over: TimeRange) =>
    planMetric(metric, conditions, { range: over, now, zone, weekStart, dimensions: [dimension], inputs, termOf })
  const breakdown = toBreakdown(nodeOver(focus), run, {
    limit: question.limit ?? DEFAULT_BOARD_ENTRIES,
    before: compared && nodeOver(compared),
    topOf: openTop(reader),
  })
  const assetOf = openAssetFacts(reader)
  const entries = breakdown.groups.map((group) => toEntry(group, [dimension], assetOf))
  const { truncated, ...listed } = toListed(metric, asked.answer, breakdown, entries)
  return {
    dimension: name,
    label,
    filterKey,
    ...listed,
    ...(isManyValued(name) ? { overlapping: true as const } : {}),
  }
}

const isDisallowed = ({ allowedDimensions }: Asked['metric'], name: string): boolean =>
  dimensions.some((known) => known === name && !allowedDimensions.includes(known))

function withoutKey(filters: FilterMapping, key: string): FilterMapping {
  return Object.fromEntries(Object.entries(filters).filter(([name]) => name !== key))
}
