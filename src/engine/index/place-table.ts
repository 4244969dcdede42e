import type { PlaceParts, Shape } from '../scan/shape.ts'
import { type AssetTable, isOwnFacet, type OwnFacets } from './assets.ts'
import type { FacetTable } from './facets.ts'

/** The granularity of a table, by place and cell; the smallest table that serves the most queries comes first. */
export const placeKeys = ['container-cell', 'place-cell', 'place-bit'] as const
type OwnKey = `${keyof OwnFacets}-${'cell' | 'bit'}`
export type PlaceKey = (typeof placeKeys)[number] | OwnKey
/** The granularities of tables by a facet of assets that their places do not have; none for any other slot. */
export const toOwnKeys = (slot = ''): readonly OwnKey[] => (isOwnFacet(slot) ? [`${slot}-bit`, `${slot}-cell`] : [])

/** The maximum number of counters of one table. */
const MAX_COUNTERS = 2 ** 23
/** The number of (severity, status) pairs. */
const BITS = 24

/**
 * Present counts of all findings by place and cell, or by another key: container, owner, set of labels or dataset
 * instead of place, or (severity, status) instead of cell.
 */
export class PlaceTable {
  readonly key: PlaceKey
  readonly #facets: FacetTable
  readonly #assets: AssetTable
  /** The facet whose values are the rows; undefined when the places are. */
  readonly #slot: keyof OwnFacets | 'container' | undefined
  /** Reserved rows and columns; the counts are at `row * columns + column`. */
  readonly #rows: number
  readonly #columns: number
  readonly #counts: Uint32Array
  readonly #moves: number
  /** The column of each cell. */
  #columnOf: number[] = []

  /** Creates an empty table; undefined when it would be too large. */
  static open(key: PlaceKey, facets: FacetTable, assets: AssetTable): PlaceTable | undefined {
    const table = new PlaceTable(key, facets, assets)
    return table.#rows * table.#columns > MAX_COUNTERS ? undefined : table
  }

  private constructor(key: PlaceKey, facets: FacetTable, assets: AssetTable) {
    this.key = key
    this.#facets = facets
    this.#assets = assets
    const [slot = '', column] = key.split('-')
    this.#slot = isOwnFacet(slot) || slot === 'container' ? slot : undefined
    this.#rows = Math.ceil(this.#countRows() * 1.1) + 8
    this.#columns = column === 'bit' ? BITS : facets.cells.length + 8
    const counters = this.#rows * this.#columns
    this.#counts = new Uint32Array(counters > MAX_COUNTERS ? 0 : counters)
    this.#moves = this.#countMoves()
  }

  get bytes(): number {
    return this.#counts.byteLength
  }

  /** False when assets have moved since the table was filled, which invalidates its counts. */
  get isCurrent(): boolean {
    return this.#moves === this.#countMoves()
  }

