import { toSafeMessage, toSafeText } from '../../detectors/safe-text.ts'
import { entityFacts } from '../../metrics/model.ts'
import type { AppliedFilter, Diagnosis } from '../model.ts'
import { emptyPartial } from '../plan/cells.ts'
import { type Plan, type PlanCondition, presentMoment } from '../plan/plan.ts'
import { toDigits } from './format.ts'
import type { RunPlan } from './value.ts'
import { describeCondition, describeValues } from './warnings.ts'

const MAX_FILTERS = 12

/** A condition in the form used in answers. */
function toAppliedFilter({ origin, key, values, exclude, term, part }: PlanCondition): AppliedFilter {
  return {
    origin,
    key: exclude ? `exclude.${key}` : key,
    values: describeValues(key, values).map((value) => toSafeText(value, 'definition')),
    ...(term === undefined ? {} : { term }),
    ...(part === undefined ? {} : { part }),
  }
}

/** The conditions of all plans, without duplicates. */
export function listFilters(plans: readonly Plan[]): AppliedFilter[] {
  const filters = plans.flatMap(({ conditions }) => conditions.map(toAppliedFilter))
  const seen = new Set<string>()
  return filters.filter((filter) => {
    const id = JSON.stringify(filter)
    if (seen.has(id)) return false
    seen.add(id)
    return true
  })
}

/**
 * Explains an answer without rows: the row counts without each condition and at any time (of a stock, at present), and
 * the time extent of the rows.
 */
export function diagnose(plan: Plan, run: RunPlan, now: number): Diagnosis {
  const { edges, groups, ...whole } = plan
  const count = (change: Partial<Plan>): number => {
    const asked: Plan = { ...whole, dimensions: [], measure: { aggregation: 'COUNT' }, ...change }
    return (run(asked)[0] ?? emptyPartial).n
  }
  const { conditions, range } = plan
  const withoutFilter = conditions.slice(0, MAX_FILTERS).map((left) => ({
    ...toAppliedFilter(left),
    count: count({ conditions: conditions.filter((condition) => condition !== left) }),
  }))
  const isStock = plan.mode === 'stock'
  const present = presentMoment(now)
  const isBounded = isStock ? plan.at < present : range.from !== undefined || range.to !== undefined
  const atAnyTime: Partial<Plan> = isStock ? { at: present } : { range: {} }
  const withoutRange = isBounded ? count(atAnyTime) : undefined
  const [always] = entityFacts[plan.entity].timeFields
  const reasons = [
    ...blameField(plan, count({})),
    ...blameFilters(conditions, withoutFilter),
    ...blameRange(plan, withoutRange),
    ...(isStock || plan.timeField === always ? [] : blameTime(plan, count({ range: {}, timeField: always }), count)),
  ]
  const unclear = 'Nothing matches, and no single filter is the cause: two or more of them exclude everything together.'
  const isEmpty = reasons.length === 0 && count({ ...atAnyTime, conditions: [], timeField: always }) === 0
  const known = isEmpty ? 'There is nothing to count yet; scan a source first.' : unclear
  const summary = reasons.length > 0 ? `Nothing matches, because ${reasons.join('; or ')}.` : known
  return {
    summary: toSafeMessage(summary),
    withoutFilter,
    ...(withoutRange === undefined ? {} : { withoutRange, ...findExtent(whole, run) }),
  }
}

const entityNames = { finding: 'findings', asset: 'assets' } as const

/** Rows that match, but lack the value that is aggregated. */
const blameField = ({ measure, entity }: Plan, matching: number): string[] =>
  matching === 0 ? [] : [`none of the ${toDigits(matching)} matching ${entityNames[entity]} has a ${measure.field}`]

const blameFilters = (conditions: readonly PlanCondition[], withoutFilter: readonly { count: number }[]): string[] =>
  withoutFilter.flatMap(({ count }, index) => {
    const condition = conditions[index]
    return count === 0 || condition === undefined
      ? []
      : `${describeCondition(condition)} (without it: ${toDigits(count)})`
  })

function blameRange({ mode, at }: Plan, withoutRange: number | undefined): string[] {
  if (!withoutRange) return []
  if (mode === 'flow') return [`the time range excludes ${toDigits(withoutRange)}`]
  return [`of the ${toDigits(withoutRange)} that match now, none did at ${new Date(at).toISOString()}`]
}

/** Rows that match, but have no instant of the kind that places them in time. */
function blameTime({ timeField, entity }: Plan, matching: number, count: (change: Partial<Plan>) => number): string[] {
  if (matching === 0 || count({ range: {} }) > 0) return []
  return [`none of the ${toDigits(matching)} matching ${entityNames[entity]} has a ${timeField}`]
}

/** The earliest and latest first detection in a population, ignoring the range. */
function findExtent(plan: Plan, run: RunPlan): { firstAt?: string; lastAt?: string } {
  if (plan.mode === 'stock' || plan.entity !== 'finding' || plan.timeField !== 'firstDetectedAt') return {}
  const age = (aggregation: 'MIN' | 'MAX') => {
    const [cell] = run({ ...plan, dimensions: [], range: {}, measure: { aggregation, field: 'ageHours' } })
    return cell?.[aggregation === 'MIN' ? 'min' : 'max'] ?? null
  }
  const [youngest, oldest] = [age('MIN'), age('MAX')]
  if (youngest === null || oldest === null) return {}
  return { firstAt: new Date(plan.at - oldest).toISOString(), lastAt: new Date(plan.at - youngest).toISOString() }
}
