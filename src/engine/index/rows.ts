import type { ImageReader, ImageWriter } from '../image.ts'
import { grown } from './facet.ts'
import { Instants, moveApart, Times } from './times.ts'

/** Findings in columns, one finding in each row. */
abstract class Columns {
  /** Combination number; four bytes wide only when there are more than 2^16 combinations. */
  combo: Uint16Array | Uint32Array = new Uint16Array(0)
  /** Confidence in ten-thousandths. */
  confidence = new Uint16Array(0)
  /** Asset number. */
  asset = new Uint32Array(0)
  /** Row ids of the findings; eight bytes wide only when there are ids from 2^32 on. */
  id: Uint32Array | Float64Array = new Uint32Array(0)
  /** When findings were resolved, and last detected; `NEVER`: not, and when their asset was last scanned. */
  resolved = new Instants()
  last = new Instants()
  /** Numbers of the values, see `ValueTable`. */
  value = new Uint32Array(0)
  count = 0
  /** The history lacks instants and values. */
  readonly hasInstants: boolean

  constructor(hasInstants = false) {
    this.hasInstants = hasInstants
  }

  protected abstract pushTime(time: number): void
  /** The time of first detection in epoch milliseconds. */
  abstract timeOf(row: number): number

  reserve(count: number): void {
    if (count <= this.asset.length) return
    this.combo = grown(this.combo, count)
    this.confidence = grown(this.confidence, count)
    this.asset = grown(this.asset, count)
    this.id = grown(this.id, this.asset.length)
    if (!this.hasInstants) return
    this.resolved.reserve(this.asset.length)
    this.last.reserve(this.asset.length)
    this.value = grown(this.value, this.asset.length)
  }

  push(time: number, combo: number, confidence: number, asset: number, id: number, value = 0): number {
    const row = this.count
    if (row === this.asset.length) this.reserve(row + 1)
    this.count = row + 1
    this.pushTime(time)
    this.confidence[row] = confidence
    this.asset[row] = asset
    this.setCombo(row, combo)
    this.#setId(row, id)
    if (this.hasInstants) this.value[row] = value
    return row
  }

  /** Takes over a row of other columns, except its time. */
  copy(row: number, from: Columns, index: number): void {
    this.confidence[row] = from.confidence[index] ?? 0
    this.asset[row] = from.asset[index] ?? 0
    this.setCombo(row, from.combo[index] ?? 0)
    this.#setId(row, from.id[index] ?? 0)
    if (!this.hasInstants) return
    this.resolved.set(row, from.resolved.get(index))
    this.last.set(row, from.last.get(index))
    this.value[row] = from.value[index] ?? 0
  }

  #setId(row: number, id: number): void {
    if (id >= 2 ** 32 && this.id instanceof Uint32Array) this.id = Float64Array.from(this.id)
    this.id[row] = id
  }

  setCombo(row: number, combo: number): void {
    if (combo > 65_535 && this.combo instanceof Uint16Array) this.combo = Uint32Array.from(this.combo)
    this.combo[row] = combo
  }

  save(image: ImageWriter): void {
    const { count } = this
    image.addNumbers([count])
    image.add(this.combo, count)
    image.add(this.confidence, count)
    image.add(this.asset, count)
    image.add(this.id, count)
    if (!this.hasInstants) return
    this.resolved.save(image, count)
    this.last.save(image, count)
    image.add(this.value, count)
  }

  restore(image: ImageReader): void {
    this.count = image.takeNamed(['count']).count
    this.combo = image.take<Uint16Array | Uint32Array>(Uint16Array, Uint32Array)
    this.confidence = image.take(Uint16Array)
    this.asset = image.take(Uint32Array)
    this.id = image.take<Uint32Array | Float64Array>(Uint32Array, Float64Array)
    if (!this.hasInstants) return
    this.resolved.restore(image)
    this.last.restore(image)
    this.value = image.take(Uint32Array)
  }

  get bytes(): number {
    const { combo, confidence, asset, id, value, resolved, last } = this
    const plain = [combo, confidence, asset, id, value].reduce((sum, column) => sum + column.byteLength, 0)
    return plain + resolved.bytes + last.bytes
  }
}

export type Rows = Columns

/** Rows in arbitrary order. */
export class LooseRows extends Columns {
  time = new Float64Array(0)

  override reserve(count: number): void {
    super.reserve(count)
    if (count > this.time.length) this.time = grown(this.time, count)
  }

  protected override pushTime(time: number): void {
    this.time[this.count - 1] = time
  }

  override timeOf(row: number): number {
    return this.time[row] ?? 0
  }

  override save(image: ImageWriter): void {
    super.save(image)
    image.add(this.time, this.count)
  }

  override restore(image: ImageReader): void {
    super.restore(image)
    this.time = image.take(Float64Array)
  }

  override get bytes(): number {
    return super.bytes + this.time.byteLength
  }
}

/** Rows in time order. */
export class SortedRows extends Columns {
  #times = new Times()

  override reserve(count: number): void {
    super.reserve(count)
    this.#times.reserve(count)
  }

  protected override pushTime(time: number): void {
    this.#times.push(time)
  }

  override timeOf(row: number): number {
    return this.#times.get(row)
  }

  firstAtOrAfter(instant: number): number {
    return this.#times.firstAtOrAfter(instant)
  }

  firstAfter(instant: number): number {
    return this.#times.firstAtOrAfter(instant + 1)
  }

  /** Merges late rows, taken in the ascending `order` of their times; `places` are their resulting row numbers. */
  insert(late: LooseRows, order: Uint32Array, places: Uint32Array): void {
    const before = this.count
    this.reserve(before + order.length)
    this.#times.insert(
      Float64Array.from(order, (index) => late.timeOf(index)),
      places,
    )
    for (const column of [this.combo, this.confidence, this.asset, this.id]) moveApart(column, before, places)
    if (this.hasInstants) {
      for (const column of [this.resolved, this.last]) column.moveApart(before, places)
      moveApart(this.value, before, places)
    }
    this.count = before + order.length
    for (let at = 0; at < order.length; at++) this.copy(places[at] ?? 0, late, order[at] as number)
  }

  /** Takes over the columns of another instance, which must not be used afterwards. */
  take(other: SortedRows): void {
    this.#times = other.#times
    this.combo = other.combo
    this.confidence = other.confidence
    this.asset = other.asset
    this.id = other.id
    this.resolved = other.resolved
    this.last = other.last
    this.value = other.value
    this.count = other.count
  }

  override save(image: ImageWriter): void {
    super.save(image)
    this.#times.save(image)
  }

  override restore(image: ImageReader): void {
    super.restore(image)
    this.#times.restore(image)
  }

  override get bytes(): number {
    return super.bytes + this.#times.bytes
  }
}
