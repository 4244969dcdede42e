import { toLine, toSparkline, toTable } from './table.ts'

/** The members of a metric's answer that the terminal shows. */
interface AnswerView {
  value: number | null
  formatted: string
  breakdown: { dimensionValue: string; value: number | null; formatted?: string }[]
  metric: { displayName: string; slug: string }
  trust: { label: string }
  warnings: { code: string; message: string }[]
  comparison?: { value: number | null; delta: number | null; pctChange: number | null }
  other?: { groups: number; value: number | null }
  totalGroups?: number
}

interface SeriesView {
  timeSeries: { timestamp: string; value: number | null; complete?: boolean }[]
  metric: { displayName: string }
  trust: { label: string }
  warnings: { code: string; message: string }[]
  series?: { dimensionValue: string; timeSeries: { timestamp: string; value: number | null }[] }[]
}

const shown = (value: number | null) => (value === null ? 'none' : String(value))

/** A metric's answer for a terminal: the number, its groups, what to know about it. */
export function toAnswerText(answer: unknown): string {
  const view = answer as AnswerView
  const lines = [`${toLine(view.metric.displayName)}: ${view.formatted}`]
  if (view.comparison !== undefined) {
    const { value, delta, pctChange } = view.comparison
    const change = pctChange === null ? '' : ` (${(pctChange * 100).toFixed(1)}%)`
    lines.push(`before: ${shown(value)}, change: ${shown(delta)}${change}`)
  }
  if (view.breakdown.length > 0) {
    const rows = view.breakdown.map((entry) => [entry.dimensionValue, entry.formatted ?? shown(entry.value)])
    if (view.other !== undefined && view.other.groups > 0)
      rows.push([`(${view.other.groups} others)`, shown(view.other.value)])
    lines.push(
      '',
      toTable(
        [
          { title: 'group', maxWidth: 60 },
          { title: 'value', align: 'right' },
        ],
        rows,
      ),
    )
  }
  return [...lines, '', ...toFootnotes(view)].join('\n')
}

export function toSeriesText(answer: unknown): string {
  const view = answer as SeriesView
  const lines = [toLine(view.metric.displayName)]
  const of = (points: readonly { value: number | null }[]) => toSparkline(points.map(({ value }) => value))
  if (view.series !== undefined && view.series.length > 0) {
    for (const { dimensionValue, timeSeries } of view.series) lines.push(`${of(timeSeries)}  ${toLine(dimensionValue)}`)
  } else {
    lines.push(of(view.timeSeries))
    lines.push(
      toTable(
        [{ title: 'from' }, { title: 'value', align: 'right' }, { title: '' }],
        view.timeSeries.map(({ timestamp, value, complete }) => [
          timestamp,
          shown(value),
          complete === false ? 'not complete' : '',
        ]),
      ),
    )
  }
  return [...lines, '', ...toFootnotes(view)].join('\n')
}

function toFootnotes({ trust, warnings }: Pick<AnswerView, 'trust' | 'warnings'>): string[] {
  return [trust.label, ...warnings.map(({ message }) => `! ${message}`)]
}
