/** A half-open range in one text. */
export interface Range {
  start: number
  end: number
}

/** Ranges that do not overlap, kept in order, so that a look-up is a binary search. */
export class RangeSet<T extends Range> {
  readonly #ranges: T[] = []

  /** The first kept range that shares a character with this one. */
  find(range: Range): T | undefined {
    const candidate = this.#ranges[this.#firstEndingAfter(range.start)]
    return candidate !== undefined && candidate.start < range.end ? candidate : undefined
  }

  /** Keeps the range unless it overlaps one that is kept; says whether it did. */
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

/** Ranges that overlap or touch, joined; in order. */
export function joinRanges(ranges: readonly Range[]): Range[] {
  const joined: Range[] = []
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1)
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end)
    else joined.push({ start, end })
  }
  return joined
}
