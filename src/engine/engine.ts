import type { FacetChange } from '../findings/facet-log.ts'
import { AssetTable, NumberMap } from './assets.ts'
import { FacetTable } from './facets.ts'
import { Names } from './names.ts'
import { Rows } from './rows.ts'
import { defaultGrain, type Grain, Tallies } from './tallies.ts'

/** Numbers from here on are rows of those that came late. */
const LATE = 2 ** 31

export interface EngineOptions extends Grain {
  /** So many findings wait unsorted at most, where that is not a small share of all. */
  leastLate: number
}
const defaultOptions: EngineOptions = { ...defaultGrain, leastLate: 32_768 }

interface RowState {
  combo: number
  confidence: number
}

/**
 * What findings are counted by, as columns sorted by time: derived from the tables, never the truth. Findings that were
 * detected before the newest row wait unsorted until there are enough of them to be merged in.
 */
export class Engine {
  readonly facets = new FacetTable()
  readonly assets = new AssetTable()
  readonly names = new Names()
  readonly rows = new Rows()
  readonly late = new Rows()
  readonly tallies: Tallies
  /** How many plans it was asked, and how many of them it left to SQL. */
  readonly asked = { plans: 0, left: 0 }
  /** How far the change logs of findings and of assets were followed. */
  seq = 0
  assetSeq = 0
  newestAsset = 0
  newestCombo = 0
  readonly #places = new NumberMap()
  readonly #leastLate: number

  constructor(options: EngineOptions = defaultOptions) {
    this.tallies = new Tallies(this.rows, this.facets, options)
    this.#leastLate = options.leastLate
  }

  get count(): number {
    return this.rows.count + this.late.count
  }

  /** Bytes of the columns and everything beside them. */
  get bytes(): number {
    return this.rows.bytes + this.late.bytes + this.tallies.bytes + this.assets.bytes + this.#places.bytes
  }

  /** Adds a finding; those that come in the order of time are cheapest. */
  insert(id: number, time: number, combo: number, confidence: number, asset: number): void {
    const { rows } = this
    if (rows.count === 0 || time >= (rows.time[rows.count - 1] ?? 0)) {
      this.#places.set(id, rows.push(time, combo, confidence, asset))
    } else {
      this.#places.set(id, LATE + this.late.push(time, combo, confidence, asset))
    }
    this.assets.countStatus(asset, this.facets.bitOf(combo), 1)
  }

  /**
   * Follows changes in the order they were made.
   * @throws RangeError when one does not fit what is here: the engine must be built again.
   */
  apply(changes: readonly FacetChange[]): void {
    for (const change of changes) {
      const from = { combo: this.#comboOf(change.fromCombo), confidence: change.fromConfidence }
      const to = { combo: this.#comboOf(change.toCombo), confidence: change.toConfidence }
      if (change.fromCombo === 0) {
        const asset = this.assets.find(change.assetId)
        if (asset === undefined) throw new RangeError('a finding of an unknown asset was added')
        this.insert(change.findingId, change.firstDetectedAt, to.combo, to.confidence, asset)
      } else {
        this.#change(change.findingId, from, to)
      }
    }
    this.tallies.extend()
    if (this.late.count > Math.max(this.#leastLate, this.rows.count >> 7)) this.merge()
  }

  #comboOf(id: number): number {
    const combo = this.facets.find(id)
    if (combo === undefined) throw new RangeError(`the combination ${id} is unknown`)
    return combo
  }

  #change(id: number, from: RowState, to: RowState): void {
    const place = this.#places.get(id)
    if (place === undefined) throw new RangeError(`the finding ${id} is unknown`)
    const rows = place >= LATE ? this.late : this.rows
    const row = place >= LATE ? place - LATE : place
    if (rows.combo[row] !== from.combo || rows.confidence[row] !== from.confidence) {
      throw new RangeError(`the finding ${id} is not as it was said to be`)
    }
    rows.setCombo(row, to.combo)
    rows.confidence[row] = to.confidence
    if (rows === this.rows && row < this.tallies.count) this.tallies.change(row, from, to)
    if (from.combo === to.combo) return
    const asset = rows.asset[row] ?? 0
    this.assets.countStatus(asset, this.facets.bitOf(from.combo), -1)
    if (to.combo !== 0) this.assets.countStatus(asset, this.facets.bitOf(to.combo), 1)
  }

  /** Sorts the late rows in. */
  merge(): void {
    const { rows, late } = this
    if (late.count === 0) return
    const order = Array.from({ length: late.count }, (_, index) => index)
    order.sort((a, b) => (late.time[a] ?? 0) - (late.time[b] ?? 0) || a - b)
    const before = rows.count
    rows.reserve(before + late.count)
    const newPlaces = new Uint32Array(late.count)
    const first = rows.firstAtOrAfter(late.time[order[0] ?? 0] ?? 0, before)
    const moved = new Uint32Array(before - first)
    let to = before + late.count - 1
    let old = before - 1
    for (let next = late.count - 1; next >= 0; to--) {
      const index = order[next] ?? 0
      const time = late.time[index] ?? 0
      if (old >= first && (rows.time[old] ?? 0) > time) {
        const { time: times, combo, confidence, asset } = rows
        rows.set(to, times[old] ?? 0, combo[old] ?? 0, confidence[old] ?? 0, asset[old] ?? 0)
        moved[old - first] = to - old
        old--
      } else {
        rows.set(to, time, late.combo[index] ?? 0, late.confidence[index] ?? 0, late.asset[index] ?? 0)
        newPlaces[index] = to
        next--
      }
    }
    rows.count = before + late.count
    late.count = 0
    this.#places.renumber((place) => {
      if (place >= LATE) return newPlaces[place - LATE] ?? 0
      return place < first ? place : place + (moved[place - first] ?? 0)
    })
    this.tallies.truncate(first)
    this.tallies.extend()
  }
}
