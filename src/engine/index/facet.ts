import type { ImageReader, ImageWriter } from '../image.ts'

/** A dictionary-encoded column: distinct values under small numbers, and the number of each item's value. */
export class Facet {
  /** Values by number. */
  readonly values: number[] = []
  /** The value number of each item. */
  column = new Uint32Array(64)
  readonly #numbers = new Map<number, number>()
  /** The number of items that have been put, if they were put in order. */
  size = 0

  put(item: number, value: number): void {
    let number = this.#numbers.get(value)
    if (number === undefined) {
      number = this.values.length
      this.values.push(value)
      this.#numbers.set(value, number)
    }
    if (item >= this.column.length) this.column = grown(this.column, item + 1)
    this.column[item] = number
    this.size = Math.max(this.size, item + 1)
  }

  /** The distinct values of the first `count` items. */
  listValues(count: number): number[] {
    const present = new Uint8Array(this.values.length)
    for (let item = 0; item < count; item++) present[this.column[item] as number] = 1
    return this.values.filter((_, number) => present[number] === 1)
  }

  valueOf(item: number): number {
    return this.values[this.column[item] ?? 0] ?? 0
  }

  save(image: ImageWriter): void {
    image.addNumbers(this.values)
    image.add(this.column, this.size)
    image.addNumbers([this.size])
  }

  restore(image: ImageReader): void {
    this.values.length = 0
    this.#numbers.clear()
    for (const value of image.take(Float64Array)) {
      this.#numbers.set(value, this.values.length)
      this.values.push(value)
    }
    this.column = image.take(Uint32Array)
    this.size = image.takeNamed(['size']).size
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
