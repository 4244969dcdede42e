import type { Engine } from '../../engine/columnar-index.ts'
import { isSelected } from '../../engine/scan/selection.ts'
import type { RowTest } from '../../engine/scan/shape.ts'
import { atInstant, dependsOnAge } from '../../findings/conditions.ts'
import { toFirstDetected, toMilliseconds } from '../../findings/ranges.ts'
import type { SafeText } from '../../kernel/safe-text.ts'
import type { Dimension } from '../../metrics/model.ts'
import { lastMoment, type Plan, type PlanCondition } from '../plan/plan.ts'
import { isDecidedByFacets } from './decision.ts'
import { type IndexLookups, toSelection } from './selection.ts'
import { type CompiledShape, compileShape } from './shape.ts'

/** What the engine reads from the database snapshot that it is current with. */
export interface EngineSnapshot {
  /** Whether any finding changed status at or after an instant. */
  hasChanged: (since: number) => boolean
  /** Whether some decision ends before a moment and after the snapshot. */
  hasEndBefore: (moment: number) => boolean
  /** The group names of assets by row id. */
  nameAssets: (ids: ReadonlySet<number>) => ReadonlyMap<unknown, SafeText>
  lookups: IndexLookups
}

/** Findings that count from some time after their first detection on; -1 for those that are left out of others. */
export interface AgedPart {
  waitMs: number
  sign: 1 | -1
}

/** A plan as the index answers it: by first detections, or in the states at some moments. */
export interface PreparedPlan {
  compiled: CompiledShape
  over: { range: { from: number; to: number } } | { moments: readonly number[]; ages: readonly AgedPart[] }
}

interface KeptShape {
  compiled: CompiledShape | undefined
  combos: number
  places: number
  assets: number
  names: number
  /** The length of its lookup tables. */
  size: number
}

/** Total size of all cached lookup tables, in numbers. */
const MAX_KEPT = 6_000_000
const keptShapes = new WeakMap<Engine, Map<string, KeptShape>>()

/** Drops all cached lookup tables of an engine. */
export function dropCachedShapes(engine: Engine): void {
  keptShapes.delete(engine)
}

/** Undefined when SQL has to answer. An engine has only recorded changes, so no decision may end before the last moment. */
export function preparePlan(
  engine: Engine,
  plan: Plan,
  snapshot: EngineSnapshot,
  dimensions: readonly Dimension[] = plan.dimensions,
): PreparedPlan | undefined {
  const moment = lastMoment(plan)
  if (moment !== undefined && snapshot.hasEndBefore(moment)) return undefined
  const asked = withPlainConditions({ ...plan, dimensions: [...dimensions] })
  const range = toRange(asked, snapshot.hasChanged)
  if (range !== undefined) {
    const conditions = atInstant(asked.conditions, asked.at)
    const compiled = compile(engine, { ...asked, conditions }, snapshot.lookups)
    return compiled && { compiled, over: { range } }
  }
  const { mode, conditions, edges, at } = asked
  if (mode !== 'stock' || !engine.history.isComplete) return undefined
  const ages = conditions.filter(isOfAge)
  const others = conditions.flatMap((condition) => (isOfAge(condition) ? [] : toPast(condition, conditions)))
  if (others.some(isUnknownInPast)) return undefined
  const compiled = compile(engine, { ...asked, conditions: others }, snapshot.lookups)
  return compiled && { compiled, over: { moments: edges ?? [at], ages: toWaiting(ages) } }
}

const isOfAge = ({ key }: PlanCondition): boolean => key === 'ageHours'

/** The history does not have when findings were resolved before; nested ages would need a part for each list. */
const isUnknownInPast = (condition: PlanCondition): boolean =>
  !isDecidedByFacets(condition) && (isOfResolution(condition) || dependsOnAge([condition]) || hasResolution(condition))

const isOfResolution = ({ key }: { key: string }): boolean => key === 'resolutionHours' || key === 'resolvedAt'
const hasResolution = ({ anyOf = [] }: Pick<PlanCondition, 'anyOf'>): boolean =>
  anyOf.some((inner) => inner.some((condition) => isOfResolution(condition) || hasResolution(condition)))

/** Where no resolved findings count, none is in a range of resolutions. */
function toPast(condition: PlanCondition, all: readonly PlanCondition[]): PlanCondition[] {
  if (!isOfResolution(condition)) return [condition]
  const isWithoutResolved = all.some(
    ({ key, values, exclude }) => key === 'statuses' && values.includes('RESOLVED') === exclude,
  )
  if (!isWithoutResolved) return [condition]
  return condition.exclude ? [] : [{ ...condition, key: 'statuses', values: [], exclude: false }]
}

/** The findings whose ages are in all ranges, or outside of those that are excluded. */
function toWaiting(ages: readonly PlanCondition[]): AgedPart[] {
  let parts: AgedPart[] = [{ waitMs: 0, sign: 1 }]
  for (const { values, exclude } of ages) {
    const [min = 0, max = 0] = values.map(Number)
    const within = max <= 0 ? [] : toSteps(min, max)
    const own: AgedPart[] = exclude
      ? [{ waitMs: 0, sign: 1 }, ...within.map(({ waitMs, sign }): AgedPart => ({ waitMs, sign: sign === 1 ? -1 : 1 }))]
      : within
    parts = parts.flatMap((one) =>
      own.map((other): AgedPart => {
        const sign = one.sign === other.sign ? 1 : -1
        return { waitMs: Math.max(one.waitMs, other.waitMs), sign }
      }),
    )
  }
  return parts
}

