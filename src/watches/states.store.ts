import { toSafeText } from '../detectors/safe-text.ts'
import { internalText, ownText, type SafeText, stringifySafe } from '../kernel/safe-text.ts'
import { db } from '../store/builder.ts'
import type { Reader, Writer } from '../store/store.ts'
import type { UnknownReason, WatchGroupKey, WatchState } from './model.ts'

/** The state of one group; `key` is empty for a watch without dimensions. */
export interface WatchStateRecord {
  key: WatchGroupKey
  state: WatchState
  since: number
  value: number | null
  streak: number
  reason: string | null
}

const toKey = (text: string): WatchGroupKey => JSON.parse(text) as WatchGroupKey

export function listStates(reader: Reader, watchId: number): WatchStateRecord[] {
  return reader
    .all(db.selectFrom('watch_state').selectAll().where('watch_id', '=', watchId).orderBy('group_key'))
    .map(({ group_key, state, since, value, streak, reason }) => ({
      key: toKey(group_key),
      state,
      since,
      value,
      streak,
      reason,
    }))
}

export function saveState(writer: Writer, watchId: number, record: WatchStateRecord): void {
  const { key, reason, ...members } = record
  const row = { ...members, reason: reason === null ? null : internalText(reason) }
  writer.run(
    db
      .insertInto('watch_state')
      .values({ watch_id: watchId, group_key: stringifySafe(key), ...row })
      .onConflict((conflict) => conflict.columns(['watch_id', 'group_key']).doUpdateSet(row)),
  )
}

export function removeState(writer: Writer, watchId: number, key: WatchGroupKey): void {
  writer.run(db.deleteFrom('watch_state').where('watch_id', '=', watchId).where('group_key', '=', stringifySafe(key)))
}

export function removeStates(writer: Writer, watchId: number): void {
  writer.run(db.deleteFrom('watch_state').where('watch_id', '=', watchId))
}

/**
 * Resets the count of evaluations in a row at which the condition held; states are unchanged until the next evaluation.
 */
export function resetStreaks(writer: Writer, watchId: number): void {
  writer.run(db.updateTable('watch_state').set({ streak: 0 }).where('watch_id', '=', watchId))
}

/** The stored facts about the evaluations of a watch. */
export interface WatchRun {
  /** Incremented by each evaluation. */
  evaluations: number
  evaluatedAt: number | null
  dueAt: number | null
  /** Why the whole watch is UNKNOWN. */
  problem: UnknownReason | null
  totalGroups: number
}

export function getRun(reader: Reader, watchId: number): WatchRun {
  const row = reader.first(db.selectFrom('watch_run').selectAll().where('watch_id', '=', watchId))
  if (row === undefined) throw new TypeError('a watch has no record of its evaluations')
  const { evaluations, evaluated_at: evaluatedAt, due_at: dueAt, reason, message, total_groups: totalGroups } = row
  const problem = reason === null ? null : { code: reason, message: message ?? ownText('') }
  return { evaluations, evaluatedAt, dueAt, problem, totalGroups }
}

export function setDue(writer: Writer, watchId: number, dueAt: number | null): void {
  writer.run(db.updateTable('watch_run').set({ due_at: dueAt }).where('watch_id', '=', watchId))
}

export function saveRun(writer: Writer, watchId: number, run: WatchRun & { seenScans: number }): void {
  const { evaluations, evaluatedAt, dueAt, problem, totalGroups, seenScans } = run
  writer.run(
    db
      .updateTable('watch_run')
      .set({
        evaluations,
        evaluated_at: evaluatedAt,
        due_at: dueAt,
        seen_scans: seenScans,
        total_groups: totalGroups,
        reason: problem?.code ?? null,
        message: problem?.message ?? null,
      })
      .where('watch_id', '=', watchId),
  )
}

/** Counters of ended scans, and of changes to watches and their states, by any process. */
export function readSignal(reader: Reader): { scans: number; revision: number } {
  return reader.prepare('SELECT scans, revision FROM watch_signal').get() as { scans: number; revision: number }
}

/** Slugs of the watches to evaluate: a scan ended since their last evaluation, or their scheduled time has passed. */
export function listDueWatches(reader: Reader, now: number): string[] {
  return reader
    .prepare(
      `SELECT watch.slug FROM watch_run r JOIN watch ON watch.id = r.watch_id
       WHERE r.seen_scans < (SELECT scans FROM watch_signal) OR r.due_at <= ? ORDER BY watch.slug`,
    )
    .pluck()
    .all(now) as string[]
}

/** Watches whose next scheduled time is after `after`. */
export function listWatchesPlannedAfter(
  reader: Reader,
  after: number,
): { id: number; cron: string | null; dueAt: number }[] {
  return reader
    .prepare(
      `SELECT watch.id, watch.cron, r.due_at AS dueAt FROM watch_run r JOIN watch ON watch.id = r.watch_id
       WHERE r.due_at > ?`,
    )
    .all(after) as { id: number; cron: string | null; dueAt: number }[]
}

export interface ChangeRecord {
  id: number
  uid: string
  key: WatchGroupKey
  at: number
  from: WatchState
  to: WatchState
  value: number | null
  reason: string | null
}

