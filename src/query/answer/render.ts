import {
  joinShown,
  line,
  type PrintableText,
  showAddress,
  showAmount,
  showCode,
  showName,
  showNames,
  showSentence,
} from '../../kernel/shown.ts'
import type { ExploreAnswer } from '../explore-model.ts'
import type {
  AppliedFilter,
  BreakdownEntry,
  FailedMetric,
  MetricAnswer,
  MetricFacts,
  OneMetricAnswer,
  Point,
  SeriesAnswer,
} from '../model.ts'
import { splitDoubts, toHeadline } from './doubts.ts'
import { toDigits, toFormatted } from './format.ts'

const nothing = line``
const exact = (value: number | null): PrintableText => (value === null ? line`null` : line`${value}`)

type Unit = Pick<MetricFacts, 'format' | 'unit'>

/** Plain digits, of a duration with its unit, as its text for people has another. */
const showPlain = (value: number | null, { format, unit }: Unit): PrintableText =>
  value !== null && format === 'duration' ? line`${value} ${showName(unit)}` : exact(value)

/** A value for people where its plain digits would be misread, which follow it with their unit. */
function showValue(value: number | null, { format, unit }: Unit): PrintableText {
  if (value === null || format === 'number') return exact(value)
  return line`${showAmount(toFormatted(value, format, unit))} [${showPlain(value, { format, unit })}]`
}

/** A difference of two values, and as a share of the earlier one; that of two percentages is in points. */
function showChange(delta: number | null, pctChange: number | null | undefined, metric: Unit): PrintableText {
  if (delta === null) return line`change unknown`
  const share =
    pctChange == null
      ? nothing
      : line` (${pctChange > 0 ? line`+` : nothing}${showAmount(toDigits(pctChange * 100, 1))}%)`
  return line`change ${showDifference(delta, metric)}${share}`
}

function showDifference(delta: number, metric: Unit): PrintableText {
  const sign = delta > 0 ? line`+` : nothing
  if (metric.format !== 'percentage') return line`${sign}${showValue(delta, metric)}`
  return line`${sign}${showAmount(toDigits(delta * 100))} points`
}
const showMetric = ({ displayName, slug }: Pick<MetricFacts, 'displayName' | 'slug'>): PrintableText =>
  line`${showName(displayName)} (${showCode(slug)})`

/** Compact text of a metric answer, with every number in plain digits. */
export function renderMetric(answer: MetricAnswer): PrintableText[] {
  const { also = [], ...own } = answer
  const shown = new Set<string>(own.warnings.map(({ message }) => message))
  return [
    ...renderWarnings(splitDoubts(own).doubts),
    ...renderOne(own),
    ...renderContext(own),
    ...also.flatMap((other) => renderAlso(other, shown)),
  ]
}

/** A further metric of the same question, without what is the same as for the first one. */
function renderAlso(answer: OneMetricAnswer | FailedMetric, shown: ReadonlySet<string>): PrintableText[] {
  if ('error' in answer) {
    return [
      line`${showName(answer.metric.slug)}: ${showCode(answer.error.code)}, ${showSentence(answer.error.message)}`,
    ]
  }
  const { trust, applied } = answer
  const warnings = answer.warnings.filter(({ message }) => !shown.has(message))
  return [
    ...renderOne(answer),
    ...(trust.tier === 'certified' ? [] : [line`trust: ${showSentence(trust.label)}`]),
    ...(applied.asOf === undefined ? [] : [renderRange(applied, answer.freshness)]),
    ...renderWarnings(warnings),
  ]
}

function renderOne(answer: OneMetricAnswer): PrintableText[] {
  const { metric, value } = answer
  const plain = showPlain(value, metric)
  const ratio =
    answer.numerator === undefined
      ? nothing
      : line`, ${exact(answer.numerator)} of ${exact(answer.denominator ?? null)}`
  const trend =
    answer.current === undefined
      ? nothing
      : line`, now ${exact(answer.current)}, before ${exact(answer.previous ?? null)}, change ${exact(answer.delta ?? null)}`
  const reason = answer.reason === undefined ? nothing : line` (${showCode(answer.reason)})`
  const rows = answer.n === undefined ? nothing : line`, n ${answer.n}`
  return [
    line`${showMetric(metric)}: ${toHeadline(answer)} [${plain}${ratio}${rows}${trend}]${reason}`,
    ...renderComparison(answer),
    ...renderDrivers(answer),
    ...renderBreakdown(answer),
  ]
}

