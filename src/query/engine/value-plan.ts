import type { Engine } from '../../engine/columnar-index.ts'
import { countRowsByValue } from '../../engine/scan/scan.ts'
import { isManyValued, toValueId } from '../../findings/facets.ts'
import type { SafeText } from '../../kernel/safe-text.ts'
import type { Dimension } from '../../metrics/model.ts'
import { type Cell, emptyPartial, toGroupId } from '../plan/cells.ts'
import type { GroupKey, Plan } from '../plan/plan.ts'
import { type CompiledShape, toGroupFilter } from './shape.ts'

/** The maximum number of counters of one answer: one for each group and value. */
const MAX_COUNTERS = 2 ** 23

/** Half-open range of first detections. */
interface Detected {
  from: number
  to: number
}

/** Whether a plan counts different values, or groups by them. */
export const groupsByValue = ({ measure, dimensions, groups }: Plan): boolean =>
  measure.field === 'value' || dimensions.includes('value') || groups?.dimensions.includes('value') === true

/** Whether values are among what a plan counts, groups by or is restricted to. */
export const isByValue = (plan: Plan): boolean =>
  groupsByValue(plan) || plan.conditions.some(({ key }) => key === 'values')

/** The plan that finds the groups of rows without regard to values; undefined when the plan has to be answered by SQL. */
export function withoutValues({ groups, ...plan }: Plan): Plan | undefined {
  const { entity, measure, edges } = plan
  const isDistinct = measure.aggregation === 'COUNT_DISTINCT' && measure.field === 'value'
  if (entity !== 'finding' || edges !== undefined || !(isDistinct || measure.aggregation === 'COUNT')) return undefined
  const all = [...new Set([...plan.dimensions, ...(groups?.dimensions ?? [])])]
  // Sets of values by sets of labels do not merge into those by labels.
  if (isDistinct && all.some(isManyValued)) return undefined
  const dimensions = all.filter((dimension) => dimension !== 'value')
  return { ...plan, dimensions }
}

/** The number of rows by value, at `group * values + value`; undefined when there would be too many counters. */
export function tallyValues(
  { assets, findings, values }: Engine,
  { shape }: CompiledShape['parts'][number],
  { from, to }: Detected,
): Uint32Array | undefined {
  if (shape.groups * values.count > MAX_COUNTERS) return undefined
  const counts = new Uint32Array(shape.groups * values.count)
  const { rows, late } = findings
  const asked = { shape, assets, values: values.count }
  countRowsByValue(rows, { from: rows.firstAtOrAfter(from), to: rows.firstAtOrAfter(to) }, asked, counts)
  for (let row = 0; row < late.count; row++) {
    const time = late.timeOf(row)
    if (time >= from && time < to) countRowsByValue(late, { from: row, to: row + 1 }, asked, counts)
  }
  return counts
}

/** The name of a value by its dense number; null for none. */
export const nameOfValue = ({ values }: Engine, value: number): SafeText | null =>
  value === 0 ? null : toValueId(values.stored[value] as number)

/** The cells of a plan, of which `compiled` has the groups without regard to values. */
export function countByValue(
  engine: Engine,
  plan: Plan,
  { compiled, detected, dimensions }: { compiled: CompiledShape; detected: Detected; dimensions: readonly Dimension[] },
): Cell[] | undefined {
  const [part, ...others] = compiled.parts
  if (part === undefined) return []
  if (others.length > 0 || part.rows.side !== 'all') return undefined
  const counts = tallyValues(engine, part, detected)
  if (counts === undefined) return undefined
  const groupDimensions = plan.groups?.dimensions ?? []
  const isWanted = toGroupFilter(engine, plan.groups)
  const isDistinct = plan.measure.aggregation === 'COUNT_DISTINCT'
  const isNamed = plan.dimensions.includes('value') || groupDimensions.includes('value')
  const cells = new Map<string, { cell: Cell; seen: Set<number> | undefined }>()
  /** The cell of a group and a value; undefined for one that is not wanted. */
  const findCell = (key: GroupKey, name: SafeText | null) => {
    const nameOf = (dimension: Dimension) =>
      dimension === 'value' ? name : (key[dimensions.indexOf(dimension)] ?? null)
    if (isWanted?.(groupDimensions.map(nameOf)) === false) return undefined
    const own = plan.dimensions.map(nameOf)
    const id = toGroupId(own)
    const known = cells.get(id)
    if (known !== undefined) return known
    // Several groups may make one cell, and have the same values.
    const seen = isDistinct && isWanted !== undefined ? new Set<number>() : undefined
    const entry = { cell: { ...emptyPartial, key: own, bucket: 0 }, seen }
    cells.set(id, entry)
    return entry
  }
  const { count } = engine.values
  for (const [group, key] of compiled.keys.entries()) {
    let entry: ReturnType<typeof findCell>
    let isFound = false
    for (let value = 0; value < count; value++) {
      const n = counts[group * count + value] as number
      if (n === 0) continue
      if (isNamed || !isFound) entry = findCell(key, isNamed ? nameOfValue(engine, value) : null)
      isFound = true
      if (entry === undefined) continue
      const { cell, seen } = entry
      if (!isDistinct) cell.n += n
      else if (value !== 0 && seen?.has(value) !== true) cell.n += 1
      seen?.add(value)
    }
  }
  return Array.from(cells.values(), ({ cell }) => cell)
}
