import { detectorDescriptions } from '../../detectors/descriptions.ts'
import { detectorTypes } from '../../detectors/detector.ts'
import { toSafeMessage } from '../../detectors/safe-text.ts'
import { showName, showNames } from '../../kernel/shown.ts'
import type { QueryWarning } from '../model.ts'
import type { Plan } from '../plan/plan.ts'
import type { RunPlan } from './value.ts'

const MAX_NAMED = 3

/** Warnings about findings that other scanners report of a category whose detectors a term names. */
export function warnOfOutsideTerm([plan]: readonly Plan[], run: RunPlan): QueryWarning[] {
  if (plan === undefined || plan.entity !== 'finding') return []
  const { edges, groups, conditions, ...whole } = plan
  return conditions.flatMap((condition): QueryWarning[] => {
    const { key, values, exclude, term } = condition
    if (term === undefined || key !== 'detectorTypes' || exclude) return []
    const categories = detectorDescriptions.flatMap(({ type, category }) => (values.includes(type) ? category : []))
    if (categories.length === 0) return []
    const others = [
      ...conditions.filter((each) => each !== condition),
      { ...condition, key: 'categories' as const, values: categories },
      { ...condition, values: [...values, ...detectorTypes], exclude: true },
    ]
    const counted: Plan = {
      ...whole,
      measure: { aggregation: 'COUNT' },
      dimensions: ['detectorType'],
      conditions: others,
    }
    const cells = run(counted)
    const total = cells.reduce((sum, { n }) => sum + n, 0)
    if (total === 0) return []
    const names = cells.map(({ key }) => String(key[0]))
    const more = names.length > MAX_NAMED ? ', …' : ''
    const message = `The term ${showName(term)} leaves out ${total} of the same category that other scanners found (${showNames(names.slice(0, MAX_NAMED))}${more}); add them to its detectorTypes to count them.`
    return [{ code: 'outside_term', message: toSafeMessage(message) }]
  })
}
