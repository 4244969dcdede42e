/**
 * Instants are put into buckets in two steps: SQL divides by the widest step that every border is a multiple of, and
 * the few distinct quotients are looked up among the borders here. Bucket `i` holds what lies at or after border `i -
 * 1` and before border `i`.
 */
export interface Slots {
  /** The first border. */
  base: number
  /** The last border: what lies at or after it is in the last bucket. */
  last: number
  stepMs: number
  /** The bucket of a quotient; -1 stands for before the first border, null for after the last. */
  toBucket(quotient: number | null): number
}

/** @param borders ascending, at least one. */
export function toSlots(borders: readonly number[]): Slots {
  const base = borders[0] ?? 0
  const last = borders.at(-1) ?? base
  // What lies after the last border needs no division, so its distance may be anything.
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

/** How many of the ascending borders lie at or before an instant. */
function countAtOrBefore(borders: readonly number[], instant: number): number {
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
