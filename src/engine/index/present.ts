import { toQuantile } from '../scan/ranks.ts'
import type { Numbers, PlaceParts, Shape } from '../scan/shape.ts'
import type { AssetTable } from './assets.ts'
import { CellConfidences } from './cell-confidences.ts'
import type { FacetTable } from './facets.ts'
import { PlaceTable, placeKeys, toOwnKeys } from './place-table.ts'
import type { Timeline } from './timeline.ts'

/** Above this number of passes over all assets, the rows are scanned instead. */
const MAX_ASSET_PASSES = 4

const none = new Uint16Array(0)
const unset = { sums: new Float64Array(0), least: none, greatest: none, quantiles: new Float64Array(0) }

/**
 * Counts of all present findings regardless of detection time, by place and cell, and by cell and confidence. Each
 * table is built on first use and then kept current with every change.
 */
export class PresentCounts {
  readonly #facets: FacetTable
  readonly #assets: AssetTable
  readonly #findings: Timeline
  #places: PlaceTable[] = []
  #confidences: CellConfidences | undefined

  constructor(findings: Timeline, facets: FacetTable, assets: AssetTable) {
    this.#findings = findings
    this.#facets = facets
    this.#assets = assets
  }

  get bytes(): number {
    return this.#places.reduce((sum, { bytes }) => sum + bytes, this.#confidences?.bytes ?? 0)
  }

  /** Counts a finding of an asset that gains (`by` 1) or loses (-1) a combination and a confidence. */
  follow(asset: number, combo: number, confidence: number, by: 1 | -1): void {
    const cell = this.#facets.cellOf[combo] ?? 0
    if (this.#places.length > 0) {
      this.#places = this.#places.filter((table) => table.follow(asset, cell, by))
    }
    const confidences = this.#confidences
    if (confidences === undefined) return
    if (cell >= confidences.cellCount) this.#confidences = undefined
    else confidences.add(cell, confidence, by)
  }

  /** Counts by group over all rows; undefined when the tables lack the detail that the shape needs. */
  count(shape: Shape): Numbers | undefined {
    const { cellPartOf, places, minConfidence, groups } = shape
    if (cellPartOf === undefined || (places === undefined) === (minConfidence === 0)) return undefined
    const counts = new Float64Array(groups + 1)
    const isCounted =
      places === undefined
        ? this.#countConfident(shape, counts)
        : this.#countPlaces(shape, places, counts) || (places.isByAsset && this.#countAssets(places, counts))
    return isCounted ? { ...unset, width: groups + 1, counts } : undefined
  }

  /** The percentile of confidence by group over all rows; undefined when the tables lack the detail. */
  rank({ cellPartOf, places, minConfidence, groups }: Shape, p: number): Numbers | undefined {
    if (cellPartOf === undefined || places !== undefined) return undefined
    const table = this.#getConfidences()
    if (table === undefined) return undefined
    const cellsOf = Array.from({ length: groups }, (): number[] => [])
    const counts = new Float64Array(groups + 1)
    for (let cell = 0; cell < Math.min(table.cellCount, cellPartOf.length); cell++) {
      const group = cellPartOf[cell] as number
      const count = group === groups ? 0 : table.countFrom(cell, minConfidence)
      if (count === 0) continue
      cellsOf[group]?.push(cell)
      counts[group] = (counts[group] as number) + count
    }
    const ranks = { at: (group: number, rank: number) => table.at(cellsOf[group] ?? [], rank, minConfidence) }
    const quantiles = Float64Array.from(counts, (count, group) => (count > 0 ? toQuantile(ranks, group, count, p) : 0))
    return { ...unset, width: groups + 1, counts, quantiles }
  }

  #countAssets({ bits, partOf, parts, groupOf }: PlaceParts, out: Float64Array): boolean {
    if (bits === undefined || bits.length > MAX_ASSET_PASSES) return false
    for (const [part, own] of bits.entries()) {
      const counts = this.#assets.countFindings(own)
      const byPart = new Float64Array(parts)
      for (let asset = 0; asset < counts.length; asset++) {
        const place = partOf[asset] as number
        byPart[place] = (byPart[place] as number) + (counts[asset] as number)
      }
      for (let place = 0; place < parts; place++) {
        const group = groupOf[part * parts + place] as number
        out[group] = (out[group] as number) + (byPart[place] as number)
      }
    }
    return true
  }

  #countPlaces(shape: Shape, { isByAsset, ofValues }: PlaceParts, out: Float64Array): boolean {
    const [facets, assets] = [this.#facets, this.#assets]
    const known = this.#places.find((table) => table.isCurrent && table.count(shape, out))
    if (known !== undefined) return true
    for (const key of isByAsset ? toOwnKeys(ofValues?.slot) : placeKeys) {
      if (this.#places.some((table) => table.key === key && table.isCurrent)) continue
      const table = PlaceTable.open(key, facets, assets)
      // Checks on the empty table that its granularity suffices, before filling it.
      if (table?.count(shape, out) !== true) continue
      for (const { asset, combo, count } of [this.#findings.rows, this.#findings.late]) table.fill(asset, combo, count)
      this.#places = [...this.#places.filter((other) => other.key !== key), table]
      return table.count(shape, out)
    }
    return false
  }

  #countConfident({ cellPartOf, groups, minConfidence }: Shape, out: Float64Array): boolean {
    const table = this.#getConfidences()
    if (table === undefined || cellPartOf === undefined) return false
    for (let cell = 0; cell < Math.min(table.cellCount, cellPartOf.length); cell++) {
      const group = cellPartOf[cell] as number
      if (group === groups) continue
      out[group] = (out[group] as number) + table.countFrom(cell, minConfidence)
    }
    return true
  }

  #getConfidences(): CellConfidences | undefined {
    const cellCount = this.#facets.cells.length
    if (this.#confidences !== undefined && this.#confidences.cellCount >= cellCount) return this.#confidences
    const table = CellConfidences.open(cellCount)
    const { cellOf } = this.#facets
    for (const { confidence, combo, count } of [this.#findings.rows, this.#findings.late]) {
      table?.fill(cellOf, combo, confidence, count)
    }
    this.#confidences = table
    return table
  }
}
