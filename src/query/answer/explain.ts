import { toSafeMessage } from '../../detectors/safe-text.ts'
import type { Dimension, MetricRecord } from '../../metrics/model.ts'
import type { FindTop } from '../engine/executor.ts'
import type { DriverDimension, MetricAnswer, QueryWarning } from '../model.ts'
import { type Cell, emptyPartial, toGroupId } from '../plan/cells.ts'
import { compareKeys, toGroupName } from '../plan/group-names.ts'
import type { GroupKey, MeasureNode, ValueNode } from '../plan/plan.ts'
import { type GroupValue, type ListedGroups, listGroups, sortTop } from './breakdown.ts'
import { type RunPlan, toNodeValue, toTotal, type Value } from './value.ts'

/** Maximum number of listed groups of one dimension. */
const MAX_DRIVERS = 5

/** A metric by one dimension over the asked and the compared range. */
interface NodePair {
  now: ValueNode
  before: ValueNode
}

interface Share {
  group: GroupValue
  /** What it contributes to the change of the whole; null where that cannot be divided. */
  contribution: number | null
  /** Its part of the change if all groups had changed alike. */
  even: number
}

interface Explained {
  listed: DriverDimension
  drivers: NonNullable<MetricAnswer['drivers']>
  /** How much more its listed groups contribute than in an even change, in the metric's unit; null if not divided. */
  excess: number | null
}

/** Divides the change of a metric among the groups of each dimension; the dimension that explains most comes first. */
export function explainChange(
  metric: MetricRecord,
  dimensions: readonly Dimension[],
  toNodes: (dimension: Dimension) => NodePair,
  run: RunPlan,
  topOf: FindTop,
): Required<Pick<MetricAnswer, 'drivers' | 'driverDimensions'>> & { warnings: QueryWarning[] } {
  const explained = dimensions
    .map((dimension) => explainBy(dimension, toNodes(dimension), run, topOf))
    .sort((a, b) => (b.excess ?? 0) - (a.excess ?? 0))
  const undivided = explained.filter(({ excess }) => excess === null).map(({ listed }) => listed.dimension)
  return {
    drivers: explained.flatMap(({ drivers }) => drivers),
    driverDimensions: explained.map(({ listed }) => listed),
    warnings: undivided.length === 0 ? [] : [warnOfUndivided(metric, undivided, dimensions.length)],
  }
}

function warnOfUndivided({ slug }: MetricRecord, undivided: readonly Dimension[], asked: number): QueryWarning {
  const where = undivided.length === asked ? '' : ` by ${undivided.join(', ')}`
  const message = `The change of ${slug} cannot be divided among groups${where}: drivers contain the groups' own changes, which do not add up to it.`
  return { code: 'not_decomposable', message: toSafeMessage(message) }
}

function explainBy(dimension: Dimension, { now, before }: NodePair, run: RunPlan, topOf: FindTop): Explained {
  const { groups, toRest, hidden, hiddenChange } = listChanges(now, before, askTogether(now, before, run), topOf)
  const [total, earlier] = [toTotal(now, run), toTotal(before, run)]
  const delta = total.value === null || earlier.value === null ? null : total.value - earlier.value
  const shares = toShares(now, groups, { total, earlier, delta, count: groups.length + hidden })
  const sizeOf = ({ contribution, group }: Share) => Math.abs(contribution ?? toOwnChange(group) ?? 0)
  const sorted = sortTop(shares, MAX_DRIVERS, sizeOf, (a, b) => compareKeys(a.group.key, b.group.key))
  const [top, others] = [sorted.slice(0, MAX_DRIVERS), sorted.slice(MAX_DRIVERS)]
  const rest = toRest(
    top.map(({ group }) => group),
    others.map(({ group }) => group),
  )
  const isDivided = delta !== null && shares.every(({ contribution }) => contribution !== null)
  const excess = isDivided ? toExcess(top) : null
  return {
    excess,
    listed: {
      dimension,
      explained: excess === null || delta === 0 || delta === null ? null : excess / Math.abs(delta),
      rest: {
        groups: others.length + hidden,
        from: toNodeValue(before, rest).value,
        to: toNodeValue(now, rest).value,
        contribution: isDivided ? hiddenChange + sumContributions(others) : null,
      },
    },
    drivers: top.map(({ group, contribution }) => ({
      dimension,
      dimensionValue: toGroupName(group.key),
      from: group.before?.value ?? null,
      to: group.value,
      contribution,
      ...(contribution === null ? { delta: toOwnChange(group) } : {}),
    })),
  }
}

