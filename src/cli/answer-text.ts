import { joinShown, line, type PrintableText, showAmount, showName, showSentence } from '../kernel/shown.ts'
import { toFormatted } from '../query/answer/format.ts'
import { explains } from '../query/answer/render.ts'
import type { BreakdownEntry, MetricAnswer, MetricFacts, OneMetricAnswer, Point, SeriesAnswer } from '../query/model.ts'
import { toContext, toDoubts, toFurtherContext } from './answer-context.ts'
import { type Block, type Column, cell, type TableCell, table } from './output/blocks.ts'

import { toSparkline } from './output/sparkline.ts'
import { toBucketTime } from './output/times.ts'

/** A formatter for a metric's values; a unit common to all lines is left to the title. */
function createFormat({ format, unit }: MetricFacts): (value: number | null) => PrintableText {
  return (value) =>
    value === null ? line`none` : showAmount(toFormatted(value, format, format === 'duration' ? unit : ''))
}

const MAX_GROUP = 60
const MAX_TITLE = 16

/**
 * A metric answer for the terminal: the number, its groups and its warnings; then the further metrics of the question.
 */
export function toAnswerText(answer: MetricAnswer): Block[] {
  const { also = [], ...own } = answer
  const others = also.flatMap((other) => {
    if ('error' in other) return [line``, line`${showName(other.metric.slug)}: ${showSentence(other.error.message)}`]
    return [line``, ...toDoubts(other), ...toValueText(other), line``, ...toFurtherContext(other, own)]
  })
  return [...toDoubts(own), ...toValueText(own), line``, ...toContext(own), ...others]
}

/** The number with the counts behind it, its comparison and its groups. */
function toValueText(view: OneMetricAnswer): Block[] {
  const format = createFormat(view.metric)
  const toCell = (value: number | null | undefined): TableCell => cell.shown(format(value ?? null), value)
  const lines: Block[] = [line`${showName(view.metric.displayName)}: ${showAmount(view.formatted)}${toBasis(view)}`]
  if (view.comparison !== undefined) {
    const { value, delta, pctChange } = view.comparison
    const change = pctChange === null ? line`` : line` (${showAmount((pctChange * 100).toFixed(1))}%)`
    lines.push(line`before: ${format(value)}, change: ${format(delta)}${change}`)
  }
  const drivers = (view.drivers ?? []).filter(explains)
  if (drivers.length > 0) {
    const rows = drivers.map(({ dimension, dimensionValue, from, to, contribution, delta = null }) => [
      cell.code(dimension),
      cell.name(dimensionValue, MAX_GROUP),
      ...[from, to, contribution ?? delta].map(toCell),
    ])
    const part = drivers.some(({ contribution }) => contribution === null) ? line`change` : line`part of change`
    const numbers = [line`before`, line`value`, part].map((title): Column => ({ title, align: 'right' }))
    lines.push(line``, table([{ title: line`dimension` }, { title: line`group`, shrink: 1 }, ...numbers], rows))
  }
  if (view.breakdown.length > 0) {
    const compared = view.comparison !== undefined
    const toCells = ({ value, previous = null, delta = null }: Pick<BreakdownEntry, 'value' | 'previous' | 'delta'>) =>
      (compared ? [value, previous, delta] : [value]).map(toCell)
    const rows = view.breakdown.map(({ dimensions, ...values }) => [
      cell.shown(
        joinShown(
          Object.values(dimensions).map((name) => showName(name, MAX_GROUP)),
          ' / ',
        ),
      ),
      ...toCells(values),
    ])
    if (view.other !== undefined && view.other.groups > 0)
      rows.push([
        {
          ...cell.shown(line`(${view.other.groups} ${view.other.groups === 1 ? line`other` : line`others`})`),
          tone: 'quiet',
        },
        ...toCells(view.other),
      ])
    const columns: Column[] = [
      { title: line`group`, shrink: 1 },
      { title: line`value`, align: 'right' },
      ...(compared
        ? [{ title: line`before`, align: 'right' } as const, { title: line`change`, align: 'right' } as const]
        : []),
    ]
    lines.push(line``, table(columns, rows))
  }
  return lines
}

/** The counts behind an average or a ratio, and the reason of a missing value. */
function toBasis({ reason, n, numerator, denominator }: OneMetricAnswer): PrintableText {
  if (reason !== undefined) return line` (${showSentence(reason.replaceAll('_', ' '))})`
  if (numerator !== undefined) return line` (${numerator ?? 0} of ${denominator ?? 0})`
  return n === undefined ? line`` : line` (over ${n} ${n === 1 ? line`row` : line`rows`})`
}

export function toSeriesText(view: SeriesAnswer): Block[] {
  const format = createFormat(view.metric)
  const lines: Block[] = [...toDoubts(view), showName(view.metric.displayName)]
  const zone = view.applied.timeZone
  const of = (points: readonly Pick<Point, 'value' | 'observed'>[]) =>
    toSparkline(points.map(({ value, observed }) => (observed === false ? null : value)))
  const series = view.series ?? []
  lines.push(of(view.timeSeries))
  for (const { dimensionValue, timeSeries } of series) lines.push(line`${of(timeSeries)}  ${showName(dimensionValue)}`)
  const columns: Column[] = [
    { title: view.applied.atEnds ? line`at` : line`from` },
    { title: series.length === 0 ? line`value` : line`all`, align: 'right' },
    ...series.map(({ dimensionValue }): Column => ({ title: showName(dimensionValue, MAX_TITLE), align: 'right' })),
    { title: line``, shrink: 1, isOptional: true },
  ]
  const labelOf = (index: number, start: string) =>
    view.applied.atEnds ? (view.timeSeries[index + 1]?.timestamp ?? view.applied.to ?? start) : start
  const rows = view.timeSeries.map(({ timestamp, value, complete, observed }, index) => [
    cell.shown(toBucketTime(labelOf(index, timestamp), zone), timestamp),
    ...[value, ...series.map(({ timeSeries }) => timeSeries[index]?.value ?? null)].map((each) =>
      cell.shown(format(each), each),
    ),
    {
      ...cell.shown(observed === false ? line`before the first scan` : complete ? line`` : line`not complete`),
      tone: 'quiet',
    } as const,
  ])
  return [...lines, table(columns, rows), line``, ...toContext(view)]
}
