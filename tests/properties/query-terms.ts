// What random estates, metrics and questions are made of. It imports nothing from src/, as the oracle must not.

interface OracleSource {
  name: string
  type: string
}

export interface OracleAsset {
  source: string
  key: string
  kind: string
  name: string
  container: string
  owner: string | null
  labels: string[]
  dataset: string
  status: 'ACTIVE' | 'DELETED'
  contentUpdatedAt: number | null
  firstSeenAt: number
  lastSeenAt: number
  lastScannedAt: number | null
  deletedAt: number | null
  audience: string
  audienceSize: number | null
}

export interface OracleChange {
  at: number
  from: string
  to: string
}

export interface OracleFinding {
  asset: string
  detectorType: string
  findingType: string
  category: string
  customDetectorKey: string
  severity: string
  status: string
  presence: string
  /** The id of its value. */
  value: string | null
  confidence: number
  firstDetectedAt: number
  lastDetectedAt: number | null
  resolvedAt: number | null
  changes: OracleChange[]
  /** When the decision ends by itself, and the status from then on. */
  until?: number
  endsAs?: string
}

export interface OracleEstate {
  sources: OracleSource[]
  assets: OracleAsset[]
  findings: OracleFinding[]
}

export type OracleRanges = Record<string, { min?: number; max?: number; from?: string; to?: string }>

type OracleKeys = { [key: string]: string[] | OracleRanges | undefined } & { ranges?: OracleRanges; terms?: string[] }

export interface OracleFilter {
  [key: string]: string[] | number | boolean | OracleRanges | OracleKeys | undefined
  minConfidence?: number
  scanned?: boolean
  ranges?: OracleRanges
  terms?: string[]
  overdue?: boolean
  sla?: string[]
  exclude?: OracleKeys
}

/** In how many days findings are due, by severity; without a term, all findings. */
export interface OraclePolicy {
  term: string | null
  days: Readonly<Record<string, number>>
}

const plainPolicies: readonly OraclePolicy[] = [
  { term: null, days: { CRITICAL: 30, HIGH: 90, MEDIUM: 180 } },
  { term: 'of-people', days: { HIGH: 30, LOW: 60, INFO: 365 } },
  { term: 'loud-ones', days: { CRITICAL: 10, HIGH: 90 } },
]

/** The policies of an estate: in every fifth, also one whose term has ranges, which SQL answers alone. */
export const policiesOf = (seed: number): readonly OraclePolicy[] =>
  Math.floor(seed / 1000 + seed) % 5 === 0
    ? [...plainPolicies, { term: 'old-tokens', days: { CRITICAL: 7, MEDIUM: 200, LOW: 90 } }]
    : plainPolicies

export interface OracleTerms {
  /** By slug. */
  filters: Readonly<Record<string, OracleFilter>>
  policies: readonly OraclePolicy[]
}

export interface OracleSimple {
  aggregation: string
  entity: string
  field?: string
  filters?: OracleFilter
  timeField?: string
  mode?: string
  /** Of a PERCENTILE. */
  p?: number
  window?: { last?: string; toDate?: string }
}

export type OraclePart = OracleSimple | { metricSlug: string }

export interface OracleMetric {
  slug: string
  type: string
  definition: {
    numerator?: OraclePart
    denominator?: OraclePart
    formula?: string
    inputs?: string[]
    baseMetricSlug?: string
    currentWindow?: string
    compareWindow?: string
  } & Partial<OracleSimple>
  allowedDimensions?: readonly string[]
  term: OracleFilter | null
  emptyAs: 'zero' | 'null' | null
  /** What the formula does, written by hand beside its text. */
  compute?: (values: (number | null)[]) => number | null
}

export interface OracleQuestion {
  metricSlug: string
  dimensions?: string[]
  term?: OracleFilter
  filters?: OracleFilter
  pinned?: OracleFilter
  from?: string
  to?: string
  timeZone?: string
  weekStart?: string
  limit?: number
  compare?: string | { from: string; to: string }
  orderBy?: string
  alsoMetrics?: string[]
  explain?: boolean
  granularity?: string
  dimension?: string
}
