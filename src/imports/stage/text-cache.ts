const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193

/** A hash of the bytes between two offsets, combined with an earlier hash. */
export function hashBytes(bytes: Uint8Array, from: number, end: number, before = FNV_OFFSET): number {
  let hash = before
  let at = from
  for (; at + 3 < end; at += 4) {
    const four =
      (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)
    hash = Math.imul(hash ^ four, FNV_PRIME)
    hash ^= hash >>> 15
  }
  for (; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), FNV_PRIME)
  return hash ^ (hash >>> 13)
}

/**
 * A cache of bounded size for texts whose hash is known, without an order of use: each hash has two places, of which a
 * new text takes the one that was filled earlier.
 */
export class TextCache<Value> {
  readonly #texts: string[]
  readonly #values: (Value | undefined)[]
  readonly #mask: number

  /** @param size number of places, a power of two */
  constructor(size: number) {
    this.#texts = new Array<string>(size).fill('')
    this.#values = new Array<Value | undefined>(size).fill(undefined)
    this.#mask = size - 2
  }

  get(hash: number, text: string): Value | undefined {
    const place = hash & this.#mask
    if (this.#texts[place] === text) return this.#values[place]
    return this.#texts[place + 1] === text ? this.#values[place + 1] : undefined
  }

  set(hash: number, text: string, value: Value): void {
    const place = hash & this.#mask
    this.#texts[place + 1] = this.#texts[place] ?? ''
    this.#values[place + 1] = this.#values[place]
    this.#texts[place] = text
    this.#values[place] = value
  }
}
