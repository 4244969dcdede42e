import { toSafeJson, toSafeText } from '../detectors/safe-text.ts'
import type { FilterMapping } from '../findings/filter.ts'
import { db } from '../store/builder.ts'
import type { Reader, Writer } from '../store/store.ts'
import type { ReceiverRecord, WatchCondition, WatchRecord } from './model.ts'

const watches = () =>
  db
    .selectFrom('watch')
    .innerJoin('metric', 'metric.id', 'watch.metric_id')
    .leftJoin('term', 'term.id', 'watch.term_id')
    .selectAll('watch')
    .select(['metric.slug as metric_slug', 'term.slug as term_slug'])
    .orderBy('watch.slug')

/** Every watch, by slug. */
export function listWatches(reader: Reader): WatchRecord[] {
  return toRecords(reader, reader.all(watches()))
}

export function findWatch(reader: Reader, slug: string): WatchRecord | undefined {
  return toRecords(reader, reader.all(watches().where('watch.slug', '=', slug)))[0]
}

export const countWatches = (reader: Reader): number =>
  reader.first(db.selectFrom('watch').select(({ fn }) => fn.countAll<number>().as('n')))?.n ?? 0

type WatchSqlRow = ReturnType<typeof watches> extends { execute(): Promise<(infer Row)[]> } ? Row : never

function toRecords(reader: Reader, rows: readonly WatchSqlRow[]): WatchRecord[] {
  return rows.map((row) => ({
    id: row.id,
    uid: row.uid,
    slug: row.slug,
    displayName: row.display_name,
    metricSlug: row.metric_slug,
    termSlug: row.term_slug,
    filters: row.filters === null ? null : (JSON.parse(row.filters) as FilterMapping),
    dimensions: JSON.parse(row.dimensions) as string[],
    last: row.range_last,
    cron: row.cron,
    condition: JSON.parse(row.condition) as WatchCondition,
    receivers: listReceivers(reader, row.id),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }))
}

function listReceivers(reader: Reader, watchId: number): ReceiverRecord[] {
  const query = db.selectFrom('watch_receiver').selectAll().where('watch_id', '=', watchId).orderBy('ordinal')
  return reader.all(query).map(({ id, uid, format, address, sealed, has_secret }) => ({
    id,
    uid,
    format,
    address,
    sealed,
    hasSecret: has_secret === 1,
  }))
}

/** The members of a watch that its definition sets, with references as row ids. */
export interface WatchMembers
  extends Pick<WatchRecord, 'displayName' | 'filters' | 'dimensions' | 'last' | 'cron' | 'condition'> {
  metricId: number
  termId: number | null
}

const toRow = ({ displayName, metricId, termId, filters, dimensions, last, cron, condition }: WatchMembers) => ({
  display_name: toSafeText(displayName, 'definition'),
  metric_id: metricId,
  term_id: termId,
  filters: filters === null ? null : toSafeJson(filters, 'definition'),
  dimensions: JSON.stringify(dimensions),
  range_last: last,
  cron,
  condition: JSON.stringify(condition),
})

/** Returns the row id; `dueAt` is when the watch is evaluated first. */
export function insertWatch(
  writer: Writer,
  watch: WatchMembers & { uid: string; slug: string },
  at: { createdAt: number; dueAt: number },
): number {
  const { createdAt, dueAt } = at
  const id = writer.insert(
    db
      .insertInto('watch')
      .values({ uid: watch.uid, slug: watch.slug, ...toRow(watch), created_at: createdAt, updated_at: createdAt })
      .returning('id'),
  )
  writer.run(
    db.insertInto('watch_run').values({ watch_id: id, evaluated_at: null, due_at: dueAt, reason: null, message: null }),
  )
  return id
}

export function replaceWatch(writer: Writer, id: number, watch: WatchMembers, updatedAt: number): void {
  writer.run(
    db
      .updateTable('watch')
      .set({ ...toRow(watch), updated_at: updatedAt })
      .where('id', '=', id),
  )
}

export function removeWatch(writer: Writer, id: number): void {
  writer.run(db.deleteFrom('watch').where('id', '=', id))
}

export type NewReceiver = Omit<ReceiverRecord, 'id'>

/** Sets the receivers of a watch, in order; a receiver that stays keeps its undelivered changes. */
export function replaceReceivers(writer: Writer, watchId: number, receivers: readonly NewReceiver[]): void {
  const kept = receivers.map(({ uid }) => uid)
  let removed = db.deleteFrom('watch_receiver').where('watch_id', '=', watchId)
  if (kept.length > 0) removed = removed.where('uid', 'not in', kept)
  writer.run(removed)
  for (const [ordinal, { uid, format, address, sealed, hasSecret }] of receivers.entries()) {
    const row = { ordinal, format, address, sealed, has_secret: hasSecret ? 1 : 0 }
    writer.run(
      db
        .insertInto('watch_receiver')
        .values({ ...row, uid, watch_id: watchId, last_failure: null })
        .onConflict((conflict) => conflict.column('uid').doUpdateSet(row)),
    )
  }
}
