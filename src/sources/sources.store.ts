import type { ExpressionBuilder, Selectable } from 'kysely'
import { toSafeJson, toSafeText } from '../detectors/safe-text.ts'
import { markLogReset } from '../findings/log.store.ts'
import { notFound } from '../kernel/errors.ts'
import { quote } from '../kernel/shown.ts'
import { closest } from '../kernel/suggest.ts'
import { db } from '../store/builder.ts'
import type { SourceRow } from '../store/schema.ts'
import type { Reader, Writer } from '../store/store.ts'
import type { CoverageView, HistoryMode, SourceRecord } from './model.ts'

function toRecord(row: Selectable<SourceRow>): SourceRecord {
  return {
    id: row.id,
    uid: row.uid,
    name: row.name,
    type: row.type,
    config: JSON.parse(row.config),
    history: row.history,
    coverage: row.coverage === null ? undefined : JSON.parse(row.coverage),
    secrets: JSON.parse(row.secrets),
    tenantId: row.tenant_id,
    lastCompletedScanAt: row.last_completed_scan_at,
    nextRunAt: row.next_run_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

const sources = () => db.selectFrom('source').selectAll().where('deleted_at', 'is', null)

export function listSources(reader: Reader): SourceRecord[] {
  return reader.all(sources().orderBy('name').orderBy('id')).map(toRecord)
}

/** Finds a source by its id, else by its name, regardless of case. */
export function findSource(reader: Reader, ref: string): SourceRecord | undefined {
  const byId = reader.first(sources().where('uid', '=', ref.toLowerCase()))
  if (byId !== undefined) return toRecord(byId)
  const wanted = ref.trim().toLowerCase()
  return listSources(reader).find((source) => source.name.toLowerCase() === wanted)
}

/** @throws AppError `not_found` with the closest names. */
export function getSource(reader: Reader, ref: string): SourceRecord {
  const found = findSource(reader, ref)
  if (found !== undefined) return found
  const suggestions = closest(ref, listSources(reader), (source) => source.name).map(({ name }) => ({
    value: name,
    kind: 'source',
  }))
  throw notFound(`There is no source ${quote(ref)}; list_sources lists them all.`, { suggestions })
}

export function findSourceById(reader: Reader, id: number): SourceRecord | undefined {
  const row = reader.first(sources().where('id', '=', id))
  return row === undefined ? undefined : toRecord(row)
}

export type SourceDraft = Pick<SourceRecord, 'uid' | 'name' | 'type' | 'config' | 'secrets' | 'nextRunAt'> & {
  history?: HistoryMode | undefined
}

export function insertSource(writer: Writer, draft: SourceDraft, at: number): number {
  return writer.insert(
    db
      .insertInto('source')
      .values({
        uid: draft.uid,
        name: toSafeText(draft.name, 'definition'),
        type: toSafeText(draft.type, 'key'),
        config: toSafeJson(draft.config, 'definition'),
        ...(draft.history === undefined ? {} : { history: draft.history }),
        secrets: JSON.stringify(draft.secrets),
        tenant_id: null,
        last_completed_scan_at: null,
        schedule_enabled: draft.nextRunAt === null ? 0 : 1,
        next_run_at: draft.nextRunAt,
        created_at: at,
        updated_at: at,
      })
      .returning('id'),
  )
}

export function updateSource(
  writer: Writer,
  id: number,
  draft: Pick<SourceDraft, 'name' | 'config' | 'secrets' | 'nextRunAt' | 'history'> & { tenantId: string | null },
  at: number,
): void {
  writer.run(
    db
      .updateTable('source')
      .set({
        name: toSafeText(draft.name, 'definition'),
        config: toSafeJson(draft.config, 'definition'),
        ...(draft.history === undefined ? {} : { history: draft.history }),
        secrets: JSON.stringify(draft.secrets),
        tenant_id: draft.tenantId,
        schedule_enabled: draft.nextRunAt === null ? 0 : 1,
        next_run_at: draft.nextRunAt,
        updated_at: at,
      })
      .where('id', '=', id),
  )
}

export function rememberTenant(writer: Writer, id: number, tenantId: string): void {
  writer.run(db.updateTable('source').set({ tenant_id: tenantId }).where('id', '=', id).where('tenant_id', 'is', null))
}

export function setNextRun(writer: Writer, id: number, nextRunAt: number | null): void {
  writer.run(
    db
      .updateTable('source')
      .set({ next_run_at: nextRunAt, schedule_enabled: nextRunAt === null ? 0 : 1 })
      .where('id', '=', id),
  )
}

/** Records that a scan of a source is complete; unless it is known earlier, the source is observed from `at` on. */
export function setLastCompletedScan(writer: Writer, id: number, at: number): void {
  const observed = ({ fn, val }: ExpressionBuilder<{ source: SourceRow }, 'source'>) =>
    fn.coalesce('observed_from', val(at))
  writer.run(db.updateTable('source').set({ last_completed_scan_at: at, observed_from: observed }).where('id', '=', id))
}

export function saveCoverage(writer: Writer, id: number, coverage: CoverageView): void {
  writer.run(
    db
      .updateTable('source')
      .set({ coverage: toSafeJson(coverage) })
      .where('id', '=', id),
  )
}

/** Records that findings of a source are known from `at` on. */
export function extendObservation(writer: Writer, id: number, at: number): void {
  const isEarlier = db.updateTable('source').set({ observed_from: at }).where('id', '=', id)
  writer.run(isEarlier.where(({ eb, or }) => or([eb('observed_from', 'is', null), eb('observed_from', '>', at)])))
}

/** Sources whose schedule is due. */
export function listDueSources(reader: Reader, now: number): SourceRecord[] {
  return reader
    .all(
      db
        .selectFrom('source')
        .selectAll()
        .where('schedule_enabled', '=', 1)
        .where('next_run_at', '<=', now)
        .orderBy('next_run_at')
        .orderBy('id'),
    )
    .map(toRecord)
}

/** Sources whose next scheduled scan is after `instant` (milliseconds). */
export function listSourcesPlannedAfter(reader: Reader, instant: number): SourceRecord[] {
  return reader
    .all(db.selectFrom('source').selectAll().where('schedule_enabled', '=', 1).where('next_run_at', '>', instant))
    .map(toRecord)
}

/** Hides the source, frees its name and deletes its secrets; its rows are removed later. */
export function markDeleted(writer: Writer, { id, uid }: SourceRecord, at: number): void {
  writer.run(
    db
      .updateTable('source')
      .set({
        name: toSafeText(uid, 'key'),
        secrets: '{}',
        last_completed_scan_at: null,
        observed_from: null,
        schedule_enabled: 0,
        next_run_at: null,
        deleted_at: at,
      })
      .where('id', '=', id),
  )
}

/** Row ids of sources whose deletion has begun and is not complete. */
export function listDeleted(reader: Reader): number[] {
  return reader.all(db.selectFrom('source').select('id').where('deleted_at', 'is not', null)).map(({ id }) => id)
}

/** Deletes the row of a source whose deletion has begun; any other is left. */
export function removeSource(writer: Writer, id: number, at: number): void {
  writer.run(db.deleteFrom('source').where('id', '=', id).where('deleted_at', 'is not', null))
  markLogReset(writer, at)
}
