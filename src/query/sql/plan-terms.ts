import { atInstant } from '../../findings/conditions.ts'
import { type Compared, type FilterTerm, toFilterTerms } from '../../findings/filter-terms.ts'
import type { Plan, PlanCondition } from '../plan/plan.ts'
import type { Slots } from './slots.ts'

/** The terms of a plan in SQL, with its values as stored. */
export interface PlanTerms
  extends Pick<Plan, 'entity' | 'mode' | 'timeField' | 'dimensions' | 'measure' | 'at' | 'range'> {
  conditions: readonly FilterTerm<PlanCondition['key']>[]
  /** Stock only: some finding has changed at its moment or later, so the current rows do not give its state. */
  isPast: boolean
  /** The stored counts of combinations have all that it counts. */
  isCounted: boolean
  groups?: { dimensions: Plan['dimensions']; exclude: boolean; codes: readonly (readonly Compared[])[] }
  /** How instants are assigned to buckets. */
  slots?: Slots
  /** Findings count from some time after their first detection on: the least of those whose conditions they match. */
  overdue?: readonly { afterMs: number; conditions: readonly FilterTerm[] }[]
}

/** The conditions of a plan; ages are measured at `at`. */
export const toPlanConditions = (
  conditions: readonly PlanCondition[],
  at: number,
): FilterTerm<PlanCondition['key']>[] =>
  atInstant(conditions, at).flatMap((condition): FilterTerm<PlanCondition['key']>[] => {
    const { key, values, exclude } = condition
    if (key === 'scanned') return [{ key, values: [values.includes('true') ? 1 : 0], exclude }]
    return toFilterTerms([{ ...condition, key }])
  })
