import type { Engine } from '../../engine/columnar-index.ts'
import { NO_MIN } from '../../engine/index/tallies.ts'
import { answerFlow } from '../../engine/scan/ask.ts'
import type { Want } from '../../engine/scan/scan.ts'
import type { Numbers } from '../../engine/scan/shape.ts'
import { answerStock } from '../../engine/scan/stock.ts'
import { findFacet } from '../../findings/facets.ts'
import type { MetricField } from '../../metrics/model.ts'
import { type Cell, emptyPartial, toGroupId } from '../plan/cells.ts'
import type { GroupKey, Plan } from '../plan/plan.ts'
import { countAssetsOnEngine } from './asset-plan.ts'
import { type CompiledShape, compileShape } from './shape.ts'

interface KeptShape {
  compiled: CompiledShape | undefined
  combos: number
  places: number
  names: number
}

/** Total size of all cached lookup tables, in numbers. */
const MAX_KEPT = 6_000_000
const keptShapes = new WeakMap<Engine, Map<string, KeptShape>>()

/** Drops all cached lookup tables of an engine. */
export function dropCachedShapes(engine: Engine): void {
  keptShapes.delete(engine)
}

/**
 * Answers a plan from an engine that is current with the snapshot; undefined when it has to be answered by SQL.
 * @param hasChanged whether any finding changed status at or after an instant, in the same snapshot
 */
export function runOnEngine(engine: Engine, plan: Plan, hasChanged: (since: number) => boolean): Cell[] | undefined {
  if (plan.entity === 'asset') return countAssetsOnEngine(engine, plan)
  const { measure } = plan
  const { field } = measure
  if (measure.aggregation === 'COUNT_DISTINCT' && field !== undefined && field !== 'assetId') {
    return countValues(engine, plan, field, hasChanged)
  }
  const want = toWant(measure)
  const range = toRange(plan, hasChanged)
  const moments = range === undefined ? toMoments(engine, plan) : undefined
  if (want === undefined || (range === undefined && moments === undefined)) return undefined
  const compiled = getShape(engine, plan)
  if (compiled === undefined) return undefined
  const { shape } = compiled
  const told = { timeline: engine.findings, assets: engine.assets }
  const whole =
    range !== undefined && want === 'count' && !plan.edges?.length && engine.findings.isWithin(range.from, range.to)
      ? engine.present.count(shape)
      : undefined
  const numbers =
    whole ??
    (range === undefined
      ? answerStock(engine, { shape, want, p: measure.p, moments: moments ?? [] })
      : answerFlow(told, { shape, want, p: measure.p, ...range, edges: (plan.mode === 'flow' && plan.edges) || [] }))
  return numbers === undefined ? undefined : toCells(numbers, compiled.keys, plan)
}

function toWant({ aggregation, field }: Plan['measure']): Want | undefined {
  if (aggregation === 'COUNT') return 'count'
  if (aggregation === 'COUNT_DISTINCT') return 'assets'
  if (field !== 'confidence') return undefined
  if (aggregation === 'PERCENTILE') return 'ranks'
  return aggregation === 'MIN' || aggregation === 'MAX' ? 'extremes' : 'sum'
}

/** The range of first detection that contains exactly the rows of a plan; undefined when no such range exists. */
function toRange(plan: Plan, hasChanged: (since: number) => boolean): { from: number; to: number } | undefined {
  const { mode, timeField, range, at, edges } = plan
  if (mode === 'stock') {
    return edges !== undefined || hasChanged(at) ? undefined : { from: Number.NEGATIVE_INFINITY, to: at }
  }
  const isOpen = range.from === undefined && range.to === undefined && edges === undefined
  if (timeField !== 'firstDetectedAt' && !(timeField === 'lastDetectedAt' && isOpen)) return undefined
  return { from: range.from ?? Number.NEGATIVE_INFINITY, to: range.to ?? Number.POSITIVE_INFINITY }
}

