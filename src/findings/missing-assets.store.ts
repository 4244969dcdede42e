import { db } from '../store/builder.ts'
import { statusCodes } from '../store/schema.ts'
import type { Reader, Writer } from '../store/store.ts'

export interface MissingAsset {
  id: number
  key: string
  /** Number of complete scans in a row, before this one, from which it was absent. */
  missedBefore: number
  /** 1: it has findings that are not resolved. */
  hasFindings: number
  lastScannedAt: number | null
  /** Key of the asset that it is attached to. */
  holderKey: string | null
}

/** The key of the asset that asset `a` is attached to. */
export const holderKey = `(SELECT min(l.target_key) FROM asset_link l WHERE l.asset_id = a.id AND l.type = 'attached_to')`

/** The assets through which an asset is listed, if known. */
const parents = `
  SELECT p.* FROM asset_link l JOIN asset p ON p.source_id = a.source_id AND p.key = l.target_key
  WHERE l.asset_id = a.id AND l.type IN ('attached_to', 'comments_on')
  UNION ALL
  SELECT p.* FROM asset_link l JOIN asset p ON p.id = l.asset_id JOIN word w ON w.id = p.kind_id
  WHERE l.target_key = a.key AND l.type IN ('links_to', 'contains') AND p.source_id = a.source_id
    AND w.text <> 'bi.workspace'`

export const hasFindings = `EXISTS (SELECT 1 FROM finding f JOIN combo c ON c.id = f.combo_id
  WHERE f.asset_id = a.id AND c.status <> ${statusCodes.RESOLVED})`

/**
 * The active assets of a scope that a scan did not list. One that could not be listed is not missing, unless the assets
 * through which it is listed were not seen either; nor is one that is listed through an asset that could not be listed,
 * or through one in a scope that is not `conclusive`, which the scan could not list.
 */
export function listMissing(
  reader: Reader,
  {
    sourceId,
    scopeKey,
    scanId,
    conclusive,
  }: { sourceId: number; scopeKey: string; scanId: number; conclusive: readonly string[] },
): MissingAsset[] {
  return reader
    .prepare(
      `SELECT id, key, last_scanned_at AS "lastScannedAt", ${holderKey} AS "holderKey",
         missed - CASE WHEN missed_scan_id = @scan_id THEN 1 ELSE 0 END AS missedBefore,
         CASE WHEN ${hasFindings} THEN 1 ELSE 0 END AS hasFindings
       FROM asset a
       WHERE source_id = @source_id AND scope_key = @scope_key AND status = 'ACTIVE'
         AND (seen_scan_id IS NULL OR seen_scan_id <> @scan_id)
         AND NOT (
           EXISTS (SELECT 1 FROM unread_section u WHERE u.asset_id = a.id AND u.section = '' AND u.scan_id = @scan_id)
           AND (NOT EXISTS (${parents}) OR @scan_id IN (SELECT seen_scan_id FROM (${parents}) p)))
         AND NOT EXISTS (
           SELECT 1 FROM (${parents}) p JOIN unread_section u ON u.asset_id = p.id
           WHERE u.section = '' AND u.scan_id = @scan_id AND p.seen_scan_id IS DISTINCT FROM @scan_id)
         AND NOT EXISTS (
           SELECT 1 FROM (${parents}) p WHERE p.status = 'ACTIVE' AND p.seen_scan_id IS DISTINCT FROM @scan_id
             AND p.scope_key NOT IN (SELECT value FROM json_each(@conclusive)))
       ORDER BY id`,
    )
    .all({
      source_id: sourceId,
      scope_key: scopeKey,
      scan_id: scanId,
      conclusive: JSON.stringify(conclusive),
    }) as MissingAsset[]
}

export function countActive(reader: Reader, sourceId: number, scopeKey: string): number {
  const row = reader
    .prepare(`SELECT count(*) AS n FROM asset WHERE source_id = ? AND scope_key = ? AND status = 'ACTIVE'`)
    .get(sourceId, scopeKey) as { n: number }
  return row.n
}

/** Scopes with active assets of a source. */
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

/** Makes the next scan that lists an asset read it again, although it is unchanged. */
export function forgetDetection(writer: Writer, assetId: number): void {
  writer.prepare('UPDATE main.asset SET detectors_hash = NULL WHERE id = ?').run(assetId)
}

/** Counts an asset as absent from a complete scan, at most once for each scan. */
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
