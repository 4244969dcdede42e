/**
 * A map of bounded size that evicts the least recently used entry, so that no caller can fill the memory with names.
 */
export class LruMap<Value> {
  readonly #values = new Map<string, Value>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  use(key: string, create: () => Value): Value {
    const known = this.#values.get(key)
    if (known !== undefined) {
      // Up to half of its size nothing is about to be evicted, so the order need not be kept.
      if (this.#values.size * 2 > this.#most) {
        this.#values.delete(key)
        this.#values.set(key, known)
      }
      return known
    }
    const value = create()
    this.#values.set(key, value)
    const oldest = this.#values.keys().next().value
    if (this.#values.size > this.#most && oldest !== undefined) this.#values.delete(oldest)
    return value
  }

  get size(): number {
    return this.#values.size
  }

  clear(): void {
    this.#values.clear()
  }
}
