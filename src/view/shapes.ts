import type { DashboardAnswer } from '../dashboards/evaluation.ts'
import { toCsv } from '../kernel/csv.ts'
import type { ExploreAnswer } from '../query/explore-model.ts'
import type { MetricAnswer, SeriesAnswer } from '../query/model.ts'
import type { ToolResult } from './bridge.ts'

/** An answer by its shape, which decides how it is drawn. */
export type Shown =
  | { kind: 'value'; answer: MetricAnswer }
  | { kind: 'series'; answer: SeriesAnswer }
  | { kind: 'dashboard'; answer: DashboardAnswer }
  | { kind: 'term'; answer: ExploreAnswer }
  | { kind: 'text'; text: string; isError: boolean }

const toText = ({ content = [] }: ToolResult) =>
  content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : [])).join('\n')

/** What to draw for a result; errors and shapes that are not known are text. */
export function toShown(result: ToolResult): Shown {
  const { structuredContent: answer, isError = false } = result
  const has = (...members: string[]) => answer !== undefined && members.every((member) => member in answer)
  if (!isError) {
    if (has('term', 'breakdowns', 'trend')) return { kind: 'term', answer: answer as ExploreAnswer }
    if (has('timeSeries', 'metric')) return { kind: 'series', answer: answer as SeriesAnswer }
    if (has('dashboard', 'metrics')) return { kind: 'dashboard', answer: answer as DashboardAnswer }
    if (has('value', 'metric', 'breakdown')) return { kind: 'value', answer: answer as MetricAnswer }
  }
  return { kind: 'text', text: toText(result), isError }
}

/** The numbers that are drawn, as CSV; undefined for text. */
export function toShownCsv(shown: Shown): { name: string; text: string } | undefined {
  switch (shown.kind) {
    case 'value': {
      const { metric, value, breakdown, other } = shown.answer
      const rows = breakdown.map((entry) => [...Object.values(entry.dimensions), entry.value])
      const names = Object.keys(breakdown[0]?.dimensions ?? {})
      const rest = other === undefined ? [] : [[`${other.groups} others`, ...names.slice(1).map(() => ''), other.value]]
      const table = names.length === 0 ? [[metric.slug], [value]] : [[...names, metric.slug], ...rows, ...rest]
      return { name: `${metric.slug}.csv`, text: toCsv(table) }
    }
    case 'series': {
      const { metric, timeSeries } = shown.answer
      const rows = timeSeries.map(({ timestamp, value, complete }) => [timestamp, value, String(complete)])
      return { name: `${metric.slug}.csv`, text: toCsv([['timestamp', metric.slug, 'complete'], ...rows]) }
    }
    case 'dashboard': {
      const rows = shown.answer.metrics.map(({ metricSlug, value, unit }) => [metricSlug, value, unit])
      return { name: 'dashboard.csv', text: toCsv([['metric', 'value', 'unit'], ...rows]) }
    }
    case 'term': {
      const { term, breakdowns } = shown.answer
      const rows = breakdowns.flatMap(({ dimension, entries }) =>
        entries.map(({ dimensionValue, value }) => [dimension, dimensionValue, value]),
      )
      return { name: `${term.slug}.csv`, text: toCsv([['dimension', 'value', 'findings'], ...rows]) }
    }
    case 'text':
      return undefined
  }
}
