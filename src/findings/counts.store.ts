import type { Severity } from '../detectors/detector.ts'
import type { SafeText } from '../kernel/safe-text.ts'
import { statusCodes } from '../store/schema.ts'
import type { Reader } from '../store/store.ts'
import { toSeverity, toStatus } from './facets.store.ts'
import type { FindingStatus } from './model.ts'

export interface SourceCounts {
  assets: number
  findings: number
  openFindings: number
}

/** With fewer findings, SQL is as fast as an engine and needs no memory. */
export const MIN_FINDINGS_FOR_INDEX = 50_000

/** The number of findings, summed from the counts of combinations. */
export function countFindings(reader: Reader): number {
  const row = reader.prepare('SELECT coalesce(sum(n), 0) AS n FROM combo').get() as { n: number }
  return row.n
}

/** Counts by row id of the source; sources without assets and findings are absent. */
export function countBySource(reader: Reader): Map<number, SourceCounts> {
  const counts = new Map<number, SourceCounts>()
  const countsOf = (id: number) => {
    const known = counts.get(id) ?? { assets: 0, findings: 0, openFindings: 0 }
    counts.set(id, known)
    return known
  }
  const assets = reader
    .prepare(`SELECT source_id AS id, count(*) AS n FROM asset WHERE status = 'ACTIVE' GROUP BY source_id`)
    .all() as { id: number; n: number }[]
  for (const row of assets) countsOf(row.id).assets = row.n
  const findings = reader
    .prepare(
      `SELECT source_id AS id, sum(n) AS findings, sum(CASE WHEN status = ? THEN n ELSE 0 END) AS openFindings
       FROM combo GROUP BY source_id`,
    )
    .all(statusCodes.OPEN) as { id: number; findings: number; openFindings: number }[]
  for (const { id, ...row } of findings) Object.assign(countsOf(id), row)
  return counts
}

export interface EstateCounts {
  assets: { kind: SafeText; status: 'ACTIVE' | 'DELETED'; n: number }[]
  findings: { detectorType: SafeText; severity: Severity; status: FindingStatus; n: number }[]
}

export function countEstate(reader: Reader): EstateCounts {
  const assets = reader
    .prepare(
      `SELECT w.text AS kind, a.status, count(*) AS n FROM asset a JOIN word w ON w.id = a.kind_id
       WHERE a.source_id NOT IN (SELECT id FROM source WHERE deleted_at IS NOT NULL)
       GROUP BY w.text, a.status ORDER BY w.text`,
    )
    .all() as EstateCounts['assets']
  const findings = reader
    .prepare(
      `SELECT w.text AS detectorType, c.severity, c.status, sum(c.n) AS n
       FROM combo c JOIN word w ON w.id = c.detector_id
       WHERE c.source_id NOT IN (SELECT id FROM source WHERE deleted_at IS NOT NULL)
       GROUP BY w.text, c.severity, c.status HAVING sum(c.n) > 0`,
    )
    .all() as { detectorType: SafeText; severity: number; status: number; n: number }[]
  return {
    assets,
    findings: findings.map((row) => ({ ...row, severity: toSeverity(row.severity), status: toStatus(row.status) })),
  }
}
