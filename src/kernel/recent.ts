/** A map that forgets what was used longest ago, so that nobody can fill the memory with names. */
export class Recent<Value> {
  readonly #values = new Map<string, Value>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  use(key: string, create: () => Value): Value {
    const known = this.#values.get(key)
    if (known !== undefined) {
      // Below half of its room nothing is about to be forgotten, so the order does not matter yet.
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
