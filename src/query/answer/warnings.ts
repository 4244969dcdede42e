import { toSafeMessage } from '../../detectors/safe-text.ts'
import { lacksPolicy } from '../../findings/due-conditions.ts'
import { facets, findFacetByFilterKey } from '../../findings/facets.ts'
import { describeRange, isRangeKey } from '../../findings/ranges.ts'
import { foldCase } from '../../kernel/fold.ts'
import { quote, showNames } from '../../kernel/shown.ts'
import type { TimeRange } from '../../kernel/time-range.ts'
import type { Trust } from '../../metrics/drift.ts'
import type { Dimension, MetricRecord } from '../../metrics/model.ts'
import type { Coercion } from '../../operation/input/coerce.ts'
import type { QueryWarning } from '../model.ts'
import { toValueName } from '../plan/group-names.ts'
import type { Plan, PlanCondition, ValueNode } from '../plan/plan.ts'
import type { Breakdown } from './breakdown.ts'
import { toDigits } from './format.ts'
import { type RunPlan, toWhole } from './value.ts'

/** Warnings about the metric's governance state. */
export function warnOfGovernance(metric: MetricRecord, trust: Trust, successor: string | undefined): QueryWarning[] {
  switch (trust.tier) {
    case 'draft':
      return [
        {
          code: 'draft',
          message: toSafeMessage(`${metric.slug} is a draft that is not certified; say so when reporting the number.`),
        },
      ]
    case 'deprecated': {
      const instead =
        metric.replacedBy === null
          ? 'it has no successor'
          : `use ${metric.replacedBy} instead${successor === undefined ? '' : `, which is ${successor}`}`
      const why = metric.deprecationReason === null ? '' : ` (${quote(metric.deprecationReason)})`
      return [{ code: 'deprecated', message: toSafeMessage(`${metric.slug} is deprecated${why}; ${instead}.`) }]
    }
    case 'drifted':
    case 'failing':
      return [{ code: trust.tier, message: toSafeMessage(trust.label) }]
    case 'certified':
      return []
  }
}

export function warnOfCoercions(coerced: readonly Coercion[]): QueryWarning[] {
  return coerced
    .slice(0, 20)
    .map(({ path, message }) => ({ code: 'coerced', message: toSafeMessage(`${path} ${message}`) }))
}

/** Warnings about conditions on one key that exclude each other, each naming its origin. */
export function warnOfContradictions(plans: readonly Plan[]): QueryWarning[] {
  const messages = plans.flatMap(({ conditions }) => {
    const keys = [...new Set(conditions.map(({ key }) => key))].filter(
      (key) => findFacetByFilterKey(key) !== undefined && key !== 'labels',
    )
    return keys.flatMap((key) => findContradiction(conditions.filter((condition) => condition.key === key)) ?? [])
  })
  return [...new Set(messages)].map((message) => ({ code: 'contradiction', message: toSafeMessage(message) }))
}

function findContradiction(conditions: readonly PlanCondition[]): string | undefined {
  const included = conditions.filter(({ exclude }) => !exclude)
  const [first, ...others] = included
  // Source names and ids identify the same sources, so they cannot be compared with each other.
  if (first === undefined || (first.key === 'sources' && conditions.some(({ values }) => values.some(isUid)))) return
  const fold = (values: readonly (string | number)[]) => values.map((value) => foldCase(String(value)))
  let left = new Set(fold(first.values))
  for (const { values } of others) left = left.intersection(new Set(fold(values)))
  for (const { values, exclude } of conditions) {
    if (exclude) for (const value of fold(values)) left.delete(value)
  }
  if (left.size > 0) return undefined
  const part = conditions.find((condition) => condition.part !== undefined)?.part
  const where = part === undefined ? '' : ` in ${part}`
  return `Nothing can match${where}: ${conditions.map(describeCondition).join(', but ')}.`
}

const isUid = (value: string | number) => /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(String(value))

/** The values of a condition as texts; those of a range with their comparison. */
export const describeValues = (key: string, values: PlanCondition['values']): string[] =>
  isRangeKey(key) ? describeRange(key, values.map(Number)) : values.map(String)

/** A warning about due dates that are asked for without a policy. */
export function warnOfMissingPolicy(plans: readonly Plan[]): QueryWarning[] {
  if (!plans.some(({ conditions }) => lacksPolicy(conditions))) return []
  const message = 'There is no policy of due dates; a person sets one with assay sla set, or PUT /semantic/sla.'
  return [{ code: 'no_policy', message: toSafeMessage(message) }]
}

/** A condition in words. */
export function describeCondition({ origin, term, key, values, exclude }: PlanCondition): string {
  const who = term === undefined ? `the ${origin}` : `the term ${term}`
  const listed = showNames(describeValues(key, values).slice(0, 5)) + (values.length > 5 ? ', …' : '')
  return `${who} ${exclude ? 'excludes' : 'requires'} ${key} ${listed}`
}

/** A warning about groups of one value of which a limit lists only some, with the first that it leaves out. */
export function warnOfTie(
  { dimensions, tie }: { dimensions: readonly Dimension[]; tie?: Breakdown['tie'] },
  of: string,
  show: (value: number) => string,
): QueryWarning[] {
  if (tie === undefined) return []
  const listed = tie.listed === 1 ? '1 is' : `${tie.listed} are`
  const message = `The limit falls within a tie: of ${tie.groups} ${of} with the same value, ${show(tie.rank)}, ${listed} listed, chosen by name.`
  const suggestions = tie.next.map((value, index) => {
    const dimension = dimensions[index]
    return { key: dimension === undefined ? '' : facets[dimension].filterKey, value: toValueName(value) }
  })
  return [{ code: 'tie_cut', message: toSafeMessage(message), suggestions }]
}

/** Of a rate of decisions of people, how many of the rows in its denominator have no decision yet. */
export function warnOfUndecided(node: ValueNode, run: RunPlan): QueryWarning[] {
  if (node.kind !== 'ratio' || node.numerator.kind !== 'measure' || node.denominator.kind !== 'measure') return []
  const { plan } = node.denominator
  const ofStatus = ({ conditions }: Plan) => conditions.filter(({ key, exclude }) => key === 'statuses' && !exclude)
  const decided = ofStatus(node.numerator.plan).flatMap(({ values }) => values)
  if (!decided.includes('FALSE_POSITIVE') || ofStatus(plan).length > 0) return []
  const isOpen: PlanCondition = { key: 'statuses', values: ['OPEN'], exclude: false, origin: 'metric' }
  const [all, open] = [plan, { ...plan, conditions: [...plan.conditions, isOpen] }].map((each) => toWhole(each, run).n)
  if (!all || !open) return []
  const message = `${toDigits(open)} of the ${toDigits(all)} findings are open, without a decision yet.`
  return [{ code: 'undecided', message: toSafeMessage(message) }]
}

/** A warning about a range in which nothing can have happened yet. */
export function warnOfFuture({ from }: TimeRange, now: number): QueryWarning[] {
  if (from === undefined || from <= now) return []
  const message = `The range begins at ${new Date(from).toISOString()}, which is in the future, so there is nothing in it yet.`
  return [{ code: 'future_range', message: toSafeMessage(message) }]
}
