import { ask } from './ask.ts'
import type { Engine } from './engine.ts'
import type { Rows } from './rows.ts'
import { groupOfRow, type Want } from './scan.ts'
import type { Numbers, Shape } from './shape.ts'
import type { Timeline } from './timeline.ts'

const MOST_COUNTERS = 2 ** 26
const MOST_NUMBERS = 8_000_000

export interface StockAsked {
  shape: Shape
  want: Want
  /** Ascending; a row counts at a moment when it lies before it. */
  moments: readonly number[]
}

/** Findings as they were at some moments, one bucket each; undefined when it cannot be told from the columns. */
export function askStock(engine: Engine, { shape, want, moments }: StockAsked): Numbers | undefined {
  const { findings, history, assets } = engine
  const last = moments.at(-1)
  if (last === undefined || want === 'extremes') return undefined
  if (want === 'assets') return countAssets(engine, shape, moments)
  const asked = { shape, want, from: Number.NEGATIVE_INFINITY, to: last, edges: moments.slice(0, -1) }
  const parts = [findings, history.enters, history.leaves].map((timeline) => ask({ timeline, assets }, asked))
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

/** Distinct assets at each moment: how many findings each asset has in each lane is followed through time. */
function countAssets(
  { findings, history, assets }: Engine,
  shape: Shape,
  moments: readonly number[],
): Numbers | undefined {
  const width = shape.groups + 1
  if (shape.lanes * assets.count > MOST_COUNTERS || width * moments.length > MOST_NUMBERS) return undefined
  const counters = new Int32Array(shape.lanes * assets.count)
  const present = new Float64Array(width)
  const counts = new Float64Array(width * moments.length)
  const read = (timeline: Timeline, from: number, to: number, by: 1 | -1) => {
    const follow = (rows: Rows, row: number) => {
      const group = groupOfRow(rows, row, shape, assets)
      if (group === shape.groups) return
      const at = (shape.laneOf[group] as number) * assets.count + (rows.asset[row] as number)
      const before = counters[at] as number
      counters[at] = before + by
      const change = (before + by > 0 ? 1 : 0) - (before > 0 ? 1 : 0)
      if (change !== 0) present[group] = (present[group] as number) + change
    }
    const { rows, late } = timeline
    const end = rows.firstAtOrAfter(to)
    for (let row = rows.firstAtOrAfter(from); row < end; row++) follow(rows, row)
    for (let row = 0; row < late.count; row++) {
      const time = late.time[row] as number
      if (time >= from && time < to) follow(late, row)
    }
  }
  let from = Number.NEGATIVE_INFINITY
  for (const [index, moment] of moments.entries()) {
    read(findings, from, moment, 1)
    read(history.enters, from, moment, 1)
    read(history.leaves, from, moment, -1)
    counts.set(present, index * width)
    from = moment
  }
  const none = new Uint16Array(0)
  return { width, counts, sums: new Float64Array(0), least: none, greatest: none }
}
