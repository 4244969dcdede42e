import type { Engine } from '../../engine/columnar-index.ts'
import { type FacetRow, facetOf, findFacet, findFacetByFilterKey } from '../../findings/facets.ts'
import type { Dimension } from '../../metrics/model.ts'
import { type Cell, emptyPartial, toGroupId } from '../plan/cells.ts'
import type { GroupKey, Plan } from '../plan/plan.ts'
import { partition, toAllowMask, toGroupAxis, toGroupFilter } from './shape.ts'

/** The time fields that are set on every asset. */
const certainTimes: readonly string[] = ['firstSeenAt', 'lastSeenAt']

type AssetSlot = 'source' | 'kind' | 'container'
const slotOf = (facet: FacetRow | undefined) => (facet?.isOfAsset === true ? facet.slot : undefined) as AssetSlot

/** The number of assets over all time by their own facets; undefined for any other question. */
export function countAssetsOnEngine(engine: Engine, plan: Plan): Cell[] | undefined {
  if (!isServed(plan)) return undefined
  const { assets } = engine
  const { facets, placeCount } = assets
  const dimensions = [...new Set([...plan.dimensions, ...(plan.groups?.dimensions ?? [])])]
  const axes = dimensions.map((dimension) => toGroupAxis(engine, facets[slotOf(findFacet(dimension))], dimension))
  const only = (facet: 'deleted' | 'scanned', wanted: number) => ({
    column: facets[facet].column,
    allowed: Uint8Array.from(facets[facet].values, (value) => (value === wanted ? 1 : 0)),
  })
  const sieves = plan.conditions.map((condition) =>
    condition.key === 'scanned'
      ? only('scanned', condition.values.includes('true') ? 1 : 0)
      : toAllowMask(engine, facets[slotOf(findFacetByFilterKey(condition.key))], condition),
  )
  const parts = partition(undefined, placeCount, axes, [...sieves, only('deleted', 0)])
  if (parts === undefined) return undefined
  const counts = new Array<number>(parts.keys.length + 1).fill(0)
  for (let place = 0; place < placeCount; place++) {
    const part = parts.partOf[place] ?? 0
    counts[part] = (counts[part] ?? 0) + assets.countAt(place)
  }
  const isWanted = toGroupFilter(plan.groups)
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
    conditions.every(({ key }) => key === 'scanned' || findFacetByFilterKey(key)?.isOfAsset === true) &&
    dimensions.every((dimension) => facetOf(dimension).isOfAsset)
  )
}
