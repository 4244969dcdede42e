import type { Engine } from '../../engine/columnar-index.ts'
import { answerFlows } from '../../engine/scan/ask.ts'
import type { Want } from '../../engine/scan/scan.ts'
import { NO_MIN, type Numbers, type Shape } from '../../engine/scan/shape.ts'
import { answerStock, type StockPart, type StockQuery } from '../../engine/scan/stock.ts'
import { findFacet, isManyValued } from '../../findings/facets.ts'
import { internalText, ownText, type SafeText } from '../../kernel/safe-text.ts'
import type { MetricField } from '../../metrics/model.ts'
import { type Cell, emptyPartial, mergePartials, toGroupId } from '../plan/cells.ts'
import { toAssetId } from '../plan/group-names.ts'
import type { GroupKey, Plan } from '../plan/plan.ts'
import { countAssetsOnEngine } from './asset-plan.ts'
import { type AgedPart, type EngineSnapshot, preparePlan } from './prepare.ts'
import { type CompiledShape, listLabelNames } from './shape.ts'
import { countByValue, groupsByValue, withoutValues } from './value-plan.ts'

const DAY = 86_400_000

const noNumbers: Numbers = {
  ...{ width: 1, counts: new Float64Array(0), sums: new Float64Array(0), quantiles: new Float64Array(0) },
  ...{ least: new Uint16Array(0), greatest: new Uint16Array(0) },
}

/** Answers a plan from an engine that is current with the snapshot; undefined when it has to be answered by SQL. */
export function runOnEngine(engine: Engine, plan: Plan, snapshot: EngineSnapshot): Cell[] | undefined {
  const asked = withAssetIds(plan)
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

function runByValue(engine: Engine, plan: Plan, snapshot: EngineSnapshot): Cell[] | undefined {
  const plain = withoutValues(plan)
  if (plain === undefined) return undefined
  const { compiled, over } = preparePlan(engine, plain, snapshot) ?? {}
  if (compiled === undefined || over === undefined || !('range' in over)) return undefined
  const cells = countByValue(engine, plan, { compiled, detected: over.range, dimensions: plain.dimensions })
  if (cells?.length === 0 && isOneCell(plan)) return [{ ...emptyPartial, key: [], bucket: 0 }]
  return cells && splitLabels(engine, plan, cells)
}

/** In the index a group by label is named by the id of a set of labels. */
function runOnIndex(engine: Engine, plan: Plan, snapshot: EngineSnapshot): Cell[] | undefined {
  if (plan.entity === 'asset') return countAssetsOnEngine(engine, plan)
  const { measure } = plan
  const want = toWant(measure)
  if (want === undefined) return undefined
  const prepared = preparePlan(engine, plan, snapshot)
  if (prepared === undefined) return undefined
  const { compiled, over } = prepared
  if (compiled.parts.length === 0) return toCells(noNumbers, compiled, plan)
  const numbers =
    'moments' in over
      ? answerMoments(engine, compiled, over.ages, { want, p: measure.p, moments: over.moments })
      : answerRange(engine, compiled, plan, { want, ...over.range })
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
  const { findings, assets } = engine
  const [only] = parts
  if (parts.length === 1 && only?.rows.side === 'all' && edges.length === 0 && findings.isWithin(from, to)) {
    const known = countPresent(engine, only.shape, want, measure.p)
    if (known !== undefined) return known
  }
  const queries = parts.map(({ shape, rows }) => ({
    ...{ shape, want, p: measure.p, edges },
    from: rows.side === 'pending' ? Math.max(from, toCutoff(at, rows.days)) : from,
    to: rows.side === 'overdue' ? Math.min(to, toCutoff(at, rows.days)) : to,
  }))
  return answerFlows({ timeline: findings, assets }, queries)
}

/** Undefined where it matters when findings were resolved, which the history does not have. */
function answerMoments(
  engine: Engine,
  { parts }: CompiledShape,
  ages: readonly AgedPart[],
  asked: Pick<StockQuery, 'want' | 'p' | 'moments'>,
): Numbers | undefined {
  const stock: StockPart[] = []
  for (const { shape, rows } of parts) {
    if (rows.side === 'met' || rows.side === 'late') return undefined
    for (const { waitMs, sign } of ages) {
      if (rows.side !== 'overdue') stock.push({ shape, waitMs, sign })
      if (rows.side === 'all') continue
      const overdue = { shape, waitMs: Math.max(waitMs, rows.days * DAY) }
      stock.push({ ...overdue, sign: (rows.side === 'overdue') === (sign === 1) ? 1 : -1 })
    }
  }
  return answerStock(engine, { parts: stock, ...asked })
}

function countPresent({ present }: Engine, shape: Shape, want: Want, p = 0): Numbers | undefined {
  if (shape.test !== undefined) return undefined
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
