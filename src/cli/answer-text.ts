import type { MetricFormat } from '../metrics/model.ts'
import { toFormatted } from '../query/format.ts'
import { type Column, cut, toLine, toSparkline, toTable } from './table.ts'

interface MetricView {
  displayName: string
  format: MetricFormat
  unit: string
}

/** The members of a metric's answer that the terminal shows. */
interface AnswerView {
  value: number | null
  formatted: string
  breakdown: { dimensionValue: string; value: number | null; previous?: number | null }[]
  metric: MetricView
  trust: { label: string }
  warnings: { code: string; message: string }[]
  comparison?: { value: number | null; delta: number | null; pctChange: number | null }
  other?: { groups: number; value: number | null }
  totalGroups?: number
}

interface SeriesView {
  timeSeries: { timestamp: string; value: number | null; complete?: boolean }[]
  metric: MetricView
  trust: { label: string }
  warnings: { code: string; message: string }[]
  series?: { dimensionValue: string; timeSeries: { timestamp: string; value: number | null }[] }[]
}

/** Writes values the way the metric is written; a unit that is the same on every line is left to the title. */
function toShown({ format, unit }: MetricView): (value: number | null) => string {
  return (value) => (value === null ? 'none' : toFormatted(value, format, format === 'duration' ? unit : ''))
}

const toTitle = (name: string) => cut(toLine(name), 16)

/** A metric's answer for a terminal: the number, its groups, what to know about it. */
export function toAnswerText(answer: unknown): string {
  const view = answer as AnswerView
  const shown = toShown(view.metric)
  const lines = [`${toLine(view.metric.displayName)}: ${view.formatted}`]
  if (view.comparison !== undefined) {
    const { value, delta, pctChange } = view.comparison
    const change = pctChange === null ? '' : ` (${(pctChange * 100).toFixed(1)}%)`
    lines.push(`before: ${shown(value)}, change: ${shown(delta)}${change}`)
  }
  if (view.breakdown.length > 0) {
    const compared = view.comparison !== undefined
    const rows = view.breakdown.map(({ dimensionValue, value, previous = null }) => [
      dimensionValue,
      shown(value),
      ...(compared ? [shown(previous)] : []),
    ])
    if (view.other !== undefined && view.other.groups > 0)
      rows.push([`(${view.other.groups} others)`, shown(view.other.value)])
    const columns: Column[] = [
      { title: 'group', maxWidth: 60 },
      { title: 'value', align: 'right' },
      ...(compared ? [{ title: 'before', align: 'right' } as const] : []),
    ]
    lines.push('', toTable(columns, rows))
  }
  return [...lines, '', ...toFootnotes(view)].join('\n')
}

export function toSeriesText(answer: unknown): string {
  const view = answer as SeriesView
  const shown = toShown(view.metric)
  const lines = [toLine(view.metric.displayName)]
  const of = (points: readonly { value: number | null }[]) => toSparkline(points.map(({ value }) => value))
  const series = view.series ?? []
  lines.push(of(view.timeSeries))
  for (const { dimensionValue, timeSeries } of series) lines.push(`${of(timeSeries)}  ${toLine(dimensionValue)}`)
  const columns: Column[] = [
    { title: 'from' },
    { title: series.length === 0 ? 'value' : 'all', align: 'right' },
    ...series.map(({ dimensionValue }): Column => ({ title: toTitle(dimensionValue), align: 'right' })),
    { title: '' },
  ]
  const rows = view.timeSeries.map(({ timestamp, value, complete }, index) => [
    timestamp,
    shown(value),
    ...series.map(({ timeSeries }) => shown(timeSeries[index]?.value ?? null)),
    complete === false ? 'not complete' : '',
  ])
  lines.push(toTable(columns, rows))
  return [...lines, '', ...toFootnotes(view)].join('\n')
}

function toFootnotes({ trust, warnings }: Pick<AnswerView, 'trust' | 'warnings'>): string[] {
  return [trust.label, ...warnings.map(({ message }) => `! ${message}`)]
}
