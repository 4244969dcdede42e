import type { AssetTable } from '../index/assets.ts'
import type { OwnRows, Rows } from '../index/rows.ts'
import { countConfident, markAssets, sumConfident, tallyPairs, tallyRows } from './kernels.ts'
import type { ConfidenceRanks } from './ranks.ts'
import type { Numbers, PlaceParts, Shape } from './shape.ts'

/** What to compute over the rows; `assets` counts each asset once, `ranks` serve percentiles. */
export type Want = 'count' | 'sum' | 'extremes' | 'assets' | 'ranks'

/** Rows whose groups are found at once. */
export const CHUNK = 4096
/** The groups that `readGroups` has found. */
export const groups = new Uint32Array(CHUNK)

/** Finds the group of each row of a chunk. */
export function readGroups(rows: Rows, from: number, to: number, shape: Shape, { placeOf }: AssetTable): void {
  const { combo, asset, confidence } = rows
  const { groupOf, places, minConfidence, test, groups: none } = shape
  if (places === undefined) {
    for (let row = from; row < to; row++) groups[row - from] = groupOf[combo[row] as number] as number
  } else {
    const { partOf, parts, groupOf: groupOfParts } = places
    if (places.isByAsset) {
      for (let row = from; row < to; row++) {
        const part = partOf[asset[row] as number] as number
        groups[row - from] = groupOfParts[(groupOf[combo[row] as number] as number) * parts + part] as number
      }
    } else {
      for (let row = from; row < to; row++) {
        const part = partOf[placeOf[asset[row] as number] as number] as number
        groups[row - from] = groupOfParts[(groupOf[combo[row] as number] as number) * parts + part] as number
      }
    }
  }
  if (test !== undefined) {
    for (let row = from; row < to; row++) {
      if (groups[row - from] !== none && !test(rows, row)) groups[row - from] = none
    }
  }
  if (minConfidence === 0) return
  for (let row = from; row < to; row++) {
    // All ones for a row below the minimum confidence: a branch would be mispredicted too often.
    const left = ((confidence[row] as number) - minConfidence) >> 31
    groups[row - from] = (none & left) | ((groups[row - from] as number) & ~left)
  }
}

/** Adds the number of rows `[from, to)` that a shape without groups admits, by asset, or subtracts it (`sign` -1). */
export function countByAsset(
  rows: Rows,
  range: Range,
  { shape, assets }: { shape: Shape; assets: AssetTable },
  counts: Uint32Array,
): void {
  const { asset } = rows
  for (let start = range.from; start < range.to; start += CHUNK) {
    const end = Math.min(range.to, start + CHUNK)
    readGroups(rows, start, end, shape, assets)
    for (let row = start; row < end; row++) {
      const own = asset[row] as number
      counts[own] = (counts[own] as number) + range.sign * (1 - (groups[row - start] as number))
    }
  }
}

/** Counts the rows `[from, to)` that a shape admits, by group and value: at `group * values + value`. */
export function countRowsByValue(
  rows: OwnRows,
  range: { from: number; to: number },
  { shape, assets, values }: { shape: Shape; assets: AssetTable; values: number },
  counts: Uint32Array,
): void {
  const { value } = rows
  for (let start = range.from; start < range.to; start += CHUNK) {
    const end = Math.min(range.to, start + CHUNK)
    readGroups(rows, start, end, shape, assets)
    for (let row = start; row < end; row++) {
      const group = groups[row - start] as number
      if (group === shape.groups) continue
      const at = group * values + (value[row] ?? 0)
      counts[at] = (counts[at] as number) + 1
    }
  }
}

export function groupOfRow(rows: Rows, row: number, shape: Shape, { placeOf }: AssetTable): number {
  const { groupOf, places, minConfidence, test, groups: none } = shape
  if ((rows.confidence[row] as number) < minConfidence) return none
  let group = groupOf[rows.combo[row] as number] as number
  if (places !== undefined) {
    const asset = rows.asset[row] as number
    const part = places.partOf[places.isByAsset ? asset : (placeOf[asset] as number)] as number
    group = places.groupOf[group * places.parts + part] as number
  }
  return group === none || test === undefined || test(rows, row) ? group : none
}

/** Accumulators of a result: counts, and sums of confidence if requested, of groups at `base` and after. */
export interface Counted {
  counts: Float64Array
  sums: Float64Array
  base: number
  summed: boolean
}
type Range = { from: number; to: number; sign: 1 | -1 }

/** Shared buffers for the inner loops, as wide as the widest shape so far; all zero between uses. */
const scratch = { counts: new Int32Array(256), sums: new Float64Array(256) }

function openScratch(width: number): typeof scratch {
  if (scratch.counts.length < width) {
    scratch.counts = new Int32Array(width * 2)
    scratch.sums = new Float64Array(width * 2)
  }
  return scratch
}

