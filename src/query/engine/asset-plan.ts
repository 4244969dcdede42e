import type { Engine } from '../../engine/columnar-index.ts'
import { facetOf, findFacetByFilterKey } from '../../findings/facets.ts'
import type { Dimension } from '../../metrics/model.ts'
import { type Cell, emptyPartial, toGroupId } from '../plan/cells.ts'
import type { GroupKey, Plan } from '../plan/plan.ts'
import { openColumns, partition, toAllowMask, toGroupAxis } from './columns.ts'
import { isDecidedByFacets } from './decision.ts'
import { ofOwn, toGroupFilter } from './shape.ts'

/** The time fields that are set on every asset. */
const certainTimes: readonly string[] = ['firstSeenAt', 'lastSeenAt']

/** The number of assets over all time by their own facets; undefined for any other question. */
export function countAssetsOnEngine(engine: Engine, plan: Plan): Cell[] | undefined {
  if (!isServed(plan)) return undefined
  const { assets } = engine
  const dimensions = [...new Set([...plan.dimensions, ...(plan.groups?.dimensions ?? [])])]
  const slots = [
    ...dimensions.map((dimension) => facetOf(dimension).slot),
    ...plan.conditions.flatMap(({ key }) => findFacetByFilterKey(key)?.slot ?? []),
  ]
  const isByAsset = slots.some((slot) => ofOwn.has(slot))
  const count = isByAsset ? assets.count : assets.placeCount
  const columnOf = openColumns(engine, { isByAsset, ofFindings: false })
  const axes = dimensions.map((dimension) => toGroupAxis(engine, columnOf(facetOf(dimension).slot), dimension))
  const only = (facet: 'deleted' | 'scanned', wanted: number) => {
    const { column, values } = columnOf(facet)
    return { column, allowed: Uint8Array.from(values, (value) => (value === wanted ? 1 : 0)) }
  }
  const masks = plan.conditions.map((condition) =>
    condition.key === 'scanned'
      ? only('scanned', condition.values.includes('true') ? 1 : 0)
      : toAllowMask(engine, columnOf(findFacetByFilterKey(condition.key)?.slot ?? 'source'), condition),
  )
  const parts = partition(undefined, count, axes, [...masks, only('deleted', 0)])
  if (parts === undefined) return undefined
  const counts = new Array<number>(parts.keys.length + 1).fill(0)
  for (let item = 0; item < count; item++) {
    const part = parts.partOf[item] ?? 0
    counts[part] = (counts[part] ?? 0) + (isByAsset ? 1 : assets.countAt(item))
  }
  const isWanted = toGroupFilter(engine, plan.groups)
  const cells = new Map<string, Cell>()
  for (const [part, key] of parts.keys.entries()) {
    const nameOf = (dimension: Dimension) => key[dimensions.indexOf(dimension)] ?? null
    const n = counts[part] ?? 0
    if (n === 0 || isWanted?.((plan.groups?.dimensions ?? []).map(nameOf)) === false) continue
    const own: GroupKey = plan.dimensions.map(nameOf)
    const cell = cells.get(toGroupId(own)) ?? { ...emptyPartial, key: own, bucket: 0 }
    cell.n += n
    cells.set(toGroupId(own), cell)
  }
  const isEmptyScalar = cells.size === 0 && plan.dimensions.length === 0
  return isEmptyScalar ? [{ ...emptyPartial, key: [], bucket: 0 }] : [...cells.values()]
}

function isServed({ mode, measure, range, edges, timeField, conditions, dimensions }: Plan): boolean {
  return (
    mode === 'flow' &&
    (measure.aggregation === 'COUNT' || (measure.aggregation === 'COUNT_DISTINCT' && measure.field === 'assetId')) &&
    range.from === undefined &&
    range.to === undefined &&
    edges === undefined &&
    certainTimes.includes(timeField) &&
    conditions.every(isDecidedByFacets) &&
    conditions.every(({ key }) => key === 'scanned' || findFacetByFilterKey(key)?.isOfAsset === true) &&
    dimensions.every((dimension) => facetOf(dimension).isOfAsset)
  )
}
