/** A half-open range of offsets in a text. */
export interface Range {
  start: number
  end: number
}

/** Non-overlapping ranges in order, so that a lookup is a binary search. */
export class RangeSet<T extends Range> {
  readonly #ranges: T[] = []

  /** The first range in the set that overlaps this one. */
  find(range: Range): T | undefined {
    const candidate = this.#ranges[this.#firstEndingAfter(range.start)]
    return candidate !== undefined && candidate.start < range.end ? candidate : undefined
  }

  /** Adds the range unless it overlaps one in the set; returns whether it was added. */
  add(range: T): boolean {
    const index = this.#firstEndingAfter(range.start)
    const candidate = this.#ranges[index]
    if (candidate !== undefined && candidate.start < range.end) return false
    this.#ranges.splice(index, 0, range)
    return true
  }

  #firstEndingAfter(offset: number): number {
    let low = 0
    let high = this.#ranges.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#ranges[middle]?.end ?? 0) > offset) high = middle
      else low = middle + 1
    }
    return low
  }
}

/** Merges ranges that overlap or touch; the result is in order. */
export function joinRanges(ranges: readonly Range[]): Range[] {
  const joined: Range[] = []
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1)
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end)
    else joined.push({ start, end })
  }
  return joined
}