/** Of assets or values in a stock, both moments are asked for as a series, in one pass. */
function askTogether(now: ValueNode, before: ValueNode, run: RunPlan): RunPlan {
  if (now.kind !== 'measure' || before.kind !== 'measure') return run
  const [late, early] = [now.plan, before.plan]
  if (late.mode !== 'stock' || late.measure.aggregation === 'COUNT' || early.at >= late.at) return run
  let series: readonly Cell[] | undefined
  return (plan) => {
    if (plan !== late && plan !== early) return run(plan)
    series ??= run({ ...late, edges: [early.at, late.at] })
    const own = plan === late ? 1 : 0
    return series.flatMap((cell) => (cell.bucket === own ? { ...cell, bucket: 0 } : []))
  }
}

interface ListedChanges extends Pick<ListedGroups, 'groups' | 'toRest'> {
  /** How many groups of lesser change are not listed, and their change together. */
  hidden: number
  hiddenChange: number
}

/** The groups of both ranges; of counts, which add up exactly, and of assets only those that changed most. */
function listChanges(now: ValueNode, before: ValueNode, run: RunPlan, topOf: FindTop): ListedChanges {
  const all = () => ({ ...listGroups(now, before, run), hidden: 0, hiddenChange: 0 })
  if (now.kind !== 'measure' || before.kind !== 'measure') return all()
  const top = topOf([now.plan, before.plan], MAX_DRIVERS, 'delta')
  if (top === undefined && !(isCount(now) && isCount(before))) return all()
  const changes = new Map<string, { key: GroupKey; to: number; from: number }>()
  for (const [index, { plan }] of [now, before].entries()) {
    const member = index === 0 ? 'to' : 'from'
    for (const { key, id = toGroupId(key), n } of top?.cells[index] ?? run(plan)) {
      const change = changes.get(id)
      if (change !== undefined) change[member] = n
      else changes.set(id, { key, to: 0, from: 0, [member]: n })
    }
  }
  const sizeOf = ({ to, from }: { to: number; from: number }) => Math.abs(to - from)
  const sorted = sortTop([...changes.values()], MAX_DRIVERS, sizeOf, (a, b) => compareKeys(a.key, b.key))
  const {
    groups,
    n: [to = 0, from = 0],
  } = top?.rest ?? { groups: 0, n: [] }
  const rest = { to, from }
  for (const { to, from } of sorted.slice(MAX_DRIVERS)) {
    rest.to += to
    rest.from += from
  }
  const toGroup = ({ key, to, from }: { key: GroupKey; to: number; from: number }): GroupValue => ({
    key,
    ...toNodeValue(now, () => ({ ...emptyPartial, n: to })),
    before: toNodeValue(before, () => ({ ...emptyPartial, n: from })),
  })
  return {
    groups: sorted.slice(0, MAX_DRIVERS).map(toGroup),
    toRest: () => (plan) => ({ ...emptyPartial, n: plan === now.plan ? rest.to : rest.from }),
    hidden: groups + Math.max(0, sorted.length - MAX_DRIVERS),
    hiddenChange: rest.to - rest.from,
  }
}

const isCount = (node: ValueNode): node is MeasureNode =>
  node.kind === 'measure' && node.plan.measure.aggregation === 'COUNT'

