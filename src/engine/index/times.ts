import type { ImageReader, ImageWriter } from '../image.ts'
import { grown } from './facet.ts'

/** The number of milliseconds that four bytes can distinguish. */
const TURN = 2 ** 32

/**
 * Ascending instants in four bytes each: the remainder modulo 2^32 ms (a turn), and the row at which each turn begins.
 */
export class Times {
  count = 0
  #over = new Uint32Array(0)
  /** The turns that have rows, ascending, and the first row of each. */
  #turns: number[] = []
  #starts: number[] = []

  get bytes(): number {
    return this.#over.byteLength
  }

  reserve(count: number): void {
    if (count > this.#over.length) this.#over = grown(this.#over, count)
  }

  get(row: number): number {
    const index = firstOver(this.#starts, row) - 1
    return (this.#turns[index] ?? 0) * TURN + (this.#over[row] ?? 0)
  }

  /** Appends an instant, which must not be before the last one. */
  push(time: number): void {
    const row = this.count++
    if (row >= this.#over.length) this.reserve(row + 1)
    const turn = Math.floor(time / TURN)
    if (this.#turns.at(-1) !== turn) {
      this.#turns.push(turn)
      this.#starts.push(row)
    }
    this.#over[row] = time - turn * TURN
  }

  firstAtOrAfter(instant: number): number {
    const turn = Math.floor(instant / TURN)
    const index = firstOver(this.#turns, turn - 1)
    let [low, high] = [this.#starts[index] ?? this.count, this.#starts[index + 1] ?? this.count]
    if (this.#turns[index] !== turn) return low
    const over = instant - turn * TURN
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#over[middle] as number) < over) low = middle + 1
      else high = middle
    }
    return low
  }

  save(image: ImageWriter): void {
    image.addNumbers([this.count])
    image.add(this.#over, this.count)
    image.addNumbers(this.#turns)
    image.addNumbers(this.#starts)
  }

  restore(image: ImageReader): void {
    this.count = image.takeNamed(['count']).count
    this.#over = image.take(Uint32Array)
    this.#turns = image.takeNumbers()
    this.#starts = image.takeNumbers()
  }

  /** Inserts ascending instants; `rows` are their resulting row numbers. */
  insert(times: Float64Array, rows: Uint32Array): void {
    const starts = new Map<number, number>()
    for (const turn of this.#turns) starts.set(turn, this.firstAtOrAfter(turn * TURN))
    for (const time of times) {
      const turn = Math.floor(time / TURN)
      if (!starts.has(turn)) starts.set(turn, this.firstAtOrAfter(turn * TURN))
    }
    this.#turns = [...starts.keys()].sort((a, b) => a - b)
    let before = 0
    this.#starts = this.#turns.map((turn) => {
      while (before < times.length && (times[before] as number) < turn * TURN) before++
      return (starts.get(turn) ?? 0) + before
    })
    this.reserve(this.count + times.length)
    moveApart(this.#over, this.count, rows)
    for (let index = 0; index < rows.length; index++) {
      const time = times[index] as number
      this.#over[rows[index] as number] = time - Math.floor(time / TURN) * TURN
    }
    this.count += times.length
  }
}

/** No instant: earlier than all that a column holds, which end after the year 9999. */
export const NEVER = -(2 ** 44)

/** Instants in any order, in six bytes each from the first one on that is set; `NEVER` where none was. */
export class Instants {
  #low = new Uint32Array(0)
  #high = new Uint16Array(0)
  #reserved = 0

  get bytes(): number {
    return this.#low.byteLength + this.#high.byteLength
  }

  reserve(count: number): void {
    this.#reserved = count
    if (this.#low.length > 0) this.#grow(count)
  }

  #grow(count: number): void {
    if (count <= this.#low.length) return
    this.#low = grown(this.#low, count)
    this.#high = grown(this.#high, this.#low.length)
  }

  get(row: number): number {
    return row < this.#low.length ? (this.#high[row] as number) * TURN + (this.#low[row] as number) + NEVER : NEVER
  }

  set(row: number, instant: number): void {
    if (row >= this.#low.length) {
      if (instant === NEVER) return
      this.#grow(Math.max(this.#reserved, row + 1))
    }
    const since = instant - NEVER
    this.#high[row] = Math.floor(since / TURN)
    this.#low[row] = since
  }

  /** Makes room as `moveApart` does. */
  moveApart(count: number, rows: Uint32Array): void {
    if (this.#low.length === 0) return
    this.#grow(count + rows.length)
    moveApart(this.#low, count, rows)
    moveApart(this.#high, count, rows)
  }

  save(image: ImageWriter, count: number): void {
    image.add(this.#low, count)
    image.add(this.#high, count)
  }

  restore(image: ImageReader): void {
    this.#low = image.take(Uint32Array)
    this.#high = image.take(Uint16Array)
  }
}

/** Shifts a column's `count` items so that the ascending `rows` become free; the order of the items is kept. */
export function moveApart(column: Uint16Array | Uint32Array | Float64Array, count: number, rows: Uint32Array): void {
  let end = count
  for (let index = rows.length - 1; index >= 0; index--) {
    const from = (rows[index] as number) - index
    column.copyWithin(from + index + 1, from, end)
    end = from
  }
}

/** The index of the first of ascending numbers that is greater than `least`. */
export function firstOver(numbers: readonly number[], least: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((numbers[middle] as number) <= least) low = middle + 1
    else high = middle
  }
  return low
}
