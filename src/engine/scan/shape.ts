import type { AssetFacets, OwnFacets } from '../index/assets.ts'

/** Grouping and filtering of a query, as lookup tables over combinations and places. */
export interface Shape {
  /** The number of groups; as a group number it means "filtered out". */
  groups: number
  /** By combination: its group, or with `places` the combination's part of the group. */
  groupOf: Uint32Array
  /** The combinations that are not filtered out. */
  members: Uint32Array
  /** By cell, when all combinations of each cell have the same group. */
  cellGroupOf?: Uint32Array | undefined
  /** By cell: its group, or with `places` the cell's part of the group. */
  cellPartOf?: Uint32Array | undefined
  /** Present when the group also depends on the asset. */
  places?: PlaceParts | undefined
  /** The set that each group belongs to; no asset is in two groups of one set, so they share one bit for each asset. */
  disjointSetOf: Uint32Array
  disjointSets: number
  /** Minimum confidence in ten-thousandths; rows below it are filtered out. */
  minConfidence: number
  /** True for a single group without a filter. */
  isWhole: boolean
  /** Only findings that were resolved within this time from their first detection, or only those that took longer. */
  resolved?: { withinMs: number; isLate: boolean } | undefined
  /** By number of the value, 1 for findings that are not filtered out; absent: all are kept. */
  values?: Uint8Array | undefined
  /** The (severity, status) bits of each group, when nothing else distinguishes groups: see `AssetTable`. */
  bits?: number[] | undefined
}

export interface PlaceParts {
  /** Whether `partOf` is by asset rather than by place. */
  isByAsset: boolean
  /** By place or asset: its part of the group. */
  readonly partOf: Uint32Array
  /** The parts by value of one facet, when they depend on nothing else. */
  ofValues?: { slot: keyof AssetFacets | keyof OwnFacets; partOf: Uint32Array } | undefined
  /** The number of parts. */
  parts: number
  /** The group of a combination part and a place part; index `combination part * parts + place part`. */
  groupOf: Uint32Array
  /** The parts by asset where `partOf` is by place, and the version of the assets that they are of. */
  ofAssets?: { partOf: Uint16Array | Uint32Array; version: number }
  /** The (severity, status) bits of each combination part, when nothing else distinguishes combinations. */
  bits?: number[] | undefined
}

/** Minimum of no rows: above every confidence. */
export const NO_MIN = 65_535

/** Results by bucket and group; index `bucket * width + group`. */
export interface Numbers {
  width: number
  counts: Float64Array
  sums: Float64Array
  /** Minimum confidence; `NO_MIN` where there are no rows. */
  least: Uint16Array
  greatest: Uint16Array
  /** Percentile of confidence; only where there are rows. */
  quantiles: Float64Array
}
