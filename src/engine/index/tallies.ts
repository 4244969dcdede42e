import type { ImageReader, ImageWriter } from '../image.ts'
import { grown } from './facet.ts'
import type { FacetTable } from './facets.ts'
import type { Rows } from './rows.ts'

/** The binary logarithm of the number of rows between marks. */
export interface MarkSize {
  markBits: number
}
export const defaultMarkSize: MarkSize = { markBits: 15 }

/** Counts and sums of confidence, by combination and by cell, of all rows before some row. */
export class Mark {
  combos: Uint32Array
  comboSums: Float64Array
  cells: Uint32Array
  cellSums: Float64Array

  constructor(combos: number, cells: number) {
    this.combos = new Uint32Array(combos)
    this.comboSums = new Float64Array(combos)
    this.cells = new Uint32Array(cells)
    this.cellSums = new Float64Array(cells)
  }

  copy(): Mark {
    const copy = new Mark(0, 0)
    copy.combos = this.combos.slice()
    copy.comboSums = this.comboSums.slice()
    copy.cells = this.cells.slice()
    copy.cellSums = this.cellSums.slice()
    return copy
  }

  /** Reserves memory for combinations and cells. */
  reserve(combos: number, cells: number): void {
    if (combos > this.combos.length) {
      this.combos = grown(this.combos, combos)
      this.comboSums = grown(this.comboSums, combos)
    }
    if (cells > this.cells.length) {
      this.cells = grown(this.cells, cells)
      this.cellSums = grown(this.cellSums, cells)
    }
  }

  add(combo: number, cell: number, rows: number, confidence: number): void {
    this.reserve(combo + 1, cell + 1)
    this.combos[combo] = (this.combos[combo] ?? 0) + rows
    this.comboSums[combo] = (this.comboSums[combo] ?? 0) + confidence
    this.cells[cell] = (this.cells[cell] ?? 0) + rows
    this.cellSums[cell] = (this.cellSums[cell] ?? 0) + confidence
  }

  save(image: ImageWriter): void {
    for (const column of [this.combos, this.comboSums, this.cells, this.cellSums]) image.add(column)
  }

  restore(image: ImageReader): this {
    this.combos = image.take(Uint32Array)
    this.comboSums = image.take(Float64Array)
    this.cells = image.take(Uint32Array)
    this.cellSums = image.take(Float64Array)
    return this
  }

  get bytes(): number {
    return this.combos.byteLength + this.comboSums.byteLength + this.cells.byteLength + this.cellSums.byteLength
  }
}

/**
 * Cumulative counts over sorted rows: any range is the difference of two of them and two short scans. Appended rows and
 * rows changed in place are both supported.
 */
export class Tallies {
  /** Of all rows. */
  total = new Mark(1024, 64)
  /** One mark for each row number that is a multiple of 2^`markBits`. */
  marks: Mark[] = []
  count = 0
  readonly markBits: number
  readonly #rows: Rows
  readonly #facets: FacetTable

  constructor(rows: Rows, facets: FacetTable, { markBits }: MarkSize) {
    this.#rows = rows
    this.#facets = facets
    this.markBits = markBits
  }

  /** Adds the rows appended since the last call. */
  extend(): void {
    const { cells, cellOf, hasCells } = this.#facets
    const { combo, confidence, count } = this.#rows
    const { total } = this
    const mask = 2 ** this.markBits - 1
    total.reserve(this.#facets.count, cells.length)
    const { combos, comboSums, cells: cellCounts, cellSums } = total
    for (let row = this.count; row < count; row++) {
      if ((row & mask) === 0) this.marks.push(total.copy())
      const number = combo[row] as number
      const cell = hasCells ? (cellOf[number] as number) : 0
      const value = confidence[row] as number
      combos[number] = (combos[number] as number) + 1
      comboSums[number] = (comboSums[number] as number) + value
      cellCounts[cell] = (cellCounts[cell] as number) + 1
      cellSums[cell] = (cellSums[cell] as number) + value
    }
    this.count = count
  }

  /** Updates the tallies after a row was changed in place. */
  change(row: number, from: { combo: number; confidence: number }, to: { combo: number; confidence: number }): void {
    const { cellOf, hasCells } = this.#facets
    const fromCell = hasCells ? (cellOf[from.combo] ?? 0) : 0
    const toCell = hasCells ? (cellOf[to.combo] ?? 0) : 0
    for (const mark of [this.total, ...this.marks.slice((row >> this.markBits) + 1)]) {
      mark.add(from.combo, fromCell, -1, -from.confidence)
      mark.add(to.combo, toCell, 1, to.confidence)
    }
  }

  /** Drops the rows from `row` on, so that they can be added again. */
  truncate(row: number): void {
    const index = row >> this.markBits
    const mark = this.marks[index]
    if (row >= this.count || mark === undefined) return
    this.total = mark
    this.marks.length = index
    this.count = index << this.markBits
  }

  save(image: ImageWriter): void {
    const { count, marks, markBits } = this
    image.addNumbers([count, marks.length, markBits])
    for (const mark of [this.total, ...marks]) mark.save(image)
  }

  /** @throws RangeError for an image with another distance between marks. */
  restore(image: ImageReader): void {
    const told = image.takeNamed(['count', 'marks', 'markBits'])
    if (told.markBits !== this.markBits) throw new RangeError('the image of the engine has another distance of marks')
    this.count = told.count
    this.total = new Mark(0, 0).restore(image)
    this.marks = Array.from({ length: told.marks }, () => new Mark(0, 0).restore(image))
  }

  get bytes(): number {
    return this.marks.reduce((sum, mark) => sum + mark.bytes, this.total.bytes)
  }
}
