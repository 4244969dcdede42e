import type { Engine } from '../../engine/columnar-index.ts'
import type { AssetTable } from '../../engine/index/assets.ts'
import type { TimelineRows } from '../../engine/index/timeline.ts'
import { countByAsset } from '../../engine/scan/scan.ts'
import type { Shape } from '../../engine/scan/shape.ts'
import { internalText } from '../../kernel/safe-text.ts'
import type { GroupOrder } from '../model.ts'
import { type Cell, emptyPartial } from '../plan/cells.ts'
import type { Plan } from '../plan/plan.ts'
import { nameAssets } from './engine-plan.ts'
import { type EngineSnapshot, type PreparedPlan, preparePlan } from './prepare.ts'
import { nameOfValue, tallyValues } from './value-plan.ts'

/** The groups of highest rank in one or two plans, with all that equal the last of them, and the sums of the others. */
export interface TopCells {
  /** Of each plan a cell for each group, in the same order. */
  cells: Cell[][]
  rest: { groups: number; n: number[] }
}

/** Two plans are of the same groups, over a range and one to compare with. */
export type TopPlans = readonly [now: Plan, before?: Plan | undefined]

/** With more assets of equal rank, all groups are listed instead. */
const MAX_LISTED = 100_000

/** The `most` first assets or values in an order; undefined when the plans have to be answered in full. */
export function findTop(
  engine: Engine,
  [now, before]: TopPlans,
  { most, orderBy }: { most: number; orderBy: GroupOrder },
  snapshot: EngineSnapshot,
): TopCells | undefined {
  const to = countOfPlan(engine, now, snapshot)
  if (to === undefined) return undefined
  const name = (plan: Plan, listed: readonly number[], counts: Uint32Array) =>
    nameAssets(
      listed.map((number) => toCell(engine, plan, number, counts)),
      plan,
      snapshot,
    )
  if (before === undefined) {
    const { listed, rest } = divide(to, to, findRank(to, most))
    return listed.length > MAX_LISTED
      ? undefined
      : { cells: [name(now, listed, to)], rest: { groups: rest.groups, n: [rest.n] } }
  }
  const from = countOfPlan(engine, before, snapshot)
  if (from === undefined || to.length !== from.length) return undefined
  const ranks = toRanks(to, from, orderBy)
  const both = to.map((count, number) => count + (from[number] as number))
  const { listed, rest } = divide(ranks, both, findRank(ranks, most))
  // Groups of rank 0 may be among the first, too.
  if (listed.length < most || listed.length > MAX_LISTED) return undefined
  const earlier = sum(from) - sum(listed.map((number) => from[number] as number))
  return {
    cells: [name(now, listed, to), name(before, listed, from)],
    rest: { groups: rest.groups, n: [rest.n - earlier, earlier] },
  }
}

function toRanks(to: Uint32Array, from: Uint32Array, orderBy: GroupOrder): Uint32Array {
  if (orderBy === 'value') return to
  if (orderBy === 'previous') return from
  return to.map((count, number) => Math.abs(count - (from[number] as number)))
}

function sum(counts: ArrayLike<number>): number {
  let total = 0
  for (let index = 0; index < counts.length; index++) total += counts[index] as number
  return total
}

const toCell = (engine: Engine, { dimensions }: Plan, number: number, counts: Uint32Array): Cell => {
  const isByAsset = dimensions[0] === 'asset'
  const name = isByAsset ? internalText(String(engine.assets.ids[number])) : nameOfValue(engine, number)
  return { ...emptyPartial, n: counts[number] as number, key: [name], bucket: 0 }
}

