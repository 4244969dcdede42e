import type { z } from 'zod'
import type { AssayDocument } from '../documents/document.ts'

export const severities = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFO'] as const
export type Severity = (typeof severities)[number]

/** The types that findings of this version may have; imported ones may have others. */
export const detectorTypes = [
  'BROKEN_LINKS',
  'SECRETS',
  'PII',
  'PROMPT_INJECTION',
  'DUPLICATE',
  'CONTENT_QUALITY',
  'CUSTOM',
] as const

/** A place in a part that a detector thinks is a finding. It still holds the raw text and never leaves the runner. */
export interface Match {
  findingType: string
  severity: Severity
  /** 0..1; below 0.5 a match is not reported. */
  confidence: number
  /** Index of the part, and UTF-16 offsets into its text. */
  part: number
  start: number
  end: number
  /** What may be shown of the match; absent: nothing of it is shown but its length. */
  shown?: string
  /** The value that makes two matches the same finding, normalised; absent: the matched text. */
  identity?: string
  /** The rule that fired, for people who tune. */
  rule?: string
  category?: string
  customDetectorKey?: string
}

/** Facts about the asset that a detector may use; only what the platform itself says. */
export interface AssetFacts {
  key: string
  kind: string
  name: string
  url: string
  container?: string
  owner?: string
  labels?: readonly string[]
  contentUpdatedAt?: number
}

export interface DetectorContext<Config> {
  asset: AssetFacts
  config: Config
  /** The instant of the scan, in milliseconds since the epoch. */
  now: number
}

/**
 * A detector that needs nothing but the document. Pure: the same document gives the same matches, on any thread.
 * Detectors that need the whole estate (links, duplicates, staleness) are `EstateDetector`s.
 */
export interface Detector<Config = unknown> {
  type: string
  title: string
  /** What it finds and does not find, in one or two sentences. */
  description: string
  category: string
  /** Raised when the same document may give other matches: unchanged assets are then scanned again. */
  version: number
  /** The schema of `detectors[].config`; every member has a default. */
  config: z.ZodType<Config>
  /** The schema of `detectors[].config` where a scan makes `config` of it with what the database holds. */
  settings?: z.ZodType
  findingTypes: readonly string[]
  /** Detectors whose matches win where both overlap: the number inside a token is not a phone number. */
  yieldsTo?: readonly string[]
  detect(document: AssayDocument, context: DetectorContext<Config>): Iterable<Match>
}

/** A detector that looks at the whole estate after the assets are known; the scan engine evaluates it. */
export interface EstateDetector<Config = unknown> {
  type: string
  title: string
  description: string
  category: string
  version: number
  config: z.ZodType<Config>
  findingTypes: readonly string[]
  /**
   * What is kept of an asset's text for the evaluation: counts, keyed hashes and places, never words that could be
   * private. Pure, and run beside the other detectors; undefined: there is nothing to keep. Absent: it needs no text.
   */
  digest?(document: AssayDocument, context: DigestContext): Uint8Array | undefined
}

export interface DigestContext {
  asset: AssetFacts
  /** A keyed hash, so that what is kept tells nothing to who has only the database. */
  fingerprint: (canonical: string) => string
}

/** What a detector keeps of a document. */
export interface Digest {
  detectorType: string
  data: Uint8Array
}

/** A finding as it is kept: redacted, located, and with a keyed fingerprint in place of the value. */
export interface RedactedFinding {
  detectorType: string
  findingType: string
  category: string
  severity: Severity
  confidence: number
  customDetectorKey?: string
  location: FindingLocation
  /** The sections of the item in which the value stands; absent where the document has none. */
  sections?: readonly string[]
  excerpt: string
  /** Keyed hash over detector, type, asset and value: 12 hex digits, of which 47 bits are used. */
  fingerprint: string
  /** The same without the asset: equal wherever the value stands. Absent where a finding has no value of its own. */
  valueFingerprint?: string
}

export interface FindingLocation {
  path: string
  /** 1-based, in the source. */
  line?: number
  column?: number
  /** UTF-16 offsets in the source. */
  start?: number
  end?: number
}