const start = (from: string | null): PrintableText => (from === null ? line`the beginning` : showCode(from))
const end = (to: string | null): PrintableText => (to === null ? line`now` : showCode(to))

function renderComparison({ comparison, applied, metric }: OneMetricAnswer): PrintableText[] {
  if (comparison === undefined) return []
  const { from, to, value, delta, pctChange } = comparison
  const when = applied.asOf === undefined ? line`${start(from)} to ${end(to)}` : line`the state at ${end(to)}`
  return [line`compared with ${when}: ${showValue(value, metric)}, ${showChange(delta, pctChange, metric)}`]
}

/** Whether a group has a part of the change, or where that cannot be divided, a change of its own. */
export const explains = ({ contribution, delta = null }: NonNullable<OneMetricAnswer['drivers']>[number]): boolean =>
  (contribution ?? delta ?? 0) !== 0

/** Maximum number of dimensions whose drivers are listed. */
const MAX_DIMENSIONS_SHOWN = 3

function renderDrivers({ drivers = [], driverDimensions = [], metric }: OneMetricAnswer): PrintableText[] {
  const explaining = drivers.filter(explains)
  const shown = driverDimensions.filter(({ dimension }) => explaining.some((driver) => driver.dimension === dimension))
  const left = shown.slice(MAX_DIMENSIONS_SHOWN).map(({ dimension }) => showCode(dimension))
  const lines = shown.slice(0, MAX_DIMENSIONS_SHOWN).map(({ dimension, rest }) => {
    const own = explaining.filter((driver) => driver.dimension === dimension)
    const shown = own.map(
      ({ dimensionValue, from, to, contribution, delta = null }) =>
        line`${showName(dimensionValue)} ${signed(contribution ?? delta, metric)} (${showValue(from, metric)} to ${showValue(to, metric)})`,
    )
    const others =
      rest.groups === 0
        ? []
        : [
            line`${rest.groups} others ${signed(rest.contribution, metric)} (${showValue(rest.from, metric)} to ${showValue(rest.to, metric)})`,
          ]
    return line`drivers by ${showCode(dimension)}: ${joinShown([...shown, ...others], '; ')}`
  })
  return left.length === 0 ? lines : [...lines, line`less informative: ${joinShown(left)}`]
}

const signed = (value: number | null, metric: Unit): PrintableText =>
  value === null ? line`unknown` : showDifference(value, metric)

function renderBreakdown({ breakdown, other, totalGroups, metric }: OneMetricAnswer): PrintableText[] {
  const [first] = breakdown
  if (first === undefined) return []
  const rest =
    other === undefined
      ? []
      : [line`- other (${other.groups} groups): ${showValue(other.value, metric)}${renderChange(other, metric)}`]
  const by = joinShown(Object.keys(first.dimensions).map(showCode))
  const unit = metric.format === 'number' && metric.unit !== '' ? line`, in ${showName(metric.unit)}` : nothing
  const head = line`by ${by} (${totalGroups ?? breakdown.length} groups${unit}):`
  return [head, ...breakdown.map((entry) => renderEntry(entry, metric)), ...rest]
}

/** The value in the compared range, and the difference. */
function renderChange(
  { previous, delta, pctChange }: Pick<BreakdownEntry, 'previous' | 'delta' | 'pctChange'>,
  metric: Unit,
): PrintableText {
  if (pctChange === undefined) return nothing
  return line`, before ${showValue(previous ?? null, metric)}, ${showChange(delta ?? null, pctChange, metric)}`
}

function renderEntry(entry: BreakdownEntry, metric: Unit): PrintableText {
  const { dimensions, value, n, numerator, denominator } = entry
  const group = showNames(Object.values(dimensions), ' / ')
  const ratio = numerator === undefined ? nothing : line` (${exact(numerator)} of ${exact(denominator ?? null)})`
  const rows = n === undefined ? nothing : line` (n ${n})`
  return line`- ${group}: ${showValue(value, metric)}${ratio}${rows}${renderChange(entry, metric)}`
}

