import { internalText, type SafeText } from '../kernel/safe-text.ts'
import type { Reader, Writer } from '../store/store.ts'
import { KEPT_LOG_ROWS, markLogReset } from './log.store.ts'

/** An import whose findings are being stored and are not yet visible. */
export interface PendingImport {
  id: number
  sourceId: number
  /** New findings and assets have at least these ids. */
  firstFinding: number
  firstAsset: number
  /** Whether the change log gets each change when the import is published. */
  isFollowed: boolean
}

/** Maximum number of changed assets in the change log; with more, its followers rebuild. */
const MAX_LOGGED_ASSETS = 15_000

interface PendingSqlRow {
  id: number
  uid: string
  source_id: number
  first_finding: number
  first_asset: number
  is_followed: number
  suppressions: string
}

const toPending = (row: PendingSqlRow): PendingImport => ({
  id: row.id,
  sourceId: row.source_id,
  firstFinding: row.first_finding,
  firstAsset: row.first_asset,
  isFollowed: row.is_followed === 1,
})

const listSuppressionIds = (reader: Reader): string =>
  JSON.stringify(reader.prepare('SELECT id FROM suppression ORDER BY id').pluck().all())

/** Opens or resumes the pending import of a scan; undefined while the source has another one. */
export function openPendingImport(
  writer: Writer,
  { sourceId, uid, isFollowed }: { sourceId: number; uid: string; isFollowed: boolean },
): PendingImport | undefined {
  const row = writer.prepare('SELECT * FROM pending_import WHERE source_id = ?').get(sourceId)
  const found = row as PendingSqlRow | undefined
  if (found !== undefined) return found.uid === uid ? toPending(found) : undefined
  const inserted = writer
    .prepare(
      `INSERT INTO pending_import (source_id, uid, is_followed, suppressions, first_finding, first_asset, first_combo)
       SELECT @source_id, @uid, @is_followed, @suppressions,
         1 + max(coalesce((SELECT CAST(value AS BIGINT) FROM install WHERE name = 'last_finding_id'), 0),
           coalesce((SELECT max(id) FROM finding), 0)),
         1 + coalesce((SELECT max(id) FROM asset), 0), 1 + coalesce((SELECT max(id) FROM combo), 0)
       RETURNING *`,
    )
    .write({
      source_id: sourceId,
      uid: internalText(uid),
      is_followed: isFollowed ? 1 : 0,
      suppressions: internalText(listSuppressionIds(writer)),
    })
  return toPending(inserted as PendingSqlRow)
}

/** Ids of pending imports whose scans are over, so that what they stored must be undone. */
export function listAbandonedImports(reader: Reader): number[] {
  return reader
    .prepare(
      `SELECT id FROM pending_import
       WHERE uid NOT IN (SELECT uid FROM scan WHERE status IN ('QUEUED', 'RUNNING'))`,
    )
    .pluck()
    .all() as number[]
}

const markChanging = 'UPDATE pending_import SET has_earlier = 1 WHERE id = ? AND has_earlier = 0'
const holdFindingRow = `INSERT INTO earlier_finding (import_id, finding_id, combo_id, conf_q, last_detected_at, resolved_at,
    location, excerpt, value_fp, last_seq, last_at)
  SELECT ?, f.id, f.combo_id, f.conf_q, f.last_detected_at, f.resolved_at, f.location, f.excerpt, f.value_fp,
    coalesce(s.seq, 0), s.at
  FROM finding f LEFT JOIN status_change s ON s.finding_id = f.id
    AND s.seq = (SELECT max(seq) FROM status_change WHERE finding_id = f.id)
  WHERE f.id = ? ON CONFLICT DO NOTHING`
const heldAssetColumns = `kind_id, container_id, owner_id, labels_id, name, url, content_updated_at, last_seen_at,
  last_scanned_at`
const holdAssetRow = `INSERT INTO earlier_asset (import_id, asset_id, ${heldAssetColumns})
  SELECT ?, id, ${heldAssetColumns} FROM asset WHERE id = ? ON CONFLICT DO NOTHING`

/** Saves what readers see of a finding, before its import changes it. */
export function saveEarlierFinding(writer: Writer, { id }: PendingImport, findingId: number): void {
  writer.prepare(holdFindingRow).run(id, findingId)
  writer.prepare(markChanging).run(id)
}

