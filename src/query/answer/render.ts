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

const nothing = line``
const exact = (value: number | null): PrintableText => (value === null ? line`null` : line`${value}`)
const showMetric = ({ displayName, slug }: Pick<MetricFacts, 'displayName' | 'slug'>): PrintableText =>
  line`${showName(displayName)} (${showCode(slug)})`

/** Compact text of a metric answer, with every number in plain digits. */
export function renderMetric(answer: MetricAnswer): PrintableText[] {
  const { also = [], ...own } = answer
  const shown = new Set<string>(own.warnings.map(({ message }) => message))
  return [...renderOne(own), ...renderContext(own), ...also.flatMap((other) => renderAlso(other, shown))]
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
    ...(applied.asOf === undefined ? [] : [line`as of ${showCode(applied.asOf)}`]),
    ...renderWarnings(warnings),
  ]
}

function renderOne(answer: OneMetricAnswer): PrintableText[] {
  const { metric, value, formatted } = answer
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
    line`${showMetric(metric)}: ${showAmount(formatted)} [${exact(value)}${ratio}${rows}${trend}]${reason}`,
    ...renderComparison(answer),
    ...renderDrivers(answer),
    ...renderBreakdown(answer),
  ]
}

const start = (from: string | null): PrintableText => (from === null ? line`the beginning` : showCode(from))
const end = (to: string | null): PrintableText => (to === null ? line`now` : showCode(to))

function renderComparison({ comparison }: OneMetricAnswer): PrintableText[] {
  if (comparison === undefined) return []
  const { from, to, value, delta, pctChange } = comparison
  return [
    line`compared with ${start(from)} to ${end(to)}: ${exact(value)}, delta ${exact(delta)}, pctChange ${exact(pctChange)}`,
  ]
}

/** Maximum number of dimensions whose drivers are listed. */
const MAX_DIMENSIONS_SHOWN = 3

function renderDrivers({ drivers = [], driverDimensions = [] }: OneMetricAnswer): PrintableText[] {
  const left = driverDimensions.slice(MAX_DIMENSIONS_SHOWN).map(({ dimension }) => showCode(dimension))
  const lines = driverDimensions.slice(0, MAX_DIMENSIONS_SHOWN).map(({ dimension, rest }) => {
    const own = drivers.filter((driver) => driver.dimension === dimension)
    const shown = own.map(
      ({ dimensionValue, from, to, contribution, delta = null }) =>
        line`${showName(dimensionValue)} ${signed(contribution ?? delta)} (${exact(from)} to ${exact(to)})`,
    )
    const others =
      rest.groups === 0
        ? []
        : [line`${rest.groups} others ${signed(rest.contribution)} (${exact(rest.from)} to ${exact(rest.to)})`]
    return line`drivers by ${showCode(dimension)}: ${joinShown([...shown, ...others], '; ')}`
  })
  return left.length === 0 ? lines : [...lines, line`less informative: ${joinShown(left)}`]
}

const signed = (value: number | null): PrintableText => (value !== null && value > 0 ? line`+${value}` : exact(value))

function renderBreakdown({ breakdown, other, totalGroups }: OneMetricAnswer): PrintableText[] {
  const [first] = breakdown
  if (first === undefined) return []
  const rest =
    other === undefined ? [] : [line`- other (${other.groups} groups): ${exact(other.value)}${renderChange(other)}`]
  const by = joinShown(Object.keys(first.dimensions).map(showCode))
  const head = line`by ${by} (${totalGroups ?? breakdown.length} groups):`
  return [head, ...breakdown.map(renderEntry), ...rest]
}

/** The value in the compared range, and the difference. */
function renderChange({ previous, delta, pctChange }: Pick<BreakdownEntry, 'previous' | 'delta' | 'pctChange'>) {
  if (pctChange === undefined) return nothing
  return line`, before ${exact(previous ?? null)}, delta ${exact(delta ?? null)}`
}

function renderEntry(entry: BreakdownEntry): PrintableText {
  const { dimensions, value, n, numerator, denominator } = entry
  const group = showNames(Object.values(dimensions), ' / ')
  const ratio = numerator === undefined ? nothing : line` (${exact(numerator)} of ${exact(denominator ?? null)})`
  const rows = n === undefined ? nothing : line` (n ${n})`
  return line`- ${group}: ${exact(value)}${ratio}${rows}${renderChange(entry)}`
}

/** The question, how far to trust the answer, and its warnings. */
function renderContext({
  applied,
  trust,
  freshness,
  warnings,
  diagnosis,
}: Pick<MetricAnswer, 'applied' | 'freshness' | 'warnings' | 'diagnosis'> & {
  trust?: MetricAnswer['trust']
}): PrintableText[] {
  const stale = freshness.sources.filter((source) => source.stale).map(({ name }) => name)
  return [
    ...(trust === undefined ? [] : [line`trust: ${showSentence(trust.label)}`]),
    renderRange(applied),
    ...(applied.filters.length === 0 ? [] : [line`filters: ${joinShown(applied.filters.map(renderFilter), '; ')}`]),
    ...(stale.length === 0 ? [] : [line`stale sources: ${showNames(stale)}`]),
    ...renderWarnings(warnings),
    ...(diagnosis === undefined ? [] : [line`diagnosis: ${showSentence(diagnosis.summary)}`]),
  ]
}

function renderRange({ from, to, asOf, timeField, timeZone }: MetricAnswer['applied']): PrintableText {
  if (asOf !== undefined) return line`as of ${showCode(asOf)}`
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
        suggestions.length === 0 ? nothing : line` Closest: ${showNames(suggestions.map((one) => one.value))}`
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
  const { metric, granularity, timeSeries, series = [], dimension = '', totalGroups } = answer
  const columns = series.map(({ dimensionValue }) => dimensionValue)
  const lines = timeSeries.flatMap((point, index) => {
    const others = series.map((one) => one.timeSeries[index] ?? { value: null })
    if ([point, ...others].every(isEmpty)) return []
    const shown = joinShown([point, ...others].map(({ value }) => exact(value)))
    return line`- ${showCode(point.timestamp)}: ${shown}${point.complete ? nothing : line` (incomplete)`}`
  })
  const left = timeSeries.length - lines.length
  const head =
    columns.length === 0
      ? nothing
      : line`, all and ${showCode(dimension)} (${columns.length} of ${totalGroups ?? columns.length}): ${showNames(columns)}`
  return [
    line`${showMetric(metric)} by ${showCode(granularity)}${head}`,
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
    const amount = Number.isInteger(value) ? exact(value) : line`${showAmount(formatted)} [${exact(value)}]`
    tiers.set(trust, [...(tiers.get(trust) ?? []), line`${showCode(metricSlug)} ${amount}`])
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
