import type { AssetTable } from './assets.ts'
import type { FacetTable } from './facets.ts'
import type { Rows } from './rows.ts'
import type { Numbers, Shape } from './shape.ts'
import type { Timeline } from './timeline.ts'

const CONFIDENCES = 10_001
/** So many counters one table may have. */
const MOST_COUNTERS = 2 ** 24

/** A table of counts by cell and something else, for all rows as they are now. */
interface Table {
  counts: Uint32Array
  /** Cells, or other items, that it has room for. */
  room: number
}

/**
 * Counts of all findings as they are now, whenever they were detected: by cell and place, and by cell and confidence.
 * Each is made when it is first asked for and follows every change from then on.
 */
export class PresentCounts {
  readonly #facets: FacetTable
  readonly #assets: AssetTable
  readonly #findings: Timeline
  #places: (Table & { moves: number }) | undefined
  #confidences: Table | undefined

  constructor(findings: Timeline, facets: FacetTable, assets: AssetTable) {
    this.#findings = findings
    this.#facets = facets
    this.#assets = assets
  }

  get bytes(): number {
    return (this.#places?.counts.byteLength ?? 0) + (this.#confidences?.counts.byteLength ?? 0)
  }

  /** A finding of an asset begins (`by` 1) or ceases (-1) to have a combination and a confidence. */
  follow(asset: number, combo: number, confidence: number, by: 1 | -1): void {
    const cell = this.#facets.cellOf[combo] ?? 0
    const places = this.#places
    if (places !== undefined) {
      if (cell >= places.room || places.moves !== this.#assets.relocations) this.#places = undefined
      else bump(places.counts, (this.#assets.placeOf[asset] ?? 0) * places.room + cell, by)
    }
    const confidences = this.#confidences
    if (confidences === undefined) return
    if (cell >= confidences.room) this.#confidences = undefined
    else bump(confidences.counts, cell * CONFIDENCES + confidence, by)
  }

  /** Counts of a shape over all rows; undefined when the shape needs more than the tables tell. */
  count(shape: Shape): Numbers | undefined {
    const { cellPartOf, places, leastConfidence, groups } = shape
    if (cellPartOf === undefined || (places === undefined) === (leastConfidence === 0)) return undefined
    const counts = new Float64Array(groups + 1)
    const told = places === undefined ? this.#countSure(shape, counts) : this.#countPlaces(shape, counts)
    if (!told) return undefined
    const none = new Uint16Array(0)
    return { width: groups + 1, counts, sums: new Float64Array(0), least: none, greatest: none }
  }

  #countPlaces({ cellPartOf, places }: Shape, out: Float64Array): boolean {
    const table = this.#getPlaces()
    if (table === undefined || cellPartOf === undefined || places === undefined) return false
    const { counts, room } = table
    const { partOf, parts, groupOf } = places
    const cells = Math.min(room, cellPartOf.length)
    for (let place = 0; place < partOf.length; place++) {
      const part = partOf[place] as number
      if (part === parts - 1 || (place + 1) * room > counts.length) continue
      for (let cell = 0; cell < cells; cell++) {
        const group = groupOf[(cellPartOf[cell] as number) * parts + part] as number
        out[group] = (out[group] as number) + (counts[place * room + cell] as number)
      }
    }
    return true
  }

  #countSure({ cellPartOf, groups, leastConfidence }: Shape, out: Float64Array): boolean {
    const table = this.#getConfidences()
    if (table === undefined || cellPartOf === undefined) return false
    for (let cell = 0; cell < Math.min(table.room, cellPartOf.length); cell++) {
      const group = cellPartOf[cell] as number
      if (group === groups) continue
      let count = 0
      const end = (cell + 1) * CONFIDENCES
      for (let at = cell * CONFIDENCES + leastConfidence; at < end; at++) count += table.counts[at] as number
      out[group] = (out[group] as number) + count
    }
    return true
  }

  #getPlaces(): Table | undefined {
    const { relocations, placeCount, placeOf } = this.#assets
    const room = this.#facets.cells.length
    const known = this.#places
    if (known?.moves === relocations && known.room >= room && known.counts.length >= placeCount * known.room)
      return known
    const wide = room + 8
    const spare = Math.ceil(placeCount * 1.1) + 8
    if (wide * spare > MOST_COUNTERS) return undefined
    const table = { counts: new Uint32Array(wide * spare), room: wide, moves: relocations }
    const { cellOf } = this.#facets
    this.#each(({ asset, combo }, row) =>
      bump(
        table.counts,
        (placeOf[asset[row] as number] as number) * wide + (cellOf[combo[row] as number] as number),
        1,
      ),
    )
    this.#places = table
    return table
  }

  #getConfidences(): Table | undefined {
    const room = this.#facets.cells.length
    if (this.#confidences !== undefined && this.#confidences.room >= room) return this.#confidences
    const wide = room + 8
    if (wide * CONFIDENCES > MOST_COUNTERS) return undefined
    const table = { counts: new Uint32Array(wide * CONFIDENCES), room: wide }
    const { cellOf } = this.#facets
    this.#each(({ confidence, combo }, row) =>
      bump(table.counts, (cellOf[combo[row] as number] as number) * CONFIDENCES + (confidence[row] as number), 1),
    )
    this.#confidences = table
    return table
  }

  #each(take: (rows: Rows, row: number) => void): void {
    for (const rows of [this.#findings.rows, this.#findings.late]) {
      for (let row = 0; row < rows.count; row++) take(rows, row)
    }
  }
}

function bump(counts: Uint32Array, at: number, by: number): void {
  counts[at] = (counts[at] ?? 0) + by
}
