import type { SafeScope } from '../connectors/safe-session.ts'
import type { SafeText } from '../kernel/safe-text.ts'
import { db } from '../store/builder.ts'
import type { Reader, Writer } from '../store/store.ts'
import type { ScanRecord, ScopeRecord, ScopeState } from './model.ts'

export function listScopes(reader: Reader, scanId: number): ScopeRecord[] {
  return reader.all(
    db
      .selectFrom('scan_scope')
      .select(['key', 'name', 'state', 'cursor', 'discovered', 'scanned', 'unchanged', 'reason'])
      .where('scan_id', '=', scanId)
      .orderBy('name')
      .orderBy('key'),
  )
}

/** Whether a scan has stored anything: one that ends early is partial then, failed otherwise. */
export const hasStoredResults = (reader: Reader, scanId: number): boolean =>
  listScopes(reader, scanId).some(({ scanned, unchanged }) => scanned + unchanged > 0)

/** Scopes that were listed completely, without gaps, even if some of their assets could not be read. */
export function listWholeScopes(reader: Reader, scanId: number): string[] {
  const rows = reader
    .prepare(
      `SELECT key FROM scan_scope WHERE scan_id = ? AND has_gap = 0 AND state IN ('COMPLETE', 'PARTIAL') ORDER BY name, key`,
    )
    .all(scanId) as { key: string }[]
  return rows.map(({ key }) => key)
}

export function addScopes(writer: Writer, scanId: number, scopes: readonly SafeScope[]): void {
  const insert = writer.prepare(
    `INSERT INTO scan_scope (scan_id, key, name, state) VALUES (?, ?, ?, 'PENDING') ON CONFLICT DO NOTHING`,
  )
  for (const { key, name } of scopes) insert.run(scanId, key, name)
}

/** The name of a scope when it was last listed; the key if it never was. */
export function findScopeName(reader: Reader, sourceId: number, scopeKey: string): string {
  const row = reader
    .prepare(
      `SELECT s.name FROM scan_scope s JOIN scan ON scan.id = s.scan_id
       WHERE scan.source_id = ? AND s.key = ? ORDER BY scan.id DESC LIMIT 1`,
    )
    .get(sourceId, scopeKey) as { name: string } | undefined
  return row?.name ?? scopeKey
}

/** Whether an earlier scan with the same scope settings listed the scope; then it is gone, not excluded. */
export function wasListedBefore(reader: Reader, scan: ScanRecord, scopeKey: string): boolean {
  const row = reader
    .prepare(
      `SELECT 1 FROM scan_scope s JOIN scan ON scan.id = s.scan_id
       WHERE scan.source_id = ? AND scan.id < ? AND s.key = ?
         AND CASE WHEN scan.scope_hash IS NULL THEN scan.config_hash = ? ELSE scan.scope_hash = ? END LIMIT 1`,
    )
    .get(scan.sourceId, scan.id, scopeKey, scan.configHash, scan.scopeHash)
  return row !== undefined
}

/** Marks scopes that were being crawled when a scan ended as partial. */
export function closeScopes(writer: Writer, scanId: number, reason: SafeText): void {
  writer
    .prepare(
      `UPDATE scan_scope SET state = 'PARTIAL', reason = coalesce(reason, ?) WHERE scan_id = ? AND state = 'RUNNING'`,
    )
    .run(reason, scanId)
}

export interface ScopeStep {
  state: ScopeState
  /** Where the crawl resumes; undefined leaves it unchanged. */
  cursor?: SafeText | null | undefined
  reason?: SafeText | null | undefined
  /** The listing has gaps, so absence from it proves nothing. */
  gap?: boolean
  counts?: { discovered: number; scanned: number; unchanged: number }
}

export function saveScopeStep(writer: Writer, scanId: number, key: SafeText, step: ScopeStep): void {
  const { discovered = 0, scanned = 0, unchanged = 0 } = step.counts ?? {}
  writer
    .prepare(
      `UPDATE scan_scope SET state = @state, cursor = CASE WHEN @moves THEN @cursor ELSE cursor END,
         reason = CASE WHEN @explains THEN @reason ELSE reason END,
         has_gap = max(has_gap, @gap),
         discovered = discovered + @discovered, scanned = scanned + @scanned, unchanged = unchanged + @unchanged
       WHERE scan_id = @scan_id AND key = @key`,
    )
    .run({
      scan_id: scanId,
      key,
      state: step.state,
      moves: step.cursor === undefined ? 0 : 1,
      cursor: step.cursor ?? null,
      explains: step.reason === undefined ? 0 : 1,
      reason: step.reason ?? null,
      gap: step.gap === true ? 1 : 0,
      discovered,
      scanned,
      unchanged,
    })
}
