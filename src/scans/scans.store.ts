import type { Selectable } from 'kysely'
import { toSafeText } from '../detectors/safe-text.ts'
import { notFound } from '../kernel/errors.ts'
import { internalText, ownText, type Safe, stringifySafe } from '../kernel/safe-text.ts'
import { quote } from '../kernel/shown.ts'
import { db } from '../store/builder.ts'
import type { ScanRow } from '../store/schema.ts'
import type { Reader, Writer } from '../store/store.ts'
import type { ScanNote, ScanNoteDraft, ScanProgress, ScanRecord, ScanStatus, Trigger } from './model.ts'

/** Maximum number of notes kept in each list. */
const MAX_NOTES = 200
const MAX_MESSAGE = 2000

const scans = () =>
  db
    .selectFrom('scan')
    .innerJoin('source', (join) => join.onRef('source.id', '=', 'scan.source_id').on('source.deleted_at', 'is', null))
    .selectAll('scan')
    .select(['source.uid as source_uid', 'source.name as source_name'])

type ScanSqlRow = Selectable<ScanRow> & { source_uid: string; source_name: string }

function toRecord(row: ScanSqlRow): ScanRecord {
  return {
    id: row.id,
    uid: row.uid,
    sourceId: row.source_id,
    sourceUid: row.source_uid,
    sourceName: row.source_name,
    status: row.status,
    trigger: row.trigger,
    requestedBy: row.requested_by,
    configHash: row.config_hash,
    scopeHash: row.scope_hash,
    detectorsHash: row.detectors_hash,
    seed: row.seed,
    sampled: row.sampled === 1,
    owner: row.owner,
    token: row.token,
    heartbeatAt: row.heartbeat_at,
    cancelRequested: row.cancel_requested === 1,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    reason: row.reason,
    retryAt: row.retry_at,
    progress: {
      discovered: row.discovered,
      scanned: row.scanned,
      unchanged: row.unchanged,
      findings: { new: row.findings_new, again: row.findings_again, resolved: row.findings_resolved },
    },
    failures: JSON.parse(row.failures),
    warnings: JSON.parse(row.warnings),
  }
}

export function findScan(reader: Reader, uid: string): ScanRecord | undefined {
  const row = reader.first(scans().where('scan.uid', '=', uid))
  return row === undefined ? undefined : toRecord(row)
}

/** @throws AppError `not_found`. */
export function getScan(reader: Reader, uid: string): ScanRecord {
  const scan = findScan(reader, uid)
  if (scan === undefined) throw notFound(`There is no scan ${quote(uid)}; list_scans lists them all.`)
  return scan
}

export function findActiveScan(reader: Reader, sourceId: number): ScanRecord | undefined {
  const row = reader.first(
    scans().where('scan.source_id', '=', sourceId).where('scan.status', 'in', ['QUEUED', 'RUNNING']),
  )
  return row === undefined ? undefined : toRecord(row)
}

export interface ScanPage {
  sourceId?: number | undefined
  status?: ScanStatus | undefined
  limit: number
  /** Row id of the last scan of the previous page. */
  before?: number | undefined
}

/** Newest first. */
export function listScans(reader: Reader, { sourceId, status, limit, before }: ScanPage): ScanRecord[] {
  let query = scans().orderBy('scan.id', 'desc').limit(limit)
  if (sourceId !== undefined) query = query.where('scan.source_id', '=', sourceId)
  if (status !== undefined) query = query.where('scan.status', '=', status)
  if (before !== undefined) query = query.where('scan.id', '<', before)
  return reader.all(query).map(toRecord)
}

export interface ScanDraft {
  /** Default: a new UUID. */
  uid?: string
  sourceId: number
  trigger: Trigger
  requestedBy: string
  configHash: string
  detectorsHash: string
  seed: number
  sampled: boolean
}

export function insertScan(writer: Writer, draft: ScanDraft, at: number): string {
  const { uid = crypto.randomUUID() } = draft
  writer.run(
    db.insertInto('scan').values({
      uid,
      source_id: draft.sourceId,
      status: 'QUEUED',
      trigger: draft.trigger,
      requested_by: toSafeText(draft.requestedBy, 'prose'),
      config_hash: draft.configHash,
      scope_hash: null,
      detectors_hash: draft.detectorsHash,
      seed: draft.seed,
      sampled: draft.sampled ? 1 : 0,
      owner: null,
      heartbeat_at: null,
      created_at: at,
      started_at: null,
      finished_at: null,
      reason: null,
      retry_at: null,
    }),
  )
  return uid
}

