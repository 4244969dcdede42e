import { grown } from './facet.ts'

/** Findings as columns, one item a row. */
export class Rows {
  /** When it was first detected, in milliseconds. */
  time = new Float64Array(0)
  /** Number of its combination; wide only when there are more than two bytes can tell apart. */
  combo: Uint16Array | Uint32Array = new Uint16Array(0)
  /** Confidence in ten-thousandths. */
  confidence = new Uint16Array(0)
  /** Number of its asset. */
  asset = new Uint32Array(0)
  count = 0

  reserve(count: number): void {
    if (count <= this.time.length) return
    this.time = grown(this.time, count)
    this.combo = grown(this.combo, count)
    this.confidence = grown(this.confidence, count)
    this.asset = grown(this.asset, count)
  }

  push(time: number, combo: number, confidence: number, asset: number): number {
    const row = this.count
    if (row === this.time.length) this.reserve(row + 1)
    this.count = row + 1
    this.set(row, time, combo, confidence, asset)
    return row
  }

  set(row: number, time: number, combo: number, confidence: number, asset: number): void {
    this.time[row] = time
    this.confidence[row] = confidence
    this.asset[row] = asset
    this.setCombo(row, combo)
  }

  setCombo(row: number, combo: number): void {
    if (combo > 65_535 && this.combo instanceof Uint16Array) this.combo = Uint32Array.from(this.combo)
    this.combo[row] = combo
  }

  /** The first of `count` sorted rows that is at or after an instant. */
  firstAtOrAfter(instant: number, count = this.count): number {
    const { time } = this
    let [low, high] = [0, count]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((time[middle] ?? 0) < instant) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Becomes the rows of another, which is not to be used any more. */
  take(other: Rows): void {
    this.time = other.time
    this.combo = other.combo
    this.confidence = other.confidence
    this.asset = other.asset
    this.count = other.count
  }

  get bytes(): number {
    return this.time.byteLength + this.combo.byteLength + this.confidence.byteLength + this.asset.byteLength
  }
}
