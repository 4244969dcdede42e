/** What an answer is grouped by, and what it leaves out: lookup tables over combinations and places. */
export interface Shape {
  /** How many groups there are; the number itself stands for "left out". */
  groups: number
  /** By combination: its group; with `places`, its own part of the group. */
  groupOf: Uint32Array
  /** The combinations that are not left out. */
  members: Uint32Array
  /** By cell, when all combinations of each cell have one group. */
  cellGroupOf?: Uint32Array | undefined
  /** By cell, with `places` too: its group, or its own part of it. */
  cellPartOf?: Uint32Array | undefined
  /** When the asset has a say in the group. */
  places?: PlaceParts | undefined
  /** Lanes of groups: two groups of one lane never hold the same asset. */
  laneOf: Uint32Array
  lanes: number
  /** Rows of less confidence, in ten-thousandths, are left out. */
  leastConfidence: number
  /** Nothing is left out and nothing told apart. */
  isWhole: boolean
  /** The bits of severity and status of each group, when nothing else tells groups apart: see `AssetTable`. */
  bits?: number[] | undefined
}

interface PlaceParts {
  /** By place: its part of the group. */
  partOf: Uint32Array
  /** How many parts there are. */
  parts: number
  /** Group of a combination's part and a place's part: at `combination part * parts + place part`. */
  groupOf: Uint32Array
}

/** Numbers of every bucket and group: at `bucket * width + group`. */
export interface Numbers {
  width: number
  counts: Float64Array
  sums: Float64Array
  /** Above every confidence where there is none. */
  least: Uint16Array
  greatest: Uint16Array
}