/** Saves what readers see of an asset, before its import changes it. */
export function saveEarlierAsset(writer: Writer, { id, firstAsset }: PendingImport, assetId: number): void {
  if (assetId >= firstAsset) return
  writer.prepare(holdAssetRow).run(id, assetId)
  writer.prepare(markChanging).run(id)
}

/** Whether readers see an earlier state of a stored finding, or do not see it, until an import is published. */
export function isHeld(reader: Reader, { id, firstFinding }: PendingImport, findingId: number): boolean {
  if (findingId >= firstFinding) return true
  return reader.prepare(`SELECT 1 ${heldFinding}`).get(id, findingId) !== undefined
}

const heldFinding = 'FROM earlier_finding WHERE import_id = ? AND finding_id = ?'

/** The elements of two JSON arrays, both texts without spaces around them. */
const joinLists = (first: string, second: string) =>
  `CASE WHEN ${first} = '[]' THEN ${second} WHEN ${second} = '[]' THEN ${first}
    ELSE substr(${first}, 1, length(${first}) - 1) || ',' || substr(${second}, 2) END`

/** Records a line that changed a held finding, in case the finding is changed before the import is published. */
export function keepLine(writer: Writer, { id }: PendingImport, findingId: number, line: SafeText): void {
  writer
    .prepare(
      `UPDATE earlier_finding SET lines = ${joinLists('lines', 'CAST(@list AS TEXT)')} WHERE import_id = @id AND finding_id = @finding`,
    )
    .run({ list: internalText(`[${line}]`), id, finding: findingId })
}

/** Has a row if a pending import has changed findings that existed before it. */
export const heldFindings = 'SELECT 1 FROM pending_import WHERE has_earlier = 1'

/**
 * Undoes the changes of a pending import to a finding that is about to be changed by another write; its lines are
 * reapplied before the import is published.
 */
export function releaseFinding(writer: Writer, findingId: number): void {
  const held = writer
    .prepare(
      `SELECT p.id, e.lines FROM pending_import p CROSS JOIN earlier_finding e
       ON e.import_id = p.id AND e.finding_id = ?`,
    )
    .get(findingId) as { id: number; lines: SafeText } | undefined
  if (held === undefined) return
  restoreFinding(writer, held.id, findingId)
  deferLines(writer, held.id, findingId, held.lines)
  // The log of the import no longer matches the finding.
  writer.prepare('UPDATE pending_import SET is_followed = 0 WHERE id = ?').run(held.id)
}

function deferLines(writer: Writer, importId: number, findingId: number, lines: SafeText): void {
  writer
    .prepare(
      `INSERT INTO pending_change (import_id, finding_id, lines) VALUES (?, ?, ?)
       ON CONFLICT (import_id, finding_id) DO UPDATE SET lines = ${joinLists('pending_change.lines', 'excluded.lines')}`,
    )
    .run(importId, findingId, lines)
}

const restored = 'combo_id, conf_q, last_detected_at, resolved_at, location, excerpt, value_fp'

function restoreFinding(writer: Writer, importId: number, findingId: number): void {
  const key = [importId, findingId]
  const moveCount = (by: 1 | -1) =>
    writer
      .prepare('UPDATE main.combo SET held = held + ? WHERE id = (SELECT combo_id FROM main.finding WHERE id = ?)')
      .run(by, findingId)
  moveCount(-1)
  writer
    .prepare(`UPDATE main.finding SET (${restored}) = (SELECT ${restored} ${heldFinding}) WHERE id = ?`)
    .run(...key, findingId)
  moveCount(1)
  writer
    .prepare(`DELETE FROM main.status_change WHERE finding_id = ? AND seq > (SELECT last_seq ${heldFinding})`)
    .run(findingId, ...key)
  writer
    .prepare(
      `UPDATE main.status_change SET at = (SELECT last_at ${heldFinding})
       WHERE finding_id = ? AND seq = (SELECT last_seq ${heldFinding}) AND at <> (SELECT last_at ${heldFinding})`,
    )
    .run(...key, findingId, ...key, ...key)
  writer.prepare(`DELETE ${heldFinding}`).run(...key)
  writer
    .prepare(
      `DELETE FROM main.expiry WHERE finding_id = ? AND finding_id NOT IN (SELECT f.id FROM main.finding f
         JOIN main.combo k ON k.id = f.combo_id AND k.status IN (2, 3) WHERE f.id = main.expiry.finding_id)`,
    )
    .run(findingId)
}

