import { type Severity, severities } from '../detectors/detector.ts'
import { type DueGroup, type DueKey, dependsOnAge, type FilterCondition } from './conditions.ts'

export const slaOutcomes = ['MET', 'MISSED'] as const
export type SlaOutcome = (typeof slaOutcomes)[number]

/** In how many days findings are due, by severity. */
export type SlaDays = Partial<Record<Severity, number>>

/** A policy of due dates with its filter as conditions. */
export interface DueRule {
  days: SlaDays
  conditions: readonly FilterCondition[]
}

const DAY_HOURS = 24
const MILLISECOND = 1 / 3_600_000

const only = (key: 'statuses' | 'severities', values: readonly string[]): FilterCondition => ({
  ...{ key, values, exclude: false },
})
const from = (key: 'ageHours' | 'resolutionHours', hours: number): FilterCondition => ({
  ...{ key, values: [hours, Number.POSITIVE_INFINITY], exclude: false },
})

/** One group for each policy and number of days. */
const toGroups = (rules: readonly DueRule[]): DueGroup[] =>
  rules.flatMap(({ days, conditions }) =>
    [...new Set(Object.values(days))].map((own) => {
      const due = only(
        'severities',
        severities.filter((severity) => days[severity] === own),
      )
      return { days: own, conditions: [due, ...conditions] }
    }),
  )

/** Open findings that are due by the instant that ages are measured from; the group with the fewest days decides. */
const listOverdue = (groups: readonly DueGroup[]): FilterCondition[][] =>
  groups.map(({ days, conditions }) => [only('statuses', ['OPEN']), from('ageHours', days * DAY_HOURS), ...conditions])

/** Findings that were resolved after the day on which they were due. */
const listLate = (groups: readonly DueGroup[]): FilterCondition[][] =>
  groups.map(({ days, conditions }) => [from('resolutionHours', days * DAY_HOURS + MILLISECOND), ...conditions])

/** The conditions that `overdue` and `sla` mean; without policies, no finding has a due date. */
export function toDueConditions(
  { overdue, sla }: { overdue?: boolean | undefined; sla?: SlaOutcome[] | undefined },
  rules: readonly DueRule[],
): FilterCondition[] {
  const groups = toGroups(rules)
  const found: FilterCondition[] = []
  if (overdue !== undefined) {
    found.push({ key: 'overdue', values: ['true'], exclude: !overdue, anyOf: listOverdue(groups), due: groups })
  }
  if (sla !== undefined) {
    found.push({
      key: 'sla',
      values: sla,
      exclude: false,
      anyOf: listOutcomes(sla, rules, groups),
      due: groups,
    })
  }
  return found
}

/** Findings that are due some time, regardless of the number of days. */
const listDue = (rules: readonly DueRule[]): FilterCondition[][] =>
  rules.map(({ days, conditions }) => [
    only(
      'severities',
      severities.filter((severity) => days[severity] !== undefined),
    ),
    ...conditions,
  ])

function listOutcomes(
  outcomes: readonly SlaOutcome[],
  rules: readonly DueRule[],
  groups: readonly DueGroup[],
): FilterCondition[][] {
  if (groups.length === 0) return []
  const resolved = only('statuses', ['RESOLVED'])
  const late: FilterCondition = { key: 'sla', values: ['MISSED'], exclude: false, anyOf: listLate(groups) }
  if (!outcomes.includes('MET')) return [[resolved, late], ...listOverdue(groups)]
  const due: FilterCondition = { key: 'sla', values: slaOutcomes, exclude: false, anyOf: listDue(rules) }
  // With both outcomes it does not matter when a finding was resolved.
  if (outcomes.includes('MISSED')) return [[resolved, due], ...listOverdue(groups)]
  return [[resolved, due, { ...late, exclude: true }]]
}

type DueCondition = Pick<FilterCondition, 'exclude' | 'anyOf' | 'due'> & { key: string }

/**
 * Splits conditions into those that the age of findings does not change, and, for each group of policies, the hours
 * from the first detection after which its findings are overdue. Undefined if ages matter in any other way.
 */
export function splitOverdue<Condition extends DueCondition>(
  conditions: readonly Condition[],
): { others: Condition[]; overdue: { hours: number; conditions: FilterCondition[] }[] } | undefined {
  const [own, more] = conditions.filter(({ key, exclude }) => key === 'overdue' && !exclude)
  const others = conditions.filter((condition) => condition !== own)
  if (!own?.due?.length || more !== undefined || dependsOnAge(others)) return undefined
  const overdue = own.due.map(({ days, conditions }) => ({
    hours: days * DAY_HOURS,
    conditions: [only('statuses', ['OPEN']), ...conditions],
  }))
  return overdue.some((group) => dependsOnAge(group.conditions)) ? undefined : { others, overdue }
}

const dueKeys: ReadonlySet<string> = new Set(['overdue', 'sla'] satisfies DueKey[])
export const isDueKey = (key: string): key is DueKey => dueKeys.has(key)

/** Whether some condition depends on due dates while there is no policy. */
export const lacksPolicy = (conditions: readonly { key: string; anyOf?: readonly unknown[] }[]): boolean =>
  conditions.some(({ key, anyOf }) => isDueKey(key) && anyOf?.length === 0)
