import type { Rows } from '../index/rows.ts'
import type { Mark } from '../index/tallies.ts'
import type { TimelineRows } from '../index/timeline.ts'
import {
  areWithin,
  type ColumnSource,
  countAssets,
  type FlowQuery,
  listLate,
  type PlacedQuery,
  rankConfidences,
} from './bucket-scan.ts'
import { type Counted, countRows, scanRows } from './scan.ts'
import { NO_MIN, type Numbers, type Shape } from './shape.ts'

/** The maximum number of (bucket, group) cells in a result. */
const MAX_NUMBERS = 8_000_000

function placeQuery({ timeline: { rows } }: ColumnSource, asked: FlowQuery): PlacedQuery {
  const place = (instant: number) => rows.firstAtOrAfter(instant)
  const low = place(asked.from)
  const high = Math.max(low, place(asked.to))
  return { asked, borders: [low, ...asked.edges.map((edge) => Math.min(high, Math.max(low, place(edge)))), high] }
}

function openNumbers({ shape, want, edges }: FlowQuery): Numbers | undefined {
  const buckets = edges.length + 1
  const width = shape.groups + 1
  if (width * buckets > MAX_NUMBERS) return undefined
  return {
    width,
    counts: new Float64Array(width * buckets),
    sums: want === 'sum' ? new Float64Array(width * buckets) : new Float64Array(0),
    least: want === 'extremes' ? new Uint16Array(width * buckets).fill(NO_MIN) : new Uint16Array(0),
    greatest: want === 'extremes' ? new Uint16Array(width * buckets) : new Uint16Array(0),
    quantiles: want === 'ranks' ? new Float64Array(width * buckets) : new Float64Array(0),
  }
}

/**
 * Answers queries about different rows as one; they have the same groups, measure and number of buckets. Undefined
 * without queries, or when it would exceed the memory limits.
 */
export function answerFlows(source: ColumnSource, queries: readonly FlowQuery[]): Numbers | undefined {
  const [first, ...others] = queries
  if (first === undefined || others.length === 0) return first && answerFlow(source, first)
  if (first.want === 'assets' || first.want === 'ranks') {
    const numbers = openNumbers(first)
    const placed = queries.map((asked) => placeQuery(source, asked))
    if (numbers === undefined) return undefined
    return first.want === 'assets' ? countAssets(source, placed, numbers) : rankConfidences(source, placed, numbers)
  }
  const numbers = answerFlow(source, first)
  if (numbers === undefined) return undefined
  for (const asked of others) {
    const more = answerFlow(source, asked)
    if (more === undefined) return undefined
    addNumbers(numbers, more)
  }
  return numbers
}

function addNumbers({ counts, sums, least, greatest }: Numbers, more: Numbers): void {
  for (let at = 0; at < counts.length; at++) counts[at] = (counts[at] as number) + (more.counts[at] as number)
  for (let at = 0; at < sums.length; at++) sums[at] = (sums[at] as number) + (more.sums[at] as number)
  for (let at = 0; at < least.length; at++) least[at] = Math.min(least[at] as number, more.least[at] as number)
  for (let at = 0; at < greatest.length; at++) {
    greatest[at] = Math.max(greatest[at] as number, more.greatest[at] as number)
  }
}

/** Answers a query from the columns; undefined when it would exceed the memory limits. */
export function answerFlow(source: ColumnSource, asked: FlowQuery): Numbers | undefined {
  const { shape, want } = asked
  const numbers = openNumbers(asked)
  if (numbers === undefined) return undefined
  const placed = placeQuery(source, asked)
  const { borders } = placed
  if (want === 'assets') return countAssets(source, [placed], numbers)
  if (want === 'ranks') return rankConfidences(source, [placed], numbers)
  if (shape.places !== undefined || shape.test !== undefined || want === 'extremes') {
    scanBuckets(source, asked, borders, numbers)
  } else count(source, asked, borders, numbers)
  addLate(source, asked, numbers)
  return numbers
}

function scanBuckets(
  { timeline, assets }: ColumnSource,
  { shape, want }: FlowQuery,
  borders: readonly number[],
  numbers: Numbers,
): void {
  for (let bucket = 0; bucket + 1 < borders.length; bucket++) {
    const range = { from: borders[bucket] ?? 0, to: borders[bucket + 1] ?? 0 }
    const out = { ...numbers, base: bucket * numbers.width }
    scanRows(timeline.rows, range, { shape, assets, want }, out)
  }
}

