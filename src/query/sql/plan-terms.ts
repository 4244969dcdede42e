import { atInstant } from '../../findings/conditions.ts'
import { type Compared, type FilterTerm, placeTerms, toFilterTerms, toTermShape } from '../../findings/filter-terms.ts'
import { type Bind, type Bound, bindList } from '../../store/cached-query.ts'
import type { Plan, PlanCondition } from '../plan/plan.ts'

/** The terms of a plan in SQL: its instants and codes as stored, or placeholders for them. */
export interface PlanTerms<Instant = number, Value = Compared>
  extends Pick<Plan, 'entity' | 'mode' | 'timeField' | 'dimensions'> {
  measure: Omit<Plan['measure'], 'p'>
  /** Of a PERCENTILE. */
  p?: Instant
  conditions: readonly FilterTerm<Value, PlanCondition['key']>[]
  /** Stock only: some finding has changed at its moment or later, so the current rows do not give its state. */
  isPast: boolean
  /** The stored counts of combinations have all that it counts. */
  isCounted: boolean
  at: Instant
  range: { from?: Instant; to?: Instant }
  groups?: { dimensions: Plan['dimensions']; exclude: boolean; codes: readonly (readonly Value[])[] }
  /** How instants are assigned to buckets: see `Slots`. */
  slots?: { base: Instant; last: Instant; stepMs: Instant }
  /** The first and last moment of a stock series. */
  moments?: { first: Instant; last: Instant }
  /** Findings count from some time after their first detection on: the least of those whose conditions they match. */
  overdue?: readonly { afterMs: Instant; conditions: readonly FilterTerm<Value>[] }[]
}

export type PlacedPlan = PlanTerms<Bound<number>, Bound<Compared>>

/** The conditions of a plan; ages are measured at `at`. */
export const toPlanConditions = (
  conditions: readonly PlanCondition[],
  at: number,
): FilterTerm<Compared, PlanCondition['key']>[] =>
  atInstant(conditions, at).flatMap((condition): FilterTerm<Compared, PlanCondition['key']>[] => {
    const { key, values, exclude } = condition
    if (key === 'scanned') return [{ key, values: [values.includes('true') ? 1 : 0], exclude }]
    return toFilterTerms([{ ...condition, key }])
  })

/** A plan without its instants and codes, as the key of a cached query. */
export function toPlanShape({ conditions, at, range, groups, slots, moments, overdue, p, ...terms }: PlanTerms) {
  return {
    ...terms,
    conditions: conditions.map(toTermShape),
    from: range.from !== undefined,
    to: range.to !== undefined,
    ...(groups === undefined ? {} : { groups: { ...groups, codes: groups.codes.length } }),
    slots: slots !== undefined,
    moments: moments !== undefined,
    overdue: overdue?.map((group) => group.conditions.map((term) => toTermShape(term))) ?? [],
    p: p !== undefined,
  }
}

const pickNumber = (value: number | undefined): number => {
  if (value === undefined) throw new TypeError('a plan lacks a number that its shape has')
  return value
}

/** A plan of a shape, with bound parameters for everything that the shape omits. */
export function placePlan(
  { conditions, from, to, groups, slots, moments, overdue, p, ...terms }: ReturnType<typeof toPlanShape>,
  give: Bind<PlanTerms>,
): PlacedPlan {
  const number = (pick: (plan: PlanTerms) => number | undefined) => give((plan) => pickNumber(pick(plan)))
  return {
    ...terms,
    conditions: placeTerms(conditions, give, (plan) => plan.conditions),
    at: number(({ at }) => at),
    ...(p ? { p: number((plan) => plan.p) } : {}),
    range: {
      ...(from ? { from: number(({ range }) => range.from) } : {}),
      ...(to ? { to: number(({ range }) => range.to) } : {}),
    },
    ...(groups === undefined
      ? {}
      : {
          groups: {
            ...groups,
            codes: Array.from({ length: groups.codes }, (_, index) =>
              bindList(give, groups.dimensions.length, (plan) => plan.groups?.codes[index] ?? []),
            ),
          },
        }),
    ...(slots
      ? {
          slots: {
            base: number((plan) => plan.slots?.base),
            last: number((plan) => plan.slots?.last),
            stepMs: number((plan) => plan.slots?.stepMs),
          },
        }
      : {}),
    ...(overdue.length === 0
      ? {}
      : {
          overdue: overdue.map((shapes, index) => ({
            afterMs: number((plan) => plan.overdue?.[index]?.afterMs),
            conditions: placeTerms(shapes, give, (plan) => plan.overdue?.[index]?.conditions ?? []),
          })),
        }),
    ...(moments
      ? { moments: { first: number((plan) => plan.moments?.first), last: number((plan) => plan.moments?.last) } }
      : {}),
  }
}
