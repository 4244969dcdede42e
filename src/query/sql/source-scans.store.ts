import { sql } from 'kysely'
import type { Reader } from '../../store/store.ts'

/** How the last scan or import of a source ended. */
export interface SourceScanState {
  uid: string
  /** Null when no scan of it ever completed. */
  lastCompletedScanAt: number | null
  /** The status of the last scan that ended; null if none did. */
  lastStatus: string | null
  /** A scan that was interrupted or parked is queued or running again. */
  isResuming: boolean
}

/** The state of every source, by id. */
export function readSourceScans(reader: Reader): Map<string, SourceScanState> {
  const rows = reader.all(
    sql<Omit<SourceScanState, 'isResuming'> & { isResuming: number }>`
      SELECT uid, last_completed_scan_at AS lastCompletedScanAt,
        (SELECT status FROM scan WHERE source_id = source.id AND status NOT IN ('QUEUED', 'RUNNING')
         ORDER BY finished_at DESC, id DESC LIMIT 1) AS lastStatus,
        EXISTS (SELECT 1 FROM scan WHERE source_id = source.id
          AND (status = 'RUNNING' AND token > 1 OR status = 'QUEUED' AND token > 0)) AS isResuming
      FROM source WHERE deleted_at IS NULL`,
  )
  return new Map(rows.map((row) => [row.uid, { ...row, isResuming: row.isResuming === 1 }]))
}

/** Pairs of sources of one tenant whose last complete or partial scans listed the same space or workspace. */
export function listDoubles(reader: Reader): { first: string; second: string }[] {
  const lastScanOf = (source: string) =>
    sql`(SELECT max(id) FROM scan WHERE source_id = ${sql.ref(`${source}.id`)} AND status IN ('COMPLETED', 'PARTIAL'))`
  return reader.all(
    sql<{ first: string; second: string }>`
      SELECT a.name AS first, b.name AS second FROM source a
      JOIN source b ON b.id > a.id AND b.type = a.type AND b.tenant_id = a.tenant_id
      WHERE a.deleted_at IS NULL AND b.deleted_at IS NULL AND EXISTS (
        SELECT 1 FROM scan_scope x JOIN scan_scope y ON y.key = x.key
        WHERE x.scan_id = ${lastScanOf('a')} AND y.scan_id = ${lastScanOf('b')})
      ORDER BY a.name, b.name`,
  )
}
