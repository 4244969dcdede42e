import { joinShown, line, type PrintableText, showAmount, showName, showSentence } from '../kernel/shown.ts'
import { toHeadline } from '../query/answer/doubts.ts'
import { toFormatted } from '../query/answer/format.ts'
import { explains } from '../query/answer/render.ts'
import type { BreakdownEntry, MetricAnswer, MetricFacts, OneMetricAnswer, Point, SeriesAnswer } from '../query/model.ts'
import { toContext, toDoubts, toFurtherContext } from './answer-context.ts'
import { type Block, type Column, cell, type TableBlock, type TableCell, table } from './output/blocks.ts'

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
  const lines: Block[] = [line`${showName(view.metric.displayName)}: ${toHeadline(view)}${toBasis(view)}`]
  if (view.comparison !== undefined) {
    const { from, to, value, delta, pctChange } = view.comparison
    const ends = [from, to].map((end) => (end == null ? undefined : toBucketTime(end, view.applied.timeZone)))
    const [start, end] = ends
    const when = end === undefined ? line`` : start === undefined ? line` (at ${end})` : line` (${start} up to ${end})`
    const change = pctChange === null ? line`` : line` (${showAmount((pctChange * 100).toFixed(1))}%)`
    lines.push(line`before${when}: ${format(value)}, change: ${format(delta)}${change}`)
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
  const compared = view.comparison !== undefined
  const sides = compared ? undefined : toTwoSides(view, toCell)
  if (sides !== undefined) lines.push(line``, sides)
  else if (view.breakdown.length > 0) {
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

const MAX_SIDE_COLUMNS = 8
const MAX_SIDE_TITLE = 24

/** All groups of two dimensions as a table with one on each side; undefined where they are too many, or not all. */
function toTwoSides(
  { breakdown, other }: OneMetricAnswer,
  toCell: (value: number | null) => TableCell,
): TableBlock | undefined {
  const names = Object.keys(breakdown[0]?.dimensions ?? {})
  if (names.length !== 2 || (other?.groups ?? 0) > 0) return undefined
  const sides = [0, 1].map((at) => [...new Set(breakdown.map(({ dimensions }) => Object.values(dimensions)[at] ?? ''))])
  const [above, left] = (sides[0]?.length ?? 0) < (sides[1]?.length ?? 0) ? [0, 1] : [1, 0]
  const [columns = [], rows = []] = [sides[above], sides[left]]
  if (columns.length > MAX_SIDE_COLUMNS || rows.length < 2) return undefined
  const values = new Map(
    breakdown.map(({ dimensions, value }) => {
      const group = Object.values(dimensions)
      return [JSON.stringify([group[left], group[above]]), value]
    }),
  )
  const toValue = (row: string, column: string) => {
    const value = values.get(JSON.stringify([row, column]))
    return value === undefined ? cell.shown(line`-`) : toCell(value)
  }
  return table(
    [
      { title: line`${showName(names[left] ?? '')} / ${showName(names[above] ?? '')}`, shrink: 1 },
      ...columns.map((name): Column => ({ title: showName(name, MAX_SIDE_TITLE), align: 'right' })),
    ],
    rows.map((row) => [cell.name(row, MAX_GROUP), ...columns.map((column) => toValue(row, column))]),
  )
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
