import type { FacetChange } from '../findings/facet-log.ts'
import { AssetTable, NumberMap } from './index/assets.ts'
import { FacetTable } from './index/facets.ts'
import { History } from './index/history.ts'
import { Names } from './index/names.ts'
import { PresentCounts } from './index/present.ts'
import { defaultTimeline, Timeline, type TimelineOptions } from './index/timeline.ts'

/** What a finding is counted by beside its time and its asset. */
export interface RowState {
  combo: number
  confidence: number
}

/** What findings are counted by, as columns sorted by time: derived from the tables, never the truth. */
export class Engine {
  readonly facets = new FacetTable()
  readonly assets = new AssetTable()
  readonly names = new Names()
  readonly findings: Timeline
  readonly history: History
  readonly present: PresentCounts
  /** How many plans it was asked, and how many of them it left to SQL. */
  readonly asked = { plans: 0, left: 0 }
  /** How far the change logs of findings and of assets were followed. */
  seq = 0
  assetSeq = 0
  newestAsset = 0
  /**
   * The findings that changed since the history was last brought up to date, with what they were; added ones with
   * nothing.
   */
  readonly touched = new Map<number, RowState | undefined>()
  readonly #places = new NumberMap()

  constructor(options: TimelineOptions = defaultTimeline) {
    this.findings = new Timeline(this.facets, options)
    this.history = new History(this.facets, options)
    this.present = new PresentCounts(this.findings, this.facets, this.assets)
  }

  get count(): number {
    return this.findings.count
  }

  /** Bytes of the columns and everything beside them. */
  get bytes(): number {
    return this.findings.bytes + this.history.bytes + this.present.bytes + this.assets.bytes + this.#places.bytes
  }

  /** Makes room for so many findings, with ids up to the newest. */
  reserve(count: number, newestId: number): void {
    this.findings.rows.reserve(count)
    this.#places.reserve(newestId, count)
    this.history.reserve(newestId, count)
  }

  insert(id: number, time: number, combo: number, confidence: number, asset: number): void {
    this.#places.set(id, this.findings.push(time, combo, confidence, asset))
    this.assets.countStatus(asset, this.facets.bitOf(combo), 1)
    this.present.follow(asset, combo, confidence, 1)
  }

  /** A finding as it is now. */
  find(id: number): (RowState & { time: number; asset: number }) | undefined {
    const place = this.#places.get(id)
    if (place === undefined) return undefined
    const { rows, row } = this.findings.at(place)
    return {
      time: rows.timeOf(row),
      combo: rows.combo[row] ?? 0,
      confidence: rows.confidence[row] ?? 0,
      asset: rows.asset[row] ?? 0,
    }
  }

  /**
   * Follows changes in the order they were made; `settle` is to be called after the last of them.
   * @throws RangeError when one does not fit what is here: the engine must be built again.
   */
  apply(changes: readonly FacetChange[]): void {
    for (const change of changes) {
      const { findingId: id } = change
      const from = { combo: this.#comboOf(change.fromCombo), confidence: change.fromConfidence }
      const to = { combo: this.#comboOf(change.toCombo), confidence: change.toConfidence }
      if (change.fromCombo === 0) {
        const asset = this.assets.find(change.assetId)
        if (asset === undefined) throw new RangeError('a finding of an unknown asset was added')
        this.insert(id, change.firstDetectedAt, to.combo, to.confidence, asset)
        this.touched.set(id, undefined)
      } else {
        this.#change(id, from, to)
        if (change.isRewritten && this.history.countOf(id) > 0) this.history.isWhole = false
        if (!this.touched.has(id)) this.touched.set(id, from)
      }
    }
  }

  #comboOf(id: number): number {
    const combo = this.facets.find(id)
    if (combo === undefined) throw new RangeError(`the combination ${id} is unknown`)
    return combo
  }

  #change(id: number, from: RowState, to: RowState): void {
    const place = this.#places.get(id)
    if (place === undefined) throw new RangeError(`the finding ${id} is unknown`)
    const { findings, assets, facets } = this
    const { rows, row } = findings.at(place)
    if (rows.combo[row] !== from.combo || rows.confidence[row] !== from.confidence) {
      throw new RangeError(`the finding ${id} is not as it was said to be`)
    }
    rows.setCombo(row, to.combo)
    rows.confidence[row] = to.confidence
    if (rows === findings.rows && row < findings.tallies.count) findings.tallies.change(row, from, to)
    const asset = rows.asset[row] ?? 0
    this.present.follow(asset, from.combo, from.confidence, -1)
    this.present.follow(asset, to.combo, to.confidence, 1)
    if (from.combo === to.combo) return
    assets.countStatus(asset, facets.bitOf(from.combo), -1)
    if (to.combo !== 0) assets.countStatus(asset, facets.bitOf(to.combo), 1)
  }

  /** Takes in what was added: until then the tallies lack it. */
  settle(): void {
    this.#renumber(this.findings.settle())
  }

  /** Does one piece of the work that makes answers faster and changes none; false when there is none. */
  tidy(): boolean {
    return this.#renumber(this.findings.tidy()) || this.history.tidy()
  }

  #renumber(move: ((place: number) => number) | undefined): boolean {
    if (move === undefined) return false
    this.#places.renumber(move)
    return true
  }
}
