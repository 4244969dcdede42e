import type { AssetTable } from '../index/assets.ts'
import { CONFIDENCE_STEP } from '../index/confidences.ts'
import type { Rows } from '../index/rows.ts'
import { type Mark, NO_MIN } from '../index/tallies.ts'
import type { Timeline } from '../index/timeline.ts'
import { ConfidenceRanks, toQuantile } from './ranks.ts'
import { type Counted, countRows, scanRows, type Want } from './scan.ts'
import type { Numbers, Shape } from './shape.ts'

/** The maximum size of the bit set for distinct assets, and of the 32-bit words of it cleared during one query. */
const MAX_BITS = 2 ** 30
const MAX_CLEARED = 2 ** 27
/** The maximum number of (bucket, group) cells in a result. */
const MAX_NUMBERS = 8_000_000

export interface FlowQuery {
  shape: Shape
  want: Want
  /** With `ranks`: the percentile to take, from 0 to 1. */
  p?: number | undefined
  /** `[from, to)` in epoch milliseconds. */
  from: number
  to: number
  /** Ascending boundaries between buckets. */
  edges: readonly number[]
}

/** The columns that a query reads. */
export interface ColumnSource {
  timeline: Timeline
  assets: AssetTable
  /** Whether assets move to another container only where `containerMoves` says so, as those of present findings do. */
  hasContainers?: boolean
}

/** Answers a query from the columns; undefined when it would exceed the memory limits. */
export function answerFlow(source: ColumnSource, asked: FlowQuery): Numbers | undefined {
  const { shape, want, from, to, edges } = asked
  const buckets = edges.length + 1
  const width = shape.groups + 1
  if (width * buckets > MAX_NUMBERS) return undefined
  const numbers: Numbers = {
    width,
    counts: new Float64Array(width * buckets),
    sums: want === 'sum' ? new Float64Array(width * buckets) : new Float64Array(0),
    least: want === 'extremes' ? new Uint16Array(width * buckets).fill(NO_MIN) : new Uint16Array(0),
    greatest: want === 'extremes' ? new Uint16Array(width * buckets) : new Uint16Array(0),
    quantiles: want === 'ranks' ? new Float64Array(width * buckets) : new Float64Array(0),
  }
  const { rows } = source.timeline
  const place = (instant: number) => rows.firstAtOrAfter(instant)
  const [low, high] = [place(from), Math.max(place(from), place(to))]
  const borders = [low, ...edges.map((edge) => Math.min(high, Math.max(low, place(edge)))), high]
  if (want === 'assets') return countAssets(source, asked, borders, numbers)
  if (want === 'ranks') return rankConfidences(source, asked, borders, numbers)
  const isScanned = shape.places !== undefined || (shape.minConfidence > 0 && want === 'extremes')
  if (isScanned) scanBuckets(source, asked, borders, numbers)
  else if (want === 'extremes') measure(source, asked, borders, numbers)
  else count(source, asked, borders, numbers)
  addLate(source, asked, numbers)
  return numbers
}

