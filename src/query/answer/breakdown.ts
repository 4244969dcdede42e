import type { FindTop } from '../engine/executor.ts'
import type { GroupOrder } from '../model.ts'
import { type Cell, emptyPartial, isMergeable, mergePartials, type Partial, toGroupId } from '../plan/cells.ts'
import { compareKeys } from '../plan/group-names.ts'
import type { GroupKey, MeasureNode, Plan, ValueNode } from '../plan/plan.ts'
import { once, type RunPlan, toDifference, toNodeValue, type Value } from './value.ts'

/** A value, and with a comparison the value of the same groups in the compared range. */
interface ComparableValue extends Value {
  before?: Value
}

export interface GroupValue extends ComparableValue {
  key: GroupKey
}

export interface Breakdown {
  groups: GroupValue[]
  totalGroups: number
  /** The exact value over all groups beyond the limit; absent when there are none. */
  other?: ComparableValue & { groups: number }
  /** Groups of equal rank that the limit separates: how many there are and are listed, and the first that is not. */
  tie?: { groups: number; listed: number; rank: number; next: GroupKey }
}

interface BreakdownOptions {
  limit: number
  /** The same metric over a range to compare with. */
  before?: ValueNode | undefined
  orderBy?: GroupOrder | undefined
  topOf: FindTop
}

/** The value of each group of any of the ranges, in descending order, then by name; nulls come last. */
export function toBreakdown(node: ValueNode, run: RunPlan, options: BreakdownOptions): Breakdown {
  const { limit, before, orderBy = 'value' } = options
  const { groups: all, hidden = 0, toRest } = listTop(node, options) ?? listGroups(node, before, run)
  const rankOf = (group: GroupValue) => toRank(group, orderBy)
  const sorted = sortTop(all, limit, rankOf, (a, b) => compareKeys(a.key, b.key))
  const groups = sorted.slice(0, limit)
  const [last, next] = [groups.at(-1), sorted[limit]]
  const totalGroups = sorted.length + hidden
  if (last === undefined || totalGroups === groups.length) return { groups, totalGroups }
  const cut = sorted.slice(limit)
  const rest = toRest(groups, cut)
  const rank = rankOf(last)
  const isTied = (group: GroupValue) => rankOf(group) === rank
  return {
    groups,
    totalGroups,
    other: {
      groups: cut.length + hidden,
      ...toNodeValue(node, rest),
      ...(before === undefined ? {} : { before: toNodeValue(before, rest) }),
    },
    ...(rank !== null && next !== undefined && isTied(next)
      ? { tie: { groups: sorted.filter(isTied).length, listed: groups.filter(isTied).length, rank, next: next.key } }
      : {}),
  }
}

export interface ListedGroups {
  groups: GroupValue[]
  /** The number of groups that are not listed, all of lower rank. */
  hidden?: number
  /** Reads the numbers over all groups that are cut. */
  toRest: (kept: readonly GroupValue[], cut: readonly GroupValue[]) => (plan: Plan) => Partial
}

/** The groups of the highest rank, where they can be found without listing all. */
function listTop(
  node: ValueNode,
  { limit, before, orderBy = 'value', topOf }: BreakdownOptions,
): ListedGroups | undefined {
  if (node.kind !== 'measure' || (before !== undefined && before.kind !== 'measure')) return undefined
  const { cells: [cells = [], earlier] = [], rest } = topOf([node.plan, before?.plan], limit, orderBy) ?? {}
  if (rest === undefined) return undefined
  const countsOf = new Map<GroupKey, readonly number[]>()
  const groups = cells.map((cell, index): GroupValue => {
    const own = earlier?.[index] ?? emptyPartial
    countsOf.set(cell.key, [cell.n, own.n])
    const value = { ...toNodeValue(node, () => cell), key: cell.key }
    return before === undefined ? value : { ...value, before: toNodeValue(before, () => own) }
  })
  const toRest: ListedGroups['toRest'] = (_, cut) => (plan) => {
    const at = plan === node.plan ? 0 : 1
    const n = cut.reduce((sum, { key }) => sum + (countsOf.get(key)?.[at] ?? 0), rest.n[at] ?? 0)
    return { ...emptyPartial, n }
  }
  return { groups, hidden: rest.groups, toRest }
}

