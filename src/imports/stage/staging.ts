import { createNumberer } from '../../detectors/fingerprint.ts'
import { redactTexts } from '../../detectors/redact-text.ts'
import { hasSameFields, type ImportedAsset } from '../../findings/imported-assets.store.ts'
import { cutExcerpt, type ImportLine } from '../read/import-line.ts'
import {
  type DatedLine,
  type Identify,
  type ImportRow,
  numberNames,
  sanitizeAsset,
  writeNumbers,
} from '../read/import-row.ts'
import { FacetInterner } from './facet-interner.ts'
import { PlainLines } from './plain-lines.ts'

/** Maximum number of rows held in memory. */
const ROWS_AT_ONCE = 32_000
/** Maximum characters of excerpts that wait to be masked, and of rows, held in memory. */
const EXCERPTS_AT_ONCE = 8_000_000
const TEXT_AT_ONCE = 8_000_000
const LINES_AT_ONCE = 1_000
/** Maximum number of cached assets of parsed lines; when it is reached, all are dropped. */
const MAX_ASSETS = 64_000

/** An asset as given in a line, and as it may be stored. */
interface KnownAsset {
  asset: ImportLine['asset']
  sanitized: ImportedAsset
}

/** Converts validated lines into rows that may be stored: excerpts and credentials masked, fingerprints computed. */
export class Staging {
  readonly #identify: Identify
  readonly #combinations = new FacetInterner()
  readonly #plain: PlainLines
  readonly #assets = new Map<string, KnownAsset>()
  #rows: ImportRow[] = []
  #numbers = new Float64Array()
  #numbersEnd = 0
  /** Rows whose excerpts are to be masked, and the excerpts. */
  #excerptRows: ImportRow[] = []
  #excerpts: string[] = []
  #excerptLength = 0
  #text = 0

  constructor(key: Uint8Array) {
    this.#identify = createNumberer(key)
    this.#plain = new PlainLines(key, this.#combinations)
  }

  add(line: ImportLine, undated: boolean): void {
    const given: DatedLine = undated ? { ...line, undated } : line
    const asset = this.#sanitizeOnce(line.asset)
    const { key, name = '', url = '', container = '' } = asset
    this.#text += key.length + name.length + url.length + container.length
    const at = this.#allocateNumbers()
    writeNumbers(given, this.#identify, this.#numbers, at)
    this.#addRow(
      { numbers: this.#numbers, at, asset, facets: this.#combinations.find(line), excerpt: null },
      line.excerpt,
    )
  }

  /**
   * Adds the line of a piece that begins at `from` if it is certainly valid, and returns the offset of its end; -1 if it
   * has to be parsed, checked and passed to `add`.
   */
  addPlain(piece: Buffer, from: number, latest: number): number {
    const at = this.#allocateNumbers()
    const end = this.#plain.read(piece, from, latest, this.#numbers, at)
    if (end < 0) {
      this.#numbersEnd = at
      return -1
    }
    const { asset, facets, excerpt } = this.#plain
    if (asset === undefined || facets === undefined) throw new RangeError('a line without an asset was accepted')
    this.#addRow({ numbers: this.#numbers, at, asset, facets, excerpt: null }, excerpt)
    return end
  }

  get isFull(): boolean {
    return this.#rows.length >= ROWS_AT_ONCE || this.#text > TEXT_AT_ONCE
  }

  /** Returns all rows so far and clears them. */
  take(): ImportRow[] {
    this.#maskExcerpts()
    const rows = this.#rows
    this.#rows = []
    this.#text = 0
    return rows
  }

  /** The place of the numbers of a row in `#numbers`. */
  #allocateNumbers(): number {
    if (this.#numbersEnd === this.#numbers.length) {
      this.#numbers = new Float64Array(LINES_AT_ONCE * numberNames.length)
      this.#numbersEnd = 0
    }
    const at = this.#numbersEnd
    this.#numbersEnd += numberNames.length
    return at
  }

  #addRow(row: ImportRow, excerpt: string | undefined): void {
    this.#rows.push(row)
    if (excerpt === undefined) return
    const cut = cutExcerpt(excerpt)
    this.#excerptRows.push(row)
    this.#excerpts.push(cut)
    this.#text += cut.length
    this.#excerptLength += cut.length
    if (this.#excerpts.length >= LINES_AT_ONCE || this.#excerptLength > EXCERPTS_AT_ONCE) this.#maskExcerpts()
  }

  #maskExcerpts(): void {
    const masked = redactTexts(this.#excerpts)
    for (const [index, row] of this.#excerptRows.entries()) row.excerpt = masked[index] ?? null
    this.#excerptRows = []
    this.#excerpts = []
    this.#excerptLength = 0
  }

  #sanitizeOnce(asset: ImportLine['asset']): ImportedAsset {
    const known = this.#assets.get(asset.key)
    if (known !== undefined && hasSameFields(known.asset, asset)) return known.sanitized
    const sanitized = sanitizeAsset(asset, this.#identify)
    if (this.#assets.size >= MAX_ASSETS) this.#assets.clear()
    this.#assets.set(asset.key, { asset, sanitized })
    return sanitized
  }
}
