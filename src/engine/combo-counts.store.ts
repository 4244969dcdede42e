import { decodeChanges } from '../findings/facet-log.ts'
import type { SafeText } from '../kernel/safe-text.ts'
import { IN_NUMBERS } from '../store/builder.ts'
import type { Reader } from '../store/store.ts'
import { Engine } from './columnar-index.ts'
import { grown } from './index/facet.ts'
import type { ComboFacetsRow } from './index/facets.ts'
import { comboFacetColumns, readSources } from './load.store.ts'
import type { Shape } from './scan/shape.ts'

/** So few that the event loop is held up for a millisecond. */
const ROWS_AT_ONCE = 100
/** With more combinations, sums over them take longer than asking another thread. */
const MAX_COMBOS = 50_000
/** When more log rows have to be applied, reading all combinations again takes less of one turn of the event loop. */
const MAX_LOG_ROWS = 20

const selectCombos = `SELECT id, n, ${comboFacetColumns} FROM main.combo`
const selectPosition = `SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'facet_log'), 0) AS seq,
  (SELECT n FROM definition_count) AS definitions`

/** Whether there are no more combinations than `most`. */
export const hasFewCombos = (reader: Reader, most: number): boolean =>
  reader.prepare('SELECT 1 FROM main.combo LIMIT 1 OFFSET ?').get(most) === undefined

type CountedRow = ComboFacetsRow & { n: number }

interface Position {
  seq: number
  definitions: number
}

/**
 * The stored counts of findings by combination of facets, kept current by the change log: enough for questions about
 * all present findings by facets of findings, without the columns of an engine.
 */
export class ComboCounts {
  /** Has the combinations and the names that occur in them, but no findings and no assets. */
  readonly engine = new Engine()
  /** No finding was first detected after this instant. */
  newestDetection = Number.NEGATIVE_INFINITY
  #seq: number | undefined
  #newestId = 0
  #isLoaded = false
  #current: { reader: Reader; dataVersion: number } | undefined
  readonly #countOfId = new Map<number, number>()
  readonly #rowsAtOnce: number
  #counts = new Float64Array(64)
  #cellCounts = new Float64Array(64)

  constructor(rowsAtOnce = ROWS_AT_ONCE) {
    this.#rowsAtOnce = rowsAtOnce
  }

  get isLoaded(): boolean {
    return this.#isLoaded
  }

  /** Reads some of the combinations; returns false when there are too many. Call it until `isLoaded`. */
  loadSome(reader: Reader): boolean {
    // What was committed since the last page is in the log, or else everything is read again.
    if (this.#seq === undefined || !this.follow(reader)) this.#begin(reader)
    const rows = reader
      .prepare(`${selectCombos} WHERE id > ? ORDER BY id LIMIT ?`)
      .all(this.#newestId, this.#rowsAtOnce) as CountedRow[]
    this.#put(reader, rows)
    this.#newestId = rows.at(-1)?.id ?? this.#newestId
    this.#isLoaded = rows.length < this.#rowsAtOnce
    return this.#countOfId.size <= MAX_COMBOS
  }

  #begin(reader: Reader): void {
    this.#seq = (reader.prepare(selectPosition).get() as Position).seq
    this.#newestId = 0
    const newest = reader.prepare('SELECT max(first_detected_at) FROM main.finding').pluck().get() as number | null
    this.newestDetection = newest ?? Number.NEGATIVE_INFINITY
  }

  /** Updates the counts to the snapshot of a reader; false when they have to be loaded again. */
  follow(reader: Reader): boolean {
    const { dataVersion } = reader
    if (dataVersion !== undefined && this.#current?.reader === reader && this.#current.dataVersion === dataVersion) {
      return true
    }
    const { seq, definitions } = reader.prepare(selectPosition).get() as Position
    const { names } = this.engine
    if (definitions !== names.definitions) names.setSources(readSources(reader), definitions)
    if (seq !== this.#seq && !this.#applyLog(reader, seq)) return false
    this.#seq = seq
    this.#current = dataVersion === undefined ? undefined : { reader, dataVersion }
    return this.#countOfId.size <= MAX_COMBOS
  }

  #applyLog(reader: Reader, seq: number): boolean {
    const since = this.#seq ?? seq
    if (seq < since || seq - since > MAX_LOG_ROWS) return false
    const rows = reader.prepare('SELECT n, delta FROM facet_log WHERE seq > ? ORDER BY seq').all(since) as {
      n: number
      delta: Uint8Array
    }[]
    if (rows.length !== seq - since || rows.some(({ n }) => n === 0)) return false
    const changed = new Set<number>()
    for (const { fromCombo, toCombo, firstDetectedAt } of rows.flatMap(({ delta }) => decodeChanges(delta))) {
      changed.add(fromCombo).add(toCombo)
      if (fromCombo === 0) this.newestDetection = Math.max(this.newestDetection, firstDetectedAt)
    }
    changed.delete(0)
    const known = reader
      .prepare(`${selectCombos} WHERE id ${IN_NUMBERS}`)
      .all(JSON.stringify([...changed])) as CountedRow[]
    this.#put(reader, known)
    return known.length === changed.size
  }

  #put(reader: Reader, rows: readonly CountedRow[]): void {
    const { facets, names } = this.engine
    const words = rows.flatMap(({ detector, type, category, customKey }) => [detector, type, category, customKey])
    const unknown = [...new Set(words)].filter((id) => !names.hasWord(id))
    if (unknown.length > 0) {
      const select = reader.prepare(`SELECT id, text FROM word WHERE id ${IN_NUMBERS}`)
      names.addWords(select.all(JSON.stringify(unknown)) as { id: number; text: SafeText }[])
    }
    for (const row of rows) {
      const number = facets.add(row)
      const cell = facets.cellOf[number] as number
      if (number >= this.#counts.length) this.#counts = grown(this.#counts, number + 1)
      if (cell >= this.#cellCounts.length) this.#cellCounts = grown(this.#cellCounts, cell + 1)
      const by = row.n - (this.#countOfId.get(row.id) ?? 0)
      this.#countOfId.set(row.id, row.n)
      this.#counts[number] = (this.#counts[number] as number) + by
      this.#cellCounts[cell] = (this.#cellCounts[cell] as number) + by
    }
  }

  /** The number of findings by group of a shape over combinations. */
  sum({ groups, groupOf, cellGroupOf }: Pick<Shape, 'groups' | 'groupOf' | 'cellGroupOf'>): Float64Array<ArrayBuffer> {
    const [groupOfItem, counts] = cellGroupOf === undefined ? [groupOf, this.#counts] : [cellGroupOf, this.#cellCounts]
    const sums = new Float64Array(groups + 1)
    for (let item = 0; item < groupOfItem.length; item++) {
      const group = groupOfItem[item] as number
      sums[group] = (sums[group] as number) + (counts[item] as number)
    }
    return sums
  }
}
