import type { AssetTable } from '../index/assets.ts'
import type { TimelineRows } from '../index/timeline.ts'
import { ConfidenceRanks, toQuantile } from './ranks.ts'
import { scanRows, type Want } from './scan.ts'
import type { Numbers, Shape } from './shape.ts'

/** The maximum size of the bit set for distinct assets, and of the 32-bit words of it cleared during one query. */
const MAX_BITS = 2 ** 30
const MAX_CLEARED = 2 ** 27
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
  timeline: TimelineRows
  assets: AssetTable
}

/** A query with the row numbers at the ends of its range and between its buckets. */
export interface PlacedQuery {
  asked: FlowQuery
  borders: readonly number[]
}

/** Rows to scan for one query within one bucket: in time order, and late ones. */
interface BucketRows {
  shape: Shape
  range: { from: number; to: number }
  late: readonly number[]
}

/** The rows of queries by bucket, without queries that have none in it. */
function* listBuckets({ timeline }: ColumnSource, placed: readonly PlacedQuery[]): Generator<[number, BucketRows[]]> {
  const parts = placed.map(({ asked, borders }) => ({ ...asked, borders, lateRows: listLate(timeline, asked) }))
  const count = (placed[0]?.borders.length ?? 1) - 1
  for (let bucket = 0; bucket < count; bucket++) {
    const rows = parts.map(({ shape, borders, lateRows }) => ({
      shape,
      range: { from: borders[bucket] ?? 0, to: borders[bucket + 1] ?? 0 },
      late: lateRows.get(bucket) ?? [],
    }))
    const found = rows.filter(({ range, late }) => range.from !== range.to || late.length > 0)
    if (found.length > 0) yield [bucket, found]
  }
}

export function countAssets(
  source: ColumnSource,
  placed: readonly PlacedQuery[],
  numbers: Numbers,
): Numbers | undefined {
  const { timeline, assets } = source
  const { late, rows } = timeline
  const [first] = placed
  if (first === undefined) return undefined
  const { borders } = first
  const { shape, edges, from, to } = first.asked
  const { width, counts } = numbers
  const isAll = (borders[0] ?? 0) === 0 && (borders[1] ?? 0) === rows.count
  const isEverything = placed.length === 1 && edges.length === 0 && isAll
  if (shape.bits !== undefined && isEverything && areWithin(late.time, late.count, from, to)) {
    for (const [group, bits] of shape.bits.entries()) counts[group] = assets.countWithAny(bits)
    return numbers
  }
  const bits = shape.disjointSets * assets.count
  const words = Math.ceil(bits / 32)
  if (bits > MAX_BITS || words * (edges.length + 1) > MAX_CLEARED) return undefined
  const seen = new Uint32Array(words)
  for (const [bucket, parts] of listBuckets(source, placed)) {
    if (bucket > 0) seen.fill(0)
    const out = { ...numbers, base: bucket * width, seen }
    for (const part of parts) {
      const asked = { shape: part.shape, assets, want: 'assets' as const }
      scanRows(rows, part.range, asked, out)
      for (const row of part.late) scanRows(late, { from: row, to: row + 1 }, asked, out)
    }
  }
  return numbers
}

/** The maximum number of counters cleared during one query. */
const MAX_RANKED = 2 ** 29
const COUNTERS = 10_001

/** The percentile of each group in each bucket, from counts of its confidences. */
export function rankConfidences(
  source: ColumnSource,
  placed: readonly PlacedQuery[],
  numbers: Numbers,
): Numbers | undefined {
  const { timeline, assets } = source
  const { rows, late } = timeline
  const [first] = placed
  if (first === undefined) return undefined
  const { want, edges, p = 0 } = first.asked
  const { groups } = first.asked.shape
  const { width, counts, quantiles } = numbers
  if (!ConfidenceRanks.holds(groups) || groups * COUNTERS * (edges.length + 1) > MAX_RANKED) return undefined
  const ranks = new ConfidenceRanks(groups)
  for (const [bucket, parts] of listBuckets(source, placed)) {
    if (bucket > 0) ranks.clear()
    const base = bucket * width
    const out = { ...numbers, base, ranks }
    for (const part of parts) {
      const asked = { shape: part.shape, assets, want }
      scanRows(rows, part.range, asked, out)
      for (const row of part.late) scanRows(late, { from: row, to: row + 1 }, asked, out)
    }
    for (let group = 0; group < groups; group++) {
      const count = counts[base + group] ?? 0
      if (count > 0) quantiles[base + group] = toQuantile(ranks, group, count, p)
    }
  }
  return numbers
}

export function areWithin(times: Float64Array, count: number, from: number, to: number): boolean {
  for (let row = 0; row < count; row++) {
    const time = times[row] ?? 0
    if (time < from || time >= to) return false
  }
  return true
}

/** The late rows within the range, by bucket. */
export function listLate({ late }: TimelineRows, { from, to, edges }: FlowQuery): Map<number, number[]> {
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
