const BLOCK_BITS = 10

/**
 * Limits searches that find nothing, per block of 1,024 characters, so that a text that repeats one label takes linear
 * time with a small factor.
 */
export class SearchLimit {
  readonly #max: number
  #block = -1
  #vain = 0

  constructor(max: number) {
    this.#max = max
  }

  /** Whether a search may start at this offset. */
  allows(at: number): boolean {
    if (at >> BLOCK_BITS !== this.#block) {
      this.#block = at >> BLOCK_BITS
      this.#vain = 0
    }
    return this.#vain < this.#max
  }

  /** Counts a search in the current block that found nothing. */
  countVain(): void {
    this.#vain++
  }
}
