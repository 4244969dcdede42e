import { isManyValued } from '../../findings/facets.ts'
import { CONFIDENCE_SCALE } from '../../store/schema.ts'
import type { GroupKey, Plan } from './plan.ts'

/**
 * A partial aggregate of a measure over some rows, in integer units of its field, so that partials merge exactly. `n`
 * counts the rows (COUNT), the distinct values (COUNT_DISTINCT), or the rows that have a value.
 */
export interface Partial {
  n: number
  sum: number
  min: number | null
  max: number | null
  /** Of a PERCENTILE, which does not merge. */
  quantile: number | null
}

/** The partial aggregate of one group in one bucket. */
export interface Cell extends Partial {
  key: GroupKey
  /** The `toGroupId` of the key, where it is already known. */
  id?: string | undefined
  bucket: number
}

const HOUR = 3_600_000
/** How many units of the store make one unit of a field. */
const unitsOf: Readonly<Record<string, number>> = {
  confidence: CONFIDENCE_SCALE,
  resolutionHours: HOUR,
  ageHours: HOUR,
  ageDays: 24 * HOUR,
  openFindings: 1,
}

export const emptyPartial: Partial = { n: 0, sum: 0, min: null, max: null, quantile: null }

/** False where one value or row may occur in several parts, for distinct counts and groups by label, and for percentiles. */
export function isMergeable({ measure, dimensions }: Plan): boolean {
  const { aggregation } = measure
  return aggregation !== 'COUNT_DISTINCT' && aggregation !== 'PERCENTILE' && !dimensions.some(isManyValued)
}

/**
 * The percentile `p` of ascending numbers, interpolated linearly between the two nearest, as `percentile_cont` of SQL.
 * @param at the number at an index
 */
export function interpolate(count: number, p: number, at: (index: number) => number): number {
  const position = p * (count - 1)
  const index = Math.floor(position)
  const below = at(index)
  if (index === position || index === count - 1) return below
  return below + (at(index + 1) - below) * (position - index)
}

/** Whether the value is that of typical or extreme rows, which says nothing about how many there are. */
export const isTypical = ({ measure }: Plan): boolean =>
  measure.aggregation !== 'COUNT' && measure.aggregation !== 'COUNT_DISTINCT' && measure.aggregation !== 'SUM'

export function mergePartials(parts: Iterable<Partial>): Partial {
  const whole = { ...emptyPartial }
  for (const { n, sum, min, max } of parts) {
    whole.n += n
    whole.sum += sum
    whole.min = least(whole.min, min)
    whole.max = greatest(whole.max, max)
  }
  return whole
}

export const least = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.min(a, b))
export const greatest = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.max(a, b))

/** The value of a measure. Over no rows, counts are 0, sums are 0 unless `emptyAs` is `null`, and all else is null. */
export function toValue({ measure }: Plan, partial: Partial, emptyAs: 'zero' | 'null'): number | null {
  const units = unitsOf[measure.field ?? ''] ?? 1
  switch (measure.aggregation) {
    case 'COUNT':
    case 'COUNT_DISTINCT':
      return partial.n
    case 'SUM':
      return partial.n === 0 && emptyAs === 'null' ? null : partial.sum / units
    case 'AVG':
      return partial.n === 0 ? null : partial.sum / (partial.n * units)
    case 'MIN':
      return partial.min === null ? null : partial.min / units
    case 'MAX':
      return partial.max === null ? null : partial.max / units
    case 'PERCENTILE':
      return partial.quantile === null ? null : partial.quantile / units
  }
}

/** A group key as a string, for use as a map key. */
export function toGroupId(key: readonly (string | null)[]): string {
  const [first, ...others] = key
  // The most common keys have one name, which needs no quotes.
  if (first === undefined || others.length > 0) return JSON.stringify(key)
  return first === null ? '' : `=${first}`
}
