import type { ImageReader, ImageWriter } from '../image.ts'
import type { FacetTable } from './facets.ts'
import { EnteredLooseRows, EnteredSortedRows, LooseRows, type OwnRows, type Rows, SortedRows } from './rows.ts'
import { type BlockSizes, defaultBlockSizes, Tallies } from './tallies.ts'

/** Row positions from here on are in the late rows, offset by this value. */
const LATE = 2 ** 31

/** The late rows are merged at once when they exceed the threshold for idle-time merging by this factor. */
const MAX_LATE = 4

export interface TimelineOptions extends BlockSizes {
  /** Late rows kept unsorted before an idle-time merge is worthwhile; with many rows, 1/128 of them if that is more. */
  minLate: number
}
export const defaultTimeline: TimelineOptions = { ...defaultBlockSizes, minLate: 32_768 }

/** What questions read of a timeline. */
export interface TimelineRows {
  readonly rows: Rows & Pick<SortedRows, 'firstAtOrAfter'>
  readonly late: Rows & Pick<LooseRows, 'time'>
  readonly tallies: Tallies
}

/** Rows sorted by time with their tallies; rows older than the newest one are kept unsorted until they are merged. */
export class Timeline implements TimelineRows {
  readonly rows: SortedRows
  readonly late: LooseRows
  readonly tallies: Tallies
  /** Of changes: the same ones with the combinations that they enter. */
  readonly entered: TimelineRows
  readonly #allTallies: readonly Tallies[]
  readonly #minLate: number
  readonly #hasInstants: boolean

  constructor(facets: FacetTable, options: TimelineOptions, hasInstants = false) {
    this.rows = new SortedRows(hasInstants)
    this.late = new LooseRows(hasInstants)
    this.#hasInstants = hasInstants
    this.tallies = new Tallies(this.rows, facets, options)
    const entered = new EnteredSortedRows(this.rows)
    const tallies = new Tallies(entered, facets, options)
    this.entered = { rows: entered, late: new EnteredLooseRows(this.late), tallies }
    this.#allTallies = hasInstants ? [this.tallies] : [this.tallies, tallies]
    this.#minLate = options.minLate
  }

  get count(): number {
    return this.rows.count + this.late.count
  }

  get #parts() {
    return [this.rows, this.late, ...this.#allTallies]
  }

  get bytes(): number {
    return this.#parts.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Adds a row and returns its position; rows in time order are cheapest. For `further` see `Columns`. */
  push(time: number, combo: number, confidence: number, asset: number, id: number, further?: number): number {
    const { rows } = this
    return rows.count === 0 || time >= rows.timeOf(rows.count - 1)
      ? rows.push(time, combo, confidence, asset, id, further)
      : LATE + this.late.push(time, combo, confidence, asset, id, further)
  }

  save(image: ImageWriter): void {
    for (const part of this.#parts) part.save(image)
  }

  restore(image: ImageReader): void {
    for (const part of this.#parts) part.restore(image)
  }

  /** Whether all rows are within `[from, to)`. */
  isWithin(from: number, to: number): boolean {
    const { rows, late } = this
    if (rows.count > 0 && (rows.timeOf(0) < from || rows.timeOf(rows.count - 1) >= to)) return false
    for (let row = 0; row < late.count; row++) {
      const time = late.timeOf(row)
      if (time < from || time >= to) return false
    }
    return true
  }

  /** The columns and row number of a position. */
  at(place: number): { rows: OwnRows; row: number } {
    return place >= LATE ? { rows: this.late, row: place - LATE } : { rows: this.rows, row: place }
  }

  /** Adds new rows to the tallies; when rows were moved, returns the mapping from old to new positions. */
  flush(): ((place: number) => number) | undefined {
    for (const tallies of this.#allTallies) tallies.extend()
    return this.late.count > MAX_LATE * this.#lateThreshold() ? this.merge() : undefined
  }

  /** Merges the late rows when there are enough of them; call it when no query is waiting. */
  compact(): ((place: number) => number) | undefined {
    return this.late.count > this.#lateThreshold() ? this.merge() : undefined
  }

  #lateThreshold(): number {
    return Math.max(this.#minLate, this.rows.count >> 7)
  }

  /** Merges the late rows; returns the mapping from old to new positions. */
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
    this.#retally(first)
    return (place) => {
      if (place >= LATE) return newPlaces[place - LATE] ?? 0
      return place < first ? place : place + (moved[place - first] ?? 0)
    }
  }

  #retally(first: number): void {
    for (const tallies of this.#allTallies) {
      tallies.truncate(first)
      tallies.extend()
    }
  }

  /** Sorts all rows at once after an unordered bulk load; their previous positions become invalid. */
  sort(): void {
    const { rows, late } = this
    const all = new SortedRows(this.#hasInstants)
    all.reserve(this.count)
    const times = new Float64Array(this.count)
    for (let row = 0; row < rows.count; row++) times[row] = rows.timeOf(row)
    times.set(late.time.subarray(0, late.count), rows.count)
    for (const index of orderByTime(times)) {
      const isLate = index >= rows.count
      const row = all.push(times[index] ?? 0, 0, 0, 0, 0)
      all.copy(row, isLate ? late : rows, isLate ? index - rows.count : index)
    }
    rows.take(all)
    late.take(new LooseRows(this.#hasInstants))
    this.#retally(0)
  }
}

const DIGIT_BITS = 11
const WORD = 2 ** 32

/** The indexes of times in ascending order, by radix sort from the least significant digit. */
function orderByTime(times: Float64Array): Uint32Array {
  const { length } = times
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const time of times) {
    if (time < least) least = time
    if (time > greatest) greatest = time
  }
  const [low, high] = [new Uint32Array(length), new Uint32Array(length)]
  let order = new Uint32Array(length)
  for (let index = 0; index < length; index++) {
    const since = (times[index] as number) - least
    high[index] = since / WORD
    low[index] = since - (high[index] as number) * WORD
    order[index] = index
  }
  const span = greatest - least
  const words: [digits: Uint32Array, greatest: number][] = [
    [low, Math.min(span, WORD - 1)],
    [high, Math.floor(span / WORD)],
  ]
  let next = new Uint32Array(length)
  for (const [digits, most] of words) {
    for (let shift = 0; most >= 2 ** shift; shift += DIGIT_BITS) {
      sortByDigit(digits, shift, order, next)
      ;[order, next] = [next, order]
    }
  }
  return order
}

/** Fills `sorted` with the indexes of `order`, sorted by one digit; those with the same digit stay in order. */
function sortByDigit(digits: Uint32Array, shift: number, order: Uint32Array, sorted: Uint32Array): void {
  const mask = 2 ** DIGIT_BITS - 1
  const starts = new Uint32Array(mask + 2)
  for (const word of digits) {
    const after = ((word >>> shift) & mask) + 1
    starts[after] = (starts[after] as number) + 1
  }
  for (let digit = 1; digit <= mask; digit++) {
    starts[digit] = (starts[digit] as number) + (starts[digit - 1] as number)
  }
  for (const index of order) {
    const digit = ((digits[index] as number) >>> shift) & mask
    const at = starts[digit] as number
    sorted[at] = index
    starts[digit] = at + 1
  }
}