/** The moments of a stock to be answered from the history; undefined when the history is incomplete. */
function toMoments({ history }: Engine, { mode, at, edges }: Plan): readonly number[] | undefined {
  if (mode !== 'stock' || !history.isComplete) return undefined
  return edges ?? [at]
}

function getShape(engine: Engine, plan: Plan): CompiledShape | undefined {
  const { conditions, dimensions, groups } = plan
  const kept = keptShapes.get(engine) ?? new Map<string, KeptShape>()
  keptShapes.set(engine, kept)
  const id = JSON.stringify([conditions.map(({ key, values, exclude }) => [key, values, exclude]), dimensions, groups])
  const known = kept.get(id)
  const [combos, places, names] = [engine.facets.count, engine.assets.placeCount, engine.names.version]
  if (known?.combos === combos && known.places === places && known.names === names) return known.compiled
  const compiled = compileShape(engine, plan)
  kept.delete(id)
  kept.set(id, { compiled, combos, places, names })
  while (kept.size > 8 && kept.size * (2 * combos + places) > MAX_KEPT) {
    const oldest = kept.keys().next().value
    if (oldest !== undefined) kept.delete(oldest)
  }
  return compiled
}

function toCells(numbers: Numbers, keys: readonly GroupKey[], { measure, dimensions, edges, mode }: Plan): Cell[] {
  const { width, counts, sums, least, greatest, quantiles } = numbers
  const { aggregation } = measure
  const isSummed = aggregation === 'SUM' || aggregation === 'AVG'
  const cells: Cell[] = []
  for (let at = 0, bucket = 0; at < counts.length; at += width, bucket++) {
    for (let group = 0; group < width - 1; group++) {
      const n = counts[at + group] ?? 0
      if (n === 0) continue
      cells.push({
        n,
        sum: isSummed ? (sums[at + group] ?? 0) : 0,
        min: aggregation === 'MIN' && least[at + group] !== NO_MIN ? (least[at + group] ?? null) : null,
        max: aggregation === 'MAX' ? (greatest[at + group] ?? null) : null,
        quantile: aggregation === 'PERCENTILE' ? (quantiles[at + group] ?? null) : null,
        key: keys[group] ?? [],
        bucket,
      })
    }
  }
  const isScalar = isOneCell({ mode, dimensions, edges })
  return cells.length === 0 && isScalar ? [{ ...emptyPartial, key: [], bucket: 0 }] : cells
}

/** A scalar returns one cell even without rows. */
function isOneCell({
  mode,
  dimensions,
  edges,
}: Pick<Plan, 'mode' | 'dimensions'> & { edges?: Plan['edges'] }): boolean {
  return dimensions.length === 0 && (edges === undefined || (mode === 'flow' && edges.length === 0))
}

/** Counts distinct values of a facet as the groups of an additional dimension. */
function countValues(
  engine: Engine,
  plan: Plan,
  field: MetricField,
  hasChanged: (since: number) => boolean,
): Cell[] | undefined {
  const dimension = findFacet(field)?.name
  if (dimension === undefined) return undefined
  const count = plan.dimensions.length
  const dimensions = [...plan.dimensions, dimension]
  const finer = runOnEngine(engine, { ...plan, dimensions, measure: { aggregation: 'COUNT' } }, hasChanged)
  if (finer === undefined) return undefined
  const cells = new Map<string, Cell>()
  for (const { key, bucket } of finer) {
    const own = key.slice(0, count)
    const id = `${bucket} ${toGroupId(own)}`
    const cell = cells.get(id) ?? { ...emptyPartial, key: own, bucket }
    if (key[count] !== null) cell.n += 1
    cells.set(id, cell)
  }
  const isScalar = isOneCell(plan)
  return cells.size === 0 && isScalar ? [{ ...emptyPartial, key: [], bucket: 0 }] : [...cells.values()]
}
