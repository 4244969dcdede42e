import type { Engine } from '../columnar-index.ts'
import type { Rows } from '../index/rows.ts'
import { NO_MIN } from '../index/tallies.ts'
import type { Timeline } from '../index/timeline.ts'
import { answerFlow } from './ask.ts'
import { ConfidenceRanks, toQuantile } from './ranks.ts'
import { groupOfRow, type Want } from './scan.ts'
import type { Numbers, Shape } from './shape.ts'

const MAX_COUNTERS = 2 ** 26
const MAX_NUMBERS = 8_000_000

export interface StockQuery {
  shape: Shape
  want: Want
  /** With `ranks`: the percentile to take, from 0 to 1. */
  p?: number | undefined
  /** Ascending; a row counts at a moment when its time is before the moment. */
  moments: readonly number[]
}

/**
 * Findings in their state at each of several moments, one bucket for each; undefined without moments or beyond the
 * memory limits.
 */
export function answerStock(engine: Engine, asked: StockQuery): Numbers | undefined {
  const { shape, want, moments } = asked
  const { findings, history, assets } = engine
  const last = moments.at(-1)
  if (last === undefined) return undefined
  if (want === 'assets') return countAssets(engine, shape, moments)
  if (want === 'extremes' || want === 'ranks') return measure(engine, asked)
  const flow = { shape, want, from: Number.NEGATIVE_INFINITY, to: last, edges: moments.slice(0, -1) }
  const parts = [findings, history.enters, history.leaves].map((timeline) => answerFlow({ timeline, assets }, flow))
  const [present, enters, leaves] = parts
  if (present === undefined || enters === undefined || leaves === undefined) return undefined
  const { width, counts, sums } = present
  for (const [items, added, taken] of [
    [counts, enters.counts, leaves.counts],
    [sums, enters.sums, leaves.sums],
  ] as const) {
    for (let at = 0; at < items.length; at++) {
      const before = at < width ? 0 : (items[at - width] ?? 0)
      items[at] = before + (items[at] ?? 0) + (added[at] ?? 0) - (taken[at] ?? 0)
    }
  }
  return present
}

/** Visits the rows of all groups one by one in time order, calling `close` at each moment. */
function followThrough(
  { findings, history, assets }: Engine,
  { shape, moments }: Pick<StockQuery, 'shape' | 'moments'>,
  follow: (group: number, rows: Rows, row: number, by: 1 | -1) => void,
  close: (index: number) => void,
): void {
  const none = shape.groups
  const read = ({ rows, late }: Timeline, from: number, to: number, by: 1 | -1) => {
    const end = rows.firstAtOrAfter(to)
    for (let row = rows.firstAtOrAfter(from); row < end; row++) {
      const group = groupOfRow(rows, row, shape, assets)
      if (group !== none) follow(group, rows, row, by)
    }
    for (let row = 0; row < late.count; row++) {
      const time = late.time[row] as number
      if (time < from || time >= to) continue
      const group = groupOfRow(late, row, shape, assets)
      if (group !== none) follow(group, late, row, by)
    }
  }
  let from = Number.NEGATIVE_INFINITY
  for (const [index, moment] of moments.entries()) {
    read(findings, from, moment, 1)
    read(history.enters, from, moment, 1)
    read(history.leaves, from, moment, -1)
    close(index)
    from = moment
  }
}

const nothing = {
  sums: new Float64Array(0),
  least: new Uint16Array(0),
  greatest: new Uint16Array(0),
  quantiles: new Float64Array(0),
}

/** Distinct assets at each moment, from a running count of findings by asset and disjoint set. */
function countAssets(engine: Engine, shape: Shape, moments: readonly number[]): Numbers | undefined {
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
  followThrough(engine, { shape, moments }, follow, (index) => counts.set(present, index * width))
  return { ...nothing, width, counts }
}

/** Minimum, maximum and percentile of confidence at each moment, from running counts of findings by confidence. */
function measure(engine: Engine, { shape, want, moments, p = 0 }: StockQuery): Numbers | undefined {
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
  followThrough(engine, { shape, moments }, follow, (index) => {
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
