import { evaluateFormula } from '../../metrics/formula.ts'
import { type Cell, emptyPartial, isMergeable, isTypical, mergePartials, type Partial, toValue } from '../plan/cells.ts'
import type { Plan, ValueNode } from '../plan/plan.ts'

type NullReason =
  | 'not_observed'
  | 'no_policy'
  | 'zero_denominator'
  | 'no_rows'
  | 'null_input'
  | 'not_finite'
  | 'base_zero'

/** A number with its components; `reason` explains a null. */
export interface Value {
  value: number | null
  reason?: NullReason
  /** The rows behind an average or an extreme. */
  n?: number
  numerator?: number | null
  denominator?: number | null
  current?: number | null
  previous?: number | null
  delta?: number | null
}

/** Executes a plan, by the engine or by SQL. */
export type RunPlan = (plan: Plan) => readonly Cell[]

/** Computes a value from the results of its plans. */
export function toNodeValue(node: ValueNode, partialOf: (plan: Plan) => Partial): Value {
  switch (node.kind) {
    case 'measure': {
      if (node.isUndated) return { value: null, reason: 'no_policy' }
      const partial = partialOf(node.plan)
      const value = toValue(node.plan, partial, node.emptyAs)
      if (!isTypical(node.plan)) return value === null ? { value, reason: 'no_rows' } : { value }
      return value === null ? { value, reason: 'no_rows', n: partial.n } : { value, n: partial.n }
    }
    case 'ratio': {
      const top = toNodeValue(node.numerator, partialOf)
      const bottom = toNodeValue(node.denominator, partialOf)
      const { value, reason } = divide(top, bottom)
      const [numerator, denominator] = [top.value, bottom.value]
      return reason === undefined ? { value, numerator, denominator } : { value, reason, numerator, denominator }
    }
    case 'formula': {
      const values = new Map<string, number | null>()
      const reasons: NullReason[] = []
      for (const [name, input] of Object.entries(node.inputs)) {
        const { value, reason } = toNodeValue(input, partialOf)
        values.set(name, value)
        if (reason !== undefined) reasons.push(reason)
      }
      const result = evaluateFormula(node.formula, values)
      if (result.value !== null) return { value: result.value }
      const [first] = reasons
      return { value: null, reason: result.reason === 'null_input' && first ? first : (result.reason ?? 'null_input') }
    }
    case 'change':
      return toChange(toNodeValue(node.current, partialOf), toNodeValue(node.previous, partialOf))
  }
}

function divide(top: Value, bottom: Value): Value {
  if (bottom.value === 0) return { value: null, reason: 'zero_denominator' }
  if (top.value === null) return { value: null, reason: top.reason ?? 'null_input' }
  if (bottom.value === null) return { value: null, reason: bottom.reason ?? 'null_input' }
  return { value: unsigned(top.value / bottom.value) }
}

function toChange(current: Value, previous: Value): Value {
  const { delta, pctChange } = toDifference(current.value, previous.value)
  const parts = { current: current.value, previous: previous.value, delta }
  if (pctChange !== null) return { value: pctChange, ...parts }
  const missing = current.value === null ? current : previous
  const reason = current.value === null || previous.value === null ? (missing.reason ?? 'null_input') : 'base_zero'
  return { value: null, reason, ...parts }
}

/** The difference between a value and an earlier one; a change from 0 has no percentage. */
export function toDifference(current: number | null, previous: number | null) {
  if (current === null || previous === null) return { delta: null, pctChange: null }
  const delta = current - previous
  return { delta, pctChange: previous === 0 ? null : unsigned(delta / Math.abs(previous)) }
}

const unsigned = (value: number) => (value === 0 ? 0 : value)

/** The value over the whole population, merged from the results of the breakdown where that is exact. */
export function toTotal(node: ValueNode, run: RunPlan): Value {
  return toNodeValue(node, (plan) => toWhole(plan, run))
}

/** The result of a plan without its dimensions. */
export function toWhole(plan: Plan, run: RunPlan): Partial {
  if (plan.dimensions.length === 0) return run(plan)[0] ?? emptyPartial
  // There may be very many assets and values, of which a breakdown lists only the first.
  const isListed = isMergeable(plan) && !plan.dimensions.some((name) => name === 'asset' || name === 'value')
  return isListed ? mergePartials(run(plan)) : (run({ ...plan, dimensions: [] })[0] ?? emptyPartial)
}

/** Caches results by plan, because a value may refer to one plan several times. */
export function once<Answer>(answer: (plan: Plan) => Answer): (plan: Plan) => Answer {
  const known = new Map<string, Answer>()
  /** Cached by object identity too, to save serializing: a breakdown refers to the same plan once for each group. */
  const seen = new Map<Plan, Answer>()
  return (plan) => {
    const own = seen.get(plan)
    if (own !== undefined) return own
    const id = JSON.stringify(plan)
    const found = known.get(id) ?? answer(plan)
    known.set(id, found)
    seen.set(plan, found)
    return found
  }
}