const toSteps = (min: number, max: number): AgedPart[] => [
  { waitMs: min > 0 ? toMilliseconds(min) : 0, sign: 1 },
  ...(Number.isFinite(max) ? [{ waitMs: toMilliseconds(max), sign: -1 } as const] : []),
]

/** The range of first detection that contains exactly the rows of a plan; undefined when no such range exists. */
function toRange(plan: Plan, hasChanged: (since: number) => boolean): { from: number; to: number } | undefined {
  const { mode, timeField, range, at, edges } = plan
  if (mode === 'stock') {
    return edges !== undefined || hasChanged(at) ? undefined : { from: Number.NEGATIVE_INFINITY, to: at }
  }
  if (timeField !== 'firstDetectedAt') return undefined
  return { from: range.from ?? Number.NEGATIVE_INFINITY, to: range.to ?? Number.POSITIVE_INFINITY }
}

/**
 * The plan with ages as a part of its range, a least confidence as one, and other instants than the first detection as
 * a condition; other ranges remain conditions.
 */
function withPlainConditions(plan: Plan): Plan {
  const { conditions, entity, mode, timeField, at, edges } = plan
  let { from, to } = plan.range
  const isFlow = entity === 'finding' && mode === 'flow'
  const isByDetection = isFlow && timeField === 'firstDetectedAt'
  const left = conditions.flatMap((condition): PlanCondition[] => {
    const { key, values, exclude } = condition
    const [low = 0, high = 0] = values.map(Number)
    if (exclude || condition.anyOf !== undefined) return [condition]
    if (key === 'confidence' && high === Number.POSITIVE_INFINITY) {
      return [{ ...condition, key: 'minConfidence', values: [low] }]
    }
    if (key !== 'ageHours' || !isByDetection) return [condition]
    const [first, last] = toFirstDetected([low, high], at)
    if (first !== Number.NEGATIVE_INFINITY) from = Math.max(from ?? first, first)
    if (last !== Number.POSITIVE_INFINITY) to = Math.min(to ?? last, last)
    return []
  })
  const isByOther = isFlow && edges === undefined && (timeField === 'resolvedAt' || timeField === 'lastDetectedAt')
  if (!isByOther) {
    const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
    return { ...plan, range, conditions: left }
  }
  // Every finding was detected at some time.
  const isAll = timeField === 'lastDetectedAt' && from === undefined && to === undefined
  const values = [from ?? Number.NEGATIVE_INFINITY, to ?? Number.POSITIVE_INFINITY]
  const within: PlanCondition = { key: timeField, values, exclude: false, origin: 'caller' }
  return { ...plan, timeField: 'firstDetectedAt', range: {}, conditions: isAll ? left : [...left, within] }
}

function compile(engine: Engine, plan: Plan, lookups: IndexLookups): CompiledShape | undefined {
  const others = plan.conditions.filter((condition) => !isDecidedByFacets(condition))
  if (others.length === 0) return getShape(engine, plan)
  const selection = toSelection(engine, others, lookups)
  if (selection === undefined) return undefined
  const test: RowTest = (rows, row) => isSelected(selection, rows, row)
  return compileShape(engine, { ...plan, conditions: plan.conditions.filter(isDecidedByFacets) }, test)
}

function getShape(engine: Engine, plan: Plan): CompiledShape | undefined {
  const { conditions, dimensions, groups } = plan
  const kept = keptShapes.get(engine) ?? new Map<string, KeptShape>()
  keptShapes.set(engine, kept)
  const id = JSON.stringify([conditions.map(toConditionId), dimensions, groups])
  const known = kept.get(id)
  const [combos, places, names] = [engine.facets.count, engine.assets.placeCount, engine.names.version]
  const isByAsset = known?.compiled?.parts[0]?.shape.places?.isByAsset === true
  const isSame = known?.combos === combos && known.places === places && known.names === names
  if (isSame && (!isByAsset || known.assets === engine.assets.version)) return known.compiled
  const compiled = compileShape(engine, plan)
  kept.delete(id)
  const { length: count, 0: first } = compiled?.parts ?? []
  const ofPlaces = first?.shape.places
  const items = ofPlaces === undefined ? 0 : ofPlaces.isByAsset ? engine.assets.count : places
  const size = (count ?? 1) * (2 * combos + items) + (compiled?.keys.length ?? 0)
  kept.set(id, { compiled, combos, places, assets: engine.assets.version, names, size })
  let total = 0
  for (const { size: own } of kept.values()) total += own
  for (const [oldest, { size: own }] of kept) {
    if (kept.size <= 8 || total <= MAX_KEPT) break
    kept.delete(oldest)
    total -= own
  }
  return compiled
}

const toConditionId = ({ key, values, exclude, anyOf, due }: PlanCondition) =>
  anyOf === undefined ? [key, values, exclude] : [key, values, exclude, due ?? anyOf]
