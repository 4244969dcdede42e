import { AppError } from '../../kernel/errors.ts'

interface Limits {
  pages: number
  items: number
  /** Time spent waiting for its pages. */
  ms: number
}

/**
 * Where the items of a list go: `held` until all have been read, with those of other lists of the same batch; `indexed`
 * for the whole scan, in a short form; or `stored` page by page.
 */
export type ListUse = 'held' | 'indexed' | 'stored'

const limits: Record<ListUse, Limits> = {
  held: { pages: 1_000, items: 100_000, ms: 600_000 },
  indexed: { pages: 10_000, items: 1_000_000, ms: 3_600_000 },
  stored: { pages: 20_000, items: 1_000_000, ms: 14_400_000 },
}
const MAX_HELD_BYTES = 32 * 1024 * 1024
const MAX_INDEXED_BYTES = 96 * 1024 * 1024

/** The size of all lists that a client holds in memory for one batch; its user starts over with each batch. */
export interface HeldLists {
  bytes: number
}

/** Bounds a list that a platform may continue without end. */
export class ListLimit {
  readonly #use: ListUse
  readonly #held: HeldLists
  readonly #maxBytes: number
  #pages: number
  #items = 0
  #ms = 0

  /** `pages`: how many were read before an interruption. */
  constructor(use: ListUse, held: HeldLists, pages = 0) {
    this.#use = use
    this.#held = use === 'held' ? held : { bytes: 0 }
    this.#maxBytes = { held: MAX_HELD_BYTES, indexed: MAX_INDEXED_BYTES, stored: Number.POSITIVE_INFINITY }[use]
    this.#pages = pages
  }

  get pages(): number {
    return this.#pages
  }

  /**
   * Counts a page that was requested at `since`, by `performance.now()`.
   * @throws AppError `unavailable`, reason `list_too_long`
   */
  count(since: number, { items, bytes }: { items: number; bytes: number }): void {
    this.#pages++
    this.#items += items
    this.#ms += performance.now() - since
    this.#held.bytes += bytes
    const { pages, items: maxItems, ms } = limits[this.#use]
    const isWithin = this.#pages <= pages && this.#items <= maxItems && this.#ms <= ms
    if (isWithin && this.#held.bytes <= this.#maxBytes) return
    const message =
      'The platform continues a list beyond the limits on its length, size and time; narrow the scope of the source.'
    throw new AppError('unavailable', message, { reason: 'list_too_long' })
  }
}
