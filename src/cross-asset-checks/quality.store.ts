import type { Reader } from '../store/store.ts'

/** An asset with the columns by which its quality is judged. */
export interface JudgedAsset {
  id: number
  key: string
  kind: string
  name: string
  scopeKey: string
  contentUpdatedAt: number | null
  owner: string | null
  facts: Record<string, unknown>
}

interface JudgedSqlRow extends Omit<JudgedAsset, 'facts'> {
  facts: string | null
}

/** The active assets that a scan saw, by id, after `afterId`; the unary plus makes SQLite iterate by id. */
export function listJudgedAssets(
  reader: Reader,
  seen: { sourceId: number; scanId: number; afterId: number; limit: number },
): JudgedAsset[] {
  const rows = reader
    .prepare(
      `SELECT a.id, a.key, w.text AS kind, a.name, a.scope_key AS scopeKey,
         a.content_updated_at AS contentUpdatedAt, nullif(owner.text, '') AS owner, a.facts
       FROM asset a JOIN word w ON w.id = a.kind_id JOIN word owner ON owner.id = a.owner_id
       WHERE a.id > @after AND +a.source_id = @source_id AND a.status = 'ACTIVE' AND a.seen_scan_id = @scan_id
       ORDER BY a.id LIMIT @limit`,
    )
    .all({ after: seen.afterId, source_id: seen.sourceId, scan_id: seen.scanId, limit: seen.limit })
  return (rows as JudgedSqlRow[]).map((row) => ({
    ...row,
    facts: row.facts === null ? {} : (JSON.parse(row.facts) as Record<string, unknown>),
  }))
}

/**
 * Counts pages and files below an asset, and pages that refer to it; the unary plus makes SQLite start from the links.
 */
export function countRelated(
  reader: Reader,
  { sourceId, assetId, key }: { sourceId: number; assetId: number; key: string },
): { below: number; inbound: number } {
  const row = reader
    .prepare(
      `SELECT count(DISTINCT CASE WHEN l.type IN ('child_of', 'attached_to') THEN a.id END) AS below,
         count(DISTINCT CASE WHEN l.type = 'references' THEN a.id END) AS inbound
       FROM asset_link l JOIN asset a ON a.id = l.asset_id
       WHERE l.target_key = ? AND +a.source_id = ? AND a.status = 'ACTIVE' AND a.id <> ?`,
    )
    .get(key, sourceId, assetId)
  return row as { below: number; inbound: number }
}

export function findNamed(reader: Reader, assetId: number): { key: string; name: string } | undefined {
  const row = reader.prepare('SELECT key, name FROM asset WHERE id = ?').get(assetId)
  return row as { key: string; name: string } | undefined
}
