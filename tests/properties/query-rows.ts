// Rows of a population, which filters they pass, and what they come to. It imports nothing from src/.

import type { OracleFilter, OracleRanges, OracleSimple, OracleTerms } from './query-terms.ts'

export interface Window {
  from: number
  to: number
  /** A scalar without a start or an end takes all time. */
  openFrom: boolean
  openTo: boolean
}

/** Rows of one entity as the evaluation sees them. */
export interface Row {
  facets: Record<string, string | null>
  labels: readonly string[]
  numbers: Record<string, number | null>
  times: Record<string, number | null>
}

const facetOf: Record<string, string> = {
  detectorTypes: 'detectorType',
  severities: 'severity',
  statuses: 'status',
  presences: 'presence',
  values: 'value',
  findingTypes: 'findingType',
  categories: 'category',
  customDetectorKeys: 'customDetectorKey',
  sources: 'source',
  sourceTypes: 'sourceType',
  assetKinds: 'assetKind',
  containers: 'container',
  owners: 'owner',
  datasets: 'dataset',
  audiences: 'audience',
}
const ofAssets = [
  ...['sources', 'sourceTypes', 'assetKinds', 'containers', 'assets', 'owners', 'labels', 'datasets', 'audiences'],
  ...['scanned', 'exclude', 'terms', 'ranges'],
]

/** Folds the letters that occur here. */
const fold = (text: string) => text.normalize('NFC').toLowerCase().replaceAll('ß', 'ss')

export function speaksOfFindings(filter: OracleFilter, terms: OracleTerms): boolean {
  const keys = [...Object.keys(filter), ...Object.keys(filter.exclude ?? {})]
  const ranges = [...Object.keys(filter.ranges ?? {}), ...Object.keys(filter.exclude?.ranges ?? {})]
  const named = [...(filter.terms ?? []), ...(filter.exclude?.terms ?? [])]
  return (
    keys.some((key) => !ofAssets.includes(key)) ||
    ranges.some((key) => key !== 'contentUpdatedAt' && key !== 'audienceSize') ||
    named.some((slug) => speaksOfFindings(terms.filters[slug] ?? {}, terms))
  )
}

const HOUR = 3_600_000

/** Half-open; a row without the value is in no range. */
function isInRange(row: Row, key: string, range: OracleRanges[string]): boolean {
  const isTime = key.endsWith('At')
  const value = isTime ? row.times[key] : row.numbers[key]
  if (value === undefined || value === null) return false
  // Hours are compared in milliseconds, confidence in ten-thousandths.
  const unit = isTime || key === 'audienceSize' ? 1 : key === 'confidence' ? 10_000 : HOUR
  const own = Math.round(value * unit)
  const low = isTime ? (range.from === undefined ? undefined : Date.parse(range.from)) : range.min
  const high = isTime ? (range.to === undefined ? undefined : Date.parse(range.to)) : range.max
  const scale = (end: number) => Number((end * unit).toFixed(4))
  return (low === undefined || own >= scale(low)) && (high === undefined || own < scale(high))
}

const DAY = 24 * HOUR

/** How long after its detection a finding is due, in milliseconds; infinite if no policy fits. */
function toAllowed(row: Row, terms: OracleTerms): number {
  const days = terms.policies.map((policy) => {
    const isFit = policy.term === null || passes(row, terms.filters[policy.term] ?? {}, terms)
    return (isFit ? policy.days[row.facets.severity ?? ''] : undefined) ?? Number.POSITIVE_INFINITY
  })
  return Math.min(...days) * DAY
}

/** Whether a finding was resolved by its due date, or later; or is open and past it. */
function toOutcome(row: Row, terms: OracleTerms): 'MET' | 'LATE' | 'OVERDUE' | undefined {
  const allowed = toAllowed(row, terms)
  const took = (key: string) => Math.round((row.numbers[key] ?? 0) * HOUR)
  if (allowed === Number.POSITIVE_INFINITY) return undefined
  if (row.facets.status === 'OPEN') return took('ageHours') >= allowed ? 'OVERDUE' : undefined
  if (row.facets.status !== 'RESOLVED') return undefined
  return took('resolutionHours') <= allowed ? 'MET' : 'LATE'
}

