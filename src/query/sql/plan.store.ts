import { sql } from 'kysely'
import { dependsOnAge } from '../../findings/conditions.ts'
import { splitOverdue } from '../../findings/due-conditions.ts'
import type { Reader } from '../../store/store.ts'
import { type Cell, emptyPartial, interpolate, toGroupId } from '../plan/cells.ts'
import { lastMoment, type Plan } from '../plan/plan.ts'
import {
  type AnswerRow,
  addTo,
  type Decoder,
  encodeGroups,
  toDecoder,
  toGroupCondition,
  toMeasureColumns,
  toQuotient,
} from './groups.store.ts'
import { type PlanTerms, toPlanConditions } from './plan-terms.ts'
import { countsSuffice, hasChangesSince, toRowSource } from './rows.store.ts'
import { countAtOrBefore, type Slots, toSlots } from './slots.ts'
import { runStockSeries } from './stock-series.store.ts'

/**
 * Answers a plan from the tables: one cell for each group and bucket with rows, in no particular order. Without
 * dimensions and edges there is exactly one cell.
 */
export const runPlan = (reader: Reader, plan: Plan): Cell[] =>
  seeAsPlanned(reader, plan, () => runInSnapshot(reader, plan))

/** Runs `work` with every decision that ends before the last moment of a plan seen as ended. */
export function seeAsPlanned<T>(reader: Reader, plan: Plan, work: () => T): T {
  const moment = lastMoment(plan)
  return moment === undefined || !reader.hasEndBefore(moment) ? work() : reader.seeAsOf(moment, work)
}

function runInSnapshot(reader: Reader, plan: Plan): Cell[] {
  const { edges, ...atMoment } = plan
  if (plan.mode === 'stock' && edges !== undefined) {
    const { aggregation } = plan.measure
    const counted = aggregation.startsWith('COUNT')
    const isDated = splitOverdue(plan.conditions) !== undefined
    const isSpanned = aggregation !== 'PERCENTILE' && (isDated || !dependsOnAge(plan.conditions))
    if (isSpanned && (plan.entity === 'finding' || counted)) {
      return runStockSeries(reader, plan, edges)
    }
    return edges.flatMap((at, bucket) =>
      runInSnapshot(reader, { ...atMoment, at }).flatMap((cell) =>
        cell.n === 0 && cell.key.length === 0 ? [] : { ...cell, bucket },
      ),
    )
  }
  const slots = plan.edges === undefined || plan.edges.length === 0 ? undefined : toSlots(plan.edges)
  const rows = reader.all(toGroupQuery(toPlanTerms(reader, plan, slots)))
  const decode = toDecoder(reader, plan.dimensions, rows)
  if (!isItemized(plan, slots)) return mergeRows(rows, slots, decode)
  return plan.measure.p === undefined ? countItems(rows, slots, decode) : rankItems(rows, slots, decode, plan.measure.p)
}

const isItemized = ({ measure }: Pick<PlanTerms, 'measure'>, slots: object | undefined): boolean =>
  slots !== undefined && (measure.aggregation === 'COUNT_DISTINCT' || measure.aggregation === 'PERCENTILE')

/** The SQL terms of a plan, in the snapshot of a reader. */
export function toPlanTerms(reader: Reader, plan: Plan, slots: Slots | undefined): PlanTerms {
  const { entity, mode, measure, timeField, dimensions, conditions, at, range, groups } = plan
  return {
    ...{ entity, mode, measure, timeField, dimensions, at, range },
    conditions: toPlanConditions(conditions, at),
    isPast: mode === 'stock' && hasChangesSince(reader, at),
    isCounted: countsSuffice(reader, plan),
    ...(groups === undefined ? {} : { groups: encodeGroups(reader, groups) }),
    ...(slots === undefined ? {} : { slots }),
  }
}

/** One row for each group and time quotient. */
function toGroupQuery(plan: PlanTerms) {
  const { slots } = plan
  const source = toRowSource(plan)
  const columns = plan.dimensions.map((dimension) => source.code(dimension))
  const itemized = isItemized(plan, slots)
  const grouped = [
    ...columns.map((_, index) => sql.ref(`d${index}`)),
    ...(slots === undefined ? [] : [sql.ref('slot')]),
    ...(itemized ? [sql.ref('item')] : []),
  ]
  const selected = [
    ...columns.map((column, index) => sql`${column} AS ${sql.ref(`d${index}`)}`),
    ...(slots === undefined ? [] : [sql`${toQuotient(source.time, slots)} AS slot`]),
    ...toMeasureColumns(plan, source, itemized),
  ]
  const groups = toGroupCondition(plan, source)
  const groupBy = grouped.length === 0 ? sql`` : sql`GROUP BY ${sql.join(grouped)}`
  return sql<AnswerRow>`SELECT ${sql.join(selected)} ${source.from()} ${groups} ${groupBy}`
}

/** Merges rows of adjacent quotients in the same bucket into one cell. */
function mergeRows(rows: readonly AnswerRow[], slots: Slots | undefined, decode: Decoder): Cell[] {
  const cells = new Map<string, Cell>()
  for (const row of rows) {
    const key = decode(row)
    const bucket = slots?.toBucket(row.slot ?? null) ?? 0
    const id = `${bucket} ${toGroupId(key)}`
    const cell = cells.get(id) ?? { ...emptyPartial, key, bucket }
    addTo(cell, row)
    cells.set(id, cell)
  }
  return [...cells.values()]
}

function countItems(rows: readonly AnswerRow[], slots: Slots | undefined, decode: Decoder): Cell[] {
  const found = new Map<string, { cell: Cell; items: Set<unknown> }>()
  for (const row of rows) {
    const key = decode(row)
    const bucket = slots?.toBucket(row.slot ?? null) ?? 0
    const id = `${bucket} ${toGroupId(key)}`
    const entry = found.get(id) ?? { cell: { ...emptyPartial, key, bucket }, items: new Set() }
    if (row.item !== null) entry.items.add(row.item)
    found.set(id, entry)
  }
  return [...found.values()].map(({ cell, items }) => ({ ...cell, n: items.size }))
}

/** Takes the percentile of the values of each cell, which are in several rows with their counts. */
function rankItems(rows: readonly AnswerRow[], slots: Slots | undefined, decode: Decoder, p: number): Cell[] {
  const found = new Map<string, { cell: Cell; counts: Map<number, number> }>()
  for (const row of rows) {
    const key = decode(row)
    const bucket = slots?.toBucket(row.slot ?? null) ?? 0
    const id = `${bucket} ${toGroupId(key)}`
    const entry = found.get(id) ?? { cell: { ...emptyPartial, key, bucket }, counts: new Map<number, number>() }
    if (typeof row.item === 'number') entry.counts.set(row.item, (entry.counts.get(row.item) ?? 0) + row.n)
    found.set(id, entry)
  }
  return [...found.values()].map(({ cell, counts }) => {
    const values = Float64Array.from(counts.keys()).sort()
    const ends: number[] = []
    let n = 0
    for (const value of values) {
      n += counts.get(value) ?? 0
      ends.push(n)
    }
    return n === 0
      ? cell
      : { ...cell, n, quantile: interpolate(n, p, (index) => values[countAtOrBefore(ends, index)] ?? 0) }
  })
}
