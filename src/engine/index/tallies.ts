import type { ImageReader, ImageWriter } from '../image.ts'
import { grown } from './facet.ts'
import type { FacetTable } from './facets.ts'
import type { Rows } from './rows.ts'

/** Rows between marks and between blocks, as binary logarithms; at most 16 for marks. */
export interface BlockSizes {
  /** A mark has the counts of every combination over all rows before it. */
  markBits: number
  /** A block has the counts of every cell between the preceding mark and itself. */
  blockBits: number
}
export const defaultBlockSizes: BlockSizes = { markBits: 16, blockBits: 11 }

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
  /** The number of cells for which each block has room. */
  width = 64
  /** Since the mark before each block: counts below 65,536, and sums below 2^32. */
  counts = new Uint16Array(0)
  sums = new Uint32Array(0)
  count = 0
  readonly markBits: number
  readonly blockBits: number
  readonly #rows: Rows
  readonly #facets: FacetTable

  constructor(rows: Rows, facets: FacetTable, { markBits, blockBits }: BlockSizes) {
    this.#rows = rows
    this.#facets = facets
    this.markBits = markBits
    this.blockBits = blockBits
  }

  /** Adds the rows appended since the last call. */
  extend(): void {
    const { cells, cellOf } = this.#facets
    if (cells.length > this.width && this.#facets.hasCells) this.#widen(cells.length)
    const { combo, confidence, count } = this.#rows
    const hasCells = this.#facets.hasCells
    const { blockBits, total } = this
    const mask = 2 ** blockBits - 1
    total.reserve(this.#facets.count, cells.length)
    const { combos, comboSums, cells: cellCounts, cellSums } = total
    for (let row = this.count; row < count; row++) {
      if ((row & mask) === 0) this.#startBlock(row)
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
    const { cells, cellOf, hasCells } = this.#facets
    if (hasCells && cells.length > this.width) this.#widen(cells.length)
    const fromCell = hasCells ? (cellOf[from.combo] ?? 0) : 0
    const toCell = hasCells ? (cellOf[to.combo] ?? 0) : 0
    const move = (mark: Mark) => {
      mark.add(from.combo, fromCell, -1, -from.confidence)
      mark.add(to.combo, toCell, 1, to.confidence)
    }
    move(this.total)
    const own = row >> this.markBits
    for (let index = own + 1; index < this.marks.length; index++) {
      const mark = this.marks[index]
      if (mark !== undefined) move(mark)
    }
    if (!hasCells) return
    const block = row >> this.blockBits
    const end = Math.min((own + 1) * 2 ** (this.markBits - this.blockBits), ((this.count - 1) >> this.blockBits) + 1)
    for (let next = block + 1; next < end; next++) {
      const at = next * this.width
      this.#shift(at + fromCell, -1, -from.confidence)
      this.#shift(at + toCell, 1, to.confidence)
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

  #startBlock(row: number): void {
    if (row % 2 ** this.markBits === 0) this.marks.push(this.total.copy())
    const block = row >> this.blockBits
    const at = block * this.width
    if (at + this.width > this.counts.length) this.#reserve(at + this.width)
    const before = this.marks.at(-1)
    for (let cell = 0; cell < this.width; cell++) {
      this.counts[at + cell] = (this.total.cells[cell] ?? 0) - (before?.cells[cell] ?? 0)
      this.sums[at + cell] = (this.total.cellSums[cell] ?? 0) - (before?.cellSums[cell] ?? 0)
    }
  }

  #reserve(length: number): void {
    this.counts = grown(this.counts, length)
    this.sums = grown(this.sums, length)
  }

  #shift(at: number, rows: number, confidence: number): void {
    this.counts[at] = (this.counts[at] ?? 0) + rows
    this.sums[at] = (this.sums[at] ?? 0) + confidence
  }

  #widen(cells: number): void {
    let width = this.width
    while (width < cells) width *= 2
    const from = this.width
    const blocks = Math.ceil(this.count / 2 ** this.blockBits)
    const spread = <Items extends Uint16Array | Uint32Array>(items: Items, wide: Items): Items => {
      for (let block = 0; block < blocks; block++) {
        wide.set(items.subarray(block * from, (block + 1) * from) as never, block * width)
      }
      return wide
    }
    const length = Math.ceil(this.counts.length / from) * width
    this.counts = spread(this.counts, new Uint16Array(length))
    this.sums = spread(this.sums, new Uint32Array(length))
    this.width = width
  }

  save(image: ImageWriter): void {
    const { width, count, marks, markBits, blockBits } = this
    const used = Math.ceil(count / 2 ** blockBits) * width
    image.addNumbers([width, count, marks.length, markBits, blockBits])
    for (const mark of [this.total, ...marks]) mark.save(image)
    for (const column of [this.counts, this.sums]) image.add(column, used)
  }

  /** @throws RangeError for an image with other block sizes. */
  restore(image: ImageReader): void {
    const told = image.takeNamed(['width', 'count', 'marks', 'markBits', 'blockBits'])
    if (told.markBits !== this.markBits || told.blockBits !== this.blockBits) {
      throw new RangeError('the image of the engine has other block sizes')
    }
    this.width = told.width
    this.count = told.count
    this.total = new Mark(0, 0).restore(image)
    this.marks = Array.from({ length: told.marks }, () => new Mark(0, 0).restore(image))
    this.counts = image.take(Uint16Array)
    this.sums = image.take(Uint32Array)
  }

  get bytes(): number {
    const marks = this.marks.reduce((sum, mark) => sum + mark.bytes, this.total.bytes)
    return marks + this.counts.byteLength + this.sums.byteLength
  }
}
