import type { Engine } from '../../engine/columnar-index.ts'
import type { AssetTable } from '../../engine/index/assets.ts'
import type { TimelineRows } from '../../engine/index/timeline.ts'
import { countByAsset } from '../../engine/scan/scan.ts'
import type { Shape } from '../../engine/scan/shape.ts'
import { internalText } from '../../kernel/safe-text.ts'
import { type Cell, emptyPartial } from '../plan/cells.ts'
import type { Plan } from '../plan/plan.ts'
import { nameAssets } from './engine-plan.ts'
import { type EngineSnapshot, type PreparedPlan, preparePlan } from './prepare.ts'
import { nameOfValue, tallyValues } from './value-plan.ts'

/** The groups with the most rows, with all that equal the last of them, and the sum of the others. */
export interface TopCells {
  cells: Cell[]
  rest: { groups: number; n: number }
}

/** With more assets of equal rank, all groups are listed instead. */
const MAX_LISTED = 100_000

/** The `most` assets or values with the most findings; undefined when the plan has to be answered in full. */
export function findTop(engine: Engine, plan: Plan, most: number, snapshot: EngineSnapshot): TopCells | undefined {
  const counts = countOfPlan(engine, plan, snapshot)
  if (counts === undefined) return undefined
  const { listed, rest } = divide(counts, findRank(counts, most))
  if (listed.length > MAX_LISTED) return undefined
  const cells = listed.map((number) => toCell(engine, plan, number, counts))
  return { cells: nameAssets(cells, plan, snapshot), rest }
}

/** The groups of one range and of another whose numbers differ most, and the sums of all others. */
export interface TopChanges {
  to: Cell[]
  from: Cell[]
  rest: { groups: number; to: number; from: number }
}

/** The `most` assets or values whose numbers differ most, with those that equal the last of them; undefined as above. */
export function findTopChanges(
  engine: Engine,
  [now, before]: readonly [Plan, Plan],
  most: number,
  snapshot: EngineSnapshot,
): TopChanges | undefined {
  const [to, from] = [countOfPlan(engine, now, snapshot), countOfPlan(engine, before, snapshot)]
  if (to === undefined || from === undefined || to.length !== from.length) return undefined
  const changes = to.map((count, asset) => Math.abs(count - (from[asset] as number)))
  const least = findRank(changes, most)
  const { listed } = divide(changes, least)
  // Those that do not differ may be among the first, too.
  if (listed.length < most || listed.length > MAX_LISTED) return undefined
  const rest = { groups: 0, to: 0, from: 0 }
  for (let asset = 0; asset < to.length; asset++) {
    const [own, earlier] = [to[asset] as number, from[asset] as number]
    if ((changes[asset] as number) >= least || own + earlier === 0) continue
    rest.groups++
    rest.to += own
    rest.from += earlier
  }
  const name = (counts: Uint32Array, plan: Plan) =>
    nameAssets(
      listed.map((number) => toCell(engine, plan, number, counts)),
      plan,
      snapshot,
    )
  return { to: name(to, now), from: name(from, before), rest }
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
 * The numbers of the assets or values with `least` findings or more, and the sum of the others. When there are too many to list,
 * it ends with the first one too many. Apart from its caller, because code after a long loop keeps V8 from optimizing it.
 */
function divide(counts: Uint32Array, least: number): { listed: number[]; rest: { groups: number; n: number } } {
  const listed: number[] = []
  let [groups, n] = [0, 0]
  const { length } = counts
  for (let asset = 0; asset < length; asset++) {
    const count = counts[asset] as number
    if (count >= least) {
      if (listed.push(asset) > MAX_LISTED) break
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
