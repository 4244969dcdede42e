import { MAX_ADDRESS, toSafeJson, toSafeText } from '../detectors/safe-text.ts'
import type { Reader, Writer } from '../store/store.ts'

/** An asset that may be the target of a link. */
export interface TargetAsset {
  id: number
  key: string
  kind: string
  name: string
  status: 'ACTIVE' | 'DELETED'
  scopeKey: string
  facts: Record<string, unknown>
}

interface TargetSqlRow extends Omit<TargetAsset, 'facts'> {
  facts: string | null
}

const selectTarget = `SELECT a.id, a.key, w.text AS kind, a.name, a.status, a.scope_key AS scopeKey, a.facts
  FROM asset a JOIN word w ON w.id = a.kind_id`

const toTarget = (row: TargetSqlRow): TargetAsset => ({
  ...row,
  facts: row.facts === null ? {} : (JSON.parse(row.facts) as Record<string, unknown>),
})

export function findTarget(reader: Reader, sourceId: number, key: string): TargetAsset | undefined {
  const row = reader.prepare(`${selectTarget} WHERE a.source_id = ? AND a.key = ?`).get(sourceId, key)
  return row === undefined ? undefined : toTarget(row as TargetSqlRow)
}

/** Assets with a name, regardless of case; active ones first. */
export function listTargetsByName(reader: Reader, sourceId: number, name: string): TargetAsset[] {
  const rows = reader
    .prepare(`${selectTarget} WHERE a.source_id = ? AND a.name = ? COLLATE NOCASE ORDER BY a.status, a.id LIMIT 100`)
    .all(sourceId, name)
  return (rows as TargetSqlRow[]).map(toTarget)
}

/** The attachments of an asset; active ones first. */
export function listAttached(reader: Reader, sourceId: number, key: string): TargetAsset[] {
  const rows = reader
    .prepare(
      `${selectTarget} JOIN asset_link l ON l.asset_id = a.id
       WHERE l.target_key = ? AND l.type = 'attached_to' AND +a.source_id = ? ORDER BY a.status, a.id LIMIT 1000`,
    )
    .all(key, sourceId)
  return (rows as TargetSqlRow[]).map(toTarget)
}

/** Assets of one kind, such as all spaces, by a pattern of LIKE for their names. */
export function listTargetsOfKind(reader: Reader, sourceId: number, kind: string, name = '%'): TargetAsset[] {
  const rows = reader
    .prepare(`${selectTarget} WHERE a.source_id = ? AND w.text = ? AND a.name LIKE ? ORDER BY a.id`)
    .all(sourceId, kind, name)
  return (rows as TargetSqlRow[]).map(toTarget)
}

/** An asset whose links are checked. */
export interface LinkingAsset {
  id: number
  key: string
  lastScannedAt: number | null
}

/**
 * The active assets with links or findings that a scan saw, by id, after `afterId`; the unary plus makes SQLite iterate
 * by id.
 */
export function listLinkingAssets(
  reader: Reader,
  seen: { sourceId: number; scanId: number; afterId: number; limit: number },
): LinkingAsset[] {
  return reader
    .prepare(
      `SELECT a.id, a.key, a.last_scanned_at AS lastScannedAt FROM asset a
       WHERE a.id > @after AND +a.source_id = @source_id AND a.status = 'ACTIVE' AND a.seen_scan_id = @scan_id
         AND (EXISTS (SELECT 1 FROM asset_link l WHERE l.asset_id = a.id)
           OR EXISTS (SELECT 1 FROM finding f WHERE f.asset_id = a.id))
       ORDER BY a.id LIMIT @limit`,
    )
    .all({ after: seen.afterId, source_id: seen.sourceId, scan_id: seen.scanId, limit: seen.limit }) as LinkingAsset[]
}

/** External addresses that an asset links to. */
export function listOutwardUrls(reader: Reader, assetId: number): string[] {
  const rows = reader
    .prepare(`SELECT DISTINCT url FROM asset_link WHERE asset_id = ? AND type = 'links_to' AND url IS NOT NULL`)
    .all(assetId) as { url: string }[]
  return rows.map((row) => row.url)
}

/** The cached verdict on an address, unless it has expired. */
export function findLinkCheck<Verdict>(reader: Reader, url: string, now: number): Verdict | undefined {
  const row = reader.prepare('SELECT verdict FROM link_check WHERE url = ? AND expires_at > ?').get(url, now)
  return row === undefined ? undefined : (JSON.parse((row as { verdict: string }).verdict) as Verdict)
}

export function saveLinkChecks(
  writer: Writer,
  checks: readonly { url: string; verdict: unknown; checkedAt: number; expiresAt: number }[],
): void {
  const save = writer.prepare(
    `INSERT INTO link_check (url, verdict, checked_at, expires_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (url) DO UPDATE SET verdict = excluded.verdict, checked_at = excluded.checked_at,
       expires_at = excluded.expires_at`,
  )
  for (const check of checks)
    save.run(toSafeText(check.url, 'key', MAX_ADDRESS), toSafeJson(check.verdict), check.checkedAt, check.expiresAt)
}

export function dropExpiredLinkChecks(writer: Writer, now: number): void {
  writer.prepare('DELETE FROM link_check WHERE expires_at <= ?').run(now)
}
