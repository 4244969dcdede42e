import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { createNumberer } from '../../detectors/fingerprint.ts'
import { redactTexts } from '../../detectors/redact-text.ts'
import { ReportedValues } from '../../detectors/reported-values.ts'
import { toStoredConfidence } from '../../findings/finding-record.ts'
import type { ImportedAsset } from '../../findings/imported-assets.store.ts'
import { internalText, type SafeText } from '../../kernel/safe-text.ts'
import { cutExcerpt, findImportLine, type ImportLine, toSearched } from '../read/import-line.ts'
import {
  type Identify,
  type ImportFacets,
  type ImportRow,
  sanitizeAsset,
  toFingerprint,
  toSafeFacets,
  toValueId,
} from '../read/import-row.ts'
import { eachLine, type RefusedLine } from '../read/ndjson.ts'
import type { ReadLine } from '../read/runs.ts'

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

/** An asset as a line gives it. */
interface GivenAsset {
  asset: ImportLine['asset']
  digest: string
  /** What is masked in it independently of its findings. */
  values: ReportedValues
  /** Without these values. */
  safe: ImportedAsset | undefined
}

type MoreOfLine = Pick<ReadLine, 'undated' | 'position' | 'secrets'>

const hideAll = (text: string, secrets: readonly string[]): string => new ReportedValues(secrets).hide(text as SafeText)

/** Length of the assets that are kept for later pieces of the file, in characters. */
const MAX_KNOWN_LENGTH = 2_000_000

/** Converts valid lines: excerpts and credentials are masked, fingerprints computed. */
export class LineConverter {
  readonly #identify: Identify
  #lines: ConvertedLines = { assets: [], facets: [], findings: [] }
  /** Numbers of the assets and facets by what the file gives. */
  readonly #assets = new Map<string, number>()
  readonly #facets = new Map<string, number>()
  #given: GivenAsset[] = []
  /** Assets of earlier lines, by what the file gives. */
  readonly #known = new Map<string, GivenAsset>()
  #knownLength = 0
  /** The excerpts to be masked, and the numbers of their findings. */
  #excerpts: { finding: number; text: string; secrets: readonly string[] }[] = []
  /** Length of the lines so far, in characters. */
  size = 0

  constructor(key: Uint8Array) {
    this.#identify = createNumberer(key)
  }

  add(line: ImportLine, { undated = false, position, secrets = [] }: MoreOfLine = {}): void {
    const { findings } = this.#lines
    if (line.excerpt !== undefined || secrets.length > 0)
      this.#excerpts.push({ finding: findings.length, text: toSearched(line.excerpt ?? ''), secrets })
    findings.push({
      asset: this.#numberAsset(line.asset),
      facets: this.#numberFacets(line),
      fp: toFingerprint(line, this.#identify),
      firstDetectedAt: Date.parse(line.firstDetectedAt),
      lastDetectedAt: toTime(line.lastDetectedAt),
      resolvedAt: toTime(line.resolvedAt),
      confidence: toStoredConfidence(line.confidence ?? 1),
      undated: undated ? 1 : 0,
      valueId: toValueId(line, this.#identify),
      excerpt: null,
      location: position === undefined ? null : internalText(JSON.stringify({ path: '', ...position })),
    })
    const { key, name = '', url = '' } = line.asset
    this.size += FIXED_LENGTH + (line.excerpt?.length ?? 0) + key.length + name.length + url.length
  }

  /** Returns what was added since the last call. */
  take(): ConvertedLines {
    this.#lines.assets = this.#describeAssets()
    this.#maskExcerpts()
    const lines = this.#lines
    this.#lines = { assets: [], facets: [], findings: [] }
    this.#assets.clear()
    this.#facets.clear()
    this.#given = []
    this.#excerpts = []
    this.size = 0
    if (this.#knownLength > MAX_KNOWN_LENGTH) {
      this.#known.clear()
      this.#knownLength = 0
    }
    return lines
  }

  #numberAsset(asset: ImportLine['asset']): number {
    const given = JSON.stringify(asset)
    const number = this.#assets.get(given)
    if (number !== undefined) return number
    this.#assets.set(given, this.#assets.size)
    let known = this.#known.get(given)
    if (known === undefined) {
      known = { asset, digest: hash('sha256', given, 'base64'), values: new ReportedValues(), safe: undefined }
      this.#known.set(given, known)
      this.#knownLength += given.length
    }
    return this.#given.push(known) - 1
  }

  #numberFacets(line: ImportLine): number {
    const { detectorType, findingType, category, customDetectorKey, severity, status, presence } = line
    const given = JSON.stringify([detectorType, findingType, category, customDetectorKey, severity, status, presence])
    const known = this.#facets.get(given)
    if (known !== undefined) return known
    this.#facets.set(given, this.#facets.size)
    return this.#lines.facets.push(toSafeFacets(line)) - 1
  }

  /** What the detectors report in a title, container or label of an asset is masked in it. */
  #describeAssets(): DescribedAsset[] {
    const added = this.#given.filter(({ safe }) => safe === undefined)
    const texts = Map.groupBy(
      added.flatMap(({ asset: { name = '', container = '', labels = [] }, values }) =>
        [name, container, ...labels].map((text) => ({ text, values })),
      ),
      ({ text }) => text,
    )
    const redacted = redactTexts([...texts.keys()])
    for (const [at, owners] of texts.values().toArray().entries())
      for (const value of redacted[at]?.values ?? []) for (const { values } of owners) values.add(value)
    return this.#given.map((given) => {
      given.safe ??= sanitizeAsset(given.asset, this.#identify, given.values)
      return { givenKey: given.asset.key, given: given.digest, asset: given.safe, isHidden: false }
    })
  }

  /** What is reported in an excerpt is masked in its asset, too, and what was masked in the asset in the excerpt. */
  #maskExcerpts(): void {
    const { assets, findings } = this.#lines
    const reported = new Map<number, ReportedValues>()
    const texts = this.#excerpts.map(({ text, secrets }) => (secrets.length === 0 ? text : hideAll(text, secrets)))
    for (const [at, { text, values: found }] of redactTexts(texts).entries()) {
      const { finding: index = 0, secrets = [] } = this.#excerpts[at] ?? {}
      const values = [...found, ...secrets]
      const finding = findings[index]
      const given = finding === undefined ? undefined : this.#given[finding.asset]
      if (finding === undefined || given === undefined) continue
      finding.excerpt = cutExcerpt(given.values.hide(text))
      if (values.length === 0) continue
      const all = reported.get(finding.asset) ?? new ReportedValues(given.values)
      reported.set(finding.asset, all)
      for (const value of values) all.add(value)
    }
    for (const [index, values] of reported) {
      const [described, given] = [assets[index], this.#given[index]]
      if (described === undefined || given === undefined) continue
      const asset = sanitizeAsset(given.asset, this.#identify, values)
      described.isHidden = !isDeepStrictEqual(asset, described.asset)
      described.asset = asset
    }
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