/** Claims a scan; from now on only the returned token may write for it. */
export function claimScan(
  writer: Writer,
  scan: ScanRecord,
  { owner, startedAt, heartbeatAt }: { owner: string; startedAt: number; heartbeatAt: number },
): number {
  const token = scan.token + 1
  writer.run(
    db
      .updateTable('scan')
      .set({
        status: 'RUNNING',
        owner,
        token,
        heartbeat_at: heartbeatAt,
        started_at: startedAt,
        finished_at: null,
        reason: null,
        retry_at: null,
      })
      .where('id', '=', scan.id),
  )
  return token
}

/** Restarts a scan with the current settings, because checkpoints of other settings are useless. */
export function restartScan(
  writer: Writer,
  scanId: number,
  present: { configHash: string; scopeHash: string; detectorsHash: string; sampled: boolean },
): void {
  writer.run(db.deleteFrom('scan_scope').where('scan_id', '=', scanId))
  writer.run(
    db
      .updateTable('scan')
      .set({
        config_hash: present.configHash,
        scope_hash: present.scopeHash,
        detectors_hash: present.detectorsHash,
        sampled: present.sampled ? 1 : 0,
        estate_cursor: 0,
        estate_step: '',
      })
      .where('id', '=', scanId),
  )
}

/** Whether `token` still holds the lease of a scan, and whether its cancellation was requested. */
export function checkToken(reader: Reader, scanId: number, token: number): 'mine' | 'cancelled' | 'lost' {
  const row = reader
    .prepare('SELECT status, token, cancel_requested AS cancelled FROM scan WHERE id = ?')
    .get(scanId) as { status: ScanStatus; token: number; cancelled: number } | undefined
  if (row === undefined || row.token !== token || row.status !== 'RUNNING') return 'lost'
  return row.cancelled === 1 ? 'cancelled' : 'mine'
}

export function saveHeartbeat(writer: Writer, scanId: number, token: number, at: number): void {
  writer.prepare('UPDATE scan SET heartbeat_at = ? WHERE id = ? AND token = ?').run(at, scanId, token)
}

/** Releases the lease of a scan, so that any process may claim it at once. */
export function releaseScan(writer: Writer, scanId: number, token: number): void {
  writer.prepare('UPDATE scan SET owner = NULL, heartbeat_at = NULL WHERE id = ? AND token = ?').run(scanId, token)
}

/** Ids of the running scans whose leases an owner holds. */
export function listScansOf(reader: Reader, owner: string): string[] {
  const rows = reader.prepare("SELECT uid FROM scan WHERE status = 'RUNNING' AND owner = ?").all(owner)
  return (rows as { uid: string }[]).map(({ uid }) => uid)
}

/** Releases all leases of an owner that is gone. */
export function releaseScansOf(writer: Writer, owner: string): void {
  writer
    .prepare("UPDATE scan SET owner = NULL, heartbeat_at = NULL WHERE status = 'RUNNING' AND owner = ?")
    .run(internalText(owner))
}

export interface ScanOutcome {
  status: ScanStatus
  reason?: string | undefined
  retryAt?: number | undefined
}

export function finishScan(writer: Writer, scanId: number, { status, reason, retryAt }: ScanOutcome, at: number): void {
  writer.run(
    db
      .updateTable('scan')
      .set({
        status,
        owner: null,
        heartbeat_at: null,
        finished_at: at,
        reason: reason === undefined ? null : toSafeText(reason, 'prose'),
        retry_at: retryAt ?? null,
      })
      .where('id', '=', scanId),
  )
}

/** Deletes all ended scans of a source but the newest `kept`; their findings remain. */
export function dropOldScans(writer: Writer, sourceId: number, kept: number): void {
  writer
    .prepare(
      `DELETE FROM scan WHERE source_id = @source_id AND status NOT IN ('QUEUED', 'RUNNING') AND id <
         coalesce((SELECT id FROM scan WHERE source_id = @source_id ORDER BY id DESC LIMIT 1 OFFSET @kept), 0)`,
    )
    .run({ source_id: sourceId, kept: kept - 1 })
}

/** Puts a parked scan back into the queue. */
export function requeueScan(writer: Writer, scanId: number): void {
  writer.run(
    db
      .updateTable('scan')
      .set({ status: 'QUEUED', finished_at: null, retry_at: null, reason: null, cancel_requested: 0 })
      .where('id', '=', scanId),
  )
}

export function dropRetry(writer: Writer, scanId: number): void {
  writer.run(db.updateTable('scan').set({ retry_at: null }).where('id', '=', scanId))
}

export function requestCancel(writer: Writer, scanId: number): void {
  writer.run(db.updateTable('scan').set({ cancel_requested: 1 }).where('id', '=', scanId))
}

