import { setTimeout as sleep } from 'node:timers/promises'
import { ask } from '../estate.ts'
import type { Database } from './database.ts'
import { countFindings, PER_FILE } from './model.ts'
import type { Dice, Servers } from './servers.ts'
import { type ChaosWriter, toNumbers } from './writer.ts'

/** Follows the change logs: in each snapshot the numbers after the last one seen go on without a gap up to the head. */
export async function watchLogs(database: Database, isOver: () => boolean, faults: string[]): Promise<number> {
  const last: Record<string, number> = { facet_log: 0, asset_log: 0 }
  for (let isLast = false; !isLast; ) {
    isLast = isOver()
    for (const log of ['facet_log', 'asset_log'] as const) {
      const from = last[log] as number
      const [found] = await database.list<{ head: number; first: number | null; count: number; newest: number | null }>(
        `SELECT (SELECT seq FROM main.sqlite_sequence WHERE name = '${log}')::int AS head, min(seq)::int AS first,
           count(*)::int AS count, max(seq)::int AS newest FROM main.${log} WHERE seq > $1`,
        [from],
      )
      if (found === undefined) throw new Error(`${log} has no head`)
      const { head, first, count, newest } = found
      const isWhole = head === from ? count === 0 : first === from + 1 && newest === head && count === head - from
      // What was written before the first look may have been shortened.
      if (!isWhole && from > 0) faults.push(`${log} after ${from}: ${count} from ${first} to ${newest}, head ${head}`)
      last[log] = head
    }
    await sleep(100)
  }
  return last.facet_log as number
}

/** Asks for versions all the time: each file of a source has exactly one. */
export async function watchParts(
  {
    servers,
    writers,
    dice,
    faults,
  }: { servers: Servers; writers: readonly ChaosWriter[]; dice: Dice; faults: string[] },
  isOver: () => boolean,
): Promise<number> {
  let seen = 0
  while (!isOver()) {
    const { source, state } = dice.pick(writers)
    const question = {
      metricSlug: 'total-findings',
      filters: { sources: [source] },
      dimensions: ['category'],
      limit: 50,
    }
    try {
      const url = servers.pick(dice)
      const { status, body } = await ask(url, 'POST', '/semantic/query', question)
      if (status === 503) continue
      const { value, groups } = toNumbers(body)
      const isWhole = value === countFindings(state) && Object.values(groups).every((count) => count % PER_FILE === 0)
      if (status !== 200 || !isWhole)
        faults.push(`${source} is seen in part by ${url}: ${status} ${JSON.stringify(body)}`)
      seen++
    } catch {
      // The server was killed.
    }
    await sleep(50)
  }
  return seen
}

const inconsistencies: readonly (readonly [what: string, sql: string])[] = [
  ['files that are left', 'SELECT uid FROM main.import_file WHERE accepted = 1'],
  ['scans that are not completed', `SELECT uid, status, reason FROM main.scan WHERE status <> 'COMPLETED'`],
  [
    'scans that counted lines twice, or not all',
    `SELECT c.uid, c.findings_new, c.findings_again, c.scanned FROM main.scan c JOIN main.source s ON s.id = c.source_id
     WHERE c.findings_new + c.findings_again NOT IN
       (${PER_FILE}, (SELECT count(*) FROM main.finding f JOIN main.asset a ON a.id = f.asset_id WHERE a.source_id = s.id))`,
  ],
  [
    'counts of combinations that differ from the findings',
    `SELECT c.id, c.n, count(f.id) FROM main.combo c LEFT JOIN main.finding f ON f.combo_id = c.id
     GROUP BY c.id HAVING c.n <> count(f.id)`,
  ],
  [
    'histories with a gap, or another end than the status',
    `SELECT f.id FROM main.finding f JOIN main.combo c ON c.id = f.combo_id JOIN main.status_change h ON h.finding_id = f.id
     GROUP BY f.id, c.status HAVING max(h.seq) <> count(*) OR (array_agg(h.to_status ORDER BY h.seq DESC))[1] <> c.status`,
  ],
  [
    'changes in a history that do not begin where the last one ended',
    `SELECT finding_id, seq FROM (SELECT finding_id, seq, from_status,
       lag(to_status) OVER (PARTITION BY finding_id ORDER BY seq) AS before FROM main.status_change) h
     WHERE before <> from_status`,
  ],
  [
    'decisions of people that the audit trail has not, or has twice',
    `SELECT audited.n, decided.n FROM
       (SELECT coalesce(sum((after::jsonb ->> 'findings')::int), 0) AS n FROM main.audit WHERE kind = 'finding') audited,
       (SELECT count(*) AS n FROM main.status_change WHERE scan_id IS NULL) decided WHERE audited.n <> decided.n`,
  ],
  [
    'audit entries that are not in the chain',
    'SELECT seq FROM main.audit WHERE seq NOT IN (SELECT seq FROM main.audit_chain)',
  ],
]

/** What contradicts itself in the tables once nothing is written any more. */
export async function listContradictions(database: Database): Promise<string[]> {
  const found: string[] = []
  for (const [what, sql] of inconsistencies) {
    const rows = await database.list(sql)
    if (rows.length > 0) found.push(`${rows.length} ${what}: ${JSON.stringify(rows.slice(0, 3))}`)
  }
  return found
}
