import type { z } from 'zod'
import type { AssayDocument } from '../documents/document.ts'

export const severities = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFO'] as const
export type Severity = (typeof severities)[number]

/** Detector types of this version; imported findings may have others. */
export const detectorTypes = [
  'BROKEN_LINKS',
  'SECRETS',
  'PII',
  'PROMPT_INJECTION',
  'DUPLICATE',
  'CONTENT_QUALITY',
  'CUSTOM',
] as const

/** A range in a part that a detector reports. It may hold raw text, so it never leaves the runner. */
export interface Match {
  findingType: string
  severity: Severity
  /** 0..1; matches below 0.5 are not reported. */
  confidence: number
  /** Index of the part, and UTF-16 offsets into its text. */
  part: number
  start: number
  end: number
  /** Text that may be displayed for the match; absent: only its length is displayed. */
  shown?: string
  /** Normalized value; matches with the same identity are the same finding. Default: the matched text. */
  identity?: string
  /** The value in the form that all its spellings have, if that is not `identity`. */
  value?: string
  /** It only names where personal data is, so that other texts may contain it. */
  isName?: boolean
  /** What shows that it is one: a key of `reasons`. */
  rule?: string
  category?: string
  customDetectorKey?: string
}

/** Facts about an asset that detectors may use; only those reported by the platform. */
export interface AssetFacts {
  key: string
  kind: string
  name: string
  url: string
  container?: string
  isArchived?: boolean
  owner?: string
  labels?: readonly string[]
  contentUpdatedAt?: number
}

export interface DetectorContext<Config> {
  asset: AssetFacts
  config: Config
  /** Start time of the scan, in milliseconds since the epoch. */
  now: number
  /** Throws when the detector has used the time that it has for a document; called before each part is examined. */
  checkTime?: () => void
}

/** What is known of a detector without loading its rules. */
export interface DetectorDescription<Config = unknown> {
  type: string
  title: string
  /** What it finds and what it does not find, in one or two sentences. */
  description: string
  category: string
  /** Incremented when the same document may give different matches, so that unchanged assets are scanned again. */
  version: number
  /** Schema of `detectors[].config`; every member has a default. */
  config: z.ZodType<Config>
  /** Schema of `detectors[].config` where the scan builds `config` from it and from data in the database. */
  settings?: z.ZodType
  findingTypes: readonly string[]
  /** Single documents; digests of all of a source's documents; or only its assets, without their texts. */
  reads: 'documents' | 'digests' | 'assets'
}

/**
 * A detector that needs only the document. Pure: the same document gives the same matches, on any thread. Detectors
 * that need all assets of a source (links, duplicates, staleness) are `SourceDetector`s.
 */
export interface Detector<Config = unknown> extends DetectorDescription<Config> {
  /** Detectors whose matches take precedence where both overlap: a number inside a token is not a phone number. */
  yieldsTo?: readonly string[]
  detect(document: AssayDocument, context: DetectorContext<Config>): Iterable<Match>
}

/** A detector that evaluates all assets of a source after they are stored; run by the scan engine. */
export interface SourceDetector<Config = unknown> extends DetectorDescription<Config> {
  /**
   * Data of an asset's text to be stored for the evaluation: counts, keyed hashes and locations, never words that could
   * be private. Pure, and run together with the other detectors; undefined: there is nothing to store. Absent: the
   * detector needs no text.
   */
  digest?(document: AssayDocument, context: DigestContext): Uint8Array | undefined
}

export interface DigestContext {
  asset: AssetFacts
  /** A keyed hash, so that stored values reveal nothing to someone who has only the database. */
  fingerprint: (canonical: string) => string
}

/** Data that a detector stores for a document. */
export interface Digest {
  detectorType: string
  data: Uint8Array
}

/** A finding as it is stored: redacted, with a location, and with a keyed fingerprint instead of the value. */
export interface RedactedFinding {
  detectorType: string
  findingType: string
  category: string
  severity: Severity
  confidence: number
  customDetectorKey?: string
  location: FindingLocation
  /** The sections of the item that contain the value; absent where the document has none. */
  sections?: readonly string[]
  excerpt: string
  /** What shows that it is one: a key of `reasons`. */
  rule?: string
  /** Keyed hash of detector, type, asset and value: 12 hex digits that hold 47 bits. */
  fingerprint: string
  /** The same without the asset, so equal wherever the value occurs. Absent where a finding has no value of its own. */
  valueFingerprint?: string
  /** Keyed hash of the secret or the datum of a person, whichever type it was found as: 12 hex digits. */
  valueId?: string
}

export interface FindingLocation {
  path: string
  /** The section heading above, as written. */
  heading?: string
  /** The heading of the table column. */
  label?: string
  /** 1-based, in the source. */
  line?: number
  column?: number
  /** UTF-16 offsets in the source. */
  start?: number
  end?: number
}
