import type { Engine } from '../../engine/columnar-index.ts'
import { answerFlows } from '../../engine/scan/ask.ts'
import type { Want } from '../../engine/scan/scan.ts'
import { NO_MIN, type Numbers, type Shape } from '../../engine/scan/shape.ts'
import { answerStock, type StockPart, type StockQuery } from '../../engine/scan/stock.ts'
import { findFacet, isManyValued } from '../../findings/facets.ts'
import { toFirstDetected } from '../../findings/ranges.ts'
import { internalText, ownText, type SafeText } from '../../kernel/safe-text.ts'
import type { MetricField } from '../../metrics/model.ts'
import { type Cell, emptyPartial, mergePartials, toGroupId } from '../plan/cells.ts'
import { toAssetId } from '../plan/group-names.ts'
import { type GroupKey, lastMoment, type Plan, type PlanCondition } from '../plan/plan.ts'
import { countAssetsOnEngine } from './asset-plan.ts'
import { type CompiledShape, compileShape, listLabelNames } from './shape.ts'
import { countByValue, groupsByValue, withoutValues } from './value-plan.ts'

interface KeptShape {
  compiled: CompiledShape | undefined
  combos: number
  places: number
  assets: number
  names: number
  values: number
  /** The length of its lookup tables. */
  size: number
}

/** What the engine reads from the database snapshot that it is current with. */
export interface EngineSnapshot {
  /** Whether any finding changed status at or after an instant. */
  hasChanged: (since: number) => boolean
  /** Whether some decision ends before a moment and after the snapshot. */
  hasEndBefore: (moment: number) => boolean
  /** The group names of assets by row id. */
  nameAssets: (ids: ReadonlySet<number>) => ReadonlyMap<unknown, SafeText>
}

const DAY = 86_400_000

const noNumbers: Numbers = {
  ...{ width: 1, counts: new Float64Array(0), sums: new Float64Array(0), quantiles: new Float64Array(0) },
  ...{ least: new Uint16Array(0), greatest: new Uint16Array(0) },
}

/** Total size of all cached lookup tables, in numbers. */
const MAX_KEPT = 6_000_000
const keptShapes = new WeakMap<Engine, Map<string, KeptShape>>()

/** Drops all cached lookup tables of an engine. */
export function dropCachedShapes(engine: Engine): void {
  keptShapes.delete(engine)
}

/** Whether no decision ends between the snapshot and the last moment of a plan; an engine has only recorded changes. */
export function isRecorded(plan: Plan, { hasEndBefore }: EngineSnapshot): boolean {
  const moment = lastMoment(plan)
  return moment === undefined || !hasEndBefore(moment)
}

/** Answers a plan from an engine that is current with the snapshot; undefined when it has to be answered by SQL. */
export function runOnEngine(engine: Engine, plan: Plan, snapshot: EngineSnapshot): Cell[] | undefined {
  if (!isRecorded(plan, snapshot)) return undefined
  const asked = withPlainConditions(withAssetIds(plan))
  const cells = runByAssetId(engine, asked, snapshot)
  return cells === undefined ? undefined : nameAssets(cells, asked, snapshot)
}

/** Answers a plan with assets named by their row ids. */
function runByAssetId(engine: Engine, plan: Plan, snapshot: EngineSnapshot): Cell[] | undefined {
  const { aggregation, field } = plan.measure
  if (plan.entity === 'finding' && groupsByValue(plan)) {
    return runByValue(engine, plan, snapshot)
  }
  if (plan.entity === 'finding' && aggregation === 'COUNT_DISTINCT' && field !== undefined && field !== 'assetId') {
    return countValues(engine, plan, field, snapshot)
  }
  // Percentiles of sets of labels do not merge into those of labels.
  if (aggregation === 'PERCENTILE' && plan.dimensions.some(isManyValued)) return undefined
  const cells = runOnIndex(engine, plan, snapshot)
  return cells === undefined ? undefined : splitLabels(engine, plan, cells)
}

function runByValue(engine: Engine, plan: Plan, { hasChanged }: EngineSnapshot): Cell[] | undefined {
  const plain = withoutValues(plan)
  if (plain === undefined) return undefined
  const detected = toRange(plain, hasChanged)
  const compiled = detected && getShape(engine, plain)
  if (detected === undefined || compiled === undefined) return undefined
  const cells = countByValue(engine, plan, { compiled, detected, dimensions: plain.dimensions })
  if (cells?.length === 0 && isOneCell(plan)) return [{ ...emptyPartial, key: [], bucket: 0 }]
  return cells && splitLabels(engine, plan, cells)
}

