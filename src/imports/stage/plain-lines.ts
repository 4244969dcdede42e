import { ByteNumberer, createNumberer } from '../../detectors/fingerprint.ts'
import { toStoredConfidence } from '../../findings/finding-record.ts'
import type { ImportedAsset } from '../../findings/imported-assets.store.ts'
import { type ImportLine, isPlainMember } from '../read/import-line.ts'
import {
  EXPORTED_FP_LENGTH,
  facetNames,
  type Identify,
  type ImportFacets,
  sanitizeAsset,
  toFingerprint,
  toIdentityStart,
  writeRowNumbers,
} from '../read/import-row.ts'
import { readInstantAt } from '../read/instant.ts'
import { LineScanner, memberNumbers } from '../read/line-scanner.ts'
import { MAX_LINE_LENGTH } from '../read/ndjson.ts'
import type { FacetInterner } from './facet-interner.ts'
import { hashBytes, TextCache } from './text-cache.ts'

/** Places of the caches of assets and of combinations of facets. */
const CACHED_ASSETS = 2 ** 17
const CACHED_COMBINATIONS = 2 ** 13
/** Longer assets are not cached. */
const MAX_CACHED_LENGTH = 1_000
const MAX_FACET_BYTES = 2_048
/** Of the beginning of a canonical string and its fingerprint; the detector is between them. */
const MAX_IDENTITY_BYTES = 1_000
const [QUOTE, COMMA, END_OF_LIST] = [34, 44, 93]

const { asset: ASSET, firstDetectedAt: FIRST, lastDetectedAt: LAST, resolvedAt: RESOLVED } = memberNumbers
const { detectorType: DETECTOR, fingerprint: FINGERPRINT, excerpt: EXCERPT } = memberNumbers
const facetNumbers = facetNames.map((name) => memberNumbers[name])
const REQUIRED = [ASSET, FIRST, DETECTOR, memberNumbers.findingType, memberNumbers.severity].reduce(
  (set, number) => set | (1 << number),
  0,
)

interface KnownAsset {
  sanitized: ImportedAsset
  key: string
  identityStart: string
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
 * only new ones are parsed, checked and masked. What it does not accept may still be valid.
 */
export class PlainLines {
  /** The asset, the facets and the unmasked excerpt of the line that was read last. */
  asset: ImportedAsset | undefined
  facets: ImportFacets | undefined
  excerpt: string | undefined
  readonly #scanner = new LineScanner()
  readonly #identify: Identify
  readonly #numberer: ByteNumberer
  readonly #combinations: FacetInterner
  readonly #assets = new TextCache<KnownAsset>(CACHED_ASSETS)
  readonly #facets = new TextCache<KnownFacets>(CACHED_COMBINATIONS)
  /** The facets of a line, separated by zeros. */
  readonly #facetBytes = Buffer.alloc(MAX_FACET_BYTES)

  constructor(fingerprintKey: Uint8Array, combinations: FacetInterner) {
    this.#identify = createNumberer(fingerprintKey)
    this.#numberer = new ByteNumberer(fingerprintKey)
    this.#combinations = combinations
  }

  /** Reads the line at `from`, and writes its numbers to their places from `at` on; see `Staging.addPlain`. */
  read(piece: Buffer, from: number, latest: number, numbers: Float64Array, at: number): number {
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
    if (!this.#readExcerpt(piece)) return -1
    const asset = this.#findAsset(piece)
    if (asset === undefined) return -1
    const fp = this.#toFp(piece, asset, known)
    if (fp === undefined) return -1
    this.asset = asset.sanitized
    this.facets = known.facets
    const confidence = toStoredConfidence(scanner.confidence)
    writeRowNumbers(numbers, at, {
      fp,
      firstDetectedAt: first,
      lastDetectedAt: last,
      resolvedAt: resolved,
      confidence,
      undated: 0,
    })
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
        for (let at = start; at < end; at++) bytes[length++] = piece[at] ?? 0
      }
      bytes[length++] = 0
    }
    const text = bytes.toString('latin1', 0, length)
    const hash = hashBytes(bytes, 0, length)
    return this.#facets.get(hash, text) ?? this.#addFacets(piece, hash, text)
  }

  #addFacets(piece: Buffer, hash: number, text: string): KnownFacets | undefined {
    const given: Record<string, string> = {}
    for (const name of facetNames) {
      if (!this.#has(memberNumbers[name])) continue
      const value = this.#textOf(piece, memberNumbers[name])
      if (!isPlainMember(name, value)) return undefined
      given[name] = value
    }
    const line = given as unknown as KnownFacets['given']
    const known = { facets: this.#combinations.find(line), given: line, isResolved: line.status === 'RESOLVED' }
    this.#facets.set(hash, text, known)
    return known
  }

  #findAsset(piece: Buffer): KnownAsset | undefined {
    const { starts, ends } = this.#scanner
    const text = this.#textOf(piece, ASSET)
    const hash = hashBytes(piece, starts[ASSET] ?? 0, ends[ASSET] ?? 0)
    return this.#assets.get(hash, text) ?? this.#addAsset(piece, hash, text)
  }

  #addAsset(piece: Buffer, hash: number, text: string): KnownAsset | undefined {
    const { starts, ends } = this.#scanner
    const asset = parse(piece.toString('utf8', starts[ASSET], ends[ASSET]))
    if (!isPlainMember('asset', asset)) return undefined
    const { key } = asset as ImportLine['asset']
    const sanitized = sanitizeAsset(asset as ImportLine['asset'], this.#identify)
    const known = { sanitized, key, identityStart: toIdentityStart(key) }
    if (text.length <= MAX_CACHED_LENGTH) this.#assets.set(hash, text, known)
    return known
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

  #toFp(piece: Buffer, { key, identityStart }: KnownAsset, { given }: KnownFacets): number | undefined {
    if (!this.#has(FINGERPRINT)) {
      const firstDetectedAt = this.#textOf(piece, FIRST)
      return toFingerprint({ ...given, asset: { key }, excerpt: this.excerpt, firstDetectedAt }, this.#identify)
    }
    const from = this.#scanner.starts[FINGERPRINT] ?? 0
    const length = (this.#scanner.ends[FINGERPRINT] ?? 0) - from
    if (length === EXPORTED_FP_LENGTH || length + identityStart.length > MAX_IDENTITY_BYTES) {
      const fingerprint = this.#textOf(piece, FINGERPRINT)
      if (!isPlainMember('fingerprint', fingerprint)) return undefined
      return toFingerprint({ ...given, asset: { key }, fingerprint, firstDetectedAt: '' }, this.#identify)
    }
    if (length === 0) return undefined
    const { canonical } = this.#numberer
    let at = canonical.write(identityStart)
    canonical[at++] = QUOTE
    for (let index = 0; index < given.detectorType.length; index++)
      canonical[at++] = given.detectorType.charCodeAt(index)
    canonical[at++] = QUOTE
    canonical[at++] = COMMA
    canonical[at++] = QUOTE
    for (let index = 0; index < length; index++) canonical[at++] = piece[from + index] ?? 0
    canonical[at++] = QUOTE
    canonical[at++] = END_OF_LIST
    return this.#numberer.toNumber(at)
  }
}
