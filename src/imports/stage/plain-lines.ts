import { ByteNumberer, createNumberer } from '../../detectors/fingerprint.ts'
import { toStoredConfidence } from '../../findings/finding-record.ts'
import { type ImportLine, isPlainMember } from '../read/import-line.ts'
import {
  EXPORTED_FP_LENGTH,
  facetNames,
  type Identify,
  type ImportFacets,
  type RowNumbers,
  toFingerprint,
  toIdentityStart,
} from '../read/import-row.ts'
import { readInstantAt } from '../read/instant.ts'
import { LineScanner, memberNumbers } from '../read/line-scanner.ts'
import { MAX_LINE_LENGTH } from '../read/ndjson.ts'
import type { AssetNumbers } from './asset-numbers.ts'
import { ByteTable } from './byte-table.ts'
import type { FacetInterner } from './facet-interner.ts'

/** Combinations of facets that are remembered; when there are more, all are forgotten. */
const MAX_COMBINATIONS = 2 ** 13
const MAX_FACET_BYTES = ByteTable.MAX_KEY_BYTES
/** Of the bytes of the key, the detector and the fingerprint in a canonical string. */
const MAX_IDENTITY_BYTES = 2_000
const IDENTITY_START = Buffer.from(toIdentityStart('').slice(0, -'"",'.length))
const [COMMA, END_OF_LIST] = [44, 93]

const { asset: ASSET, firstDetectedAt: FIRST, lastDetectedAt: LAST, resolvedAt: RESOLVED } = memberNumbers
const { detectorType: DETECTOR, fingerprint: FINGERPRINT, excerpt: EXCERPT } = memberNumbers
const facetNumbers = facetNames.map((name) => memberNumbers[name])
const REQUIRED = [ASSET, FIRST, DETECTOR, memberNumbers.findingType, memberNumbers.severity].reduce(
  (set, number) => set | (1 << number),
  0,
)

/** The asset of a line as it is given: its JSON, its number or else -1, and if it has none, the asset itself. */
export interface GivenAsset {
  json: Buffer
  from: number
  end: number
  number: number
  given: ImportLine['asset'] | undefined
}

const NO_BYTES = Buffer.alloc(0)
const noNumbers: RowNumbers = {
  fp: 0,
  firstDetectedAt: 0,
  lastDetectedAt: null,
  resolvedAt: null,
  confidence: 0,
  undated: 0,
}

interface KnownFacets {
  facets: ImportFacets
  given: Omit<ImportLine, 'asset' | 'firstDetectedAt'>
  isResolved: boolean
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/**
 * Reads lines from their bytes. Assets and combinations of facets are looked up by the bytes that gave them, so that
 * only new ones are parsed and checked. What it does not accept may still be valid.
 */
export class PlainLines {
  /** What the line that was read last states; the excerpt is not masked. */
  readonly asset: GivenAsset = { json: NO_BYTES, from: 0, end: 0, number: -1, given: undefined }
  readonly numbers: RowNumbers = { ...noNumbers }
  excerpt: string | undefined
  readonly #scanner = new LineScanner()
  readonly #identify: Identify
  readonly #numberer: ByteNumberer
  readonly #combinations: FacetInterner
  readonly #assets: AssetNumbers
  readonly #facetTable = new ByteTable(ByteTable.allocate(MAX_COMBINATIONS, MAX_COMBINATIONS * MAX_FACET_BYTES))
  #knownFacets: KnownFacets[] = []
  #read: KnownFacets | undefined
  /** The facets of a line, separated by zeros. */
  readonly #facetBytes = Buffer.alloc(MAX_FACET_BYTES)

  constructor(fingerprintKey: Uint8Array, combinations: FacetInterner, assets: AssetNumbers) {
    this.#identify = createNumberer(fingerprintKey)
    this.#numberer = new ByteNumberer(fingerprintKey)
    this.#combinations = combinations
    this.#assets = assets
  }

