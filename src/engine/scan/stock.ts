import type { Engine } from '../columnar-index.ts'
import type { Rows } from '../index/rows.ts'
import type { TimelineRows } from '../index/timeline.ts'
import { firstOver } from '../index/times.ts'
import { answerFlow } from './ask.ts'
import { ConfidenceRanks, toQuantile } from './ranks.ts'
import { CHUNK, groupOfRow, groups, readGroups, type Want } from './scan.ts'
import { NO_MIN, type Numbers, type Shape } from './shape.ts'

const MAX_COUNTERS = 2 ** 26
const MAX_NUMBERS = 8_000_000

/** Findings that count from some time after their first detection on, in states that the shape admits. */
export interface StockPart {
  shape: Shape
  /** 0 for the first detection itself. */
  waitMs: number
  /** -1 for findings that are left out of those of another part. */
  sign: 1 | -1
}

export interface StockQuery {
  /** All have the same groups. */
  parts: readonly StockPart[]
  want: Want
  /** With `ranks`: the percentile to take, from 0 to 1. */
  p?: number | undefined
  /** Ascending; a finding counts at a moment when it is detected, or overdue, before the moment. */
  moments: readonly number[]
}

/**
 * Findings in their state at each of several moments, one bucket for each; undefined without moments or parts, or
 * beyond the memory limits.
 */
export function answerStock(engine: Engine, asked: StockQuery): Numbers | undefined {
  const { parts, want, moments } = asked
  const [first, ...others] = parts
  if (first === undefined || moments.length === 0) return undefined
  if (want === 'assets') return countAssets(engine, asked, first.shape)
  if (want === 'extremes' || want === 'ranks') return measure(engine, asked, first.shape)
  const numbers = countPart(engine, first, asked)
  if (numbers === undefined) return undefined
  for (const part of others) {
    const more = countPart(engine, part, asked)
    if (more === undefined) return undefined
    for (const [items, added] of [
      [numbers.counts, more.counts],
      [numbers.sums, more.sums],
    ] as const) {
      for (let at = 0; at < items.length; at++) items[at] = (items[at] as number) + (added[at] as number)
    }
  }
  return numbers
}

/** The instant at which the findings that are overdue just before a moment were detected at the latest. */
const toDetection = (moment: number, waitMs: number): number => (waitMs === 0 ? moment : moment - waitMs + 1)

/** Counts and sums of one part at each moment. */
function countPart(engine: Engine, part: StockPart, { want, moments }: StockQuery): Numbers | undefined {
  const { findings, history, assets } = engine
  const { shape, waitMs, sign } = part
  const [last = 0, ...before] = moments.map((moment) => toDetection(moment, waitMs)).reverse()
  const flow = { shape, want, from: Number.NEGATIVE_INFINITY, to: last, edges: before.reverse() }
  const count = (timeline: TimelineRows) =>
    waitMs === 0 ? answerFlow({ timeline, assets }, flow) : countWaiting(engine, timeline, part, { want, moments })
  const [present, enters, leaves] = [
    answerFlow({ timeline: findings, assets }, flow),
    count(history.enters),
    count(history.leaves),
  ]
  if (present === undefined || enters === undefined || leaves === undefined) return undefined
  const { width, counts, sums } = present
  for (const [items, added, taken] of [
    [counts, enters.counts, leaves.counts],
    [sums, enters.sums, leaves.sums],
  ] as const) {
    for (let at = 0; at < items.length; at++) {
      const sum = at < width ? 0 : (items[at - width] ?? 0)
      items[at] = sum + sign * ((items[at] ?? 0) + (added[at] ?? 0) - (taken[at] ?? 0))
    }
  }
  return present
}

/** Row numbers, those of late rows counted on from those in time order, by the first moment at which they count. */
interface WaitingRows {
  order: Uint32Array
  /** The index in `order` at which the rows of each moment begin, and the end. */
  starts: Uint32Array
}

