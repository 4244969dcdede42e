import type { RedactedFinding } from '../detectors/detector.ts'
import { toSafeJson } from '../detectors/safe-text.ts'
import type { SafeText } from '../kernel/safe-text.ts'
import { CONFIDENCE_SCALE } from '../store/schema.ts'
import type { FacetDictionary, Facets } from './facets.store.ts'
import type { FindingLocationView, FindingStatus } from './model.ts'

/** A stored finding, with its facets resolved. */
export interface FindingRecord {
  id: number
  assetId: number
  fp: number
  comboId: number
  facets: Facets
  firstDetectedAt: number
  /** In ten-thousandths. */
  confidence: number
  /** Null: when its asset was last scanned. */
  lastDetectedAt: number | null
  resolvedAt: number | null
  location: SafeText | null
  excerpt: SafeText | null
  /** Keyed hash of the value alone. */
  valueFp: number | null
  /** The number of the facet `value`. */
  valueId: number | null
}

/** The columns in order: a row as an array is much cheaper than as an object. */
export type FindingSqlRow = [
  id: number,
  assetId: number,
  fp: number,
  comboId: number,
  firstDetectedAt: number,
  confidence: number,
  lastDetectedAt: number | null,
  resolvedAt: number | null,
  location: SafeText | null,
  excerpt: SafeText | null,
  valueFp: number | null,
  valueId: number | null,
]

/** A stored row with its facets resolved. */
export function toRecord(row: FindingSqlRow, { facetsOf }: Pick<FacetDictionary, 'facetsOf'>): FindingRecord {
  return {
    id: row[0],
    assetId: row[1],
    fp: row[2],
    comboId: row[3],
    facets: facetsOf(row[3]),
    firstDetectedAt: row[4],
    confidence: row[5],
    lastDetectedAt: row[6],
    resolvedAt: row[7],
    location: row[8],
    excerpt: row[9],
    valueFp: row[10],
    valueId: row[11],
  }
}

/** The columns of `finding` that may change. */
export type FindingPatch = Partial<
  Omit<FindingRecord, 'id' | 'assetId' | 'fp' | 'comboId' | 'firstDetectedAt'> & { facets: Facets }
>

export interface FindingChange {
  at: number
  to: FindingStatus
  actor: SafeText
  /** The interface and the client program through which a person made the change. */
  via?: 'http' | 'mcp' | 'cli' | undefined
  client?: SafeText | undefined
  reason?: SafeText | undefined
  /** The scan or import that made the change; absent: a person did. `NO_SCAN`: the end of a decision was due. */
  scanId?: number | undefined
  /** When the decision ends by itself; absent: never. */
  until?: number | undefined
  /** Of a change to RESOLVED: the time of an earlier resolution that it restores. */
  resolvedAt?: number | undefined
}

/** Instead of the id of a scan: no one made the change, a decision expired. */
export const NO_SCAN = 0

export type NewFinding = Omit<FindingRecord, 'id' | 'comboId' | 'valueFp' | 'valueId'> &
  Partial<Pick<FindingRecord, 'valueFp' | 'valueId'>>

export const toStoredConfidence = (confidence: number): number => Math.round(confidence * CONFIDENCE_SCALE)

/** A stored fingerprint: 47 bits of its first 12 hex digits. */
export const toFp = (fingerprint: string): number => Number.parseInt(fingerprint.slice(0, 12), 16) % 2 ** 47
export const toFingerprint = (fp: number): string => fp.toString(16).padStart(12, '0')

/** A stored location, including the sections that contain the value and the rule that found it, if known. */
export function toLocation({
  location,
  sections,
  rule,
}: Pick<RedactedFinding, 'location' | 'sections' | 'rule'>): SafeText {
  return toSafeJson({ ...location, ...(sections && { sections }), ...(rule !== undefined && { rule }) })
}

interface StoredLocation extends FindingLocationView {
  label?: string
  sections?: readonly string[]
  rule?: string
}

export function readLocation(stored: string): FindingLocationView {
  const { sections: _sections, rule: _rule, label: _label, ...location } = JSON.parse(stored) as StoredLocation
  return location
}

/** The rule of a stored location, where a detector of this program found it. */
export const readRule = (stored: string | null): string | undefined =>
  stored === null ? undefined : (JSON.parse(stored) as StoredLocation).rule

/** The sections of a stored location; undefined if they are unknown. */
export function readSections(stored: string | null): readonly string[] | undefined {
  return stored === null ? undefined : (JSON.parse(stored) as StoredLocation).sections
}

/** The same location with other sections. */
export function withSections(stored: string | null, sections: readonly string[]): SafeText {
  return toSafeJson({ ...(stored === null ? { path: '' } : (JSON.parse(stored) as StoredLocation)), sections })
}
