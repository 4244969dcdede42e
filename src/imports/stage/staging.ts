import { createNumberer } from '../../detectors/fingerprint.ts'
import { redactTexts } from '../../detectors/redact-text.ts'
import { ReportedValues } from '../../detectors/reported-values.ts'
import type { ImportedAsset } from '../../findings/imported-assets.store.ts'
import { cutExcerpt, type ImportLine, toSearched } from '../read/import-line.ts'
import {
  type DatedLine,
  type Identify,
  type ImportFacets,
  type RowNumbers,
  sanitizeAsset,
  toRowNumbers,
} from '../read/import-row.ts'
import { type AssetMemory, AssetNumbers } from './asset-numbers.ts'
import { FacetInterner } from './facet-interner.ts'
import { BlockWriter, partOf } from './import-block.ts'
import { type GivenAsset, PlainLines } from './plain-lines.ts'

/** Maximum number of rows held in memory. */
const ROWS_AT_ONCE = 32_000
/** Maximum characters of excerpts that wait to be masked, and of texts of rows, held in memory. */
const EXCERPTS_AT_ONCE = 8_000_000
const TEXT_AT_ONCE = 8_000_000
const LINES_AT_ONCE = 1_000

/** Findings of one part; all findings of an asset are in the same part. */
export interface PartBlock {
  part: number
  /** Blocks of a part are in groups, which are stored one after the other. */
  group: number
  size: number
  data: Uint8Array<ArrayBuffer>
}

/** Where findings go. All pieces of a file have the same bounds, and the groups only grow. */
export interface Partition {
  /** Between the parts, see `partOf`; absent: all go to one part. */
  bounds?: readonly string[]
  /** The present group of each part; 0 if absent. */
  groups?: readonly number[]
}

interface StagingOptions {
  /** What the converters of a file share. */
  memory?: AssetMemory
  /** A number of its own among them. */
  converter?: number
}

/** Where a masked excerpt goes. */
interface ExcerptPlace {
  writer: BlockWriter
  place: number
  /** The number of the asset. */
  asset: number
}

/** Converts validated lines into blocks that may be stored: excerpts and credentials masked, fingerprints computed. */
export class Staging {
  readonly #identify: Identify
  readonly #combinations = new FacetInterner()
  readonly #assets: AssetNumbers
  readonly #plain: PlainLines
  readonly #writers: BlockWriter[] = []
  #bounds: readonly string[] = []
  #groups: readonly number[] = []
  #size = 0
  /** The excerpts to be masked, and where they go. */
  #excerpts: string[] = []
  #excerptPlaces: ExcerptPlace[] = []
  #excerptLength = 0
  #text = 0
  /** What was masked in assets, by their numbers. */
  #values = new Map<number, ReportedValues>()

  constructor(key: Uint8Array, { memory, converter }: StagingOptions = {}) {
    this.#identify = createNumberer(key)
    this.#assets = new AssetNumbers(memory, converter)
    this.#plain = new PlainLines(key, this.#combinations, this.#assets)
  }

  /** To be called only while it has no findings. */
  divide({ bounds = [], groups = [] }: Partition): void {
    this.#bounds = bounds
    this.#groups = groups
  }

  add(line: ImportLine, undated: boolean): void {
    const given: DatedLine = undated ? { ...line, undated } : line
    const { key, name = '', url = '', container = '' } = line.asset
    this.#text += key.length + name.length + url.length + container.length
    const json = Buffer.from(JSON.stringify(line.asset))
    const number = this.#assets.find(json, 0, json.length)
    const asset = { json, from: 0, end: json.length, number, given: number < 0 ? line.asset : undefined }
    this.#addRow(asset, toRowNumbers(given, this.#identify), this.#combinations.find(line), line.excerpt)
  }

  /**
   * Adds the line of a piece that begins at `from` if it is certainly valid, and returns the offset of its end; -1 if it
   * has to be parsed, checked and passed to `add`.
   */
  addPlain(piece: Buffer, from: number, latest: number): number {
    const plain = this.#plain
    const end = plain.read(piece, from, latest)
    if (end < 0) return -1
    this.#addRow(plain.asset, plain.numbers, plain.facets, plain.excerpt)
    return end
  }

  /** The number of findings. */
  get size(): number {
    return this.#size
  }

  get isFull(): boolean {
    return this.#size >= ROWS_AT_ONCE || this.#text > TEXT_AT_ONCE
  }

  /** Returns all findings so far and clears them. */
  take(): PartBlock[] {
    this.#maskExcerpts()
    const blocks: PartBlock[] = []
    for (const [part, writer] of this.#writers.entries()) {
      const { size } = writer
      if (size > 0) blocks.push({ part, group: this.#groups[part] ?? 0, size, data: writer.pack() })
    }
    this.#assets.endPiece()
    this.#size = 0
    this.#text = 0
    return blocks
  }

  #addRow(given: GivenAsset, numbers: Readonly<RowNumbers>, facets: ImportFacets, excerpt: string | undefined): void {
    let { number } = given
    let asset: ImportedAsset | undefined
    let values: ReportedValues | undefined
    const sanitize = (unmasked: ImportLine['asset']) => {
      values = new ReportedValues()
      return sanitizeAsset(unmasked, this.#identify, values)
    }
    if (given.given !== undefined) {
      asset = sanitize(given.given)
      number = this.#assets.add(given.json, given.from, given.end, partOf(asset.key, this.#bounds))
    }
    const part = this.#assets.partOf(number)
    const writer = this.#writerOf(part)
    if (this.#assets.mustDescribe(number, this.#groups[part] ?? 0)) {
      writer.describe(number, asset ?? sanitize(parseAsset(given)))
    }
    if (excerpt !== undefined && !this.#values.has(number)) {
      if (values === undefined) sanitize(parseAsset(given))
      if (values !== undefined) this.#values.set(number, values)
    }
    const place = writer.add(number, facets, numbers)
    this.#size++
    if (excerpt !== undefined) this.#addExcerpt({ writer, place, asset: number }, excerpt)
  }

  #writerOf(part: number): BlockWriter {
    while (this.#writers.length <= part) this.#writers.push(new BlockWriter())
    return this.#writers[part] as BlockWriter
  }

  #addExcerpt(place: ExcerptPlace, excerpt: string): void {
    const searched = toSearched(excerpt)
    this.#excerpts.push(searched)
    this.#excerptPlaces.push(place)
    this.#text += searched.length
    this.#excerptLength += searched.length
    if (this.#excerpts.length >= LINES_AT_ONCE || this.#excerptLength > EXCERPTS_AT_ONCE) this.#maskExcerpts()
  }

  #maskExcerpts(): void {
    for (const [index, { text, values }] of redactTexts(this.#excerpts).entries()) {
      const place = this.#excerptPlaces[index]
      if (place === undefined) continue
      place.writer.setExcerpt(place.place, cutExcerpt(this.#values.get(place.asset)?.hide(text) ?? text))
      if (values.length > 0) place.writer.hideInAsset(place.asset, new ReportedValues(values), this.#identify)
    }
    this.#values = new Map()
    this.#excerpts = []
    this.#excerptPlaces = []
    this.#excerptLength = 0
  }
}

/** The asset of a line whose JSON `add` has accepted before. */
const parseAsset = ({ json, from, end }: GivenAsset): ImportLine['asset'] =>
  JSON.parse(json.toString('utf8', from, end))
