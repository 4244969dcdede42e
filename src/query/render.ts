import type { ExploreAnswer } from './explore-model.ts'
import { plain } from './format.ts'
import type { AppliedFilter, BreakdownEntry, MetricAnswer, SeriesAnswer } from './model.ts'

const exact = (value: number | null) => (value === null ? 'null' : plain(value))

/** Compact text of a metric's answer: every number in plain digits. */
export function renderMetric(answer: MetricAnswer): string {
  const { metric, value, formatted } = answer
  const ratio =
    answer.numerator === undefined ? '' : `, ${exact(answer.numerator)} of ${exact(answer.denominator ?? null)}`
  const trend =
    answer.current === undefined
      ? ''
      : `, now ${exact(answer.current)}, before ${exact(answer.previous ?? null)}, change ${exact(answer.delta ?? null)}`
  const reason = answer.reason === undefined ? '' : ` (${answer.reason})`
  return [
    `${metric.displayName} (${metric.slug}): ${formatted} [${exact(value)}${ratio}${trend}]${reason}`,
    ...renderComparison(answer),
    ...renderBreakdown(answer),
    ...renderContext(answer),
  ].join('\n')
}

function renderComparison({ comparison }: MetricAnswer): string[] {
  if (comparison === undefined) return []
  const { from, to, value, delta, pctChange } = comparison
  return [
    `compared with ${from ?? 'the beginning'} to ${to ?? 'now'}: ${exact(value)}, delta ${exact(delta)}, pctChange ${exact(pctChange)}`,
  ]
}

function renderBreakdown({ breakdown, other, totalGroups }: MetricAnswer): string[] {
  const [first] = breakdown
  if (first === undefined) return []
  const rest = other === undefined ? [] : [`- other (${other.groups} groups): ${exact(other.value)}`]
  const head = `by ${Object.keys(first.dimensions).join(', ')} (${totalGroups ?? breakdown.length} groups):`
  return [head, ...breakdown.map(renderEntry), ...rest]
}

function renderEntry({ dimensionValue, value, numerator, denominator, previous }: BreakdownEntry): string {
  const ratio = numerator === undefined ? '' : ` (${exact(numerator)} of ${exact(denominator ?? null)})`
  const before = previous === undefined ? '' : `, before ${exact(previous)}`
  return `- ${dimensionValue}: ${exact(value)}${ratio}${before}`
}

/** What was asked, how far to trust the answer, and what to tell with it. */
function renderContext({
  applied,
  trust,
  freshness,
  warnings,
  diagnosis,
}: Pick<MetricAnswer, 'applied' | 'freshness' | 'warnings' | 'diagnosis'> & {
  trust?: MetricAnswer['trust']
}): string[] {
  const range = `${applied.from ?? 'the beginning'} to ${applied.to ?? 'now'} by ${applied.timeField} (${applied.timeZone})`
  const stale = freshness.sources.filter((source) => source.stale).map(({ name }) => name)
  return [
    ...(trust === undefined ? [] : [`trust: ${trust.label}`]),
    `range: ${range}`,
    ...(applied.filters.length === 0 ? [] : [`filters: ${applied.filters.map(renderFilter).join('; ')}`]),
    ...(stale.length === 0 ? [] : [`stale sources: ${stale.join(', ')}`]),
    ...warnings.map(({ code, message }) => `warning (${code}): ${message}`),
    ...(diagnosis === undefined ? [] : [`why nothing: ${diagnosis.summary}`]),
  ]
}

function renderFilter({ origin, key, values, term, part }: AppliedFilter): string {
  const who = [term === undefined ? origin : `term ${term}`, ...(part === undefined ? [] : [part])].join(', ')
  return `${key} = ${values.join(' | ')} (${who})`
}

/** Compact text of a time series: one line a bucket, incomplete ones marked. */
export function renderSeries(answer: SeriesAnswer): string {
  const { metric, granularity, timeSeries, series, dimension, totalGroups } = answer
  const columns = series?.map(({ dimensionValue }) => dimensionValue) ?? []
  const lines = timeSeries.map(({ timestamp, value, complete }, index) => {
    const others = series?.map((one) => exact(one.timeSeries[index]?.value ?? null)) ?? []
    return `- ${timestamp}: ${[exact(value), ...others].join(', ')}${complete ? '' : ' (incomplete)'}`
  })
  const head =
    columns.length === 0
      ? ''
      : `, all and ${dimension} (${columns.length} of ${totalGroups ?? columns.length}): ${columns.join(', ')}`
  return [`${metric.displayName} (${metric.slug}) by ${granularity}${head}`, ...lines, ...renderContext(answer)].join(
    '\n',
  )
}

/** Compact text of all that is known of a term. */
export function renderExplore(answer: ExploreAnswer): string {
  const { term, count, open, assets, metrics, breakdowns, trend, examples } = answer
  return [
    `${term.displayName} (${term.slug}): ${count} findings in ${assets} assets, ${open} open`,
    ...metrics.map(({ metricSlug, value, formatted, trust, error }) =>
      error === undefined
        ? `metric ${metricSlug}: ${formatted} [${exact(value)}], ${trust}`
        : `metric ${metricSlug}: ${error.message}`,
    ),
    ...breakdowns.map(({ dimension, entries, totalGroups, other }) => {
      const rest = other === undefined ? [] : [`${totalGroups - entries.length} others ${other}`]
      return `by ${dimension}: ${[...entries.map(({ dimensionValue, value }) => `${dimensionValue} ${exact(value)}`), ...rest].join(', ')}`
    }),
    `new by ${trend.granularity}: ${trend.timeSeries.map(({ timestamp, value }) => `${timestamp.slice(0, trend.granularity === 'hour' ? 16 : 10)} ${exact(value)}`).join(', ')}`,
    ...examples.map(
      ({ id, severity, status, findingType, confidence, page, url, excerpt }) =>
        `example ${id}: ${severity} ${status} ${findingType} (confidence ${confidence}) in ${page} <${url}>: ${excerpt}`,
    ),
    ...renderContext(answer),
  ].join('\n')
}
