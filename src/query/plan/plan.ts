import type { FilterCondition } from '../../findings/conditions.ts'
import { lacksPolicy } from '../../findings/due-conditions.ts'
import { type FilterMapping, type FindTerm, toConditions } from '../../findings/filter.ts'
import type { SafeText } from '../../kernel/safe-text.ts'
import type { TimeRange } from '../../kernel/time-range.ts'
import type { Zone } from '../../kernel/zone.ts'
import { type Formula, parseFormula, toFormulaName } from '../../metrics/formula.ts'
import {
  type Aggregation,
  type Dimension,
  type Entity,
  entityFacts,
  isReference,
  type MetricField,
  type MetricRecord,
  type RatioPart,
  type SimpleDefinition,
  type TimeField,
  type TrendDefinition,
} from '../../metrics/model.ts'
import { type Bucket, beforeWindow, type WeekDay } from './time.ts'
import { toWindow } from './window.ts'

export const origins = ['metric', 'term', 'caller', 'placement'] as const
type Origin = (typeof origins)[number]

/** One condition on a population, with its origin. */
export interface PlanCondition extends Omit<FilterCondition, 'key'> {
  key: FilterCondition['key'] | 'scanned'
  origin: Origin
  /** The term that the condition comes from. */
  term?: string
  /**
   * The part of the metric that it applies to: numerator, denominator, or the slug of an input; absent for all of it.
   */
  part?: string
}

/** A group of a breakdown: one value for each dimension, null for no value. */
export type GroupKey = readonly (SafeText | null)[]

/** A median is the percentile 0.5. */
export interface Measure {
  aggregation: Exclude<Aggregation, 'MEDIAN'>
  field?: MetricField
  /** Of a PERCENTILE: from 0 to 1. */
  p?: number
}

/**
 * A request for one number over one population, or for one number by group and bucket. It is plain data, independent of
 * the executor (engine or SQL).
 */
export interface Plan {
  entity: Entity
  /** flow: rows whose time is in the range. stock: rows in their state at a moment, the end of the range. */
  mode: 'flow' | 'stock'
  measure: Measure
  /** Combined with AND. */
  conditions: readonly PlanCondition[]
  timeField: TimeField
  /** Flow only: half-open, in milliseconds. */
  range: TimeRange
  /** Stock: changes before this instant are applied. Flow: the instant that ages are measured from. */
  at: number
  dimensions: readonly Dimension[]
  /**
   * The ascending boundaries between buckets of a series. Flow: n boundaries make n + 1 buckets. Stock: the n moments.
   */
  edges?: readonly number[]
  groups?: GroupFilter
}

/** Restricts a breakdown to the listed groups, or excludes them. */
interface GroupFilter {
  dimensions: readonly Dimension[]
  keys: readonly GroupKey[]
  exclude: boolean
}

/** A value computed from one plan. */
export interface MeasureNode {
  kind: 'measure'
  plan: Plan
  emptyAs: 'zero' | 'null'
  /** It depends on due dates, and no policy gives any. */
  isUndated: boolean
}

export const toMeasureNode = (plan: Plan, emptyAs: MeasureNode['emptyAs']): MeasureNode => ({
  kind: 'measure',
  plan,
  emptyAs,
  isUndated: lacksPolicy(plan.conditions),
})

/** How a metric's value is computed from the results of plans. */
export type ValueNode =
  | MeasureNode
  | { kind: 'ratio'; numerator: ValueNode; denominator: ValueNode }
  | { kind: 'formula'; formula: Formula; inputs: Readonly<Record<string, ValueNode>> }
  | { kind: 'change'; current: ValueNode; previous: ValueNode }

export interface PlanContext {
  range: TimeRange
  now: number
  zone: Zone
  weekStart: WeekDay
  dimensions: readonly Dimension[]
  /** Every metric that this metric is computed from, by slug. */
  inputs: ReadonlyMap<string, MetricRecord>
  /** The filters of the terms that filters name. */
  termOf: FindTerm
}

/** The conditions of a filter, labelled with their origin. */
export function toScope(
  filter: FilterMapping,
  label: Pick<PlanCondition, 'origin' | 'term'>,
  termOf: FindTerm,
): PlanCondition[] {
  return toConditions(filter, termOf).map((condition) => ({ ...condition, ...label }))
}

/** Plans a metric under the caller's scopes, to which the metric's own scopes are added. */
export function planMetric(metric: MetricRecord, scopes: readonly PlanCondition[], context: PlanContext): ValueNode {
  return planPart(metric, scopes, context, undefined)
}