function scanBuckets(
  { timeline, assets, hasContainers }: ColumnSource,
  { shape, want }: FlowQuery,
  borders: readonly number[],
  numbers: Numbers,
): void {
  const { rows, tallies } = timeline
  const wanted = (borders.at(-1) ?? 0) - (borders[0] ?? 0)
  const isByContainer = hasContainers === true && want === 'count' && shape.places?.ofValues?.slot === 'container'
  const column = isByContainer ? rows.containers.find(assets, rows.asset, { count: rows.count, wanted }) : undefined
  const containers = column && { column, hasRemoved: (tallies.total.combos[0] ?? 0) > 0 }
  for (let bucket = 0; bucket + 1 < borders.length; bucket++) {
    const range = { from: borders[bucket] ?? 0, to: borders[bucket + 1] ?? 0 }
    const out = { ...numbers, base: bucket * numbers.width }
    scanRows(rows, range, { shape, assets, want, containers }, out)
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
  const known = findTallies(timeline, shape)
  if (known === undefined || last - first <= known.fold * borders.length) {
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
    known.countBefore(place, { ...upTo, base: 0, summed })
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

/** A source of counts and sums of all rows before a given row. */
interface CumulativeCounts {
  /** The number of rows scanned in about the time of one such count. */
  fold: number
  countBefore(row: number, out: Counted): void
}

/** The tallies that distinguish the groups of a shape; undefined when only a row scan does. */
function findTallies(timeline: Timeline, shape: Shape): CumulativeCounts | undefined {
  const { rows, tallies } = timeline
  const { cellGroupOf, minConfidence, members } = shape
  if (minConfidence === 0) {
    const bits = cellGroupOf === undefined ? tallies.markBits : tallies.blockBits
    return {
      fold: cellGroupOf === undefined ? members.length + 2 ** (bits - 2) : 2 ** (bits - 1),
      countBefore: (row, out) => countBefore(timeline, shape, row, out),
    }
  }
  const confidences =
    cellGroupOf === undefined || minConfidence % CONFIDENCE_STEP !== 0 ? undefined : tallies.getConfidences()
  if (confidences === undefined || cellGroupOf === undefined) return undefined
  return {
    fold: 2 ** (confidences.bits - 1),
    countBefore(row, out) {
      if (row === 0) return
      const start = confidences.addBefore(row, { cellGroupOf, minConfidence }, out)
      addBetween(rows, { start, row }, shape, out)
    },
  }
}

/** Counts and sums of all rows before a row. */
function countBefore({ rows, tallies }: Timeline, shape: Shape, row: number, out: Counted): void {
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

/** Minimum and maximum: from block summaries for whole blocks, from a row scan at both ends. */
function measure(
  { timeline, assets }: ColumnSource,
  asked: FlowQuery,
  borders: readonly number[],
  numbers: Numbers,
): void {
  const { rows, tallies } = timeline
  const { shape, want } = asked
  const { cellGroupOf } = shape
  const { least, greatest, counts, width } = numbers
  for (let bucket = 0; bucket + 1 < borders.length; bucket++) {
    const [from, to] = [borders[bucket] ?? 0, borders[bucket + 1] ?? 0]
    const base = bucket * width
    const scan = (start: number, end: number) =>
      scanRows(rows, { from: start, to: end }, { shape, assets, want }, { ...numbers, base })
    const { blockBits } = tallies
    const [first, last] = [(from + 2 ** blockBits - 1) >>> blockBits, to >>> blockBits]
    if (cellGroupOf === undefined || last <= first) {
      scan(from, to)
      continue
    }
    scan(from, first * 2 ** blockBits)
    for (let block = first; block < last; block++) {
      const at = block * tallies.width
      const end = Math.min(cellGroupOf.length, tallies.width)
      for (let cell = 0; cell < end; cell++) {
        const low = tallies.least[at + cell] as number
        if (low === NO_MIN) continue
        const group = base + (cellGroupOf[cell] as number)
        if (low < (least[group] as number)) least[group] = low
        const high = tallies.greatest[at + cell] as number
        if (high > (greatest[group] as number)) greatest[group] = high
      }
    }
    const counted = { counts, sums: numbers.sums, summed: false }
    const ends = { counts: new Float64Array(width), sums: numbers.sums, base: 0, summed: false }
    const starts = { counts: new Float64Array(width), sums: numbers.sums, base: 0, summed: false }
    countBefore(timeline, shape, last * 2 ** blockBits, ends)
    countBefore(timeline, shape, first * 2 ** blockBits, starts)
    for (let group = 0; group < width; group++) {
      counted.counts[base + group] =
        (counts[base + group] ?? 0) + (ends.counts[group] ?? 0) - (starts.counts[group] ?? 0)
    }
    scan(last * 2 ** blockBits, to)
  }
}

function countAssets(
  { timeline, assets }: ColumnSource,
  asked: FlowQuery,
  borders: readonly number[],
  numbers: Numbers,
): Numbers | undefined {
  const { late, rows } = timeline
  const { shape, edges, from, to } = asked
  const { width, counts } = numbers
  const isEverything = edges.length === 0 && (borders[0] ?? 0) === 0 && (borders[1] ?? 0) === rows.count
  if (shape.bits !== undefined && isEverything && areWithin(late.time, late.count, from, to)) {
    for (const [group, bits] of shape.bits.entries()) counts[group] = assets.countWithAny(bits)
    return numbers
  }
  const bits = shape.disjointSets * assets.count
  const words = Math.ceil(bits / 32)
  if (bits > MAX_BITS || words * (edges.length + 1) > MAX_CLEARED) return undefined
  const lateRows = listLate(timeline, asked)
  const seen = new Uint32Array(words)
  for (let bucket = 0; bucket + 1 < borders.length; bucket++) {
    const range = { from: borders[bucket] ?? 0, to: borders[bucket + 1] ?? 0 }
    const own = lateRows.get(bucket) ?? []
    if (range.from === range.to && own.length === 0) continue
    if (bucket > 0) seen.fill(0)
    const out = { ...numbers, base: bucket * width, seen }
    scanRows(rows, range, { shape, assets, want: 'assets' }, out)
    for (const row of own) scanRows(late, { from: row, to: row + 1 }, { shape, assets, want: 'assets' }, out)
  }
  return numbers
}

/** The maximum number of counters cleared during one query. */
const MAX_RANKED = 2 ** 29
const COUNTERS = 10_001

/** The percentile of each group in each bucket, from counts of its confidences. */
function rankConfidences(
  { timeline, assets }: ColumnSource,
  asked: FlowQuery,
  borders: readonly number[],
  numbers: Numbers,
): Numbers | undefined {
  const { rows, late } = timeline
  const { shape, want, edges, p = 0 } = asked
  const { groups } = shape
  const { width, counts, quantiles } = numbers
  if (!ConfidenceRanks.holds(groups) || groups * COUNTERS * (edges.length + 1) > MAX_RANKED) return undefined
  const lateRows = listLate(timeline, asked)
  const ranks = new ConfidenceRanks(groups)
  for (let bucket = 0; bucket + 1 < borders.length; bucket++) {
    const range = { from: borders[bucket] ?? 0, to: borders[bucket + 1] ?? 0 }
    const own = lateRows.get(bucket) ?? []
    if (range.from === range.to && own.length === 0) continue
    if (bucket > 0) ranks.clear()
    const base = bucket * width
    const out = { ...numbers, base, ranks }
    scanRows(rows, range, { shape, assets, want }, out)
    for (const row of own) scanRows(late, { from: row, to: row + 1 }, { shape, assets, want }, out)
    for (let group = 0; group < groups; group++) {
      const count = counts[base + group] ?? 0
      if (count > 0) quantiles[base + group] = toQuantile(ranks, group, count, p)
    }
  }
  return numbers
}

function areWithin(times: Float64Array, count: number, from: number, to: number): boolean {
  for (let row = 0; row < count; row++) {
    const time = times[row] ?? 0
    if (time < from || time >= to) return false
  }
  return true
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

/** The late rows within the range, by bucket. */
function listLate({ late }: Timeline, { from, to, edges }: FlowQuery): Map<number, number[]> {
  const found = new Map<number, number[]>()
  for (let row = 0; row < late.count; row++) {
    const time = late.time[row] ?? 0
    if (time < from || time >= to) continue
    let [low, high] = [0, edges.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((edges[middle] ?? 0) <= time) low = middle + 1
      else high = middle
    }
    const rows = found.get(low)
    if (rows === undefined) found.set(low, [row])
    else rows.push(row)
  }
  return found
}
