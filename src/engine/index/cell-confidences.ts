import { CONFIDENCES, STEP_BITS, STEPS } from '../scan/ranks.ts'

/** The maximum number of counters. */
const MAX_COUNTERS = 2 ** 24
/** Cells added later that need no new table. */
const SPARE_CELLS = 8

/** Counts of findings by cell and confidence, and by cell and step of adjacent confidences. */
export class CellConfidences {
  /** The number of cells for which memory is reserved. */
  readonly cellCount: number
  readonly #counts: Uint32Array
  readonly #steps: Uint32Array

  /** Creates an empty table; undefined when it would be too large. */
  static open(cells: number): CellConfidences | undefined {
    return (cells + SPARE_CELLS) * CONFIDENCES > MAX_COUNTERS ? undefined : new CellConfidences(cells + SPARE_CELLS)
  }

  private constructor(cellCount: number) {
    this.cellCount = cellCount
    this.#counts = new Uint32Array(cellCount * CONFIDENCES)
    this.#steps = new Uint32Array(cellCount * STEPS)
  }

  get bytes(): number {
    return this.#counts.byteLength + this.#steps.byteLength
  }

  fill(cellOf: Uint16Array, combo: Uint16Array | Uint32Array, confidence: Uint16Array, count: number): void {
    const counts = this.#counts
    for (let row = 0; row < count; row++) {
      const at = (cellOf[combo[row] as number] as number) * CONFIDENCES + (confidence[row] as number)
      counts[at] = (counts[at] as number) + 1
    }
    this.#sumSteps()
  }

  add(cell: number, confidence: number, by: 1 | -1): void {
    const [at, step] = [cell * CONFIDENCES + confidence, cell * STEPS + (confidence >> STEP_BITS)]
    this.#counts[at] = (this.#counts[at] as number) + by
    this.#steps[step] = (this.#steps[step] as number) + by
  }

  /** The number of findings of a cell that have at least a confidence. */
  countFrom(cell: number, least: number): number {
    const first = Math.min(STEPS, (least + 2 ** STEP_BITS - 1) >> STEP_BITS)
    let count = this.#countWithin(cell, least, first << STEP_BITS)
    for (let step = first; step < STEPS; step++) count += this.#steps[cell * STEPS + step] as number
    return count
  }

  /** The confidence at a rank (from 0) among the findings of several cells that have at least a confidence. */
  at(cells: readonly number[], rank: number, least: number): number {
    let [left, from, end] = [rank, least, least]
    for (let step = least >> STEP_BITS; step < STEPS; step++) {
      ;[from, end] = [Math.max(least, step << STEP_BITS), Math.min(CONFIDENCES, (step + 1) << STEP_BITS)]
      const isWhole = from === step << STEP_BITS
      let count = 0
      for (const cell of cells) {
        count += isWhole ? (this.#steps[cell * STEPS + step] as number) : this.#countWithin(cell, from, end)
      }
      if (left < count) break
      left -= count
    }
    const counts = new Float64Array(end - from)
    for (const cell of cells) {
      const first = cell * CONFIDENCES + from
      for (let at = 0; at < counts.length; at++)
        counts[at] = (counts[at] as number) + (this.#counts[first + at] as number)
    }
    let confidence = 0
    while (left >= (counts[confidence] as number)) left -= counts[confidence++] as number
    return from + confidence
  }

  #countWithin(cell: number, from: number, end: number): number {
    let count = 0
    const last = cell * CONFIDENCES + Math.min(CONFIDENCES, end)
    for (let at = cell * CONFIDENCES + from; at < last; at++) count += this.#counts[at] as number
    return count
  }

  #sumSteps(): void {
    for (let cell = 0; cell < this.cellCount; cell++) {
      for (let step = 0; step < STEPS; step++) {
        this.#steps[cell * STEPS + step] = this.#countWithin(cell, step << STEP_BITS, (step + 1) << STEP_BITS)
      }
    }
  }
}