/** The rows of changes that count at some moment, each from its change on and not before its finding is overdue. */
function orderWaiting(
  engine: Engine,
  { rows, late }: TimelineRows,
  { shape, waitMs }: StockPart,
  moments: readonly number[],
): WaitingRows {
  const { assets } = engine
  const last = moments.at(-1) ?? Number.NEGATIVE_INFINITY
  const ends = [rows.firstAtOrAfter(last), late.count]
  const indexes = new Uint32Array((ends[0] ?? 0) + (ends[1] ?? 0))
  const momentOf = new Uint32Array(indexes.length)
  const starts = new Uint32Array(moments.length + 1)
  let count = 0
  for (const [part, own] of [rows, late].entries()) {
    for (let row = 0; row < (ends[part] ?? 0); row++) {
      if (groupOfRow(own, row, shape, assets) === shape.groups) continue
      const finding = engine.findRow(own.id[row] as number)
      const since = Math.max(own.timeOf(row), (finding?.rows.timeOf(finding.row) ?? 0) + waitMs - 1)
      if (since >= last) continue
      const moment = firstOver(moments, since)
      indexes[count] = part * rows.count + row
      momentOf[count++] = moment
      starts[moment + 1] = (starts[moment + 1] as number) + 1
    }
  }
  for (let moment = 0; moment < moments.length; moment++) {
    starts[moment + 1] = (starts[moment + 1] as number) + (starts[moment] as number)
  }
  const next = starts.slice()
  const order = new Uint32Array(count)
  for (let index = 0; index < count; index++) {
    const moment = momentOf[index] as number
    order[next[moment] as number] = indexes[index] as number
    next[moment] = (next[moment] as number) + 1
  }
  return { order, starts }
}

function countWaiting(
  engine: Engine,
  timeline: TimelineRows,
  part: StockPart,
  { want, moments }: Pick<StockQuery, 'want' | 'moments'>,
): Pick<Numbers, 'counts' | 'sums'> {
  const { rows, late } = timeline
  const { assets } = engine
  const { shape } = part
  const width = shape.groups + 1
  const counts = new Float64Array(width * moments.length)
  const sums = new Float64Array(want === 'sum' ? counts.length : 0)
  const { order, starts } = orderWaiting(engine, timeline, part, moments)
  for (let moment = 0; moment < moments.length; moment++) {
    const end = starts[moment + 1] as number
    for (let index = starts[moment] as number; index < end; index++) {
      const place = order[index] as number
      const [own, row] = place < rows.count ? [rows, place] : [late, place - rows.count]
      const at = moment * width + groupOfRow(own, row, shape, assets)
      counts[at] = (counts[at] as number) + 1
      if (want === 'sum') sums[at] = (sums[at] as number) + (own.confidence[row] as number)
    }
  }
  return { counts, sums }
}