/** Records a change of state and queues it for every receiver of the watch. */
export function insertChange(writer: Writer, watchId: number, change: Omit<ChangeRecord, 'id'>): void {
  const { uid, key, at, from, to, value, reason } = change
  const id = writer.insert(
    db
      .insertInto('watch_change')
      .values({
        uid,
        watch_id: watchId,
        group_key: stringifySafe(key),
        at,
        from_state: from,
        to_state: to,
        value,
        reason,
      })
      .returning('id'),
  )
  writer
    .prepare(
      `INSERT INTO watch_delivery (receiver_id, change_id, next_at)
       SELECT id, @change, @at FROM watch_receiver WHERE watch_id = @watch`,
    )
    .run({ change: id, at, watch: watchId })
}

const MAX_CHANGES = 1_000

/** Deletes the oldest changes of a watch beyond a limit, except those that are still to be sent. */
export function dropOldChanges(writer: Writer, watchId: number): void {
  writer
    .prepare(
      `DELETE FROM watch_change WHERE watch_id = @watch
         AND id <= (SELECT id FROM watch_change WHERE watch_id = @watch ORDER BY id DESC LIMIT 1 OFFSET @kept)
         AND id NOT IN (SELECT change_id FROM watch_delivery)`,
    )
    .run({ watch: watchId, kept: MAX_CHANGES })
}

interface ChangeSqlRow {
  id: number
  uid: string
  group_key: string
  at: number
  from_state: WatchState
  to_state: WatchState
  value: number | null
  reason: string | null
  slug: string
}

const toChange = (row: ChangeSqlRow): ChangeRecord & { slug: string } => ({
  id: row.id,
  uid: row.uid,
  key: toKey(row.group_key),
  at: row.at,
  from: row.from_state,
  to: row.to_state,
  value: row.value,
  reason: row.reason,
  slug: row.slug,
})

const selectChanges = 'SELECT c.*, watch.slug FROM watch_change c JOIN watch ON watch.id = c.watch_id'

/** Changes of state, newest first; of one watch or of all. */
export function listChanges(
  reader: Reader,
  { watchId, limit }: { watchId?: number; limit: number },
): (ChangeRecord & { slug: string })[] {
  const where = watchId === undefined ? '' : 'WHERE c.watch_id = @watch'
  const rows = reader
    .prepare(`${selectChanges} ${where} ORDER BY c.id DESC LIMIT @limit`)
    .all({ ...(watchId === undefined ? {} : { watch: watchId }), limit }) as ChangeSqlRow[]
  return rows.map(toChange)
}

/** The oldest change that was not delivered to a receiver yet. */
export interface DueDelivery {
  receiverId: number
  tries: number
  change: ChangeRecord & { slug: string }
}

/** The first change in the queue of each receiver, if it may be sent now and no other one is being sent to it. */
export function listDueDeliveries(reader: Reader, now: number): DueDelivery[] {
  const rows = reader
    .prepare(
      `SELECT c.*, watch.slug, d.receiver_id, d.tries FROM watch_delivery d
         JOIN watch_change c ON c.id = d.change_id JOIN watch ON watch.id = c.watch_id
       WHERE d.next_at <= ? AND d.change_id = (SELECT min(change_id) FROM watch_delivery o WHERE o.receiver_id = d.receiver_id)
       ORDER BY c.id`,
    )
    .all(now) as (ChangeSqlRow & { receiver_id: number; tries: number })[]
  return rows.map((row) => ({ receiverId: row.receiver_id, tries: row.tries, change: toChange(row) }))
}

export function finishDelivery(writer: Writer, { receiverId, change }: DueDelivery): void {
  writer.run(deliveryOf(receiverId, change.id))
  writer.run(db.updateTable('watch_receiver').set({ last_failure: null }).where('id', '=', receiverId))
}

/** Abandons the delivery of a change to a receiver. */
export function dropDelivery(writer: Writer, { receiverId, change }: DueDelivery, failure: string): void {
  writer.run(deliveryOf(receiverId, change.id))
  writer.run(
    db
      .updateTable('watch_receiver')
      .set((eb) => ({ last_failure: toSafeText(failure, 'definition'), dropped: eb('dropped', '+', 1) }))
      .where('id', '=', receiverId),
  )
}

export function postponeDelivery(
  writer: Writer,
  { receiverId, change, tries }: DueDelivery,
  { nextAt, failure }: { nextAt: number; failure: string },
): void {
  writer.run(
    db
      .updateTable('watch_delivery')
      .set({ tries: tries + 1, next_at: nextAt })
      .where('receiver_id', '=', receiverId)
      .where('change_id', '=', change.id),
  )
  const last_failure: SafeText = toSafeText(failure, 'definition')
  writer.run(db.updateTable('watch_receiver').set({ last_failure }).where('id', '=', receiverId))
}

const deliveryOf = (receiverId: number, changeId: number) =>
  db.deleteFrom('watch_delivery').where('receiver_id', '=', receiverId).where('change_id', '=', changeId)

/** The undelivered changes of a receiver of a watch. */
export interface ReceiverQueue {
  receiverId: number
  pending: number
  dropped: number
  lastFailure: SafeText | null
}

export function listQueues(reader: Reader, watchId: number): ReceiverQueue[] {
  return reader
    .prepare(
      `SELECT id AS receiverId, dropped, last_failure AS lastFailure,
         (SELECT count(*) FROM watch_delivery WHERE receiver_id = watch_receiver.id) AS pending
       FROM watch_receiver WHERE watch_id = ? ORDER BY ordinal`,
    )
    .all(watchId) as ReceiverQueue[]
}
