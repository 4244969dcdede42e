import type { ImageReader, ImageWriter } from '../image.ts'
import { grown } from './facet.ts'
import { moveApart, Times } from './times.ts'

/** Columns that only some tables have. */
export interface ExtraColumns {
  hasSecond?: boolean
  hasValues?: boolean
}

/** Findings in columns, one finding in each row. */
abstract class Columns {
  /** Combination number; four bytes wide only when there are more than 2^16 combinations. */
  combo: Uint16Array | Uint32Array = new Uint16Array(0)
  /** Confidence in ten-thousandths. */
  confidence = new Uint16Array(0)
  /** Asset number. */
  asset = new Uint32Array(0)
  /** Another instant of each row, where the table has one: see `Engine.isDated`. */
  second = new Float64Array(0)
  /** Number of the value, where the table has values: see `ValueTable`. */
  value = new Uint32Array(0)
  count = 0
  protected readonly extra: ExtraColumns

  constructor(extra: ExtraColumns = {}) {
    this.extra = extra
  }

  protected abstract pushTime(time: number): void
  /** The time of first detection in epoch milliseconds. */
  abstract timeOf(row: number): number

  reserve(count: number): void {
    if (count <= this.asset.length) return
    this.combo = grown(this.combo, count)
    this.confidence = grown(this.confidence, count)
    this.asset = grown(this.asset, count)
    if (this.extra.hasSecond) this.second = grown(this.second, this.asset.length)
    if (this.extra.hasValues) this.value = grown(this.value, this.asset.length)
  }

  push(time: number, combo: number, confidence: number, asset: number, second = 0, value = 0): number {
    const row = this.count
    if (row === this.asset.length) this.reserve(row + 1)
    this.count = row + 1
    this.pushTime(time)
    this.set(row, combo, confidence, asset)
    if (this.extra.hasSecond) this.second[row] = second
    if (this.extra.hasValues) this.value[row] = value
    return row
  }

  protected set(row: number, combo: number, confidence: number, asset: number): void {
    this.confidence[row] = confidence
    this.asset[row] = asset
    this.setCombo(row, combo)
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
    if (this.extra.hasSecond) image.add(this.second, count)
    if (this.extra.hasValues) image.add(this.value, count)
  }

  restore(image: ImageReader): void {
    this.count = image.takeNamed(['count']).count
    this.combo = image.take<Uint16Array | Uint32Array>(Uint16Array, Uint32Array)
    this.confidence = image.take(Uint16Array)
    this.asset = image.take(Uint32Array)
    if (this.extra.hasSecond) this.second = image.take(Float64Array)
    if (this.extra.hasValues) this.value = image.take(Uint32Array)
  }

  get bytes(): number {
    const extra = this.second.byteLength + this.value.byteLength
    return this.combo.byteLength + this.confidence.byteLength + this.asset.byteLength + extra
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
    for (const column of [this.combo, this.confidence, this.asset]) moveApart(column, before, places)
    if (this.extra.hasSecond) moveApart(this.second, before, places)
    if (this.extra.hasValues) moveApart(this.value, before, places)
    this.count = before + order.length
    for (let at = 0; at < order.length; at++) {
      const index = order[at] as number
      const place = places[at] ?? 0
      this.set(place, late.combo[index] ?? 0, late.confidence[index] ?? 0, late.asset[index] ?? 0)
      if (this.extra.hasSecond) this.second[place] = late.second[index] ?? 0
      if (this.extra.hasValues) this.value[place] = late.value[index] ?? 0
    }
  }

  /** Takes over the columns of another instance, which must not be used afterwards. */
  take(other: SortedRows): void {
    this.#times = other.#times
    this.combo = other.combo
    this.confidence = other.confidence
    this.asset = other.asset
    this.second = other.second
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