export interface DeferredLines {
  findingId: number
  /** The lines recorded by `keepLine` and `deferLine`. */
  lines: unknown[]
}

/** Removes and returns lines about findings that were changed after the lines were applied. */
export function takeDeferredLines(writer: Writer, { id }: PendingImport, limit: number): DeferredLines[] {
  const rows = writer
    .prepare(
      `DELETE FROM pending_change WHERE import_id = @id AND finding_id IN
         (SELECT finding_id FROM pending_change WHERE import_id = @id ORDER BY finding_id LIMIT @limit)
       RETURNING finding_id AS findingId, lines`,
    )
    .all({ id, limit }) as { findingId: number; lines: string }[]
  return rows.map(({ findingId, lines }) => ({ findingId, lines: JSON.parse(lines) as unknown[] }))
}

/** Appends a line to those deferred for the same finding; false if there are none. */
export function deferLine(writer: Writer, { id }: PendingImport, findingId: number, line: SafeText): boolean {
  const waiting = 'SELECT 1 FROM pending_change WHERE import_id = ? AND finding_id = ?'
  if (writer.prepare(waiting).get(id, findingId) === undefined) return false
  deferLines(writer, id, findingId, internalText(`[${line}]`))
  return true
}

export const hasDeferredLines = (reader: Reader, { id }: PendingImport): boolean =>
  reader.prepare('SELECT 1 FROM pending_change WHERE import_id = ? LIMIT 1').get(id) !== undefined

/**
 * Suppressions created or deleted since they were applied to the findings of an import; undefined if there are none.
 */
export function findSuppressionChanges(
  reader: Reader,
  { id }: PendingImport,
): { added: number[]; removed: number[]; present: string } | undefined {
  const known = reader.prepare('SELECT suppressions FROM pending_import WHERE id = ?').pluck().get(id)
  const present = listSuppressionIds(reader)
  if (known === present) return undefined
  const [before, after] = [String(known), present].map((ids) => JSON.parse(ids) as number[]) as [number[], number[]]
  return {
    added: after.filter((one) => !before.includes(one)),
    removed: before.filter((one) => !after.includes(one)),
    present,
  }
}

export function saveSuppressions(writer: Writer, { id }: PendingImport, present: string): void {
  writer.prepare('UPDATE pending_import SET suppressions = ? WHERE id = ?').run(internalText(present), id)
}

/** Makes everything that a pending import has stored visible when this transaction is committed. */
export function publishImport(writer: Writer, { id, sourceId, firstAsset }: PendingImport, at: number): void {
  writer.prepare('UPDATE main.combo SET n = n + held, held = 0 WHERE source_id = ? AND held <> 0').run(sourceId)
  const changedAssets = `SELECT id FROM main.asset WHERE source_id = @source_id AND id >= @first_asset
    UNION ALL SELECT asset_id FROM earlier_asset WHERE import_id = @id`
  const parameters = { id, source_id: sourceId, first_asset: firstAsset }
  const assets = writer.prepare(`SELECT count(*) FROM (${changedAssets}) changed`).pluck().get(parameters) as number
  const isFollowed = writer.prepare('SELECT is_followed FROM pending_import WHERE id = ?').pluck().get(id) === 1
  if (isFollowed && assets <= MAX_LOGGED_ASSETS) {
    writer
      .prepare(`INSERT INTO asset_log (asset_id) SELECT id FROM (${changedAssets}) changed ORDER BY id`)
      .run(parameters)
    writer
      .prepare(
        'INSERT INTO facet_log (at, n, delta) SELECT CAST(? AS BIGINT), n, delta FROM pending_log WHERE import_id = ? ORDER BY ordinal',
      )
      .run(at, id)
    writer.prepare('DELETE FROM facet_log WHERE seq <= (SELECT max(seq) FROM facet_log) - ?').run(KEPT_LOG_ROWS)
  } else {
    markLogReset(writer, at)
  }
  endPending(writer, id)
}

