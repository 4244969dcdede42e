import type { FacetChange } from '../findings/facet-log.ts'
import { type EngineImage, ImageReader, ImageWriter } from './image.ts'
import { AssetTable, NumberMap } from './index/assets.ts'
import { FacetTable } from './index/facets.ts'
import { History } from './index/history.ts'
import { Names } from './index/names.ts'
import { PresentCounts } from './index/present.ts'
import type { OwnRows } from './index/rows.ts'
import { defaultTimeline, Timeline, type TimelineOptions } from './index/timeline.ts'
import { ValueTable } from './index/values.ts'

/** What findings are counted by besides time and asset: facet combination, and confidence in ten-thousandths. */
export interface RowState {
  combo: number
  confidence: number
}

const positions = ['seq', 'assetSeq', 'newestAsset'] as const

/**
 * Findings in columns sorted by time, with aggregates over them; derived from the tables, which remain authoritative.
 */
export class Engine {
  readonly facets = new FacetTable()
  readonly assets = new AssetTable()
  readonly values = new ValueTable()
  readonly names = new Names()
  readonly findings: Timeline
  readonly history: History
  readonly present: PresentCounts
  /** Counters: plans requested, and those of them left to SQL. */
  readonly asked = { plans: 0, left: 0 }
  /** Sequence numbers of the last entries applied from the finding change log and the asset change log. */
  seq = 0
  assetSeq = 0
  newestAsset = 0
  /**
   * Findings changed since the history was last updated, with their state before the first change; undefined for added
   * findings.
   */
  readonly touched = new Map<number, RowState | undefined>()
  readonly #places = new NumberMap()

  constructor(options: TimelineOptions = defaultTimeline) {
    this.findings = new Timeline(this.facets, options, true)
    this.history = new History(this.facets, options)
    this.present = new PresentCounts(this.findings, this.facets, this.assets)
  }

  /**
   * An engine with the contents of an image; its names are missing and are read by the next update.
   * @throws RangeError when the image is not one of an engine with these options.
   */
  static restore(image: EngineImage, options?: TimelineOptions): Engine {
    const reader = new ImageReader(image)
    const engine = new Engine(options)
    Object.assign(engine, reader.takeNamed(positions))
    for (const part of engine.#parts) part.restore(reader)
    return engine
  }

  /** The contents, which must not be changed while the image is in use. */
  toImage(): EngineImage {
    if (this.touched.size > 0) throw new RangeError('the engine is being updated')
    const image = new ImageWriter()
    image.addNumbers(positions.map((name) => this[name]))
    for (const part of this.#parts) part.save(image)
    return image.columns
  }

  get #parts() {
    return [this.facets, this.assets, this.values, this.findings, this.history, this.#places]
  }

  get count(): number {
    return this.findings.count
  }

  /** Memory of the columns and all auxiliary structures, in bytes. */
  get bytes(): number {
    const parts = [this.findings, this.history, this.present, this.assets, this.values, this.#places]
    return parts.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Reserves memory for `count` findings with ids up to `newestId`. */
  reserve(count: number, newestId: number): void {
    this.findings.rows.reserve(count)
    this.#places.reserve(newestId, count)
    this.history.reserve(newestId, count)
  }

  /** `value` is a stored number, 0 for none. */
  insert(id: number, time: number, combo: number, confidence: number, asset: number, value = 0): void {
    this.#places.set(id, this.findings.push(time, combo, confidence, asset, id, this.values.put(value)))
    this.assets.countStatus(asset, this.facets.bitOf(combo), 1)
    this.present.follow(asset, combo, confidence, 1)
  }

  /** Records when a finding was resolved and last detected, or `NEVER`. */
  setInstants(id: number, resolvedAt: number, lastDetectedAt: number): void {
    const found = this.findRow(id)
    found?.rows.resolved.set(found.row, resolvedAt)
    found?.rows.last.set(found.row, lastDetectedAt)
  }

  /** The row of a finding, until rows are added. */
  findRow(id: number): { rows: OwnRows; row: number } | undefined {
    const place = this.#places.get(id)
    return place === undefined ? undefined : this.findings.at(place)
  }

  /** Records the value of a finding by its stored number, 0 for none. */
  setValue(id: number, value: number): void {
    const found = this.findRow(id)
    found?.rows.setValue(found.row, this.values.put(value))
  }

  /** The current state of a finding. */
  find(id: number): (RowState & { id: number; time: number; asset: number }) | undefined {
    const found = this.findRow(id)
    if (found === undefined) return undefined
    const { rows, row } = found
    return {
      id,
      time: rows.timeOf(row),
      combo: rows.combo[row] ?? 0,
      confidence: rows.confidence[row] ?? 0,
      asset: rows.asset[row] ?? 0,
    }
  }

  /**
   * Applies changes in log order; call `flush` after the last one.
   * @throws RangeError when a change does not match the current contents; the engine must then be rebuilt.
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
        if (change.isRewritten && this.history.countOf(id) > 0) this.history.isComplete = false
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
    const found = this.findRow(id)
    if (found === undefined) throw new RangeError(`the finding ${id} is unknown`)
    const { findings, assets, facets } = this
    const { rows, row } = found
    if (rows.combo[row] !== from.combo || rows.confidence[row] !== from.confidence) {
      throw new RangeError(`the change log does not match the stored state of finding ${id}`)
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

  /** Adds the inserted rows to the tallies, which do not include them before this call. */
  flush(): void {
    this.#renumber(this.findings.flush())
  }

  /** Does one step of deferred maintenance, which affects speed but not results; returns false when none is left. */
  runMaintenanceStep(): boolean {
    return this.#renumber(this.findings.compact()) || this.history.compact()
  }

  #renumber(move: ((place: number) => number) | undefined): boolean {
    if (move === undefined) return false
    this.#places.renumber(move)
    return true
  }
}
