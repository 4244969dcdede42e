import type { ComboCounts } from '../../engine/combo-counts.store.ts'
import { type FacetRow, facetOf, findFacetByFilterKey } from '../../findings/facets.ts'
import type { Cell } from '../plan/cells.ts'
import type { Plan } from '../plan/plan.ts'
import { type EngineSnapshot, getShape, isRecorded, noNumbers, toCells, toRange } from './engine-plan.ts'

const isOfCombo = (facet: FacetRow | undefined): boolean => facet?.table === 'combo'

/** Whether combinations of facets decide which findings a plan counts, and in which group. */
export const isByCombo = ({ entity, measure, edges, conditions, dimensions, groups }: Plan): boolean =>
  entity === 'finding' &&
  measure.aggregation === 'COUNT' &&
  edges === undefined &&
  conditions.every(
    ({ key, anyOf, due }) => anyOf === undefined && due === undefined && isOfCombo(findFacetByFilterKey(key)),
  ) &&
  [...dimensions, ...(groups?.dimensions ?? [])].every((dimension) => isOfCombo(facetOf(dimension)))

/**
 * Answers a plan by counts that are current with the snapshot: one that counts all present findings by facets of
 * findings. Undefined for all others.
 */
export function runOnCounts(counts: ComboCounts, plan: Plan, snapshot: EngineSnapshot): Cell[] | undefined {
  if (!isByCombo(plan) || !isRecorded(plan, snapshot)) return undefined
  const range = toRange(plan, snapshot.hasChanged)
  if (range === undefined || range.from !== Number.NEGATIVE_INFINITY || range.to <= counts.newestDetection) {
    return undefined
  }
  const compiled = getShape(counts.engine, plan)
  if (compiled === undefined) return undefined
  const [only, ...others] = compiled.parts
  if (only === undefined) return toCells(noNumbers, compiled, plan)
  const { rows, shape } = only
  if (others.length > 0 || rows.side !== 'all' || shape.places !== undefined) return undefined
  return toCells({ ...noNumbers, width: shape.groups + 1, counts: counts.sum(shape) }, compiled, plan)
}
