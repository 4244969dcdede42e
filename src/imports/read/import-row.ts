import type { AudienceName } from '../../connectors/audience.ts'
import { detectorDescriptions } from '../../detectors/descriptions.ts'
import type { ReportedValues } from '../../detectors/reported-values.ts'
import { MAX_NAME, toSafeAddress, toSafeKey, toSafeText, toSafeTextOnce } from '../../detectors/safe-text.ts'
import { secretsDetector } from '../../detectors/secrets/index.ts'
import { FINGERPRINT_NAME } from '../../findings/export/model.ts'
import type { Facets } from '../../findings/facets.store.ts'
import { toFp } from '../../findings/finding-record.ts'
import type { ImportedAsset } from '../../findings/imported-assets.store.ts'
import type { SafeText } from '../../kernel/safe-text.ts'
import type { ImportLine } from './import-line.ts'

/** Hashes a canonical string with the key of the data folder. */
export type Identify = (canonical: string) => number

/** The facets of an imported finding, except its source. */
export type ImportFacets = Omit<Facets, 'sourceId'>

/** What a line states about a finding; times in milliseconds, the excerpt masked. */
export interface ImportRow {
  fp: number
  firstDetectedAt: number
  /** Null: a known finding keeps its value. */
  lastDetectedAt: number | null
  resolvedAt: number | null
  /** In ten-thousandths. */
  confidence: number
  /** 1 if `resolvedAt` may only be the time of reading, so that it does not correct a stored one. */
  undated: number
  excerpt: SafeText | null
  /** JSON of a `FindingLocationView`. Null: a known finding keeps its value. */
  location: SafeText | null
  /** Null: a known finding keeps its value. */
  valueId: number | null
}

/** Where in a file a finding is, from 1. */
export interface TextPosition {
  line: number
  column?: number
}

/** The fingerprint of a finding in an export, which stays what it is. */
const exported = new RegExp(`^${FINGERPRINT_NAME}:([0-9a-f]{12})$`)

export function toFingerprint(line: ImportLine, identify: Identify): number {
  const { asset, detectorType, fingerprint, findingType, customDetectorKey = '', excerpt, firstDetectedAt } = line
  const own = fingerprint === undefined ? undefined : exported.exec(fingerprint)?.[1]
  if (own !== undefined) return toFp(own)
  const identity =
    fingerprint === undefined
      ? [findingType, customDetectorKey, excerpt ?? null, Date.parse(firstDetectedAt)]
      : [fingerprint]
  return identify(JSON.stringify(['import', asset.key, detectorType, ...identity]))
}

/** The category that scans give to findings of a detector; results of scanners for secrets have that of secrets. */
const categories = new Map([
  ...detectorDescriptions.map(({ type, category }) => [type, category] as const),
  ...['GITLEAKS', 'TRUFFLEHOG', 'DETECT_SECRETS'].map((type) => [type, secretsDetector.category] as const),
])
/** The number of the facet `value`, equal for lines with the same key in all imports. */
export const toValueId = ({ valueKey }: ImportLine, identify: Identify): number | null =>
  valueKey === undefined ? null : identify(JSON.stringify(['import value', valueKey]))

export function toSafeFacets(line: ImportLine): ImportFacets {
  const {
    detectorType,
    findingType,
    category,
    customDetectorKey = '',
    severity,
    status = 'OPEN',
    presence = 'current',
  } = line
  return {
    detectorType: toSafeText(detectorType, 'prose'),
    findingType: toSafeText(findingType, 'prose'),
    category: toSafeText(category || (categories.get(detectorType) ?? ''), 'prose'),
    customDetectorKey: toSafeText(customDetectorKey, 'prose'),
    severity,
    status,
    presence,
  }
}

type ToSafe = (
  value: never,
  values: ReportedValues,
  identify: Identify,
) => SafeText | readonly SafeText[] | AudienceName | number

const toProse = (text: string, values: ReportedValues) => values.hide(toSafeText(text, 'prose', MAX_NAME, values))

/** How each member of an asset is made from a line: what it masks is added to `values`, and these are masked. */
const assetMembers = {
  key: (key: string, values, identify) => toSafeKey(key, identify, values),
  name: (name: string, values) => values.hide(toSafeTextOnce(name, 'prose', MAX_NAME, values)),
  url: (url: string, values) => values.hideInAddress(toSafeAddress(url, values)),
  kind: toProse,
  container: toProse,
  owner: toProse,
  labels: (labels: readonly string[], values) => labels.map((label) => toProse(label, values)),
  contentUpdatedAt: (instant: string) => Date.parse(instant),
  audience: (audience: AudienceName) => audience,
  audienceSize: (size: number) => size,
} as const satisfies Record<keyof ImportedAsset, ToSafe>
const assetNames = Object.keys(assetMembers) as (keyof ImportedAsset)[]

/** An asset as it may be stored. What was masked in any of its texts is masked in all, and added to `values`. */
export function sanitizeAsset(asset: ImportLine['asset'], identify: Identify, values: ReportedValues): ImportedAsset {
  const safe: Record<string, ReturnType<ToSafe>> = {}
  for (let known = -1; known < values.size; ) {
    known = values.size
    for (const name of assetNames) {
      const value = asset[name]
      if (value !== undefined) safe[name] = (assetMembers[name] as ToSafe)(value as never, values, identify)
    }
  }
  return safe as unknown as ImportedAsset
}
