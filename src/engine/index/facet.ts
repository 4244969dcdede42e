/** A dictionary-encoded column: distinct values under small numbers, and the number of each item's value. */
export class Facet {
  /** Values by number. */
  readonly values: number[] = []
  /** The value number of each item. */
  column = new Uint32Array(64)
  readonly #numbers = new Map<number, number>()

  put(item: number, value: number): void {
    let number = this.#numbers.get(value)
    if (number === undefined) {
      number = this.values.length
      this.values.push(value)
      this.#numbers.set(value, number)
    }
    if (item >= this.column.length) this.column = grown(this.column, item + 1)
    this.column[item] = number
  }

  valueOf(item: number): number {
    return this.values[this.column[item] ?? 0] ?? 0
  }
}

type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array

/** A copy with room for at least `least` items, grown by 20% or more. */
export function grown<Items extends Column>(items: Items, least: number): Items {
  const length = Math.max(least, Math.ceil(items.length * 1.2), 64)
  const copy = new (items.constructor as new (length: number) => Items)(length)
  copy.set(items as never)
  return copy
}