/** Ends the pending import of a source that is no longer visible. */
export function dropPendingImport(writer: Writer, sourceId: number): void {
  writer.prepare('UPDATE main.combo SET n = n + held, held = 0 WHERE source_id = ? AND held <> 0').run(sourceId)
  const id = writer.prepare('SELECT id FROM pending_import WHERE source_id = ?').pluck().get(sourceId)
  if (id !== undefined) endPending(writer, Number(id))
}

function endPending(writer: Writer, id: number): void {
  writer.prepare('INSERT INTO finished_import (id) VALUES (?)').run(id)
  writer.prepare('DELETE FROM pending_import WHERE id = ?').run(id)
}

/** Undoes up to `limit` rows that a pending import has stored; false if nothing is left. */
export function undoSome(writer: Writer, id: number, limit: number): boolean {
  const row = writer.prepare('SELECT * FROM pending_import WHERE id = ?').get(id)
  if (row === undefined) return false
  const { sourceId, firstFinding, firstAsset } = toPending(row as PendingSqlRow)
  const held = writer.prepare('SELECT finding_id FROM earlier_finding WHERE import_id = ? LIMIT ?').pluck()
  const findings = held.all(id, limit) as number[]
  for (const findingId of findings) restoreFinding(writer, id, findingId)
  if (findings.length > 0) return true
  if (restoreAssets(writer, id, limit)) return true
  const dropped = writer
    .prepare(
      `DELETE FROM main.finding WHERE id IN (SELECT id FROM finding WHERE id >= ? AND combo_id IN
         (SELECT id FROM combo WHERE source_id = ?) ORDER BY id LIMIT ?)`,
    )
    .run(firstFinding, sourceId, limit)
  if (dropped.changes > 0) return true
  const removed = writer
    .prepare('DELETE FROM main.asset WHERE id IN (SELECT id FROM asset WHERE source_id = ? AND id >= ? LIMIT ?)')
    .run(sourceId, firstAsset, limit)
  if (removed.changes > 0) return true
  writer.prepare('UPDATE main.combo SET held = 0 WHERE source_id = ? AND held <> 0').run(sourceId)
  endPending(writer, id)
  return false
}

function restoreAssets(writer: Writer, importId: number, limit: number): boolean {
  const ids = writer
    .prepare('SELECT asset_id FROM earlier_asset WHERE import_id = ? LIMIT ?')
    .pluck()
    .all(importId, limit) as number[]
  const columns = heldAssetColumns
  const earlier = 'FROM earlier_asset WHERE import_id = ? AND asset_id = ?'
  const restore = writer.prepare(`UPDATE main.asset SET (${columns}) = (SELECT ${columns} ${earlier}) WHERE id = ?`)
  const drop = writer.prepare(`DELETE ${earlier}`)
  for (const assetId of ids) {
    restore.run(importId, assetId, assetId)
    drop.run(importId, assetId)
  }
  return ids.length > 0
}

/** Deletes up to `limit` rows that were kept for imports that are over; false if nothing is left. */
export function deleteSomeEarlierRows(writer: Writer, limit: number): boolean {
  const id = writer.prepare('SELECT id FROM finished_import LIMIT 1').pluck().get()
  if (id === undefined) return false
  for (const [table, key] of kept) {
    const { changes } = writer
      .prepare(
        `DELETE FROM ${table} WHERE import_id = @id AND ${key} IN
           (SELECT ${key} FROM ${table} WHERE import_id = @id ORDER BY ${key} LIMIT @limit)`,
      )
      .run({ id, limit })
    if (changes > 0) return true
  }
  writer.prepare('DELETE FROM finished_import WHERE id = ?').run(id)
  return true
}

const kept = [
  ['earlier_finding', 'finding_id'],
  ['earlier_asset', 'asset_id'],
  ['pending_change', 'finding_id'],
  ['pending_log', 'ordinal'],
] as const

export const hasKept = (reader: Reader): boolean =>
  reader.prepare('SELECT 1 FROM finished_import LIMIT 1').get() !== undefined

/** Whether an import is stored in part and not visible yet. */
export function hasPendingImport(reader: Reader): boolean {
  return reader.prepare('SELECT 1 FROM pending_import LIMIT 1').get() !== undefined
}
