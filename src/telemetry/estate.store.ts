import type { Reader } from '../store/store.ts'

/** Sources that are shown one by one; the others are shown together. */
const MAX_SOURCES = 50
export const OTHERS = 'others'

export interface SourceFacts {
  /** Its id, or `others`. */
  source: string
  discovered: number
  scanned: number
  unchanged: number
  findingsNew: number
  findingsAgain: number
  findingsResolved: number
  /** How long its newest finished scan took; null where none has. */
  lastRunMs: number | null
  /** How long its next scan is overdue. */
  lagMs: number
}

/** The ids of the sources that are shown one by one. */
export function listNamedSources(reader: Reader): string[] {
  return reader
    .prepare(`SELECT uid FROM source WHERE deleted_at IS NULL ORDER BY id LIMIT ${MAX_SOURCES}`)
    .pluck()
    .all() as string[]
}

/** What the scans of each source have done; the newest sources beyond fifty are summed up. */
export function readSourceFacts(reader: Reader, now: number): SourceFacts[] {
  return reader
    .prepare(
      `WITH own AS (
         SELECT id,
           CASE WHEN row_number() OVER (ORDER BY id) <= ${MAX_SOURCES} THEN uid ELSE '${OTHERS}' END AS source,
           CASE WHEN schedule_enabled = 1 AND next_run_at < @now THEN @now - next_run_at ELSE 0 END AS lag
         FROM source WHERE deleted_at IS NULL)
       SELECT own.source, coalesce(sum(discovered), 0) AS discovered, coalesce(sum(scanned), 0) AS scanned,
         coalesce(sum(unchanged), 0) AS unchanged, coalesce(sum(findings_new), 0) AS findingsNew,
         coalesce(sum(findings_again), 0) AS findingsAgain, coalesce(sum(findings_resolved), 0) AS findingsResolved,
         max(own.lag) AS lagMs,
         (SELECT last.finished_at - last.started_at FROM scan AS last WHERE last.source_id = own.id
            AND last.finished_at IS NOT NULL ORDER BY last.id DESC LIMIT 1) AS lastRunMs
       FROM own LEFT JOIN scan ON scan.source_id = own.id
       GROUP BY own.source ORDER BY own.source`,
    )
    .all({ now }) as SourceFacts[]
}

export function countSealedSources(reader: Reader): number {
  const row = reader.prepare(`SELECT count(*) AS n FROM source WHERE secrets <> '{}'`).get() as { n: number }
  return row.n
}