/** AND across keys, OR inside one, exclude takes away whatever matches any of its keys. */
export function passes(row: Row, filter: OracleFilter, terms: OracleTerms): boolean {
  const has = (key: string, values: unknown) => {
    if (!Array.isArray(values)) return false
    if (key === 'terms') return values.some((slug) => passes(row, terms.filters[String(slug)] ?? {}, terms))
    if (key === 'assets') return values.includes(row.facets.assetId)
    const own = key === 'labels' ? row.labels : [row.facets[facetOf[key] ?? '']]
    const folded = new Set(values.map((value) => fold(String(value))))
    return (own.length === 0 ? [null] : own).some((value) => folded.has(fold(value ?? '(none)')))
  }
  for (const [key, values] of Object.entries(filter)) {
    if (key === 'exclude' || key === 'scanned') continue
    if (key === 'overdue') {
      if ((toOutcome(row, terms) === 'OVERDUE') !== values) return false
      continue
    }
    if (key === 'sla') {
      const outcome = toOutcome(row, terms)
      const asked = outcome === undefined ? 'none' : outcome === 'MET' ? 'MET' : 'MISSED'
      if (!filter.sla?.includes(asked)) return false
      continue
    }
    if (key === 'minConfidence') {
      if ((row.numbers.confidence ?? -1) < Number(values)) return false
    } else if (key === 'ranges') {
      if (Object.entries(filter.ranges ?? {}).some(([name, range]) => !isInRange(row, name, range))) return false
    } else if (!has(key, values)) {
      return false
    }
  }
  const { ranges = {}, ...others } = filter.exclude ?? {}
  return (
    !Object.entries(others).some(([key, values]) => has(key, values)) &&
    !Object.entries(ranges).some(([name, range]) => isInRange(row, name, range))
  )
}

export function inside(time: number | null, { from, to, openFrom, openTo }: Window): boolean {
  if (time === null) return false
  return (openFrom || time >= from) && (openTo || time < to)
}

/** Linear interpolation, as percentile_cont of SQL. */
function percentile(numbers: number[], p: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const place = p * (sorted.length - 1)
  const [low, high] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0]
  return low + (place - Math.floor(place)) * (high - low)
}

const wholeUnits: Record<string, number> = {
  confidence: 10_000,
  resolutionHours: 3_600_000,
  ageHours: 3_600_000,
  ageDays: 86_400_000,
}

export function aggregate(
  { aggregation, field, p }: OracleSimple,
  rows: Row[],
  emptyAs: 'zero' | 'null',
): number | null {
  if (aggregation === 'COUNT') return rows.length
  if (aggregation === 'COUNT_DISTINCT') {
    return new Set(rows.map(({ facets }) => facets[field ?? ''] ?? null).filter((value) => value !== null)).size
  }
  const numbers = rows.map((row) => row.numbers[field ?? ''] ?? null).filter((value) => value !== null)
  // Sums are of whole units, so that they do not depend on the order of the rows.
  const units = wholeUnits[field ?? ''] ?? 1
  const whole = numbers.map((value) => Math.round(value * units))
  const sum = whole.reduce((total, value) => total + value, 0)
  if (aggregation === 'SUM') return numbers.length === 0 && emptyAs === 'null' ? null : sum / units
  if (numbers.length === 0) return null
  if (aggregation === 'AVG') return sum / (numbers.length * units)
  if (aggregation === 'MEDIAN') return percentile(whole, 0.5) / units
  if (aggregation === 'PERCENTILE') return percentile(whole, p ?? Number.NaN) / units
  return aggregation === 'MIN' ? Math.min(...numbers) : Math.max(...numbers)
}
