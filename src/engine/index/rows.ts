import type { ImageReader, ImageWriter } from '../image.ts'
import { grown } from './facet.ts'
import { Instants, moveApart, Times } from './times.ts'

/** Combination numbers; four bytes wide only when there are more than 2^16 combinations. */
type Combos = Uint16Array | Uint32Array

/** Findings in columns, one finding in each row; of the history, changes of findings. */
abstract class Columns {
  /** Of a change: the combination that it leaves. */
  combo: Combos = new Uint16Array(0)
  /** Only of changes: the combination that they enter. */
  entered: Combos = new Uint16Array(0)
  /** Confidence in ten-thousandths. */
  confidence = new Uint16Array(0)
  /** Asset number. */
  asset = new Uint32Array(0)
  /** Row ids of the findings; eight bytes wide only when there are ids from 2^32 on. */
  id: Uint32Array | Float64Array = new Uint32Array(0)
  /** When findings were resolved, and last detected; `NEVER`: not, and when their asset was last scanned. */
  resolved = new Instants()
  last = new Instants()
  /** Numbers of the values, see `ValueTable`; empty while no finding has one. */
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
    if (!this.hasInstants) {
      this.entered = grown(this.entered, this.asset.length)
      return
    }
    this.resolved.reserve(this.asset.length)
    this.last.reserve(this.asset.length)
    if (this.value.length > 0) this.value = grown(this.value, this.asset.length)
  }

  /** `further` is the value of a finding, or the combination that a change enters. */
  push(time: number, combo: number, confidence: number, asset: number, id: number, further = 0): number {
    const row = this.count
    if (row === this.asset.length) this.reserve(row + 1)
    this.count = row + 1
    this.pushTime(time)
    this.confidence[row] = confidence
    this.asset[row] = asset
    this.setCombo(row, combo)
    this.#setId(row, id)
    if (this.hasInstants) this.setValue(row, further)
    else this.#setEntered(row, further)
    return row
  }

  /** Takes over a row of other columns, except its time. */
  copy(row: number, from: Columns, index: number): void {
    this.confidence[row] = from.confidence[index] ?? 0
    this.asset[row] = from.asset[index] ?? 0
    this.setCombo(row, from.combo[index] ?? 0)
    this.#setId(row, from.id[index] ?? 0)
    if (!this.hasInstants) {
      this.#setEntered(row, from.entered[index] ?? 0)
      return
    }
    this.resolved.set(row, from.resolved.get(index))
    this.last.set(row, from.last.get(index))
    this.setValue(row, from.value[index] ?? 0)
  }

  #setId(row: number, id: number): void {
    if (id >= 2 ** 32 && this.id instanceof Uint32Array) this.id = Float64Array.from(this.id)
    this.id[row] = id
  }

  setCombo(row: number, combo: number): void {
    this.combo = wideFor(combo, this.combo)
    this.combo[row] = combo
  }

  #setEntered(row: number, combo: number): void {
    this.entered = wideFor(combo, this.entered)
    this.entered[row] = combo
  }

  setValue(row: number, value: number): void {
    if (value !== 0 && this.value.length === 0) this.value = new Uint32Array(this.asset.length)
    this.value[row] = value
  }

  save(image: ImageWriter): void {
    const { count } = this
    image.addNumbers([count])
    image.add(this.combo, count)
    image.add(this.confidence, count)
    image.add(this.asset, count)
    image.add(this.id, count)
    if (!this.hasInstants) {
      image.add(this.entered, count)
      return
    }
    this.resolved.save(image, count)
    this.last.save(image, count)
    image.add(this.value, count)
  }

  restore(image: ImageReader): void {
    this.count = image.takeNamed(['count']).count
    this.combo = image.take<Combos>(Uint16Array, Uint32Array)
    this.confidence = image.take(Uint16Array)
    this.asset = image.take(Uint32Array)
    this.id = image.take<Uint32Array | Float64Array>(Uint32Array, Float64Array)
    if (!this.hasInstants) {
      this.entered = image.take<Combos>(Uint16Array, Uint32Array)
      return
    }
    this.resolved.restore(image)
    this.last.restore(image)
    this.value = image.take(Uint32Array)
  }

  get bytes(): number {
    const { combo, entered, confidence, asset, id, value, resolved, last } = this
    const plain = [combo, entered, confidence, asset, id, value].reduce((sum, column) => sum + column.byteLength, 0)
    return plain + resolved.bytes + last.bytes
  }

  /** Takes over the columns of another instance, which must not be used afterwards. */
  take(other: this): void {
    this.combo = other.combo
    this.entered = other.entered
    this.confidence = other.confidence
    this.asset = other.asset
    this.id = other.id
    this.resolved = other.resolved
    this.last = other.last
    this.value = other.value
    this.count = other.count
  }
}

const wideFor = (combo: number, column: Combos): Combos =>
  combo > 65_535 && column instanceof Uint16Array ? Uint32Array.from(column) : column

/** What is read of findings and of changes. */
export type Rows = Pick<Columns, 'combo' | 'confidence' | 'asset' | 'id' | 'count' | 'hasInstants' | 'timeOf'>

/** Findings, or changes with the combinations that they leave. */
export type OwnRows = Columns

export const areFindings = (rows: Rows): rows is OwnRows => rows.hasInstants

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

  override take(other: this): void {
    super.take(other)
    this.time = other.time
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
    const { combo, entered, confidence, asset, id, value } = this
    for (const column of [combo, entered, confidence, asset, id, value]) moveApart(column, before, places)
    for (const column of [this.resolved, this.last]) column.moveApart(before, places)
    this.count = before + order.length
    for (let at = 0; at < order.length; at++) this.copy(places[at] ?? 0, late, order[at] as number)
  }

  override take(other: this): void {
    super.take(other)
    this.#times = other.#times
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

/** Changes with the combinations that they enter in place of those that they leave. */
class EnteredRows<Changes extends Columns> implements Rows {
  protected readonly changes: Changes
  readonly hasInstants = false

  constructor(changes: Changes) {
    this.changes = changes
  }

  get count(): number {
    return this.changes.count
  }

  get combo(): Combos {
    return this.changes.entered
  }

  get confidence(): Uint16Array<ArrayBuffer> {
    return this.changes.confidence
  }

  get asset(): Uint32Array<ArrayBuffer> {
    return this.changes.asset
  }

  get id(): Uint32Array | Float64Array {
    return this.changes.id
  }

  timeOf(row: number): number {
    return this.changes.timeOf(row)
  }
}

export class EnteredLooseRows extends EnteredRows<LooseRows> {
  get time(): Float64Array<ArrayBuffer> {
    return this.changes.time
  }
}

export class EnteredSortedRows extends EnteredRows<SortedRows> {
  firstAtOrAfter(instant: number): number {
    return this.changes.firstAtOrAfter(instant)
  }
}