/** The question, how far to trust the answer, and its warnings. */
function renderContext(
  answer: Pick<MetricAnswer, 'applied' | 'freshness' | 'warnings' | 'diagnosis'> & {
    trust?: MetricAnswer['trust']
  },
): PrintableText[] {
  const { applied, freshness } = answer
  const { trust, warnings, diagnosis } = splitDoubts(answer)
  return [
    ...(trust === undefined ? [] : [line`trust: ${showSentence(trust.label)}`]),
    renderRange(applied, freshness),
    ...(applied.filters.length === 0 ? [] : [line`filters: ${joinShown(applied.filters.map(renderFilter), '; ')}`]),
    ...renderData(freshness),
    ...renderWarnings(warnings),
    ...(diagnosis === undefined ? [] : [line`diagnosis: ${showSentence(diagnosis.summary)}`]),
  ]
}

const toMinute = (instant: string) => `${instant.slice(0, 16)}Z`

/** Through when the data go: the oldest of the last scans, and which sources are late or have none. */
function renderData({ sources }: MetricAnswer['freshness']): PrintableText[] {
  const scans = sources.flatMap(({ lastCompletedScanAt }) => lastCompletedScanAt ?? []).sort()
  const stale = sources.filter((source) => source.stale).map(({ name }) => name)
  const never = sources.filter(({ lastCompletedScanAt }) => lastCompletedScanAt === null).map(({ name }) => name)
  const [oldest] = scans
  return [
    ...(oldest === undefined ? [] : [line`scanned through ${showCode(toMinute(oldest))}`]),
    ...(stale.length === 0 ? [] : [line`stale sources: ${showNames(stale)}`]),
    ...(never.length === 0 ? [] : [line`never scanned: ${showNames(never)}`]),
  ]
}

function renderRange(
  { from, to, asOf, atEnds, timeField, timeZone }: MetricAnswer['applied'],
  freshness: MetricAnswer['freshness'],
): PrintableText {
  if (asOf !== undefined) {
    const isPast = asOf < freshness.asOf.slice(0, 16)
    return line`as of ${showCode(asOf)}${isPast ? line`, by the statuses of that time` : nothing}`
  }
  if (atEnds) return line`range: ${start(from)} to ${end(to)} (${showCode(timeZone)}), by the statuses of each time`
  const by = joinShown(timeField.split(', ').map(showCode))
  if (from === null && to === null) return line`range: all time by ${by}`
  return line`range: ${start(from)} to ${end(to)} by ${by} (${showCode(timeZone)})`
}

/** A truncated list is marked in the text itself, so that warning is left out. */
const renderWarnings = (warnings: MetricAnswer['warnings']): PrintableText[] =>
  warnings
    .filter(({ code }) => code !== 'truncated')
    .map(({ code, message, suggestions = [] }) => {
      const near =
        suggestions.length === 0 || code === 'other_meaning'
          ? nothing
          : code === 'tie_cut'
            ? line` Left out: ${showNames(suggestions.map((one) => one.value))}`
            : line` Closest: ${joinShown(suggestions.map(({ key, value }) => line`${showCode(key)} ${showName(value)}`))}`
      return line`warning (${showCode(code)}): ${showSentence(message)}${near}`
    })

function renderFilter({ origin, key, values, term, part }: AppliedFilter): PrintableText {
  const from = term === undefined ? showCode(origin) : line`term ${showCode(term)}`
  const who = part === undefined ? from : line`${from}, ${showCode(part)}`
  return line`${showCode(key)} = ${showNames(values, ' | ')} (${who})`
}

/** Whether a bucket has nothing: no value, or a count of 0. */
const isEmpty = ({ value, n }: Pick<Point, 'value' | 'n'>): boolean =>
  value === null || (value === 0 && n === undefined)