/** In the index a group by label is named by the id of a set of labels. */
function runOnIndex(engine: Engine, plan: Plan, snapshot: EngineSnapshot): Cell[] | undefined {
  const { hasChanged } = snapshot
  if (plan.entity === 'asset') return countAssetsOnEngine(engine, plan)
  const { measure } = plan
  const want = toWant(measure)
  const range = toRange(plan, hasChanged)
  const moments = range === undefined ? toMoments(engine, plan) : undefined
  if (want === undefined || (range === undefined && moments === undefined)) return undefined
  const compiled = getShape(engine, plan)
  if (compiled === undefined) return undefined
  if (compiled.parts.length === 0) return toCells(noNumbers, compiled, plan)
  const numbers =
    range === undefined
      ? answerMoments(engine, compiled, { want, p: measure.p, moments: moments ?? [] })
      : answerRange(engine, compiled, plan, { want, ...range })
  return numbers === undefined ? undefined : toCells(numbers, compiled, plan)
}

/** Detections that make findings of a class overdue by `at` are before this instant. */
const toCutoff = (at: number, days: number): number => at - days * DAY + 1

function answerRange(
  engine: Engine,
  { parts }: CompiledShape,
  plan: Plan,
  { want, from, to }: { want: Want; from: number; to: number },
): Numbers | undefined {
  const { measure, at } = plan
  const edges = (plan.mode === 'flow' && plan.edges) || []
  const { findings, assets, isDated } = engine
  const [only] = parts
  const isPresent = only?.rows.side === 'all' && only.shape.values === undefined
  if (parts.length === 1 && isPresent && edges.length === 0 && findings.isWithin(from, to)) {
    const known = countPresent(engine, only.shape, want, measure.p)
    if (known !== undefined) return known
  }
  if (!isDated && parts.some(({ shape }) => shape.resolved !== undefined)) return undefined
  const queries = parts.map(({ shape, rows }) => ({
    ...{ shape, want, p: measure.p, edges },
    from: rows.side === 'pending' ? Math.max(from, toCutoff(at, rows.days)) : from,
    to: rows.side === 'overdue' ? Math.min(to, toCutoff(at, rows.days)) : to,
  }))
  return answerFlows({ timeline: findings, assets }, queries)
}

/** Undefined where it matters when findings were resolved, or which values they have: the history has neither. */
function answerMoments(
  engine: Engine,
  { parts }: CompiledShape,
  asked: Pick<StockQuery, 'want' | 'p' | 'moments'>,
): Numbers | undefined {
  const stock: StockPart[] = []
  for (const { shape, rows } of parts) {
    if (shape.values !== undefined) return undefined
    if (rows.side === 'all') {
      stock.push({ shape, waitMs: 0, sign: 1 })
      continue
    }
    if (!engine.isDated || shape.resolved !== undefined) return undefined
    const waitMs = rows.days * DAY
    if (rows.side === 'overdue') stock.push({ shape, waitMs, sign: 1 })
    else stock.push({ shape, waitMs: 0, sign: 1 }, { shape, waitMs, sign: -1 })
  }
  return answerStock(engine, { parts: stock, ...asked })
}

function countPresent({ present }: Engine, shape: Shape, want: Want, p = 0): Numbers | undefined {
  if (want === 'count') return present.count(shape)
  return want === 'ranks' ? present.rank(shape, p) : undefined
}

function toWant({ aggregation, field }: Plan['measure']): Want | undefined {
  if (aggregation === 'COUNT') return 'count'
  if (aggregation === 'COUNT_DISTINCT') return 'assets'
  if (field !== 'confidence') return undefined
  if (aggregation === 'PERCENTILE') return 'ranks'
  return aggregation === 'MIN' || aggregation === 'MAX' ? 'extremes' : 'sum'
}

