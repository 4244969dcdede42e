import { toSafeMessage, toSafeText } from '../../detectors/safe-text.ts'
import type { AppliedFilter, Diagnosis } from '../model.ts'
import { emptyPartial } from '../plan/cells.ts'
import type { Plan, PlanCondition } from '../plan/plan.ts'
import { toDigits } from './format.ts'
import type { RunPlan } from './value.ts'
import { describeCondition } from './warnings.ts'

const MAX_FILTERS = 12

/** A condition in the form used in answers. */
function toAppliedFilter({ origin, key, values, exclude, term, part }: PlanCondition): AppliedFilter {
  return {
    origin,
    key: exclude ? `exclude.${key}` : key,
    values: values.map((value) => toSafeText(String(value), 'definition')),
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
 * Explains an empty population: the row counts without each condition and without the range, and the time extent of the
 * rows.
 */
export function diagnose(plan: Plan, run: RunPlan): Diagnosis {
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
  const bounded = plan.mode === 'flow' && (range.from !== undefined || range.to !== undefined)
  const withoutRange = bounded ? count({ range: {} }) : undefined
  const summary = toSafeMessage(
    summarize(conditions, withoutFilter, withoutRange, count({ conditions: [], range: {} })),
  )
  return {
    summary,
    withoutFilter,
    ...(withoutRange === undefined ? {} : { withoutRange, ...findExtent(whole, run) }),
  }
}

/** The earliest and latest first detection in a population, ignoring the range. */
function findExtent(plan: Plan, run: RunPlan): { firstAt?: string; lastAt?: string } {
  if (plan.entity !== 'finding' || plan.timeField !== 'firstDetectedAt') return {}
  const age = (aggregation: 'MIN' | 'MAX') => {
    const [cell] = run({ ...plan, dimensions: [], range: {}, measure: { aggregation, field: 'ageHours' } })
    return cell?.[aggregation === 'MIN' ? 'min' : 'max'] ?? null
  }
  const [youngest, oldest] = [age('MIN'), age('MAX')]
  if (youngest === null || oldest === null) return {}
  return { firstAt: new Date(plan.at - oldest).toISOString(), lastAt: new Date(plan.at - youngest).toISOString() }
}

function summarize(
  conditions: readonly PlanCondition[],
  withoutFilter: readonly { count: number }[],
  withoutRange: number | undefined,
  all: number,
): string {
  if (all === 0) return 'There is nothing to count at all yet; scan a source first.'
  const blamed = withoutFilter.flatMap(({ count }, index) => {
    const condition = conditions[index]
    return count === 0 || condition === undefined
      ? []
      : `${describeCondition(condition)} (without it: ${toDigits(count)})`
  })
  const range = withoutRange ? [`the time range leaves out ${toDigits(withoutRange)}`] : []
  const reasons = [...blamed, ...range]
  if (reasons.length > 0) return `Nothing matches, because ${reasons.join('; or ')}.`
  return 'Nothing matches, and no single filter is to blame: two or more of them leave nothing together.'
}
