import type { FacetTable } from './facets.ts'
import { LooseRows, type Rows, SortedRows } from './rows.ts'
import { type BlockSizes, defaultBlockSizes, Tallies } from './tallies.ts'

/** Numbers from here on are places among the rows that came late. */
const LATE = 2 ** 31

/** Late rows that are enough to be sorted in wait for a quiet moment, up to so many times as many. */
const MAX_LATE = 4

export interface TimelineOptions extends BlockSizes {
  /** So many rows may wait unsorted, where that is not a small share of all. */
  leastLate: number
}
export const defaultTimeline: TimelineOptions = { ...defaultBlockSizes, leastLate: 32_768 }

/** Rows sorted by time with their tallies. What is older than the newest row waits unsorted until it is merged in. */
export class Timeline {
  readonly rows = new SortedRows()
  late = new LooseRows()
  readonly tallies: Tallies
  readonly #leastLate: number

  constructor(facets: FacetTable, options: TimelineOptions) {
    this.tallies = new Tallies(this.rows, facets, options)
    this.#leastLate = options.leastLate
  }

  get count(): number {
    return this.rows.count + this.late.count
  }

  get bytes(): number {
    return this.rows.bytes + this.late.bytes + this.tallies.bytes
  }

  /** Adds a row and gives its place; those that come in the order of time are cheapest. */
  push(time: number, combo: number, confidence: number, asset: number): number {
    const { rows } = this
    return rows.count === 0 || time >= rows.timeOf(rows.count - 1)
      ? rows.push(time, combo, confidence, asset)
      : LATE + this.late.push(time, combo, confidence, asset)
  }

  /** Whether every row lies in `[from, to)`. */
  isWithin(from: number, to: number): boolean {
    const { rows, late } = this
    if (rows.count > 0 && (rows.timeOf(0) < from || rows.timeOf(rows.count - 1) >= to)) return false
    for (let row = 0; row < late.count; row++) {
      const time = late.timeOf(row)
      if (time < from || time >= to) return false
    }
    return true
  }

  /** The columns and the row that a place stands for. */
  at(place: number): { rows: Rows; row: number } {
    return place >= LATE ? { rows: this.late, row: place - LATE } : { rows: this.rows, row: place }
  }

  /** Takes in what was added; gives what turns places of before into those of now when rows were moved. */
  settle(): ((place: number) => number) | undefined {
    this.tallies.extend()
    return this.late.count > MAX_LATE * this.#enoughLate() ? this.merge() : undefined
  }

  /** Sorts the late rows in when they are enough to be worth it: to be called when nobody waits. */
  tidy(): ((place: number) => number) | undefined {
    return this.late.count > this.#enoughLate() ? this.merge() : undefined
  }

  #enoughLate(): number {
    return Math.max(this.#leastLate, this.rows.count >> 7)
  }

  /** Sorts the late rows in. */
  merge(): (place: number) => number {
    const { rows, late } = this
    const order = orderByTime(late.time.subarray(0, late.count))
    const before = rows.count
    const places = order.map((index, rank) => rows.firstAfter(late.timeOf(index)) + rank)
    const first = places[0] ?? before
    const moved = new Uint32Array(before - first)
    const newPlaces = new Uint32Array(late.count)
    for (let rank = 0; rank < places.length; rank++) {
      const place = places[rank] as number
      moved.fill(rank + 1, place - rank - first, (places[rank + 1] ?? before + late.count) - rank - 1 - first)
      newPlaces[order[rank] as number] = place
    }
    rows.insert(late, order, places)
    late.count = 0
    this.tallies.truncate(first)
    this.tallies.extend()
    return (place) => {
      if (place >= LATE) return newPlaces[place - LATE] ?? 0
      return place < first ? place : place + (moved[place - first] ?? 0)
    }
  }

  /** Sorts everything at once: for rows that were added in no order, whose places nobody keeps. */
  sort(): void {
    const { rows, late } = this
    const all = new SortedRows()
    all.reserve(this.count)
    const times = new Float64Array(this.count)
    for (let row = 0; row < rows.count; row++) times[row] = rows.timeOf(row)
    times.set(late.time.subarray(0, late.count), rows.count)
    for (const index of orderByTime(times)) {
      const [from, row] = index < rows.count ? [rows, index] : [late, index - rows.count]
      all.push(times[index] ?? 0, from.combo[row] ?? 0, from.confidence[row] ?? 0, from.asset[row] ?? 0)
    }
    rows.take(all)
    this.late = new LooseRows()
    this.tallies.truncate(0)
    this.tallies.extend()
  }
}

const DIGIT_BITS = 11

/** The indexes of times in ascending order: by their digits, from the last to the first. */
function orderByTime(times: Float64Array): Uint32Array {
  const { length } = times
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const time of times) {
    if (time < least) least = time
    if (time > greatest) greatest = time
  }
  let order = new Uint32Array(length)
  for (let index = 0; index < length; index++) order[index] = index
  let next = new Uint32Array(length)
  const radix = 2 ** DIGIT_BITS
  for (let unit = 1; unit <= greatest - least; unit *= radix) {
    const digitOf = (index: number) => Math.floor(((times[index] as number) - least) / unit) % radix
    const starts = new Uint32Array(radix + 1)
    for (let index = 0; index < length; index++) {
      const digit = digitOf(index) + 1
      starts[digit] = (starts[digit] as number) + 1
    }
    for (let digit = 1; digit <= radix; digit++) {
      starts[digit] = (starts[digit] as number) + (starts[digit - 1] as number)
    }
    for (const index of order) {
      const digit = digitOf(index)
      const at = starts[digit] as number
      next[at] = index
      starts[digit] = at + 1
    }
    ;[order, next] = [next, order]
  }
  return order
}