  fill(asset: Uint32Array, combo: Uint16Array | Uint32Array, count: number): void {
    const { cellOf } = this.#facets
    const counts = this.#counts
    const columns = this.#columns
    this.#learnCells()
    const columnOf = Uint32Array.from(this.#columnOf)
    const rowOf = this.#listRows()
    for (let row = 0; row < count; row++) {
      const own = rowOf[asset[row] as number] as number
      const at = own * columns + (columnOf[cellOf[combo[row] as number] as number] as number)
      counts[at] = (counts[at] as number) + 1
    }
  }

  /**
   * Counts a finding that was added to an asset and cell, or removed; false when the table has no room or is outdated.
   */
  follow(asset: number, cell: number, by: 1 | -1): boolean {
    if (!this.isCurrent) return false
    this.#learnCells()
    const row = this.#rowOf(asset)
    const column = this.#columnOf[cell] ?? this.#columns
    if (row >= this.#rows || column >= this.#columns) return false
    const at = row * this.#columns + column
    this.#counts[at] = (this.#counts[at] ?? 0) + by
    return true
  }

  /**
   * Adds the counts of a shape's groups; returns false and adds nothing when the shape distinguishes more than this
   * table.
   */
  count({ cellPartOf, places }: Shape, out: Float64Array): boolean {
    if (cellPartOf === undefined || places === undefined) return false
    const rowParts = this.#toRowParts(places)
    this.#learnCells()
    const { parts, groupOf } = places
    const cells = Math.min(cellPartOf.length, this.#facets.cells.length)
    const columnParts = merge(cellPartOf, this.#columnOf, cells, this.#columns)
    if (rowParts === undefined || columnParts === undefined) return false
    const columns = this.#columns
    const left = groupOf.length / parts - 1
    const wanted = [...columnParts.keys()].filter((column) => ![-1, left].includes(columnParts[column] as number))
    for (let row = 0; row < rowParts.length; row++) {
      const place = rowParts[row] as number
      if (place < 0 || place === parts - 1) continue
      for (const column of wanted) {
        const group = groupOf[(columnParts[column] as number) * parts + place] as number
        out[group] = (out[group] as number) + (this.#counts[row * columns + column] as number)
      }
    }
    return true
  }

  #countRows(): number {
    const { facets, own, placeCount } = this.#assets
    if (this.#slot === undefined) return placeCount
    return (this.#slot === 'container' ? facets.container : own[this.#slot]).values.length
  }

  #rowOf(asset: number): number {
    const { placeOf, facets, own } = this.#assets
    const place = placeOf[asset] as number
    if (this.#slot === undefined) return place
    return (this.#slot === 'container' ? facets.container.column[place] : own[this.#slot].column[asset]) as number
  }

  #listRows(): Uint32Array {
    const { placeOf, facets, own, count } = this.#assets
    if (this.#slot === undefined) return placeOf
    if (this.#slot !== 'container') return own[this.#slot].column
    const { column } = facets.container
    return placeOf.subarray(0, count).map((place) => column[place] as number)
  }

  /** The part of each row; undefined when the parts distinguish more than the rows. */
  #toRowParts({ ofValues, isByAsset, partOf }: PlaceParts): Int32Array | undefined {
    if (this.#slot !== undefined && ofValues?.slot === this.#slot) {
      return merge(ofValues.partOf, undefined, ofValues.partOf.length, this.#rows)
    }
    if (isByAsset || isOwnFacet(this.#slot ?? '')) return undefined
    const { facets, placeCount } = this.#assets
    const rowOf = this.#slot === undefined ? undefined : facets.container.column
    return merge(partOf, rowOf, Math.min(partOf.length, placeCount), this.#rows)
  }

  #countMoves(): number {
    const { ownMoves, containerMoves, relocations } = this.#assets
    if (this.#slot === undefined) return relocations
    return this.#slot === 'container' ? containerMoves : ownMoves
  }

  #learnCells(): void {
    const { cells } = this.#facets
    for (let cell = this.#columnOf.length; cell < cells.length; cell++) {
      this.#columnOf.push(this.key.endsWith('-bit') ? this.#facets.bitOf(cells[cell] ?? 0) : cell)
    }
  }
}

/**
 * The part shared by all items of each slot, -1 for empty slots; undefined when one slot has items of several parts.
 */
function merge(
  partOf: Uint32Array,
  slotOf: ArrayLike<number> | undefined,
  items: number,
  slots: number,
): Int32Array | undefined {
  const found = new Int32Array(slots).fill(-1)
  for (let item = 0; item < items; item++) {
    const slot = slotOf === undefined ? item : (slotOf[item] as number)
    const part = partOf[item] as number
    // Items beyond the slots were added later and have no findings; otherwise the table would have been dropped.
    if (slot >= slots) continue
    if (found[slot] !== -1 && found[slot] !== part) return undefined
    found[slot] = part
  }
  return found
}
