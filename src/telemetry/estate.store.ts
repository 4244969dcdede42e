import type { KeyedVault } from '../store/keys/vault-file.ts'
import { findLease } from '../store/lease.store.ts'
import type { Reader, Store } from '../store/store.ts'

/** Number of sources with metrics of their own; the others are summed up as `others`. */
const MAX_SOURCES = 50
export const OTHERS = 'others'

export interface SourceFacts {
  /** The id of the source, or `others`. */
  source: string
  discovered: number
  scanned: number
  unchanged: number
  findingsNew: number
  findingsAgain: number
  findingsResolved: number
  /** Duration of its newest finished scan, the longest one of others; null when there is none. */
  lastRunMs: number | null
  /** How long its next scan is overdue. */
  lagMs: number
}

/** What the metrics for Prometheus say about the database. */
export interface Estate {
  /** Who runs the background loop. */
  loopHolder: string | undefined
  /** Sources whose credentials cannot be decrypted. */
  unreadableSources: number
  /** The ids of the sources with metrics of their own. */
  namedSources: string[]
  facts: SourceFacts[]
}

export function readEstate(store: Pick<Store, 'read'>, vault: Pick<KeyedVault, 'problem'>, now: number): Estate {
  const hasKey = vault.problem() === undefined
  return store.read((reader) => ({
    loopHolder: findLease(reader, 'loop')?.holder,
    unreadableSources: hasKey ? 0 : countSealedSources(reader),
    namedSources: listNamedSources(reader),
    facts: readSourceFacts(reader, now),
  }))
}

/** The ids of the sources with metrics of their own. */
function listNamedSources(reader: Reader): string[] {
  return reader
    .prepare(`SELECT uid FROM source WHERE deleted_at IS NULL ORDER BY id LIMIT ${MAX_SOURCES}`)
    .pluck()
    .all() as string[]
}

/** Totals of the scans of each source; sources beyond MAX_SOURCES, the newest ones, are summed up. */
function readSourceFacts(reader: Reader, now: number): SourceFacts[] {
  return reader
    .prepare(
      `WITH own AS (
         SELECT id,
           CASE WHEN row_number() OVER (ORDER BY id) <= ${MAX_SOURCES} THEN uid ELSE '${OTHERS}' END AS source,
           CASE WHEN schedule_enabled = 1 AND next_run_at < @now THEN @now - next_run_at ELSE 0 END AS lag,
           (SELECT last.finished_at - last.started_at FROM scan AS last WHERE last.source_id = source.id
              AND last.finished_at IS NOT NULL ORDER BY last.id DESC LIMIT 1) AS last_run
         FROM source WHERE deleted_at IS NULL)
       SELECT own.source, coalesce(sum(discovered), 0) AS discovered, coalesce(sum(scanned), 0) AS scanned,
         coalesce(sum(unchanged), 0) AS unchanged, coalesce(sum(findings_new), 0) AS findingsNew,
         coalesce(sum(findings_again), 0) AS findingsAgain, coalesce(sum(findings_resolved), 0) AS findingsResolved,
         max(own.lag) AS lagMs, max(own.last_run) AS lastRunMs
       FROM own LEFT JOIN scan ON scan.source_id = own.id
       GROUP BY own.source ORDER BY own.source`,
    )
    .all({ now }) as SourceFacts[]
}

function countSealedSources(reader: Reader): number {
  const row = reader.prepare(`SELECT count(*) AS n FROM source WHERE secrets <> '{}'`).get() as { n: number }
  return row.n
}
