import { type ComboSlot, comboSlots } from '../../findings/facets.ts'
import { Facet, grown } from './facet.ts'

/** A combination of facets as the store has it, names as ids of their dictionaries. */
export type ComboFacetsRow = Record<ComboSlot | 'id', number>

/** A table of combinations gets too many cells for the fine index when detectors have very many names. */
const MAX_CELLS = 1024

/**
 * The combinations of facets that findings have, under numbers of their own without gaps. Number 0 is no combination:
 * the row of a finding that is gone. A cell is what combinations of one detector, severity and status have in common.
 */
export class FacetTable {
  readonly facets: Readonly<Record<ComboSlot, Facet>>
  count = 0
  /** The cell of each combination; 0 is that of no combination. */
  cellOf = new Uint16Array(64)
  /** One combination of each cell. */
  readonly cells: number[] = []
  readonly #numbers = new Map<number, number>()
  readonly #cellNumbers = new Map<string, number>()
  readonly #byFacets = new Map<string, number>()
  /** The combination that differs from another in its status alone: at `combination * 4 + status`. */
  readonly #siblings = new Map<number, number>()

  constructor() {
    const facets = comboSlots.map((name) => [name, new Facet()])
    this.facets = Object.fromEntries(facets) as Record<ComboSlot, Facet>
    this.add(Object.fromEntries(['id', ...comboSlots].map((name) => [name, 0])) as ComboFacetsRow)
  }

  /** False when there are too many cells: only combinations can be counted by then. */
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

  /** The combination that is as another but for its status, whether any finding has it by now or not. */
  withStatus(combo: number, status: number): number {
    const at = combo * 4 + status
    const known = this.#siblings.get(at)
    if (known !== undefined) return known
    const { facets } = this
    const values = comboSlots.map((name) => [name, facets[name].valueOf(combo)])
    const number = this.#addFacets({ ...(Object.fromEntries(values) as Omit<ComboFacetsRow, 'id'>), status })
    this.#siblings.set(at, number)
    return number
  }

  #addFacets(row: Omit<ComboFacetsRow, 'id'>): number {
    const id = comboSlots.map((name) => row[name]).join(' ')
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

  /** The number of a stored combination; undefined when it was never added. */
  find(id: number): number | undefined {
    return this.#numbers.get(id)
  }

  /** The bit of an asset's mask that stands for a combination's severity and status: below 24. */
  bitOf(combo: number): number {
    return this.facets.severity.valueOf(combo) * 4 + this.facets.status.valueOf(combo)
  }
}