/**
 * Cancels the active scan of a source that is about to be deleted; late writes of its process fail because of the
 * token. Returns the ids of cancelled scans.
 */
export function abandonScans(writer: Writer, sourceId: number, at: number): string[] {
  const active = findActiveScan(writer, sourceId)
  if (active === undefined) return []
  writer.run(
    db
      .updateTable('scan')
      .set({
        status: 'CANCELLED',
        token: active.token + 1,
        owner: null,
        finished_at: at,
        reason: ownText('source_deleted'),
      })
      .where('id', '=', active.id),
  )
  return [active.uid]
}

/** Scans that a process should run: queued ones, and running ones whose lease may be lost. */
export function listOpenScans(reader: Reader): ScanRecord[] {
  return reader.all(scans().where('scan.status', 'in', ['QUEUED', 'RUNNING']).orderBy('scan.id')).map(toRecord)
}

/** Whether a scan exists and is not over. */
export function isOpenScan(reader: Reader, uid: string): boolean {
  const { status } = findScan(reader, uid) ?? {}
  return status === 'QUEUED' || status === 'RUNNING'
}

/** Parked scans whose retry is due. */
export function listDueRetries(reader: Reader, now: number): ScanRecord[] {
  return reader
    .all(scans().where('scan.status', '=', 'PARTIAL').where('scan.retry_at', '<=', now).orderBy('scan.id'))
    .map(toRecord)
}

export function findNewestScan(reader: Reader, sourceId: number): ScanRecord | undefined {
  return listScans(reader, { sourceId, limit: 1 })[0]
}

/** When the last of the earlier scans ended, completed or not. */
export function findPreviousEnd(reader: Reader, sourceId: number, scanId: number): number | undefined {
  const row = reader
    .prepare('SELECT max(finished_at) AS at FROM scan WHERE source_id = ? AND id < ?')
    .get(sourceId, scanId) as { at: number | null }
  return row.at ?? undefined
}

export function addProgress(writer: Writer, scanId: number, progress: ScanProgress): void {
  writer
    .prepare(
      `UPDATE scan SET discovered = discovered + ?, scanned = scanned + ?, unchanged = unchanged + ?,
         findings_new = findings_new + ?, findings_again = findings_again + ?, findings_resolved = findings_resolved + ?
       WHERE id = ?`,
    )
    .run(
      progress.discovered,
      progress.scanned,
      progress.unchanged,
      progress.findings.new,
      progress.findings.again,
      progress.findings.resolved,
      scanId,
    )
}

/** Progress of the cross-asset checks: the current one, and the id of the last asset that it evaluated. */
export function getCheckCursor(reader: Reader, scanId: number): { step: string; assetId: number } {
  const row = reader.prepare('SELECT estate_step AS step, estate_cursor AS assetId FROM scan WHERE id = ?').get(scanId)
  return (row as { step: string; assetId: number } | undefined) ?? { step: '', assetId: 0 }
}

export function saveCheckCursor(writer: Writer, scanId: number, step: string, assetId: number): void {
  writer
    .prepare('UPDATE scan SET estate_step = ?, estate_cursor = ? WHERE id = ?')
    .run(internalText(step), assetId, scanId)
}

function toSafeNote({ code, message, scope, assetKey }: ScanNoteDraft): Safe<ScanNote> {
  return {
    code: toSafeText(code, 'prose'),
    message: toSafeText(message, 'prose', MAX_MESSAGE),
    ...(scope === undefined ? {} : { scope: toSafeText(scope, 'key') }),
    ...(assetKey === undefined ? {} : { assetKey: toSafeText(assetKey, 'key') }),
  }
}

/** Appends to `failures` or `warnings`, except notes that a resumed scan repeats. */
export function addNotes(
  writer: Writer,
  scanId: number,
  list: 'failures' | 'warnings',
  notes: readonly ScanNoteDraft[],
): void {
  if (notes.length === 0) return
  const row = writer.prepare(`SELECT ${list} AS kept FROM scan WHERE id = ?`).get(scanId) as { kept: string }
  const kept = JSON.parse(row.kept) as Safe<ScanNote>[]
  const keyOf = ({ code, scope, assetKey, message }: ScanNote) => JSON.stringify([code, scope, assetKey, message])
  const known = new Set(kept.map(keyOf))
  for (const note of notes.map(toSafeNote)) {
    if (kept.length >= MAX_NOTES) break
    if (known.has(keyOf(note))) continue
    known.add(keyOf(note))
    kept.push(note)
  }
  writer.prepare(`UPDATE scan SET ${list} = ? WHERE id = ?`).run(stringifySafe(kept), scanId)
}