/** The range of first detection that contains exactly the rows of a plan; undefined when no such range exists. */
export function toRange(plan: Plan, hasChanged: (since: number) => boolean): { from: number; to: number } | undefined {
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

export function getShape(engine: Engine, plan: Plan): CompiledShape | undefined {
  const { conditions, dimensions, groups } = plan
  const kept = keptShapes.get(engine) ?? new Map<string, KeptShape>()
  keptShapes.set(engine, kept)
  const id = JSON.stringify([conditions.map(toConditionId), dimensions, groups])
  const known = kept.get(id)
  const [combos, places, names] = [engine.facets.count, engine.assets.placeCount, engine.names.version]
  const values = engine.values.count
  const isByAsset = known?.compiled?.parts[0]?.shape.places?.isByAsset === true
  const isOfAll = known?.compiled?.parts[0]?.shape.values === undefined || known.values === values
  const isSame = known?.combos === combos && known.places === places && known.names === names && isOfAll
  if (isSame && (!isByAsset || known.assets === engine.assets.version)) return known.compiled
  const compiled = compileShape(engine, plan)
  kept.delete(id)
  const { length: count, 0: first } = compiled?.parts ?? []
  const ofPlaces = first?.shape.places
  const items = ofPlaces === undefined ? 0 : ofPlaces.isByAsset ? engine.assets.count : places
  const size = (count ?? 1) * (2 * combos + items) + (compiled?.keys.length ?? 0)
  kept.set(id, { compiled, combos, places, assets: engine.assets.version, names, values, size })
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

/** The plan with ages as a part of its range, and a least confidence as one; other ranges remain conditions. */
function withPlainConditions(plan: Plan): Plan {
  const { conditions, entity, mode, timeField, at } = plan
  let { from, to } = plan.range
  const isByDetection = entity === 'finding' && mode === 'flow' && timeField === 'firstDetectedAt'
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
  const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
  return { ...plan, range, conditions: left }
}

const toIdName = (name: SafeText | null): SafeText => internalText(String(toAssetId(name ?? ownText(''))))

/** The plan with assets in the keys of its groups named by their row ids. */
function withAssetIds(plan: Plan): Plan {
  const index = plan.groups?.dimensions.indexOf('asset') ?? -1
  if (plan.groups === undefined || index < 0) return plan
  const keys = plan.groups.keys.map((key) => key.with(index, toIdName(key[index] ?? null)))
  return { ...plan, groups: { ...plan.groups, keys } }
}

/** Cells by sets of labels as cells by label, each of which has the rows of all sets that contain it. */
function splitLabels(engine: Engine, { dimensions, groups }: Plan, cells: Cell[]): Cell[] {
  const index = dimensions.findIndex(isManyValued)
  if (index < 0) return cells
  const named = new Set((groups?.keys ?? []).map(toGroupId))
  const isWanted = (key: GroupKey) =>
    groups === undefined ||
    groups.dimensions.length === 0 ||
    !groups.dimensions.every((dimension) => dimensions.includes(dimension)) ||
    named.has(toGroupId(groups.dimensions.map((dimension) => key[dimensions.indexOf(dimension)] ?? null))) !==
      groups.exclude
  const merged = new Map<string, Cell>()
  for (const cell of cells) {
    for (const label of listLabelNames(engine, cell.key[index])) {
      const key = cell.key.with(index, label)
      if (!isWanted(key)) continue
      const id = `${cell.bucket} ${toGroupId(key)}`
      const { bucket } = cell
      merged.set(id, { ...mergePartials([merged.get(id) ?? emptyPartial, cell]), key, bucket })
    }
  }
  return [...merged.values()]
}

export function nameAssets(cells: Cell[], { dimensions }: Plan, snapshot: EngineSnapshot): Cell[] {
  const index = dimensions.indexOf('asset')
  if (index < 0 || cells.length === 0) return cells
  const names = snapshot.nameAssets(new Set(cells.map(({ key }) => Number(key[index]))))
  return cells.map((cell) => ({
    ...cell,
    id: undefined,
    key: cell.key.with(index, names.get(Number(cell.key[index])) ?? ownText('')),
  }))
}

function toCells(numbers: Numbers, { keys, ids }: CompiledShape, { measure, dimensions, edges, mode }: Plan): Cell[] {
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
        id: ids[group],
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
function countValues(engine: Engine, plan: Plan, field: MetricField, snapshot: EngineSnapshot): Cell[] | undefined {
  const dimension = findFacet(field)?.name
  if (dimension === undefined) return undefined
  const count = plan.dimensions.length
  const dimensions = [...plan.dimensions, dimension]
  const finer = runByAssetId(engine, { ...plan, dimensions, measure: { aggregation: 'COUNT' } }, snapshot)
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
