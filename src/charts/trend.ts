import { bisector, extent } from 'd3-array'
import { area, line } from 'd3-shape'
import type { Freshness, Point } from '../query/model.ts'
import { type Scale, toLinear, toTimeScale, toValueScale } from './scale.ts'

/** A point of a series: its time in milliseconds, a gap where the value is null. */
export interface TrendMark {
  time: number
  value: number | null
  complete: boolean
}

type Observed = Pick<Point, 'value' | 'complete' | 'observed'>

/** What a point is drawn as: before anything was observed there is a gap. */
const toDrawn = ({ value, complete, observed }: Observed) => ({ value: observed === false ? null : value, complete })

export const toMarks = (points: readonly Point[]): TrendMark[] =>
  points.map((point) => ({ time: Date.parse(point.timestamp), ...toDrawn(point) }))

/** When a source was first scanned. */
export interface FirstScan {
  time: number
  name: string
}

export const toFirstScans = ({ sources }: Pick<Freshness, 'sources'>): FirstScan[] =>
  sources.flatMap(({ name, observedFrom }) => (observedFrom === null ? [] : { name, time: Date.parse(observedFrom) }))

export interface TrendOptions {
  width: number
  height: number
  toLabel: (value: number) => string
  /** Only whole numbers occur, so no tick has decimals. */
  isWhole?: boolean
}

export interface Trend {
  x: Scale
  y: Scale
  /** Paths of SVG; empty where there is nothing to draw. */
  area: string
  line: string
  /** The part of the line that ends in a bucket which is not over. */
  running: string
  previous: string
  /** The marks that are drawn alone, because their neighbours have no value. */
  dots: readonly { x: number; y: number }[]
  /** The compared marks, moved to the time of the marks they are compared with. */
  earlier: readonly TrendMark[]
}

const MAX_DRAWN = 2000

/** Describes a line over time with the compared line behind it. */
export function describeTrend(
  marks: readonly TrendMark[],
  previous: readonly TrendMark[],
  options: TrendOptions,
): Trend {
  const { width, height, toLabel, isWhole } = options
  const [from = 0, to = 1] = extent(marks, ({ time }) => time)
  const moved = moveTo(previous, marks)
  const x = toTimeScale(from, Math.max(to, from + 1), width)
  const y = toValueScale(
    [...marks, ...moved].map(({ value }) => value),
    height,
    toLabel,
    isWhole,
  )
  const shown = thin(marks, width)
  const { draw, fill } = toShapes(x.toPixel, y.toPixel)
  const ended = countEnded(shown)
  const last = shown.slice(Math.max(0, ended - 1))
  const inside = moved.filter(({ time }) => time >= from && time <= to)
  return {
    x,
    y,
    area: fill(shown) ?? '',
    line: draw(shown.slice(0, ended)) ?? '',
    running: ended < shown.length ? (draw(last) ?? '') : '',
    previous: draw(thin(inside, width)) ?? '',
    dots: listAlone(shown).map(({ time, value }) => ({ x: x.toPixel(time), y: y.toPixel(value ?? 0) })),
    earlier: moved,
  }
}

const isKnown = ({ value }: TrendMark) => value !== null

/** Turns marks into paths of SVG; a missing value is a gap. */
function toShapes(x: (time: number) => number, y: (value: number) => number) {
  const toX = ({ time }: TrendMark) => x(time)
  const toY = ({ value }: TrendMark) => y(value ?? 0)
  return {
    draw: line<TrendMark>().defined(isKnown).x(toX).y(toY).digits(1),
    fill: area<TrendMark>().defined(isKnown).x(toX).y0(y(0)).y1(toY).digits(1),
  }
}

/** How many marks come before those of buckets at the end that are not over. */
function countEnded(marks: readonly TrendMark[]): number {
  let ended = marks.length
  while (ended > 0 && marks[ended - 1]?.complete === false) ended -= 1
  return ended
}

const listAlone = (marks: readonly TrendMark[]) =>
  marks.filter(({ value }, index) => {
    const [before, after] = [marks[index - 1], marks[index + 1]]
    return value !== null && (before?.value ?? null) === null && (after?.value ?? null) === null
  })

/** Moves a compared series so that its first mark is at the first mark of the other. */
function moveTo(previous: readonly TrendMark[], marks: readonly TrendMark[]): TrendMark[] {
  const [first, target] = [previous[0], marks[0]]
  if (first === undefined || target === undefined) return []
  return previous.map((mark) => ({ ...mark, time: mark.time + target.time - first.time }))
}

/** Keeps the lowest and the highest mark of each pixel column when there are more marks than `most`. */
export function thin(marks: readonly TrendMark[], width: number, most = MAX_DRAWN): readonly TrendMark[] {
  if (marks.length <= most) return marks
  const perColumn = Math.ceil(marks.length / width)
  const kept: TrendMark[] = []
  for (let start = 0; start < marks.length; start += perColumn) {
    const column = marks.slice(start, start + perColumn).filter(({ value }) => value !== null)
    const [low, high] = extent(column, ({ value }) => value ?? undefined)
    kept.push(...column.filter(({ value }, index) => index === column.length - 1 || value === low || value === high))
  }
  return kept
}

const byTime = bisector<TrendMark, number>(({ time }) => time)

/** The mark nearest to a time. */
export function findNearest(marks: readonly TrendMark[], time: number): number | undefined {
  return marks.length === 0 ? undefined : byTime.center(marks, time)
}

/** A line without axes over buckets of one length, with the area below it, in a box of the given size. */
export function describeSpark(
  points: readonly Observed[],
  width: number,
  height: number,
): { line: string; area: string } {
  // The position is the time, as reading the times of all buckets takes longer than drawing them.
  const marks = points.map((point, time) => ({ time, ...toDrawn(point) }))
  const values = marks.map(({ value }) => value ?? 0)
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)]
  const { draw, fill } = toShapes(
    toLinear([0, Math.max(1, marks.length - 1)], [0, width]),
    // Half a stroke is kept free at both edges.
    toLinear([low, low === high ? low + 1 : high], [height - 1, 1]),
  )
  const shown = thin(marks, width / 2, width)
  return { line: draw(shown) ?? '', area: fill(shown) ?? '' }
}

/** When a condition came to hold for the given number of readings in a row. */
export function toFirings(readings: readonly { at: string; met: boolean | null }[], inARow: number): string[] {
  let streak = 0
  return readings.flatMap(({ at, met }) => {
    if (met !== null) streak = met ? streak + 1 : 0
    return met === true && streak === inARow ? at : []
  })
}
