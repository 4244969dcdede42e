import { db } from '../store/builder.ts'
import type { Reader, Writer } from '../store/store.ts'

/** Assets that could not be listed in a scan, though they may be there: their absence counts for nothing. */
export function excuseAssets(writer: Writer, sourceId: number, keys: readonly string[], scanId: number): void {
  const update = writer.prepare('UPDATE main.asset SET seen_scan_id = ? WHERE source_id = ? AND key = ?')
  for (const key of keys) update.run(scanId, sourceId, key)
}

export interface MissingAsset {
  id: number
  key: string
  /** In how many complete scans before this one it was absent. */
  missedBefore: number
  lastScannedAt: number | null
}

/** The active assets of a scope that a scan did not list. */
export function listMissing(reader: Reader, sourceId: number, scopeKey: string, scanId: number): MissingAsset[] {
  return reader
    .prepare(
      `SELECT id, key, last_scanned_at AS lastScannedAt,
         missed - CASE WHEN missed_scan_id = @scan_id THEN 1 ELSE 0 END AS missedBefore
       FROM asset
       WHERE source_id = @source_id AND scope_key = @scope_key AND status = 'ACTIVE'
         AND (seen_scan_id IS NULL OR seen_scan_id <> @scan_id)
       ORDER BY id`,
    )
    .all({ source_id: sourceId, scope_key: scopeKey, scan_id: scanId }) as MissingAsset[]
}

export function countActive(reader: Reader, sourceId: number, scopeKey: string): number {
  const row = reader
    .prepare(`SELECT count(*) AS n FROM asset WHERE source_id = ? AND scope_key = ? AND status = 'ACTIVE'`)
    .get(sourceId, scopeKey) as { n: number }
  return row.n
}

/** Scopes that hold active assets of a source. */
export function listAssetScopes(reader: Reader, sourceId: number): string[] {
  return reader
    .all(
      db
        .selectFrom('asset')
        .select('scope_key')
        .distinct()
        .where('source_id', '=', sourceId)
        .where('status', '=', 'ACTIVE'),
    )
    .map((row) => row.scope_key)
}

/** Counts an asset as absent from a complete scan, once for each scan. */
export function markMissed(writer: Writer, assetId: number, scanId: number): void {
  writer
    .prepare(
      `UPDATE main.asset SET missed = missed + 1, missed_scan_id = @scan_id
       WHERE id = @id AND (missed_scan_id IS NULL OR missed_scan_id <> @scan_id)`,
    )
    .run({ id: assetId, scan_id: scanId })
}

export function markDeleted(writer: Writer, assetId: number, at: number): void {
  writer
    .prepare(`UPDATE main.asset SET status = 'DELETED', deleted_at = ?, missed = 0, detectors_hash = NULL WHERE id = ?`)
    .run(at, assetId)
}

/** Keys of what is listed through an asset: its comments, its attachments, what it contains or links to. */
export function listDependants(reader: Reader, sourceId: number, key: string): string[] {
  const rows = reader
    .prepare(
      `SELECT a.key FROM asset_link l JOIN asset a ON a.id = l.asset_id
       WHERE l.target_key = @key AND l.type IN ('attached_to', 'comments_on') AND +a.source_id = @source_id
       UNION
       SELECT l.target_key FROM asset p JOIN asset_link l ON l.asset_id = p.id
       WHERE p.source_id = @source_id AND p.key = @key AND l.target_key IS NOT NULL`,
    )
    .all({ key, source_id: sourceId }) as { key: string }[]
  return rows.map((row) => row.key)
}
