import { sql } from 'kysely'
import { splitOverdue } from '../../findings/due-conditions.ts'
import { toFilterTerms } from '../../findings/filter-terms.ts'
import { toMilliseconds } from '../../findings/ranges.ts'
import type { Reader } from '../../store/store.ts'
import { type Cell, emptyPartial, type Partial, toGroupId } from '../plan/cells.ts'
import type { GroupKey, Plan } from '../plan/plan.ts'
import {
  type AnswerRow,
  encodeGroups,
  toDecoder,
  toGroupCondition,
  toMeasureColumns,
  toQuotient,
} from './groups.store.ts'
import { type PlanTerms, toPlanConditions } from './plan-terms.ts'
import { and } from './rows.store.ts'
import { type Slots, toSlots } from './slots.ts'
import { assetSpans, findingSpans, hasEndedSpans, type SpanPart } from './spans.store.ts'

/** A range of moments `[opens, closes)`, by index, over which the same rows count. */
interface MomentRange extends Partial {
  rows: number
  opens: number
  closes: number
  item: unknown
}

/**
 * A stock at many moments, in one pass over the spans of its rows. For assets, only distinct counts are supported,
 * because the spans of one asset may overlap.
 */
export function runStockSeries(reader: Reader, asked: Plan, moments: readonly number[]): Cell[] {
  const [first, last] = [moments[0], moments.at(-1)]
  if (first === undefined || last === undefined) return []
  const slots = toSlots(moments)
  const dated = splitOverdue(asked.conditions)
  const plan = asked.entity === 'asset' ? countingAssets(asked) : asked
  const itemized = plan.measure.aggregation === 'COUNT_DISTINCT'
  const { entity, mode, measure, timeField, dimensions, conditions, at, groups } = plan
  const terms: PlanTerms = {
    ...{ entity, mode, measure, timeField, dimensions, at, range: {}, isPast: false, isCounted: false },
    conditions: toPlanConditions(dated?.others ?? conditions, at),
    ...(dated === undefined
      ? {}
      : {
          overdue: dated.overdue.map((group) => ({
            afterMs: toMilliseconds(group.hours),
            conditions: toFilterTerms(group.conditions),
          })),
        }),
    ...(groups === undefined ? {} : { groups: encodeGroups(reader, groups) }),
  }
  const parts: SpanPart[] = hasEndedSpans(terms) ? ['ended', 'last'] : ['last']
  const rows = parts.flatMap((part) => reader.all(toSpanQuery(terms, slots, part)))
  const decode = toDecoder(reader, plan.dimensions, rows)
  const stretches = new Map<string, { key: GroupKey; parts: MomentRange[] }>()
  for (const row of rows) {
    const key = decode(row)
    const id = toGroupId(key)
    const group = stretches.get(id) ?? { key, parts: [] }
    const opens = slots.toBucket(row.slot ?? null)
    const closes = slots.toBucket(row.ends ?? null)
    const { rows: count = 0, n, sum = 0, min = null, max = null, item = null } = row
    group.parts.push({ rows: count, n, sum: sum ?? 0, min, max, quantile: null, item, opens, closes })
    stretches.set(id, group)
  }
  const agesFrom = plan.measure.field === 'ageHours' ? last : undefined
  return [...stretches.values()].flatMap(({ key, parts }) => {
    const partials = itemized ? countItems(parts, moments.length) : fillBuckets(parts, moments.length)
    const present = runningSums(parts, moments.length, (part) => part.rows)
    return partials.flatMap((partial, bucket) => {
      if (present[bucket] === 0) return []
      const moment = moments[bucket] ?? last
      return { ...(agesFrom === undefined ? partial : younger(partial, agesFrom - moment)), key, bucket }
    })
  })
}

/** One row for each group and pair of time quotients, over one part of the spans. */
function toSpanQuery(plan: PlanTerms, slots: Slots, part: SpanPart) {
  const { base: first, last } = slots
  const source = plan.entity === 'asset' ? assetSpans(plan, part, first) : findingSpans(plan, part, first, last)
  const { since, until } = source
  const itemized = plan.measure.aggregation === 'COUNT_DISTINCT'
  const columns = plan.dimensions.map((dimension, index) => sql`${source.code(dimension)} AS ${sql.ref(`d${index}`)}`)
  const selected = [
    ...columns,
    sql`${toQuotient(since, slots)} AS slot`,
    sql`${toQuotient(until, slots)} AS ends`,
    sql`count(*) AS "rows"`,
    ...toMeasureColumns(plan, source, itemized),
  ]
  const grouped = [...plan.dimensions.map((_, index) => `d${index}`), 'slot', 'ends', ...(itemized ? ['item'] : [])]
  const groups = toGroupCondition(plan, source)
  const counted = and([...source.where, sql`${since} < ${last}`, sql`(${until} IS NULL OR ${until} > ${since})`])
  return sql<AnswerRow>`${source.with} SELECT ${sql.join(selected)} ${source.from()} WHERE ${counted} ${groups}
    GROUP BY ${sql.join(grouped.map((name) => sql.ref(name)))}`
}

