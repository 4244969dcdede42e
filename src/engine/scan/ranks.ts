/** Confidences in ten-thousandths from 0 to 1, and the size of a step (128 adjacent values) as a binary logarithm. */
export const CONFIDENCES = 10_001
export const STEP_BITS = 7
export const STEPS = ((CONFIDENCES - 1) >> STEP_BITS) + 1
const MAX_COUNTERS = 2 ** 24

/** Confidences of groups by rank. */
export interface RankedConfidences {
  /** The confidence at a rank, from 0; the group must have more findings than that. */
  at(group: number, rank: number): number
}

/** Counts of findings by group and confidence, and by group and step, to find any of them by its rank. */
export class ConfidenceRanks implements RankedConfidences {
  readonly #counters: Int32Array
  readonly #steps: Int32Array

  constructor(groups: number) {
    this.#counters = new Int32Array(groups * CONFIDENCES)
    this.#steps = new Int32Array(groups * STEPS)
  }

  /** Whether the counts of this many groups stay within the memory limit. */
  static holds(groups: number): boolean {
    return groups * CONFIDENCES <= MAX_COUNTERS
  }

  add(group: number, confidence: number, by: 1 | -1): void {
    const [at, step] = [group * CONFIDENCES + confidence, group * STEPS + (confidence >> STEP_BITS)]
    this.#counters[at] = (this.#counters[at] as number) + by
    this.#steps[step] = (this.#steps[step] as number) + by
  }

  clear(): void {
    this.#counters.fill(0)
    this.#steps.fill(0)
  }

  at(group: number, rank: number): number {
    let left = rank
    let step = group * STEPS
    while (left >= (this.#steps[step] as number)) left -= this.#steps[step++] as number
    const first = group * CONFIDENCES
    let place = first + ((step - group * STEPS) << STEP_BITS)
    while (left >= (this.#counters[place] as number)) left -= this.#counters[place++] as number
    return place - first
  }
}

/**
 * The percentile `p` of `count` confidences of a group, interpolated linearly. SQL and this must agree to the last bit.
 */
export function toQuantile(ranks: RankedConfidences, group: number, count: number, p: number): number {
  const position = p * (count - 1)
  const index = Math.floor(position)
  const below = ranks.at(group, index)
  if (index === position || index === count - 1) return below
  return below + (ranks.at(group, index + 1) - below) * (position - index)
}
