import { hash } from 'node:crypto'
import { createNumberer } from '../../detectors/fingerprint.ts'
import { redactTexts } from '../../detectors/redact-text.ts'
import { ReportedValues } from '../../detectors/reported-values.ts'
import { toHiddenKey } from '../../detectors/safe-text.ts'
import { toStoredConfidence } from '../../findings/finding-record.ts'
import type { ImportedAsset } from '../../findings/imported-assets.store.ts'
import { internalText } from '../../kernel/safe-text.ts'
import { cutExcerpt, findImportLine, type ImportLine, toSearched } from '../read/import-line.ts'
import {
  type Identify,
  type ImportFacets,
  type ImportRow,
  sanitizeAsset,
  type TextPosition,
  toFingerprint,
  toSafeFacets,
} from '../read/import-row.ts'
import { eachLine, type RefusedLine } from '../read/ndjson.ts'

/** An asset with its key as the file gives it, and a digest of all that the file gives. */
export interface DescribedAsset {
  givenKey: string
  given: string
  asset: ImportedAsset
  /** Whether something is masked in it that is reported in an excerpt. */
  isHidden: boolean
}

/** Some findings of a file as they may be stored. */
export interface ConvertedLines {
  assets: DescribedAsset[]
  facets: ImportFacets[]
  /** Numbers of the asset and the facets in these lists. */
  findings: (ImportRow & { asset: number; facets: number })[]
}

/** A piece of a file, with the number of its lines, or the first line of it that is not valid. */
export type Conversion = (ConvertedLines & { lines: number }) | { refused: RefusedLine }

const toTime = (instant: string | undefined) => (instant === undefined ? null : Date.parse(instant))

/** Converts valid lines: excerpts and credentials are masked, fingerprints computed. */
export class LineConverter {
  readonly #identify: Identify
  #lines: ConvertedLines = { assets: [], facets: [], findings: [] }
  readonly #assets = new Map<string, number>()
  readonly #facets = new Map<string, number>()
  /** What was masked in each asset. */
  #values: ReportedValues[] = []
  /** The excerpts to be masked, and the numbers of their findings. */
  #excerpts: { finding: number; text: string }[] = []
  /** Length of the lines so far, in characters. */
  size = 0

  constructor(key: Uint8Array) {
    this.#identify = createNumberer(key)
  }

  add(
    line: ImportLine,
    { undated = false, position }: { undated?: boolean; position?: TextPosition | undefined } = {},
  ): void {
    const { findings } = this.#lines
    if (line.excerpt !== undefined) this.#excerpts.push({ finding: findings.length, text: toSearched(line.excerpt) })
    findings.push({
      asset: this.#numberAsset(line.asset),
      facets: this.#numberFacets(line),
      fp: toFingerprint(line, this.#identify),
      firstDetectedAt: Date.parse(line.firstDetectedAt),
      lastDetectedAt: toTime(line.lastDetectedAt),
      resolvedAt: toTime(line.resolvedAt),
      confidence: toStoredConfidence(line.confidence ?? 1),
      undated: undated ? 1 : 0,
      excerpt: null,
      location: position === undefined ? null : internalText(JSON.stringify({ path: '', ...position })),
    })
    const { key, name = '', url = '' } = line.asset
    this.size += FIXED_LENGTH + (line.excerpt?.length ?? 0) + key.length + name.length + url.length
  }

  /** Returns what was added since the last call. */
  take(): ConvertedLines {
    this.#maskExcerpts()
    const lines = this.#lines
    this.#lines = { assets: [], facets: [], findings: [] }
    this.#assets.clear()
    this.#facets.clear()
    this.#values = []
    this.#excerpts = []
    this.size = 0
    return lines
  }

  #numberAsset(asset: ImportLine['asset']): number {
    const given = hash('sha256', JSON.stringify(asset), 'base64')
    const known = this.#assets.get(given)
    if (known !== undefined) return known
    const values = new ReportedValues()
    this.#assets.set(given, this.#assets.size)
    this.#values.push(values)
    const safe = sanitizeAsset(asset, this.#identify, values)
    return this.#lines.assets.push({ givenKey: asset.key, given, asset: safe, isHidden: false }) - 1
  }

  #numberFacets(line: ImportLine): number {
    const { detectorType, findingType, category, customDetectorKey, severity, status } = line
    const given = JSON.stringify([detectorType, findingType, category, customDetectorKey, severity, status])
    const known = this.#facets.get(given)
    if (known !== undefined) return known
    this.#facets.set(given, this.#facets.size)
    return this.#lines.facets.push(toSafeFacets(line)) - 1
  }

  /** What is reported in an excerpt is masked in its asset, too, and what was masked in the asset in the excerpt. */
  #maskExcerpts(): void {
    const { assets, findings } = this.#lines
    for (const [index, { text, values }] of redactTexts(this.#excerpts.map((excerpt) => excerpt.text)).entries()) {
      const finding = findings[this.#excerpts[index]?.finding ?? 0]
      const described = finding === undefined ? undefined : assets[finding.asset]
      if (finding === undefined || described === undefined) continue
      finding.excerpt = cutExcerpt(this.#values[finding.asset]?.hide(text) ?? text)
      if (values.length > 0) this.#hideInAsset(described, new ReportedValues(values))
    }
  }

  #hideInAsset(described: DescribedAsset, values: ReportedValues): void {
    const { key, name, url } = described.asset
    const hidden: ImportedAsset = { ...described.asset, key: toHiddenKey(key, this.#identify, values) }
    if (name) hidden.name = values.hide(name)
    if (url) hidden.url = values.hideInAddress(url)
    if (hidden.key === key && hidden.name === name && hidden.url === url) return
    described.asset = hidden
    described.isHidden = true
  }
}

/** Assumed length of the other members of a line. */
const FIXED_LENGTH = 200

/** Creates a function that checks and converts the lines of a piece of a file. */
export function createConverter(
  fingerprintKey: Uint8Array,
  { latest = Number.POSITIVE_INFINITY }: { latest?: number | undefined } = {},
): (piece: Uint8Array) => Conversion {
  const converter = new LineConverter(fingerprintKey)
  const take = (value: unknown) => {
    const line = findImportLine(value, latest)
    if (line !== undefined) converter.add(line)
    return line !== undefined
  }
  return (piece) => {
    const read = eachLine(piece, take)
    const converted = converter.take()
    return 'line' in read ? { refused: read } : { ...converted, lines: read.lines }
  }
}
