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

/** Maximum number of rows held in memory. */
const ROWS_AT_ONCE = 32_000
/** Maximum characters of excerpts, and of rows, held in memory. */
const EXCERPTS_AT_ONCE = 8_000_000
const TEXT_AT_ONCE = 8_000_000
const LINES_AT_ONCE = 1_000
/** Assets of a cache generation; the current and the previous generation are kept. */
const ASSETS_PER_GENERATION = 64_000

/** An asset as given in a line, and as it may be stored. */
interface NumberedAsset {
  asset: ImportLine['asset']
  sanitized: ImportedAsset
}

/** Converts validated lines into rows that may be stored: excerpts and credentials masked, fingerprints computed. */
export class Staging {
  readonly #identify: Identify
  readonly #combinations = new FacetInterner()
  #sanitized = new Map<string, NumberedAsset>()
  #sanitizedBefore = new Map<string, NumberedAsset>()
  #lines: DatedLine[] = []
  #rows: ImportRow[] = []
  #excerpts = 0
  #text = 0

  constructor(key: Uint8Array) {
    this.#identify = createNumberer(key)
  }

  add(line: ImportLine, undated: boolean): void {
    this.#lines.push(undated ? { ...line, undated } : line)
    this.#excerpts += line.excerpt?.length ?? 0
    if (this.#lines.length >= LINES_AT_ONCE || this.#excerpts > EXCERPTS_AT_ONCE) this.#convert()
  }

  get isFull(): boolean {
    return this.#rows.length >= ROWS_AT_ONCE || this.#text > TEXT_AT_ONCE
  }

  /** Returns all rows so far and clears them. */
  take(): ImportRow[] {
    this.#convert()
    const rows = this.#rows
    this.#rows = []
    this.#text = 0
    return rows
  }

  #convert(): void {
    const excerpts: string[] = []
    for (const { excerpt } of this.#lines) if (excerpt !== undefined) excerpts.push(cutExcerpt(excerpt))
    const masked = redactTexts(excerpts)[Symbol.iterator]()
    const numbers = new Float64Array(this.#lines.length * numberNames.length)
    let at = 0
    for (const line of this.#lines) {
      const excerpt = (line.excerpt === undefined ? undefined : masked.next().value) ?? null
      const asset = this.#sanitizeOnce(line.asset)
      writeNumbers(line, this.#identify, numbers, at)
      this.#rows.push({ numbers, at, asset, facets: this.#combinations.find(line), excerpt })
      at += numberNames.length
      const { key, name = '', url = '', container = '' } = asset
      this.#text += (excerpt?.length ?? 0) + key.length + name.length + url.length + container.length
    }
    this.#lines = []
    this.#excerpts = 0
  }

  #sanitizeOnce(asset: ImportLine['asset']): ImportedAsset {
    const present = this.#sanitized.get(asset.key)
    if (present !== undefined && hasSameFields(present.asset, asset)) return present.sanitized
    const known = present ?? this.#sanitizedBefore.get(asset.key)
    const sanitized =
      known !== undefined && hasSameFields(known.asset, asset)
        ? known
        : { asset, sanitized: sanitizeAsset(asset, this.#identify) }
    if (this.#sanitized.size >= ASSETS_PER_GENERATION) {
      this.#sanitizedBefore = this.#sanitized
      this.#sanitized = new Map()
    }
    this.#sanitized.set(asset.key, sanitized)
    return sanitized.sanitized
  }
}
