/**
 * Instants are assigned to buckets in two steps: SQL divides by the greatest step that every boundary is a multiple of,
 * and the few distinct quotients are looked up among the boundaries here. Bucket `i` holds instants at or after
 * boundary `i - 1` and before boundary `i`.
 */
export interface Slots {
  /** The first boundary. */
  base: number
  /** The last boundary: instants at or after it are in the last bucket. */
  last: number
  stepMs: number
  /** The bucket of a quotient; -1 means before the first boundary, null after the last. */
  toBucket(quotient: number | null): number
}

/** @param borders ascending, at least one */
export function toSlots(borders: readonly number[]): Slots {
  const base = borders[0] ?? 0
  const last = borders.at(-1) ?? base
  // Instants after the last boundary need no division, so its distance need not be a multiple of the step.
  const stepMs = borders.slice(1, -1).reduce((step, border) => greatestDivisor(step, border - base), 0)
  const width = stepMs === 0 ? Math.max(1, last - base) : stepMs
  return {
    base,
    last,
    stepMs: width,
    toBucket: (quotient) =>
      quotient === null ? borders.length : quotient < 0 ? 0 : countAtOrBefore(borders, base + quotient * width),
  }
}

/** The number of ascending numbers that are at most another. */
export function countAtOrBefore(borders: readonly number[], instant: number): number {
  let [low, high] = [0, borders.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((borders[middle] ?? 0) <= instant) low = middle + 1
    else high = middle
  }
  return low
}

function greatestDivisor(a: number, b: number): number {
  let [left, right] = [a, b]
  while (right !== 0) [left, right] = [right, left % right]
  return left
}