/** Visits the rows of all groups one by one in time order, calling `close` at each moment. */
function followThrough(
  engine: Engine,
  { parts, moments }: Pick<StockQuery, 'parts' | 'moments'>,
  follow: (group: number, rows: Rows, row: number, by: 1 | -1) => void,
  close: (index: number) => void,
): void {
  const { findings, history, assets } = engine
  const read = (part: StockPart, { rows, late }: TimelineRows, [from, to]: readonly [number, number], by: 1 | -1) => {
    const { shape } = part
    const none = shape.groups
    const end = rows.firstAtOrAfter(to)
    for (let start = rows.firstAtOrAfter(from); start < end; start += CHUNK) {
      const next = Math.min(end, start + CHUNK)
      readGroups(rows, start, next, shape, assets)
      for (let row = start; row < next; row++) {
        const group = groups[row - start] as number
        if (group !== none) follow(group, rows, row, by)
      }
    }
    for (let row = 0; row < late.count; row++) {
      const time = late.time[row] as number
      if (time < from || time >= to) continue
      const group = groupOfRow(late, row, shape, assets)
      if (group !== none) follow(group, late, row, by)
    }
  }
  const readWaiting = (
    { rows, late }: TimelineRows,
    { order, starts }: WaitingRows,
    { shape }: StockPart,
    index: number,
    by: 1 | -1,
  ) => {
    for (const place of order.subarray(starts[index], starts[index + 1])) {
      const [own, row] = place < rows.count ? [rows, place] : [late, place - rows.count]
      follow(groupOfRow(own, row, shape, assets), own, row, by)
    }
  }
  const waiting = parts.map((part) =>
    part.waitMs === 0
      ? undefined
      : {
          enters: orderWaiting(engine, history.enters, part, moments),
          leaves: orderWaiting(engine, history.leaves, part, moments),
        },
  )
  let before = Number.NEGATIVE_INFINITY
  for (const [index, moment] of moments.entries()) {
    for (const [number, part] of parts.entries()) {
      const { waitMs, sign } = part
      const ordered = waiting[number]
      read(part, findings, [toDetection(before, waitMs), toDetection(moment, waitMs)], sign)
      if (ordered === undefined) {
        read(part, history.enters, [before, moment], sign)
        read(part, history.leaves, [before, moment], sign === 1 ? -1 : 1)
      } else {
        readWaiting(history.enters, ordered.enters, part, index, sign)
        readWaiting(history.leaves, ordered.leaves, part, index, sign === 1 ? -1 : 1)
      }
    }
    close(index)
    before = moment
  }
}

const nothing = {
  sums: new Float64Array(0),
  least: new Uint16Array(0),
  greatest: new Uint16Array(0),
  quantiles: new Float64Array(0),
}

/** Distinct assets at each moment, from a running count of findings by asset and disjoint set. */
function countAssets(engine: Engine, { parts, moments }: StockQuery, shape: Shape): Numbers | undefined {
  const width = shape.groups + 1
  const all = engine.assets.count
  if (shape.disjointSets * all > MAX_COUNTERS || width * moments.length > MAX_NUMBERS) return undefined
  const counters = new Int32Array(shape.disjointSets * all)
  const present = new Float64Array(width)
  const counts = new Float64Array(width * moments.length)
  const follow = (group: number, rows: Rows, row: number, by: 1 | -1) => {
    const at = (shape.disjointSetOf[group] as number) * all + (rows.asset[row] as number)
    const before = counters[at] as number
    counters[at] = before + by
    const change = (before + by > 0 ? 1 : 0) - (before > 0 ? 1 : 0)
    if (change !== 0) present[group] = (present[group] as number) + change
  }
  followThrough(engine, { parts, moments }, follow, (index) => counts.set(present, index * width))
  return { ...nothing, width, counts }
}

/** Minimum, maximum and percentile of confidence at each moment, from running counts of findings by confidence. */
function measure(engine: Engine, { parts, want, moments, p = 0 }: StockQuery, shape: Shape): Numbers | undefined {
  const { groups } = shape
  const width = groups + 1
  if (!ConfidenceRanks.holds(groups) || width * moments.length > MAX_NUMBERS) return undefined
  const ranks = new ConfidenceRanks(groups)
  const present = new Float64Array(width)
  const counts = new Float64Array(width * moments.length)
  const least = new Uint16Array(counts.length).fill(NO_MIN)
  const greatest = new Uint16Array(counts.length)
  const quantiles = new Float64Array(want === 'ranks' ? counts.length : 0)
  const follow = (group: number, { confidence }: Rows, row: number, by: 1 | -1) => {
    ranks.add(group, confidence[row] as number, by)
    present[group] = (present[group] as number) + by
  }
  followThrough(engine, { parts, moments }, follow, (index) => {
    counts.set(present, index * width)
    for (let group = 0; group < groups; group++) {
      const count = present[group] as number
      if (count === 0) continue
      if (want === 'ranks') quantiles[index * width + group] = toQuantile(ranks, group, count, p)
      else {
        least[index * width + group] = ranks.at(group, 0)
        greatest[index * width + group] = ranks.at(group, count - 1)
      }
    }
  })
  return { ...nothing, width, counts, least, greatest, quantiles }
}
