/** Confidences in ten-thousandths from 0 to 1, and the size of a step (128 adjacent values) as a binary logarithm. */
const CONFIDENCES = 10_001
const STEP_BITS = 7
const STEPS = ((CONFIDENCES - 1) >> STEP_BITS) + 1
const MAX_COUNTERS = 2 ** 24

/** Counts of findings by group and confidence, and by group and step, to find any of them by its rank. */
export class ConfidenceRanks {
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

  /** Adds the counts by confidence at `from`, starting with confidence `least`. */
  addAll(group: number, counts: Uint32Array, from: number, least: number): void {
    const counters = this.#counters
    const shift = group * CONFIDENCES - from
    for (let at = from + least; at < from + CONFIDENCES; at++) {
      counters[at + shift] = (counters[at + shift] as number) + (counts[at] as number)
    }
  }

  /** Completes the counts by step after `addAll`; returns how many findings a group has. */
  sumSteps(group: number): number {
    const [counters, first] = [this.#counters, group * CONFIDENCES]
    let total = 0
    for (let step = 0; step < STEPS; step++) {
      const end = Math.min(CONFIDENCES, (step + 1) << STEP_BITS)
      let count = 0
      for (let confidence = step << STEP_BITS; confidence < end; confidence++) {
        count += counters[first + confidence] as number
      }
      this.#steps[group * STEPS + step] = count
      total += count
    }
    return total
  }

  clear(): void {
    this.#counters.fill(0)
    this.#steps.fill(0)
  }

  /** The confidence at a rank, from 0; the group must have more findings than that. */
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
export function toQuantile(ranks: ConfidenceRanks, group: number, count: number, p: number): number {
  const position = p * (count - 1)
  const index = Math.floor(position)
  const below = ranks.at(group, index)
  if (index === position || index === count - 1) return below
  return below + (ranks.at(group, index + 1) - below) * (position - index)
}