/** Adds the rows `[from, to)` to the counts and sums at `base`, or subtracts them (`sign` -1). */
export function countRows(rows: Rows, range: Range, shape: Shape, out: Counted): void {
  const { from, to, sign } = range
  const width = shape.groups + 1
  // A few rows are counted in place, to avoid a pass over all groups of a wide shape.
  if (to - from < width) {
    countFew(rows, range, shape, out)
    return
  }
  const { combo, confidence } = rows
  const { groupOf, minConfidence: least } = shape
  const { counts, sums } = openScratch(width)
  if (out.summed) sumConfident({ combo, confidence, groupOf, least }, from, to, { counts, sums })
  else if (least > 0) countConfident({ combo, confidence, groupOf, least }, from, to, counts)
  else tallyRows({ combo, groupOf }, from, to, counts)
  for (let group = 0; group < width; group++) {
    const at = out.base + group
    out.counts[at] = (out.counts[at] as number) + sign * (counts[group] as number)
    counts[group] = 0
    if (!out.summed) continue
    out.sums[at] = (out.sums[at] as number) + sign * (sums[group] as number)
    sums[group] = 0
  }
}

function countFew(
  { combo, confidence }: Rows,
  { from, to, sign }: Range,
  { groupOf, minConfidence }: Shape,
  { counts, sums, base, summed }: Counted,
): void {
  for (let row = from; row < to; row++) {
    const value = confidence[row] as number
    if (value < minConfidence) continue
    const at = base + (groupOf[combo[row] as number] as number)
    counts[at] = (counts[at] as number) + sign
    if (summed) sums[at] = (sums[at] as number) + sign * value
  }
}

/** From this number of rows on, and up to this number of pairs, rows may be counted by pair. */
const MIN_PAIRED = 1024
const MAX_PAIRS = 2 ** 17

/** Whether there are enough rows to make up for a pass over all pairs, and over a share of the assets. */
const isWorthPairing = (rows: number, { groupOf, isByAsset }: PlaceParts, assets: AssetTable): boolean => {
  const passes = isByAsset ? 0 : assets.count / 8
  return groupOf.length <= MAX_PAIRS && rows >= Math.max(MIN_PAIRED, groupOf.length, passes)
}

/** Counts the rows `[from, to)` by the parts of their combination and of their asset. */
function countPairs(
  { combo, asset }: Rows,
  { from, to }: { from: number; to: number },
  { groupOf, places }: { groupOf: Uint32Array; places: PlaceParts },
  { assets, counts, base }: { assets: AssetTable; counts: Float64Array; base: number },
): void {
  const pairs = places.groupOf.length
  const { parts, isByAsset } = places
  const found = openScratch(pairs).counts
  const partOf = isByAsset ? places.partOf : toPartsOfAssets(places, assets)
  tallyPairs({ combo, asset, groupOf, partOf, parts }, from, to, found)
  for (let pair = 0; pair < pairs; pair++) {
    const at = base + (places.groupOf[pair] as number)
    counts[at] = (counts[at] as number) + (found[pair] as number)
  }
  found.fill(0, 0, pairs)
}

/** The part of each asset, kept until an asset is added or changes. */
function toPartsOfAssets(places: PlaceParts, { count, placeOf, version }: AssetTable): Uint16Array | Uint32Array {
  const known = places.ofAssets
  if (known?.version === version) return known.partOf
  const partOf = places.parts <= 2 ** 16 ? new Uint16Array(count) : new Uint32Array(count)
  for (let asset = 0; asset < count; asset++) partOf[asset] = places.partOf[placeOf[asset] as number] as number
  places.ofAssets = { partOf, version }
  return partOf
}

/** Scans the rows `[from, to)` of one bucket for any shape. */
export function scanRows(
  rows: Rows,
  range: { from: number; to: number },
  asked: { shape: Shape; assets: AssetTable; want: Want },
  out: Numbers & { base: number; seen?: Uint32Array | undefined; ranks?: ConfidenceRanks | undefined },
): void {
  const { shape, assets, want } = asked
  const { base, counts, sums, least, greatest, seen, ranks } = out
  const { asset, confidence } = rows
  const none = shape.groups
  const isPlain = shape.places === undefined && shape.minConfidence === 0 && shape.test === undefined
  if (want === 'assets' && seen !== undefined && isPlain && range.to - range.from > none) {
    const bitOf = shape.disjointSetOf.map((set) => set * assets.count)
    const { combo } = rows
    const marked = openScratch(none + 1).counts
    markAssets({ combo, asset, groupOf: shape.groupOf, none }, range.from, range.to, { bitOf, seen, counts: marked })
    for (let group = 0; group < none; group++) {
      counts[base + group] = (counts[base + group] as number) + (marked[group] as number)
    }
    marked.fill(0, 0, none)
    return
  }
  const { places } = shape
  const isCounted = want === 'count' && shape.minConfidence === 0 && shape.test === undefined
  if (isCounted && places !== undefined && isWorthPairing(range.to - range.from, places, assets)) {
    countPairs(rows, range, { groupOf: shape.groupOf, places }, { assets, counts, base })
    return
  }
  for (let start = range.from; start < range.to; start += CHUNK) {
    const end = Math.min(range.to, start + CHUNK)
    readGroups(rows, start, end, shape, assets)
    if (want === 'assets' && seen !== undefined) {
      const { disjointSetOf } = shape
      const all = assets.count
      for (let row = start; row < end; row++) {
        const group = groups[row - start] as number
        if (group === none) continue
        const bit = (disjointSetOf[group] as number) * all + (asset[row] as number)
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
    } else if (ranks !== undefined) {
      for (let row = start; row < end; row++) {
        const group = groups[row - start] as number
        if (group !== none) ranks.add(group, confidence[row] as number, 1)
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
