import type { AssetTable } from './assets.ts'
import { grown } from './facet.ts'

/**
 * The container of each row, by value number, so that counts by container read it in sequence instead of looking up
 * assets. It is filled when questions have read about as many rows as that takes.
 */
export class RowContainers {
  /** Four bytes wide only when there are more than 2^16 containers. */
  #column: Uint16Array | Uint32Array = new Uint16Array(0)
  #count = 0
  #moves = -1
  /** The rows that questions have read without the column. */
  #missed = 0

  get bytes(): number {
    return this.#column.byteLength
  }

  /** The column up to row number `count`; undefined when filling it would take longer than reading `wanted` rows. */
  find(
    { placeOf, facets, containerMoves }: AssetTable,
    asset: Uint32Array,
    { count, wanted }: { count: number; wanted: number },
  ): Uint16Array | Uint32Array | undefined {
    if (this.#moves !== containerMoves) this.#count = 0
    this.#moves = containerMoves
    this.#missed += wanted
    if (count - this.#count > this.#missed) return undefined
    this.#missed = 0
    const { column: containerOf, values } = facets.container
    if (values.length > 65_536 && this.#column instanceof Uint16Array) this.#column = Uint32Array.from(this.#column)
    if (count > this.#column.length) this.#column = grown(this.#column, count)
    const column = this.#column
    for (let row = this.#count; row < count; row++) {
      column[row] = containerOf[placeOf[asset[row] as number] as number] as number
    }
    this.#count = count
    return column
  }

  /** Drops the rows from `row` on, which are now others. */
  truncate(row: number): void {
    this.#count = Math.min(this.#count, row)
  }
}