/** Added in ascending order, so that rounding does not depend on the order of the groups. */
const sumContributions = (shares: readonly Share[]): number =>
  Float64Array.from(shares, ({ contribution }) => contribution ?? 0)
    .sort()
    .reduce((sum, contribution) => sum + contribution, 0)

function toOwnChange({ value, before }: GroupValue): number | null {
  const earlier = before?.value ?? null
  return value === null || earlier === null ? null : value - earlier
}

/** The greater of the sums by which groups rose or fell more than in an even change. */
function toExcess(shares: readonly Share[]): number {
  let [rise, fall] = [0, 0]
  for (const { contribution, even } of shares) {
    const beyond = (contribution ?? 0) - even
    if (beyond > 0) rise += beyond
    else fall -= beyond
  }
  return Math.max(rise, fall)
}

interface Totals {
  total: Value
  earlier: Value
  delta: number | null
  /** The number of all groups. */
  count: number
}

function toShares(node: ValueNode, groups: readonly GroupValue[], totals: Totals): Share[] {
  const kind = toKind(node)
  const shares = kind === 'sum' ? divideSum(groups, totals) : kind === 'rate' ? divideRate(groups, totals) : undefined
  return shares ?? groups.map((group) => ({ group, contribution: null, even: 0 }))
}

/** Whether the value over all groups is the sum of theirs, or their mean weighted by a denominator. */
function toKind(node: ValueNode): 'sum' | 'rate' | undefined {
  if (isSum(node)) return 'sum'
  if (node.kind === 'measure') return node.plan.measure.aggregation === 'AVG' ? 'rate' : undefined
  return node.kind === 'ratio' && isSum(node.numerator) && isSum(node.denominator) ? 'rate' : undefined
}

const isSum = (node: ValueNode): boolean =>
  node.kind === 'measure' && (node.plan.measure.aggregation === 'COUNT' || node.plan.measure.aggregation === 'SUM')

function divideSum(groups: readonly GroupValue[], { earlier, delta, count }: Totals): Share[] | undefined {
  // Where one of the totals has no value, there is no change to divide.
  if (delta === null) return undefined
  const base = earlier.value ?? 0
  return groups.map((group) => {
    const from = group.before?.value ?? 0
    const even = delta * (base === 0 ? 1 / count : from / base)
    return { group, contribution: (group.value ?? 0) - from, even }
  })
}

/**
 * With r the rate of a group, w its share of the denominator, R the rate of the whole, and means over both ranges:
 * Δr·w̄ (the rate within the group) + Δw·(r̄ − R̄) (the mix of groups). A group that one range lacks has there the rate
 * of the other. Undefined when a group has a numerator without a denominator, or a range has no denominator.
 */
function divideRate(groups: readonly GroupValue[], { total, earlier, delta }: Totals): Share[] | undefined {
  const [whole, wholeBefore] = [toWeight(total), toWeight(earlier)]
  if (delta === null || whole === 0 || wholeBefore === 0) return undefined
  const mean = ((total.value ?? 0) + (earlier.value ?? 0)) / 2
  const shares: Share[] = []
  for (const group of groups) {
    const before = group.before ?? { value: null }
    if (isWithoutWeight(group) || isWithoutWeight(before)) return undefined
    const [weight, weightBefore] = [toWeight(group) / whole, toWeight(before) / wholeBefore]
    const rate = group.value ?? before.value ?? 0
    const rateBefore = before.value ?? rate
    const [meanWeight, meanRate] = [(weight + weightBefore) / 2, (rate + rateBefore) / 2]
    const contribution = (rate - rateBefore) * meanWeight + (weight - weightBefore) * (meanRate - mean)
    shares.push({ group, contribution, even: delta * meanWeight })
  }
  return shares
}

/** The denominator of a ratio, or the rows of an average. */
const toWeight = ({ denominator, n }: Value): number => denominator ?? n ?? 0

const isWithoutWeight = (value: Value): boolean => toWeight(value) === 0 && (value.numerator ?? 0) !== 0