/** Counts and sums, by differences of the tallies at the boundaries, or by a row scan for short ranges. */
function count(
  { timeline }: ColumnSource,
  { shape, want }: FlowQuery,
  borders: readonly number[],
  numbers: Numbers,
): void {
  const { rows, tallies } = timeline
  const { width, counts, sums } = numbers
  const summed = want === 'sum'
  const [first = 0, last = 0] = [borders[0], borders.at(-1)]
  if (shape.isWhole && !summed && (tallies.total.combos[0] ?? 0) === 0) {
    for (let bucket = 0; bucket + 1 < borders.length; bucket++) {
      counts[bucket * width] = (borders[bucket + 1] ?? 0) - (borders[bucket] ?? 0)
    }
    return
  }
  if (shape.minConfidence > 0 || last - first <= countAtOnce(timeline, shape) * borders.length) {
    for (let bucket = 0; bucket + 1 < borders.length; bucket++) {
      const range = { from: borders[bucket] ?? 0, to: borders[bucket + 1] ?? 0, sign: 1 as const }
      countRows(rows, range, shape, { counts, sums, base: bucket * width, summed })
    }
    return
  }
  let before = { counts: new Float64Array(width), sums: new Float64Array(summed ? width : 0) }
  let upTo = { counts: new Float64Array(width), sums: new Float64Array(summed ? width : 0) }
  for (const [index, place] of borders.entries()) {
    upTo.counts.fill(0)
    upTo.sums.fill(0)
    countBefore(timeline, shape, place, { ...upTo, base: 0, summed })
    if (index > 0) {
      const base = (index - 1) * width
      for (let group = 0; group < width; group++) {
        counts[base + group] = (upTo.counts[group] ?? 0) - (before.counts[group] ?? 0)
        if (summed) sums[base + group] = (upTo.sums[group] ?? 0) - (before.sums[group] ?? 0)
      }
    }
    ;[before, upTo] = [upTo, before]
  }
}

/** The number of rows that are scanned in about the time of one `countBefore`. */
const countAtOnce = ({ tallies }: TimelineRows, { cellGroupOf, members }: Shape): number =>
  cellGroupOf === undefined ? members.length + 2 ** (tallies.markBits - 2) : 2 ** (tallies.blockBits - 1)

/** Counts and sums of all rows before a row. */
function countBefore({ rows, tallies }: TimelineRows, shape: Shape, row: number, out: Counted): void {
  if (row === 0) return
  if (row === rows.count) {
    addMark(tallies.total, shape, out)
    return
  }
  const bits = shape.cellGroupOf === undefined ? tallies.markBits : tallies.blockBits
  // The nearer of the two blocks or marks around the row; the one after it may not exist yet.
  let nearest = (row + 2 ** (bits - 1)) >>> bits
  if (nearest * 2 ** bits >= rows.count) nearest = row >>> bits
  const start = nearest * 2 ** bits
  const mark = tallies.marks[start >>> tallies.markBits]
  if (mark !== undefined) addMark(mark, shape, out)
  if (shape.cellGroupOf !== undefined) {
    const { counts, sums, width } = tallies
    const { cellGroupOf } = shape
    const at = nearest * width
    const end = Math.min(cellGroupOf.length, width)
    for (let cell = 0; cell < end; cell++) {
      const group = out.base + (cellGroupOf[cell] as number)
      out.counts[group] = (out.counts[group] as number) + (counts[at + cell] as number)
      if (out.summed) out.sums[group] = (out.sums[group] as number) + (sums[at + cell] as number)
    }
  }
  addBetween(rows, { start, row }, shape, out)
}

/** Adjusts a count of all rows before `start` to all rows before `row`, in either direction. */
function addBetween(rows: Rows, { start, row }: { start: number; row: number }, shape: Shape, out: Counted): void {
  if (start <= row) countRows(rows, { from: start, to: row, sign: 1 }, shape, out)
  else countRows(rows, { from: row, to: start, sign: -1 }, shape, out)
}

function addMark(mark: Mark, shape: Shape, out: Counted): void {
  const { cellGroupOf, groupOf, members } = shape
  const { counts, sums, base, summed } = out
  if (cellGroupOf !== undefined) {
    const { cells, cellSums } = mark
    const end = Math.min(cells.length, cellGroupOf.length)
    for (let cell = 0; cell < end; cell++) {
      const group = base + (cellGroupOf[cell] as number)
      counts[group] = (counts[group] as number) + (cells[cell] as number)
      if (summed) sums[group] = (sums[group] as number) + (cellSums[cell] as number)
    }
    return
  }
  const { combos, comboSums } = mark
  const end = combos.length
  for (let index = 0; index < members.length; index++) {
    const combo = members[index] as number
    if (combo >= end) break
    const group = base + (groupOf[combo] as number)
    counts[group] = (counts[group] as number) + (combos[combo] as number)
    if (summed) sums[group] = (sums[group] as number) + (comboSums[combo] as number)
  }
}

function addLate({ timeline, assets }: ColumnSource, asked: FlowQuery, numbers: Numbers): void {
  const { shape, want } = asked
  const { late } = timeline
  if (late.count === 0) return
  if (asked.edges.length === 0 && areWithin(late.time, late.count, asked.from, asked.to)) {
    scanRows(late, { from: 0, to: late.count }, { shape, assets, want }, { ...numbers, base: 0 })
    return
  }
  for (const [bucket, rows] of listLate(timeline, asked)) {
    const out = { ...numbers, base: bucket * numbers.width }
    for (const row of rows) scanRows(late, { from: row, to: row + 1 }, { shape, assets, want }, out)
  }
}