/** The groups of any of the ranges with their values, in no particular order. */
export function listGroups(node: ValueNode, before: ValueNode | undefined, run: RunPlan): ListedGroups {
  if (node.kind === 'measure' && before === undefined) return listCells(node, run)
  const keys = new Map<string, GroupKey>()
  const partialsOf = once((plan: Plan) => {
    const partials = new Map<string, Partial>()
    for (const cell of run(plan)) {
      const id = cell.id ?? toGroupId(cell.key)
      partials.set(id, cell)
      keys.set(id, cell.key)
    }
    return partials
  })
  // Every plan is executed first: a group may have rows in only one of them.
  for (const each of before === undefined ? [node] : [node, before]) {
    toNodeValue(each, (plan) => {
      partialsOf(plan)
      return emptyPartial
    })
  }
  const idOf = new Map<GroupKey, string>()
  const groups: GroupValue[] = []
  let id = ''
  const partialOf = (plan: Plan) => partialsOf(plan).get(id) ?? emptyPartial
  for (const [ownId, key] of keys) {
    id = ownId
    // Assigned instead of spread, because there may be many thousands of groups.
    const group: GroupValue = Object.assign(toNodeValue(node, partialOf), { key })
    if (before !== undefined) group.before = toNodeValue(before, partialOf)
    groups.push(group)
    idOf.set(key, id)
  }
  const toRest: ListedGroups['toRest'] = (kept, cut) =>
    once((plan: Plan): Partial => {
      if (cut.length === 0) return emptyPartial
      if (!isMergeable(plan)) return runWithout(plan, kept, run)
      const partials = partialsOf(plan)
      return mergePartials(cut.map(({ key }) => partials.get(idOf.get(key) ?? '') ?? emptyPartial))
    })
  return { groups, toRest }
}

/** The groups of a single measure, each of which is one cell. */
function listCells(node: MeasureNode, run: RunPlan): ListedGroups {
  const partials = new Map<GroupKey, Partial>()
  let cell: Cell = { ...emptyPartial, key: [], bucket: 0 }
  const partialOf = () => cell
  const groups: GroupValue[] = []
  for (cell of run(node.plan)) {
    partials.set(cell.key, cell)
    // Assigned instead of spread, because there may be many thousands of groups.
    groups.push(Object.assign(toNodeValue(node, partialOf), { key: cell.key }))
  }
  const toRest: ListedGroups['toRest'] = (kept, cut) => (plan) =>
    isMergeable(plan)
      ? mergePartials(cut.map(({ key }) => partials.get(key) ?? emptyPartial))
      : runWithout(plan, kept, run)
  return { groups, toRest }
}

/** The result of a plan over all groups but those kept. */
function runWithout(plan: Plan, kept: readonly GroupValue[], run: RunPlan): Partial {
  const { dimensions, ...whole } = plan
  const keys = kept.map(({ key }) => key)
  return run({ ...whole, dimensions: [], groups: { dimensions, keys, exclude: true } })[0] ?? emptyPartial
}

/** The number that a group is ordered by; a change is ordered by its size. */
function toRank({ value, before }: GroupValue, orderBy: GroupOrder): number | null {
  if (orderBy === 'value') return value
  const earlier = before?.value ?? null
  if (orderBy === 'previous') return earlier
  const { delta } = toDifference(value, earlier)
  return delta === null ? null : Math.abs(delta)
}

/**
 * Items in descending order of rank, with null last, then by name. Only the first `most` and those of equal rank as the
 * last of them are sorted; the others follow in any order.
 */
export function sortTop<Item>(
  items: readonly Item[],
  most: number,
  rankOf: (item: Item) => number | null,
  compareNames: (a: Item, b: Item) => number,
): Item[] {
  const ranks = Float64Array.from(items, (item) => rankOf(item) ?? Number.NEGATIVE_INFINITY)
  const least = ranks.toSorted()[ranks.length - most] ?? Number.NEGATIVE_INFINITY
  const [top, others]: [{ item: Item; rank: number }[], Item[]] = [[], []]
  for (const [index, item] of items.entries()) {
    const rank = ranks[index] as number
    if (rank >= least) top.push({ item, rank })
    else others.push(item)
  }
  top.sort((a, b) => (a.rank === b.rank ? compareNames(a.item, b.item) : b.rank - a.rank))
  return [...top.map(({ item }) => item), ...others]
}