  get facets(): ImportFacets {
    if (this.#read === undefined) throw new RangeError('no line was read')
    return this.#read.facets
  }

  /** Reads the line at `from`; see `Staging.addPlain`. */
  read(piece: Buffer, from: number, latest: number): number {
    const scanner = this.#scanner
    const end = scanner.scan(piece, from)
    if (end < 0 || end - from > MAX_LINE_LENGTH || (scanner.given & REQUIRED) !== REQUIRED) return -1
    const known = this.#findFacets(piece)
    if (known === undefined) return -1
    const first = this.#readTime(piece, FIRST)
    const last = this.#has(LAST) ? this.#readTime(piece, LAST) : null
    const resolved = this.#has(RESOLVED) ? this.#readTime(piece, RESOLVED) : null
    if (first === undefined || last === undefined || resolved === undefined || first > latest) return -1
    if (known.isResolved !== (resolved !== null)) return -1
    if ((last !== null && last < first) || (resolved !== null && (resolved < first || resolved > latest))) return -1
    if (!this.#readExcerpt(piece) || !this.#findAsset(piece)) return -1
    const fp = this.#toFp(piece, known)
    if (fp === undefined) return -1
    this.#read = known
    const { numbers } = this
    numbers.fp = fp
    numbers.firstDetectedAt = first
    numbers.lastDetectedAt = last
    numbers.resolvedAt = resolved
    numbers.confidence = toStoredConfidence(scanner.confidence)
    return end
  }

  #has(number: number): boolean {
    return (this.#scanner.given & (1 << number)) !== 0
  }

  #textOf(piece: Buffer, number: number): string {
    return piece.toString('latin1', this.#scanner.starts[number], this.#scanner.ends[number])
  }

  #readTime(piece: Buffer, number: number): number | undefined {
    return readInstantAt(piece, this.#scanner.starts[number] ?? 0, this.#scanner.ends[number] ?? 0)
  }

  #findFacets(piece: Buffer): KnownFacets | undefined {
    const { starts, ends } = this.#scanner
    const bytes = this.#facetBytes
    let length = 0
    for (const number of facetNumbers) {
      if (this.#has(number)) {
        const start = starts[number] ?? 0
        const end = ends[number] ?? 0
        // An empty text is not plain; here it would be the same as none.
        if (start === end || length + end - start > MAX_FACET_BYTES - facetNumbers.length) return undefined
        length = copyBytes(piece, start, end, bytes, length)
      }
      bytes[length++] = 0
    }
    return this.#knownFacets[this.#facetTable.find(bytes, 0, length)] ?? this.#addFacets(piece, length)
  }

  #addFacets(piece: Buffer, length: number): KnownFacets | undefined {
    const given: Record<string, string> = {}
    for (const name of facetNames) {
      if (!this.#has(memberNumbers[name])) continue
      const value = this.#textOf(piece, memberNumbers[name])
      if (!isPlainMember(name, value)) return undefined
      given[name] = value
    }
    const line = given as unknown as KnownFacets['given']
    const known = { facets: this.#combinations.find(line), given: line, isResolved: line.status === 'RESOLVED' }
    let number = this.#facetTable.add(this.#facetBytes, 0, length, 0)
    if (number < 0 && this.#facetTable.isFull) {
      this.#facetTable.clear()
      this.#knownFacets = []
      number = this.#facetTable.add(this.#facetBytes, 0, length, 0)
    }
    if (number >= 0) this.#knownFacets[number] = known
    return known
  }

  #findAsset(piece: Buffer): boolean {
    const { starts, ends } = this.#scanner
    const { asset } = this
    asset.json = piece
    asset.from = starts[ASSET] ?? 0
    asset.end = ends[ASSET] ?? 0
    asset.given = undefined
    asset.number = this.#assets.find(piece, asset.from, asset.end)
    return asset.number >= 0 || this.#readAsset(asset)
  }

  /** Parses an asset, whose key must be given as `JSON.stringify` writes it, so that its bytes can be hashed. */
  #readAsset(asset: GivenAsset): boolean {
    const { json, from, end } = asset
    const given = parse(json.toString('utf8', from, end))
    if (!isPlainMember('asset', given)) return false
    asset.given = given as ImportLine['asset']
    const { keyStart, keyEnd } = this.#scanner
    return keyStart > 0 && json.toString('utf8', keyStart, keyEnd) === JSON.stringify(asset.given.key)
  }

  #readExcerpt(piece: Buffer): boolean {
    this.excerpt = undefined
    if (!this.#has(EXCERPT)) return true
    const { starts, ends } = this.#scanner
    const excerpt = parse(piece.toString('utf8', (starts[EXCERPT] ?? 0) - 1, (ends[EXCERPT] ?? 0) + 1))
    if (!isPlainMember('excerpt', excerpt)) return false
    this.excerpt = excerpt as string
    return true
  }

  #toFp(piece: Buffer, { given }: KnownFacets): number | undefined {
    const { starts, ends, keyStart, keyEnd } = this.#scanner
    const from = starts[FINGERPRINT] ?? 0
    const end = this.#has(FINGERPRINT) ? (ends[FINGERPRINT] ?? 0) : from
    const bytes = keyEnd - keyStart + given.detectorType.length + end - from
    if (end - from === EXPORTED_FP_LENGTH || end === from || bytes > MAX_IDENTITY_BYTES) {
      const key = JSON.parse(piece.toString('utf8', keyStart, keyEnd)) as string
      if (!this.#has(FINGERPRINT)) {
        const firstDetectedAt = this.#textOf(piece, FIRST)
        return toFingerprint({ ...given, asset: { key }, excerpt: this.excerpt, firstDetectedAt }, this.#identify)
      }
      const fingerprint = this.#textOf(piece, FINGERPRINT)
      if (!isPlainMember('fingerprint', fingerprint)) return undefined
      return toFingerprint({ ...given, asset: { key }, fingerprint, firstDetectedAt: '' }, this.#identify)
    }
    // The same string, from its bytes.
    const { canonical } = this.#numberer
    let at = copyBytes(IDENTITY_START, 0, IDENTITY_START.length, canonical, 0)
    at = copyBytes(piece, keyStart, keyEnd, canonical, at)
    canonical[at++] = COMMA
    at = copyBytes(piece, (starts[DETECTOR] ?? 0) - 1, (ends[DETECTOR] ?? 0) + 1, canonical, at)
    canonical[at++] = COMMA
    at = copyBytes(piece, from - 1, end + 1, canonical, at)
    canonical[at++] = END_OF_LIST
    return this.#numberer.toNumber(at)
  }
}

/** As `Buffer.copy`, which takes longer for a few bytes; returns the offset of the end. */
function copyBytes(from: Buffer, start: number, end: number, to: Buffer, at: number): number {
  for (let index = start; index < end; index++) to[at++] = from[index] ?? 0
  return at
}
