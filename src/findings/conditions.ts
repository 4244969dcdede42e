import type { FilterKey } from './facets.ts'
import { type RangeKey, toFirstDetected } from './ranges.ts'

/** A filter key that depends on the policies of due dates. */
export type DueKey = 'overdue' | 'sla'

/** One condition of a filter; all conditions of a list must hold. */
export interface FilterCondition {
  key: FilterKey | 'minConfidence' | 'terms' | RangeKey | 'firstDetectedAt' | DueKey | 'search'
  /** Values, any of which match; of a range, its low end (inclusive) and its high end (exclusive). */
  values: readonly (string | number)[]
  /** The rows that match are removed. */
  exclude: boolean
  /** Of `terms`, `overdue` and `sla`: lists of conditions, all of at least one of which must hold. */
  anyOf?: readonly (readonly FilterCondition[])[]
  /** Of `overdue` and `sla`: the policies of due dates. */
  due?: readonly DueGroup[]
  /** The slug of the term that the condition comes from. */
  term?: string
}

/** The findings that a policy makes due in some days; of several groups that a finding is in, the fewest days count. */
export interface DueGroup {
  days: number
  conditions: readonly FilterCondition[]
}

/** A condition of a filter or a plan. */
type AnyCondition = Omit<FilterCondition, 'key'> & { key: string }

/** The conditions with ages replaced by the first detections that they mean at an instant. */
export function atInstant<Condition extends AnyCondition>(conditions: readonly Condition[], at: number): Condition[] {
  return conditions.map((condition) => {
    const { key, values, anyOf } = condition
    if (anyOf !== undefined) return { ...condition, anyOf: anyOf.map((inner) => atInstant(inner, at)) }
    if (key !== 'ageHours') return condition
    return { ...condition, key: 'firstDetectedAt', values: toFirstDetected(values.map(Number), at) }
  })
}

/** Whether the conditions depend on the age of findings. */
export const dependsOnAge = (conditions: readonly Pick<AnyCondition, 'key' | 'anyOf'>[]): boolean =>
  conditions.some(({ key, anyOf }) => key === 'ageHours' || anyOf?.some(dependsOnAge) === true)
