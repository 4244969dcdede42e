import { presenceCodes, statusCodes } from '../store/schema.ts'
import type { Reader, Writer } from '../store/store.ts'
import { hasFindings, holderKey, type MissingAsset } from './missing-assets.store.ts'

/** An asset whose earlier versions are to be read. */
export interface HistoryAsset {
  id: number
  key: string
  kind: string
  name: string
  url: string
  lastScannedAt: number | null
  /** The newest of its earlier versions that was read for findings of its own. */
  version: number
}

const isSought = `EXISTS (SELECT 1 FROM finding f JOIN combo c ON c.id = f.combo_id
  WHERE f.asset_id = a.id AND c.status <> ${statusCodes.RESOLVED} AND c.presence IN
    (${presenceCodes.history}, ${presenceCodes.unknown}))`

/**
 * Assets that a scan saw and whose earlier versions were not read since their content was; with `readBefore` also those read before
 * it whose findings vanished; `every`: whether or not findings of them vanished. In the order of their ids after `after`.
 */
export function listHistoryAssets(
  reader: Reader,
  { scanId, ...request }: { scanId: number; sourceId: number; every: boolean; readBefore: number; after: number },
): HistoryAsset[] {
  return reader
    .prepare(
      `SELECT a.id, a.key, k.text AS kind, a.name, a.url, a.last_scanned_at AS lastScannedAt, a.history_version AS version
       FROM asset a JOIN word k ON k.id = a.kind_id
       WHERE a.source_id = @source_id AND a.id > @after AND a.status = 'ACTIVE' AND a.seen_scan_id = @scan_id
         AND ((a.history_read_at IS NULL AND (@every = 1 OR ${isSought}))
           OR (a.history_read_at < @read_before AND ${isSought}))
       ORDER BY a.id LIMIT 200`,
    )
    .all({
      scan_id: scanId,
      source_id: request.sourceId,
      every: Number(request.every),
      read_before: request.readBefore,
      after: request.after,
    }) as HistoryAsset[]
}

/** A finding that vanished from the present version of its item. */
export interface SoughtFinding {
  id: number
  fp: number
  valueFp: number | null
  detectorType: string
  /** Whether an earlier version had it when it was last looked for. */
  wasFound: number
}

export function listSought(reader: Reader, assetId: number): SoughtFinding[] {
  return reader
    .prepare(
      `SELECT f.id, f.fp, f.value_fp AS "valueFp", d.text AS "detectorType",
         CASE WHEN c.presence = ${presenceCodes.history} THEN 1 ELSE 0 END AS "wasFound"
       FROM finding f JOIN combo c ON c.id = f.combo_id JOIN word d ON d.id = c.detector_id
       WHERE f.asset_id = ? AND c.status <> ${statusCodes.RESOLVED}
         AND c.presence IN (${presenceCodes.history}, ${presenceCodes.unknown}) ORDER BY f.id`,
    )
    .all(assetId) as SoughtFinding[]
}

export function markHistoryRead(writer: Writer, assetId: number, { at, version }: { at: number; version: number }) {
  writer
    .prepare(
      'UPDATE main.asset SET history_read_at = ?, history_version = max(history_version, CAST(? AS BIGINT)) WHERE id = ?',
    )
    .run(at, version, assetId)
}

/** Assets that are no longer listed and have findings that the trash had, or may have. */
export function listTrashed(
  reader: Reader,
  sourceId: number,
): Pick<MissingAsset, 'id' | 'key' | 'lastScannedAt' | 'holderKey'>[] {
  return reader
    .prepare(
      `SELECT a.id, a.key, a.last_scanned_at AS "lastScannedAt", ${holderKey} AS "holderKey" FROM asset a
       WHERE a.source_id = ? AND a.status = 'DELETED' AND ${hasFindings}
       ORDER BY a.id`,
    )
    .all(sourceId) as MissingAsset[]
}

/** Makes the next scan of a source read the earlier versions of its assets again. */
export function forgetHistory(writer: Writer, sourceId: number): void {
  writer.prepare('UPDATE main.asset SET history_read_at = NULL, history_version = 0 WHERE source_id = ?').run(sourceId)
}