/** Compact text of a time series: one line for each bucket that has something, with incomplete ones marked. */
export function renderSeries(answer: SeriesAnswer): PrintableText[] {
  const { metric, granularity, timeSeries, series = [], dimension = '', totalGroups, applied } = answer
  const labelOf = (index: number, { timestamp }: Point) =>
    applied.atEnds ? line`at ${end(timeSeries[index + 1]?.timestamp ?? applied.to)}` : showCode(timestamp)
  const columns = series.map(({ dimensionValue }) => dimensionValue)
  const lines = timeSeries.flatMap((point, index) => {
    const others = series.map((one) => one.timeSeries[index] ?? { value: null })
    if ([point, ...others].every(isEmpty)) return []
    const shown = joinShown([point, ...others].map(({ value }) => showValue(value, metric)))
    return line`- ${labelOf(index, point)}: ${shown}${point.complete ? nothing : line` (incomplete)`}`
  })
  const left = timeSeries.length - lines.length
  const head =
    columns.length === 0
      ? nothing
      : line`, all and ${showCode(dimension)} (${columns.length} of ${totalGroups ?? columns.length}): ${showNames(columns)}`
  const unit = metric.format === 'number' && metric.unit !== '' ? line`, in ${showName(metric.unit)}` : nothing
  const when = applied.atEnds ? line`, at the end of each` : nothing
  return [
    ...renderWarnings(splitDoubts(answer).doubts),
    line`${showMetric(metric)} by ${showCode(granularity)}${when}${unit}${head}`,
    ...lines,
    ...(left === 0 ? [] : [line`${left} empty buckets are left out`]),
    ...renderContext(answer),
  ]
}

/** Examples that a text shows. */
const MAX_EXAMPLES_SHOWN = 3

/** Compact text of an answer about a term. */
export function renderExplore(answer: ExploreAnswer): PrintableText[] {
  const { term, count, open, assets, metrics, breakdowns, trend, examples, cut } = answer
  const shown = examples.slice(0, MAX_EXAMPLES_SHOWN)
  const shortened = trend.granularity === 'hour' ? 16 : 10
  const points = trend.timeSeries.flatMap((point) => {
    const { timestamp, value, complete } = point
    if (isEmpty(point)) return []
    return line`${showCode(timestamp.slice(0, shortened))} ${exact(value)}${complete ? nothing : line` (incomplete)`}`
  })
  return [
    ...renderWarnings(splitDoubts(answer).doubts),
    line`${showMetric(term)}: ${count} findings in ${assets} assets, ${open} open`,
    ...renderMetrics(metrics),
    ...breakdowns.map(({ dimension, entries, totalGroups, other }) => {
      const shown = entries.map(({ dimensionValue, value }) => line`${showName(dimensionValue)}: ${exact(value)}`)
      const rest = other === undefined ? [] : [line`(${totalGroups - entries.length} others): ${other}`]
      return line`by ${showCode(dimension)}: ${joinShown([...shown, ...rest])}`
    }),
    line`new by ${showCode(trend.granularity)}: ${points.length === 0 ? line`none` : joinShown(points)}`,
    ...(shown.length < cut.examples.total ? [line`examples: ${shown.length} of ${cut.examples.total} findings`] : []),
    ...shown.map(renderExample),
    ...renderContext(answer),
  ]
}

/** The values of a term's metrics, on one line for each tier of trust; metrics that failed each on their own. */
function renderMetrics(metrics: ExploreAnswer['metrics']): PrintableText[] {
  const tiers = new Map<string, PrintableText[]>()
  for (const { metricSlug, value, formatted, trust, error } of metrics) {
    if (error !== undefined) continue
    const plain = Number.isInteger(value) ? nothing : line` [${exact(value)}]`
    tiers.set(trust, [...(tiers.get(trust) ?? []), line`${showCode(metricSlug)} ${showAmount(formatted)}${plain}`])
  }
  return [
    ...[...tiers].map(([tier, shown]) => line`${showCode(tier)} metrics: ${joinShown(shown)}`),
    ...metrics.flatMap(({ metricSlug, error }) =>
      error === undefined ? [] : [line`metric ${showCode(metricSlug)}: ${showSentence(error.message)}`],
    ),
  ]
}

function renderExample(example: ExploreAnswer['examples'][number]): PrintableText {
  const { id, severity, status, findingType, confidence, page, url, excerpt } = example
  const what = line`${showCode(severity)} ${showCode(status)} ${showName(findingType)} (${confidence})`
  const address = showAddress(url)
  const link = address.startsWith('<') ? line` ${address}` : nothing
  return line`example ${showCode(id)}: ${what} in ${showName(page)}${link}: ${showName(excerpt)}`
}
