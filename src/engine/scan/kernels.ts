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

/** Counts rows by the group of their combination. */
export function tallyRows(
  { combo, groupOf }: { combo: Combos; groupOf: Uint32Array },
  from: number,
  to: number,
  counts: Int32Array,
): void {
  for (let row = from; row < to; row++) {
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