/** Counts assets as distinct values, because the spans of one asset may overlap. */
function countingAssets(plan: Plan): Plan {
  return plan.measure.aggregation === 'COUNT'
    ? { ...plan, measure: { aggregation: 'COUNT_DISTINCT', field: 'assetId' } }
    : plan
}

/** Ages are measured from the last moment; at an earlier one, every row is younger by the same amount. */
function younger(partial: Partial, byMs: number): Partial {
  return {
    ...partial,
    sum: partial.sum - partial.n * byMs,
    min: partial.min === null ? null : partial.min - byMs,
    max: partial.max === null ? null : partial.max - byMs,
  }
}

function fillBuckets(parts: readonly MomentRange[], count: number): Partial[] {
  const n = runningSums(parts, count, (part) => part.n)
  const sum = runningSums(parts, count, (part) => part.sum)
  const min = spread(parts, count, (part) => part.min, 1)
  const max = spread(parts, count, (part) => part.max, -1)
  return n.map((counted, index) => ({
    ...emptyPartial,
    n: counted,
    sum: sum[index] ?? 0,
    min: min[index] ?? null,
    max: max[index] ?? null,
  }))
}

/** The sum over the stretches that cover each moment. */
function runningSums(parts: readonly MomentRange[], count: number, toNumber: (part: MomentRange) => number): number[] {
  const steps = new Array<number>(count + 1).fill(0)
  for (const part of parts) {
    const amount = toNumber(part)
    steps[part.opens] = (steps[part.opens] ?? 0) + amount
    steps[part.closes] = (steps[part.closes] ?? 0) - amount
  }
  let running = 0
  return steps.slice(0, count).map((step) => {
    running += step
    return running
  })
}

/** The minimum (`sign` 1) or maximum (-1) over the stretches that cover each moment; each moment is set once. */
function spread(
  parts: readonly MomentRange[],
  count: number,
  toNumber: (part: MomentRange) => number | null,
  sign: 1 | -1,
): (number | null)[] {
  const filled = new Array<number | null>(count).fill(null)
  const next = Array.from({ length: count + 1 }, (_, index) => index)
  const firstFree = (from: number): number => {
    let free = from
    while (next[free] !== free) {
      const beyond = next[free] ?? free
      next[free] = next[beyond] ?? beyond
      free = next[free] ?? free
    }
    return free
  }
  const valued = parts.flatMap((part) => {
    const value = toNumber(part)
    return value === null ? [] : { ...part, value }
  })
  for (const { opens, closes, value } of valued.sort((a, b) => sign * (a.value - b.value))) {
    for (let index = firstFree(opens); index < closes; index = firstFree(index)) {
      filled[index] = value
      next[index] = index + 1
    }
  }
  return filled
}

/** The number of distinct items at each moment; overlapping stretches of one item are merged first. */
function countItems(parts: readonly MomentRange[], count: number): Partial[] {
  const steps = new Array<number>(count + 1).fill(0)
  const step = (index: number, amount: number) => {
    steps[index] = (steps[index] ?? 0) + amount
  }
  const byItem = new Map<unknown, MomentRange[]>()
  for (const part of parts) {
    if (part.item === null || part.opens === part.closes) continue
    const known = byItem.get(part.item)
    if (known === undefined) byItem.set(part.item, [part])
    else known.push(part)
  }
  for (const stretches of byItem.values()) {
    let reached = -1
    for (const { opens, closes } of stretches.sort((a, b) => a.opens - b.opens)) {
      if (closes <= reached) continue
      step(Math.max(opens, reached), 1)
      step(closes, -1)
      reached = closes
    }
  }
  let live = 0
  return Array.from({ length: count }, (_, index) => {
    live += steps[index] ?? 0
    return { ...emptyPartial, n: live }
  })
}
