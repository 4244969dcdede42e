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
  /** The lane of each group: two groups in one lane never contain the same asset. */
  laneOf: Uint32Array
  lanes: number
  /** Minimum confidence in ten-thousandths; rows below it are filtered out. */
  leastConfidence: number
  /** True for a single group without a filter. */
  isWhole: boolean
  /** The (severity, status) bits of each group, when nothing else distinguishes groups: see `AssetTable`. */
  bits?: number[] | undefined
}

interface PlaceParts {
  /** Whether `partOf` is by asset rather than by place. */
  isByAsset: boolean
  /** By place or asset: its part of the group. */
  partOf: Uint32Array
  /** The number of parts. */
  parts: number
  /** The group of a combination part and a place part; index `combination part * parts + place part`. */
  groupOf: Uint32Array
}

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