function planPart(
  metric: MetricRecord,
  outer: readonly PlanCondition[],
  context: PlanContext,
  part: string | undefined,
): ValueNode {
  const within = part === undefined ? {} : { part }
  const own =
    metric.term === null
      ? []
      : toScope(metric.term.filterMapping, { origin: 'term', term: metric.term.slug }, context.termOf).map(
          (condition) => ({
            ...condition,
            ...within,
          }),
        )
  const scopes = [...outer, ...own]
  switch (metric.type) {
    case 'SIMPLE':
      return planSimple(metric.definition, scopes, context, { part, emptyAs: metric.emptyAs ?? 'zero' })
    case 'RATIO': {
      const side = (given: RatioPart, name: string): ValueNode =>
        isReference(given)
          ? planPart(getInput(given.metricSlug, context), scopes, context, part ?? name)
          : planSimple(given, scopes, context, { part: part ?? name, emptyAs: 'zero' })
      return {
        kind: 'ratio',
        numerator: side(metric.definition.numerator, 'numerator'),
        denominator: side(metric.definition.denominator, 'denominator'),
      }
    }
    case 'DERIVED': {
      const parsed = parseFormula(metric.definition.formula)
      if ('problems' in parsed) throw new TypeError(`the formula of ${metric.slug} cannot be read`)
      const inputs = metric.definition.inputs.map((slug) => [
        toFormulaName(slug),
        planPart(getInput(slug, context), scopes, context, part ?? slug),
      ])
      return { kind: 'formula', formula: parsed.formula, inputs: Object.fromEntries(inputs) }
    }
    case 'TREND': {
      const base = getInput(metric.definition.baseMetricSlug, context)
      const windows = toTrendWindows(metric.definition, context)
      const over = (range: TimeRange) => planPart(base, scopes, { ...context, range }, part)
      return { kind: 'change', current: over(windows.current), previous: over(windows.previous) }
    }
  }
}

/** The two adjacent windows of a trend; the later one ends at the end of the range. */
export function toTrendWindows(
  { currentWindow, compareWindow }: TrendDefinition,
  { range, now, zone }: Pick<PlanContext, 'range' | 'now' | 'zone'>,
): { current: { from: number; to: number }; previous: { from: number; to: number } } {
  const to = range.to ?? now
  const middle = beforeWindow(to, zone, currentWindow)
  // Counted back from the end, so that a short month between the windows does not shift the start.
  const from =
    currentWindow === compareWindow
      ? beforeWindow(to, zone, currentWindow, 2)
      : beforeWindow(middle, zone, compareWindow)
  return { current: { from: middle, to }, previous: { from, to: middle } }
}

function planSimple(
  definition: SimpleDefinition,
  outer: readonly PlanCondition[],
  { range, now, zone, weekStart, dimensions, termOf }: PlanContext,
  { part, emptyAs }: { part: string | undefined; emptyAs: 'zero' | 'null' },
): ValueNode {
  const { entity, filters = {}, mode = 'flow', window } = definition
  const { scanned, ...mapping } = filters
  const within = part === undefined ? {} : { part }
  const own: PlanCondition[] = toScope(mapping, { origin: 'metric' }, termOf).map((condition) => ({
    ...condition,
    ...within,
  }))
  if (scanned !== undefined) {
    own.push({ key: 'scanned', values: [String(scanned)], exclude: false, origin: 'metric', ...within })
  }
  const [defaultTimeField] = entityFacts[entity].timeFields
  const plan: Plan = {
    entity,
    mode,
    measure: toMeasure(definition),
    conditions: [...own, ...outer],
    timeField: definition.timeField ?? defaultTimeField,
    range: mode === 'stock' ? {} : window === undefined ? range : toWindow(window, range.to ?? now, zone, weekStart),
    at: mode === 'stock' ? (range.to ?? presentMoment(now)) : now,
    dimensions,
  }
  return toMeasureNode(plan, emptyAs)
}

function toMeasure({ aggregation, field, p }: SimpleDefinition): Measure {
  if (field === undefined) return { aggregation: aggregation === 'MEDIAN' ? 'PERCENTILE' : aggregation }
  if (aggregation === 'MEDIAN') return { aggregation: 'PERCENTILE', field, p: 0.5 }
  return p === undefined ? { aggregation, field } : { aggregation, field, p }
}

/** A stock applies changes before its moment: one millisecond later includes changes of the current millisecond. */
export const presentMoment = (now: number): number => now + 1

/** The last moment that a stock is asked at; undefined for a flow. */
export const lastMoment = ({ mode, edges, at }: Plan): number | undefined =>
  mode === 'stock' ? (edges?.at(-1) ?? at) : undefined

/** The plan of a series over buckets that cover a range. */
export function toSeriesPlan(plan: Plan, range: { from: number; to: number }, buckets: readonly Bucket[]): Plan {
  return plan.mode === 'stock'
    ? { ...plan, edges: buckets.map(({ end }) => Math.min(end, range.to)) }
    : { ...plan, range, edges: buckets.slice(1).map(({ start }) => start) }
}

function getInput(slug: string, { inputs }: PlanContext): MetricRecord {
  const input = inputs.get(slug)
  if (input === undefined) throw new TypeError(`the input metric ${slug} does not exist`)
  return input
}

/** Every plan of a value, in definition order. */
export function listPlans(node: ValueNode): Plan[] {
  switch (node.kind) {
    case 'measure':
      return [node.plan]
    case 'ratio':
      return [...listPlans(node.numerator), ...listPlans(node.denominator)]
    case 'formula':
      return Object.values(node.inputs).flatMap(listPlans)
    case 'change':
      return [...listPlans(node.current), ...listPlans(node.previous)]
  }
}
