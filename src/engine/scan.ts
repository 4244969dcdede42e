import type { AssetTable } from './assets.ts'
import type { Rows } from './rows.ts'
import type { Numbers, Shape } from './shape.ts'

/** What is wanted of the rows; `assets` counts each asset once. */
export type Want = 'count' | 'sum' | 'extremes' | 'assets'

const CHUNK = 4096
const groups = new Uint32Array(CHUNK)

/** Finds the group of each row of a chunk. */
function readGroups(rows: Rows, from: number, to: number, shape: Shape, { placeOf }: AssetTable): void {
  const { combo, asset, confidence } = rows
  const { groupOf, places, leastConfidence, groups: none } = shape
  if (places === undefined) {
    for (let row = from; row < to; row++) groups[row - from] = groupOf[combo[row] as number] as number
  } else {
    const { partOf, parts, groupOf: groupOfParts } = places
    for (let row = from; row < to; row++) {
      const part = partOf[placeOf[asset[row] as number] as number] as number
      groups[row - from] = groupOfParts[(groupOf[combo[row] as number] as number) * parts + part] as number
    }
  }
  if (leastConfidence === 0) return
  for (let row = from; row < to; row++) {
    // All ones for a row that is not sure enough: a branch would be guessed wrong too often.
    const left = ((confidence[row] as number) - leastConfidence) >> 31
    groups[row - from] = (none & left) | ((groups[row - from] as number) & ~left)
  }
}

/** The group of one row. */
export function groupOfRow(rows: Rows, row: number, shape: Shape, { placeOf }: AssetTable): number {
  const { groupOf, places, leastConfidence, groups: none } = shape
  if ((rows.confidence[row] as number) < leastConfidence) return none
  const own = groupOf[rows.combo[row] as number] as number
  if (places === undefined) return own
  const part = places.partOf[placeOf[rows.asset[row] as number] as number] as number
  return places.groupOf[own * places.parts + part] as number
}

/** Adds the rows `[from, to)`, or takes them away (`sign` -1), at `base` of the counts and sums. */
export function countRows(
  rows: Rows,
  range: { from: number; to: number; sign: 1 | -1 },
  shape: Shape,
  out: { counts: Float64Array; sums: Float64Array; base: number; summed: boolean },
): void {
  const { from, to, sign } = range
  const { combo, confidence } = rows
  const { counts, sums, base, summed } = out
  const { groupOf, leastConfidence } = shape
  if (leastConfidence > 0) {
    const over = leastConfidence - 1
    for (let row = from; row < to; row++) {
      const value = confidence[row] as number
      const at = base + (groupOf[combo[row] as number] as number)
      // 1 for a row that is sure enough, else 0: a branch would be guessed wrong too often.
      const step = sign * ((over - value) >>> 31)
      counts[at] = (counts[at] as number) + step
      if (summed) sums[at] = (sums[at] as number) + step * value
    }
  } else if (summed) {
    for (let row = from; row < to; row++) {
      const at = base + (groupOf[combo[row] as number] as number)
      counts[at] = (counts[at] as number) + sign
      sums[at] = (sums[at] as number) + sign * (confidence[row] as number)
    }
  } else {
    for (let row = from; row < to; row++) {
      const at = base + (groupOf[combo[row] as number] as number)
      counts[at] = (counts[at] as number) + sign
    }
  }
}

/** Goes through the rows `[from, to)` of one bucket, whatever the shape. */
export function scanRows(
  rows: Rows,
  range: { from: number; to: number },
  asked: { shape: Shape; assets: AssetTable; want: Want },
  out: Numbers & { base: number; seen?: Uint32Array | undefined },
): void {
  const { shape, assets, want } = asked
  const { base, counts, sums, least, greatest, seen } = out
  const { asset, confidence } = rows
  const none = shape.groups
  if (want === 'assets' && seen !== undefined && shape.places === undefined && shape.leastConfidence === 0) {
    markAssets(rows, range, shape, { counts, base, seen, all: assets.count })
    return
  }
  for (let start = range.from; start < range.to; start += CHUNK) {
    const end = Math.min(range.to, start + CHUNK)
    readGroups(rows, start, end, shape, assets)
    if (want === 'assets' && seen !== undefined) {
      const { laneOf } = shape
      const all = assets.count
      for (let row = start; row < end; row++) {
        const group = groups[row - start] as number
        if (group === none) continue
        const bit = (laneOf[group] as number) * all + (asset[row] as number)
        const word = bit >>> 5
        const before = seen[word] as number
        const after = before | (1 << (bit & 31))
        if (before === after >>> 0) continue
        seen[word] = after
        counts[base + group] = (counts[base + group] as number) + 1
      }
      continue
    }
    for (let row = start; row < end; row++) {
      const at = base + (groups[row - start] as number)
      counts[at] = (counts[at] as number) + 1
    }
    if (want === 'sum') {
      for (let row = start; row < end; row++) {
        const at = base + (groups[row - start] as number)
        sums[at] = (sums[at] as number) + (confidence[row] as number)
      }
    } else if (want === 'extremes') {
      for (let row = start; row < end; row++) {
        const at = base + (groups[row - start] as number)
        const value = confidence[row] as number
        if (value < (least[at] as number)) least[at] = value
        if (value > (greatest[at] as number)) greatest[at] = value
      }
    }
  }
}

/** Counts each asset once in each group of combinations: the most of all answers that need every row. */
function markAssets(
  { combo, asset }: Rows,
  { from, to }: { from: number; to: number },
  { groupOf, laneOf, groups: none }: Shape,
  { counts, base, seen, all }: { counts: Float64Array; base: number; seen: Uint32Array; all: number },
): void {
  for (let row = from; row < to; row++) {
    const group = groupOf[combo[row] as number] as number
    if (group === none) continue
    const bit = (laneOf[group] as number) * all + (asset[row] as number)
    const word = bit >>> 5
    const before = seen[word] as number
    const own = 1 << (bit & 31)
    if ((before & own) !== 0) continue
    seen[word] = before | own
    counts[base + group] = (counts[base + group] as number) + 1
  }
}