/** By number, what a plan by asset or value counts of each; undefined for any other plan. */
function countOfPlan(engine: Engine, plan: Plan, snapshot: EngineSnapshot): Uint32Array | undefined {
  const { entity, measure, dimensions, groups, edges } = plan
  const [dimension, ...further] = dimensions
  const isByAsset = dimension === 'asset'
  if (further.length > 0 || !(isByAsset || dimension === 'value') || entity !== 'finding') return undefined
  const isOfAssets = isByAsset && measure.aggregation === 'COUNT_DISTINCT' && measure.field === 'assetId'
  if (!(measure.aggregation === 'COUNT' || isOfAssets)) return undefined
  if (groups !== undefined || edges !== undefined) return undefined
  const { compiled, over } = preparePlan(engine, plan, snapshot, []) ?? {}
  const [part, ...others] = compiled?.parts ?? []
  if (over === undefined || part?.rows.side !== 'all' || others.length > 0) return undefined
  if (part.shape.groups === 0) return new Uint32Array(isByAsset ? engine.assets.count : engine.values.count)
  if (!isByAsset) return 'range' in over ? tallyValues(engine, part, over.range) : undefined
  const counts = countOver(engine, part.shape, over)
  return isOfAssets ? counts?.map((count) => Math.min(1, count)) : counts
}

/**
 * The numbers of the assets or values whose rank is `least` or more, and the sum of the counts of the others. When there
 * are too many to list, it ends with the first one too many. Apart from its caller, because code after a long loop keeps
 * V8 from optimizing it.
 */
function divide(
  ranks: Uint32Array,
  counts: Uint32Array,
  least: number,
): { listed: number[]; rest: { groups: number; n: number } } {
  const listed: number[] = []
  let [groups, n] = [0, 0]
  const { length } = ranks
  for (let number = 0; number < length; number++) {
    const count = counts[number] as number
    if ((ranks[number] as number) >= least) {
      if (listed.push(number) > MAX_LISTED) break
    } else if (count > 0) {
      groups++
      n += count
    }
  }
  return { listed, rest: { groups, n } }
}

/** The number of findings of each asset in a range or at a moment, by asset number; undefined where ages matter. */
function countOver(engine: Engine, shape: Shape, over: PreparedPlan['over']): Uint32Array | undefined {
  if ('range' in over) return countPresent(engine, shape, over.range)
  const [moment = 0] = over.moments
  if (over.ages.some(({ waitMs }) => waitMs > 0)) return undefined
  const { findings, history, assets } = engine
  const counts = new Uint32Array(assets.count)
  for (const [timeline, sign] of [
    [findings, 1] as const,
    [history.enters, 1] as const,
    [history.leaves, -1] as const,
  ]) {
    countWithin(timeline, { from: Number.NEGATIVE_INFINITY, to: moment, sign }, { shape, assets }, counts)
  }
  return counts
}

function countWithin(
  { rows, late }: TimelineRows,
  { from, to, sign }: { from: number; to: number; sign: 1 | -1 },
  asked: { shape: Shape; assets: AssetTable },
  counts: Uint32Array,
): void {
  countByAsset(rows, { from: rows.firstAtOrAfter(from), to: rows.firstAtOrAfter(to), sign }, asked, counts)
  for (let row = 0; row < late.count; row++) {
    const time = late.timeOf(row)
    if (time >= from && time < to) countByAsset(late, { from: row, to: row + 1, sign }, asked, counts)
  }
}

/** Of findings that are present. */
function countPresent(
  { assets, findings }: Engine,
  shape: Shape,
  { from, to }: { from: number; to: number },
): Uint32Array {
  const { places } = shape
  const bits = places === undefined ? shape.bits : places.bits
  if (bits?.length === 1 && findings.isWithin(from, to)) {
    const counts = assets.countFindings(bits[0] ?? 0)
    if (places === undefined) return counts
    const { partOf, groupOf, isByAsset } = places
    return counts.map((count, asset) => {
      const part = partOf[isByAsset ? asset : (assets.placeOf[asset] as number)] as number
      return groupOf[part] === 0 ? count : 0
    })
  }
  const counts = new Uint32Array(assets.count)
  countWithin(findings, { from, to, sign: 1 }, { shape, assets }, counts)
  return counts
}

/** The count at a rank (from 1) in descending order; at least 1. */
function findRank(counts: Uint32Array, rank: number): number {
  // Ascending; the first is the smallest of the largest so far.
  const largest = new Uint32Array(rank)
  const { length } = counts
  let least = 0
  for (let index = 0; index < length; index++) {
    const count = counts[index] as number
    if (count <= least) continue
    let at = 1
    while (at < rank && (largest[at] as number) < count) at++
    largest.copyWithin(0, 1, at)
    largest[at - 1] = count
    least = largest[0] as number
  }
  return Math.max(1, least)
}
