// The inner loops over rows: integer arithmetic, without branches that are often mispredicted.

import type { Rows } from '../index/rows.ts'

type Combos = Rows['combo']

/** Input for counting rows of at least confidence `least` by the group of their combination. */
interface ConfidentRows {
  combo: Combos
  confidence: Uint16Array
  groupOf: Uint32Array
  least: number
}

/** Input for counting rows by the parts of their combination and of their asset. */
interface PairedRows {
  combo: Combos
  asset: Uint32Array
  groupOf: Uint32Array
  /** By asset. */
  partOf: Uint16Array | Uint32Array
  parts: number
}

/** Counts rows by pair; index `combination part * parts + asset part`. */
export function tallyPairs(
  { combo, asset, groupOf, partOf, parts }: PairedRows,
  from: number,
  to: number,
  counts: Int32Array,
): void {
  for (let row = from; row < to; row++) {
    const at = (groupOf[combo[row] as number] as number) * parts + (partOf[asset[row] as number] as number)
    counts[at] = (counts[at] as number) + 1
  }
}

/** Up to this number of groups, rows are counted in four arrays: one count that is incremented row after row is slow. */
const MAX_LANE_GROUPS = 256
const lanes = Array.from({ length: 3 }, () => new Int32Array(MAX_LANE_GROUPS)) as [Int32Array, Int32Array, Int32Array]

/** Counts rows by group; `counts` are zero before. @param width the number of groups */
export function tallyRows(
  { combo, groupOf, width }: { combo: Combos; groupOf: Uint32Array; width: number },
  from: number,
  to: number,
  counts: Int32Array,
): void {
  let row = from
  if (width <= MAX_LANE_GROUPS && to - from >= 4 * width) {
    const [second, third, fourth] = lanes
    for (const end = to - 3; row < end; row += 4) {
      const a = groupOf[combo[row] as number] as number
      const b = groupOf[combo[row + 1] as number] as number
      const c = groupOf[combo[row + 2] as number] as number
      const d = groupOf[combo[row + 3] as number] as number
      counts[a] = (counts[a] as number) + 1
      second[b] = (second[b] as number) + 1
      third[c] = (third[c] as number) + 1
      fourth[d] = (fourth[d] as number) + 1
    }
    for (let group = 0; group < width; group++) {
      counts[group] =
        (counts[group] as number) + (second[group] as number) + (third[group] as number) + (fourth[group] as number)
      second[group] = 0
      third[group] = 0
      fourth[group] = 0
    }
  }
  for (; row < to; row++) {
    const group = groupOf[combo[row] as number] as number
    counts[group] = (counts[group] as number) + 1
  }
}

/** Counts rows of at least confidence `least` by group. */
export function countConfident(
  { combo, confidence, groupOf, least }: ConfidentRows,
  from: number,
  to: number,
  counts: Int32Array,
): void {
  const over = least - 1
  for (let row = from; row < to; row++) {
    const group = groupOf[combo[row] as number] as number
    counts[group] = (counts[group] as number) + ((over - (confidence[row] as number)) >>> 31)
  }
}

/** Like `countConfident`, also summing the confidences. */
export function sumConfident(
  { combo, confidence, groupOf, least }: ConfidentRows,
  from: number,
  to: number,
  { counts, sums }: { counts: Int32Array; sums: Float64Array },
): void {
  const over = least - 1
  for (let row = from; row < to; row++) {
    const value = confidence[row] as number
    const isSure = (over - value) >>> 31
    const group = groupOf[combo[row] as number] as number
    counts[group] = (counts[group] as number) + isSure
    sums[group] = (sums[group] as number) + isSure * value
  }
}

/**
 * Counts, by group, the assets not yet seen in the group's disjoint set, and sets their bits.
 * @param bitOf the first bit of each group's disjoint set
 */
export function markAssets(
  { combo, asset, groupOf, none }: { combo: Combos; asset: Uint32Array; groupOf: Uint32Array; none: number },
  from: number,
  to: number,
  { bitOf, seen, counts }: { bitOf: Uint32Array; seen: Uint32Array; counts: Int32Array },
): void {
  for (let row = from; row < to; row++) {
    const group = groupOf[combo[row] as number] as number
    if (group === none) continue
    const bit = (bitOf[group] as number) + (asset[row] as number)
    const word = bit >>> 5
    const before = seen[word] as number
    seen[word] = before | (1 << (bit & 31))
    counts[group] = (counts[group] as number) + (((before >>> (bit & 31)) & 1) ^ 1)
  }
}
