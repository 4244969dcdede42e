import { type ComboSlot, comboSlots } from '../../findings/facets.ts'
import type { ImageReader, ImageWriter } from '../image.ts'
import { Facet, grown } from './facet.ts'

/** A facet combination as stored; names as ids of their dictionaries. */
export type ComboFacetsRow = Record<ComboSlot | 'id', number>

/** Above this number of cells (very many detector names), cells are no longer used for counting. */
const MAX_CELLS = 1024

/**
 * The facet combinations of findings under dense numbers. Number 0 is no combination: the row of a removed finding. A
 * cell groups the combinations that share detector, severity and status.
 */
export class FacetTable {
  readonly facets: Readonly<Record<ComboSlot, Facet>>
  count = 0
  /** The cell of each combination; cell 0 belongs to combination 0. */
  cellOf = new Uint16Array(64)
  /** One sample combination of each cell. */
  readonly cells: number[] = []
  readonly #numbers = new Map<number, number>()
  readonly #cellNumbers = new Map<string, number>()
  readonly #byFacets = new Map<string, number>()
  /** The combination that differs from another only in status, at `combination * 4 + status`; 0 if not yet looked up. */
  #siblings = new Uint32Array(64)

  constructor() {
    const facets = comboSlots.map((name) => [name, new Facet()])
    this.facets = Object.fromEntries(facets) as Record<ComboSlot, Facet>
    this.add(Object.fromEntries(['id', ...comboSlots].map((name) => [name, 0])) as ComboFacetsRow)
  }

  /** False when there are too many cells: then counting works by combination only. */
  get hasCells(): boolean {
    return this.cells.length <= MAX_CELLS
  }

  add(row: ComboFacetsRow): number {
    const known = this.#numbers.get(row.id)
    if (known !== undefined) return known
    const number = this.#addFacets(row)
    this.#numbers.set(row.id, number)
    return number
  }

  /** The combination that differs from `combo` only in status; added if no finding has it yet. */
  withStatus(combo: number, status: number): number {
    const at = combo * 4 + status
    const known = this.#siblings[at] ?? 0
    if (known !== 0) return known
    const { facets } = this
    const values = comboSlots.map((name) => [name, facets[name].valueOf(combo)])
    const number = this.#addFacets({ ...(Object.fromEntries(values) as Omit<ComboFacetsRow, 'id'>), status })
    if (at >= this.#siblings.length) this.#siblings = grown(this.#siblings, at + 1)
    this.#siblings[at] = number
    return number
  }

  #addFacets(row: Omit<ComboFacetsRow, 'id'>): number {
    const id = comboSlots.map((name) => row[name]).join(' ')
    this.#completeIndex()
    const same = this.#byFacets.get(id)
    if (same !== undefined) return same
    const number = this.count++
    this.#byFacets.set(id, number)
    for (const name of comboSlots) this.facets[name].put(number, row[name])
    const key = `${row.detector} ${row.severity} ${row.status}`
    let cell = this.#cellNumbers.get(key)
    if (cell === undefined) {
      cell = this.cells.length
      this.cells.push(number)
      this.#cellNumbers.set(key, cell)
    }
    if (number >= this.cellOf.length) this.cellOf = grown(this.cellOf, number + 1)
    this.cellOf[number] = Math.min(cell, 65_535)
    return number
  }

  /** Of a restored table the index is built when it is first needed, because few engines meet a new combination. */
  #completeIndex(): void {
    const { facets } = this
    for (let number = this.#byFacets.size; number < this.count; number++) {
      this.#byFacets.set(comboSlots.map((name) => facets[name].valueOf(number)).join(' '), number)
    }
  }

  save(image: ImageWriter): void {
    image.addNumbers([this.count])
    image.add(this.cellOf, this.count)
    image.addNumbers(this.cells)
    image.addPairs(this.#numbers)
    for (const name of comboSlots) this.facets[name].save(image)
  }

  restore(image: ImageReader): void {
    this.count = image.takeNamed(['count']).count
    this.cellOf = image.take(Uint16Array)
    this.cells.splice(0, this.cells.length, ...image.takeNumbers())
    image.takePairs(this.#numbers)
    for (const name of comboSlots) this.facets[name].restore(image)
    this.#byFacets.clear()
    this.#siblings.fill(0)
    this.#cellNumbers.clear()
    const { detector, severity, status } = this.facets
    for (const [cell, combo] of this.cells.entries()) {
      this.#cellNumbers.set(`${detector.valueOf(combo)} ${severity.valueOf(combo)} ${status.valueOf(combo)}`, cell)
    }
  }

  /** The number of a stored combination; undefined if it was never added. */
  find(id: number): number | undefined {
    return this.#numbers.get(id)
  }

  /** The number, below 24, of a combination's (severity, status) pair in the masks of assets. */
  bitOf(combo: number): number {
    return this.facets.severity.valueOf(combo) * 4 + this.facets.status.valueOf(combo)
  }
}
