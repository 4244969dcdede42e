import type { Counted } from '../scan/scan.ts'
import type { FacetTable } from './facets.ts'
import type { Rows } from './rows.ts'

/** One hundredth, in the ten-thousandths in which rows store confidence. */
export const CONFIDENCE_STEP = 100
const SHARES = 101

/** With more cells than this, the distance between marks grows in proportion. */
const USUAL_CELLS = 256
const SPARE_CELLS = 16

/**
 * Counts and sums of confidence by cell and hundredth, of all rows before some row; index `hundredth * width + cell`.
 */
export interface ConfidenceMark {
  counts: Uint32Array
  sums: Float64Array
}

/**
 * Cumulative counts of confidence by cell over sorted rows. A minimum confidence in whole hundredths is counted over
 * any range by the difference of two marks and two short scans, as without a minimum.
 */
export class ConfidenceTallies {
  /** The number of cells for which memory is reserved. */
  readonly width: number
  /** Binary logarithm of the number of rows between marks. */
  readonly bits: number
  count = 0
  readonly #rows: Rows
  readonly #facets: FacetTable
  #total: ConfidenceMark
  readonly #marks: ConfidenceMark[] = []

  constructor(rows: Rows, facets: FacetTable, bits: number) {
    this.#rows = rows
    this.#facets = facets
    this.width = facets.cells.length + SPARE_CELLS
    this.bits = bits + Math.max(0, Math.ceil(Math.log2(this.width / USUAL_CELLS)))
    this.#total = this.#createMark()
  }

  /** False when cells outnumber the reserved width: then the tallies must be rebuilt. */
  get isWideEnough(): boolean {
    return this.#facets.cells.length <= this.width
  }

  get bytes(): number {
    return (this.#marks.length + 1) * SHARES * this.width * 12
  }

  /** Adds rows up to row number `count`. */
  extend(count: number): void {
    const { combo, confidence } = this.#rows
    const { cellOf } = this.#facets
    const { width } = this
    const mask = 2 ** this.bits - 1
    const { counts, sums } = this.#total
    for (let row = this.count; row < count; row++) {
      if ((row & mask) === 0) this.#marks.push({ counts: counts.slice(), sums: sums.slice() })
      const value = confidence[row] as number
      const at = Math.floor(value / CONFIDENCE_STEP) * width + (cellOf[combo[row] as number] as number)
      counts[at] = (counts[at] as number) + 1
      sums[at] = (sums[at] as number) + value
    }
    this.count = count
  }

  /** Updates the marks after a row was changed in place. */
  change(row: number, from: { combo: number; confidence: number }, to: { combo: number; confidence: number }): void {
    const { cellOf } = this.#facets
    const place = ({ combo, confidence }: typeof from) =>
      Math.floor(confidence / CONFIDENCE_STEP) * this.width + (cellOf[combo] as number)
    const [left, entered] = [place(from), place(to)]
    for (let index = (row >> this.bits) + 1; index <= this.#marks.length; index++) {
      const { counts, sums } = this.#marks[index] ?? this.#total
      counts[left] = (counts[left] as number) - 1
      sums[left] = (sums[left] as number) - from.confidence
      counts[entered] = (counts[entered] as number) + 1
      sums[entered] = (sums[entered] as number) + to.confidence
    }
  }

  /** Drops the rows from `row` on, so that they can be added again. */
  truncate(row: number): void {
    const index = row >> this.bits
    const mark = this.#marks[index]
    if (row >= this.count || mark === undefined) return
    this.#total = mark
    this.#marks.length = index
    this.count = index << this.bits
  }

  /**
   * Adds all rows before the mark nearest to `row` that have the minimum confidence; returns the row number of that
   * mark.
   */
  addBefore(row: number, shape: { cellGroupOf: Uint32Array; minConfidence: number }, out: Counted): number {
    const index = Math.min((row + 2 ** (this.bits - 1)) >>> this.bits, this.#marks.length)
    const isTotal = row === this.count || index === this.#marks.length
    const mark = isTotal ? this.#total : this.#marks[index]
    if (mark !== undefined) this.#add(mark, shape, out)
    return isTotal ? this.count : index * 2 ** this.bits
  }

  #add(
    mark: ConfidenceMark,
    { cellGroupOf, minConfidence }: { cellGroupOf: Uint32Array; minConfidence: number },
    { counts, sums, base, summed }: Counted,
  ): void {
    const { width } = this
    const cells = Math.min(width, cellGroupOf.length)
    for (let share = minConfidence / CONFIDENCE_STEP; share < SHARES; share++) {
      const at = share * width
      for (let cell = 0; cell < cells; cell++) {
        const group = base + (cellGroupOf[cell] as number)
        counts[group] = (counts[group] as number) + (mark.counts[at + cell] as number)
        if (summed) sums[group] = (sums[group] as number) + (mark.sums[at + cell] as number)
      }
    }
  }

  #createMark(): ConfidenceMark {
    const length = SHARES * this.width
    return { counts: new Uint32Array(length), sums: new Float64Array(length) }
  }
}
