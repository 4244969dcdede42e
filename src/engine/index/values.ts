import type { ImageReader, ImageWriter } from '../image.ts'
import { grown } from './facet.ts'

/** The stored numbers of values under dense numbers from 1 on; 0 is no value. */
export class ValueTable {
  count = 1
  /** The stored number of each dense one. */
  stored = new Float64Array(64)
  /** Dense numbers by hash, with linear probing; at most half of the slots are in use. */
  #slots = new Uint32Array(128)

  /** The dense number of a stored one, which is added if it is new. */
  put(stored: number): number {
    if (stored === 0) return 0
    const slot = this.#slotOf(stored)
    const known = this.#slots[slot] as number
    if (known !== 0) return known
    const number = this.count++
    if (number >= this.stored.length) this.stored = grown(this.stored, number + 1)
    this.stored[number] = stored
    this.#slots[slot] = number
    if (this.count * 2 > this.#slots.length) this.#index(this.#slots.length * 2)
    return number
  }

  /** The dense number of a stored one; undefined if no finding has had it. */
  find(stored: number): number | undefined {
    const number = stored === 0 ? 0 : (this.#slots[this.#slotOf(stored)] as number)
    return number === 0 && stored !== 0 ? undefined : number
  }

  /** The slot of a number, or the free one for it. Stored numbers are hashes: their last bits are evenly spread. */
  #slotOf(stored: number): number {
    const mask = this.#slots.length - 1
    let slot = stored % this.#slots.length
    for (;;) {
      const number = this.#slots[slot] as number
      if (number === 0 || this.stored[number] === stored) return slot
      slot = (slot + 1) & mask
    }
  }

  #index(size: number): void {
    this.#slots = new Uint32Array(size)
    for (let number = 1; number < this.count; number++) {
      this.#slots[this.#slotOf(this.stored[number] as number)] = number
    }
  }

  save(image: ImageWriter): void {
    image.addNumbers([this.count])
    image.add(this.stored, this.count)
  }

  restore(image: ImageReader): void {
    this.count = image.takeNamed(['count']).count
    this.stored = image.take(Float64Array)
    let size = 128
    while (size < this.count * 2) size *= 2
    this.#index(size)
  }

  get bytes(): number {
    return this.stored.byteLength + this.#slots.byteLength
  }
}
