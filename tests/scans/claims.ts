import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../../src/kernel/random.ts'
import type { Store } from '../../src/store/store.ts'
import { type RunningEntry, startEntry, untilPrinted } from '../support/entry.ts'
import { createClaimTenant, PAGES, paceOf } from './claims-tenant.ts'
import { fakeConfig } from './fake-tenant.ts'
import { openWorkbench } from './workbench.ts'

const entry = new URL('./claims-entry.ts', import.meta.url)
const POLL_MS = 50
/** Pages that a worker has begun when it is killed, at most; a start may take longer than the work. */
const MAX_PAGES = 30
/** Between two runs that fall due, by the clock of the workers. */
const GAP_MS = 500

export interface Claims {
  kills: number
  /** Scans that went on in another worker than the one that had begun them. */
  takenOver: number
  /** Runs without a scan, or whose scan did not end whole. */
  lost: string[]
  /** Runs with more than one scan, and pages or findings that were counted more than once. */
  twice: string[]
}

/** Lets so many runs fall due, one after another, while workers that all want each of them are killed in turn. */
export async function claimUnderKills(runs: number, seed: number, count = 4): Promise<Claims> {
  const random = createRandom(seed)
  const home = mkdtempSync(join(tmpdir(), 'assay-claims-'))
  const bench = openWorkbench(createClaimTenant(), { home })
  const workers = new Map<RunningEntry, number>()
  try {
    const epoch = Date.now()
    const now = paceOf(epoch)
    bench.clock.now = epoch
    const schedule = { enabled: true, preset: 'weekly' }
    for (let run = 0; run < runs; run++) {
      await bench.run('create_source', { name: `fake ${run}`, config: fakeConfig({ schedule }) })
    }
    const keep = async () => {
      while (workers.size < count) workers.set(await startEntry(entry, [home, String(epoch)]), random() * MAX_PAGES)
    }
    await keep()
    await Promise.all([...workers.keys()].map((worker) => untilPrinted(worker, 'open')))
    const from = now()
    bench.store.write((writer) => writer.prepare('UPDATE source SET next_run_at = ? + id * ?').run(from, GAP_MS))
    let kills = 0
    while (countDone(bench.store) < runs) {
      await keep()
      await sleep(POLL_MS)
      if (workers.keys().some(({ child }) => child.exitCode !== null)) throw new Error('a worker ended by itself')
      const [victim] = [...workers].find(([{ output }, pages]) => output().split('page').length > pages) ?? []
      if (victim === undefined) continue
      victim.child.kill('SIGKILL')
      await victim.ended
      workers.delete(victim)
      kills++
    }
    return { kills, ...judge(bench.store) }
  } finally {
    for (const { child } of workers.keys()) child.kill('SIGKILL')
    await Promise.all([...workers.keys()].map(({ ended }) => ended))
    await bench.close()
    rmSync(home, { recursive: true, force: true })
  }
}

const countDone = (store: Store) =>
  store.read((reader) => reader.prepare("SELECT count(*) FROM scan WHERE status = 'COMPLETED'").pluck().get()) as number

function judge(store: Store): Omit<Claims, 'kills'> {
  const rows = store.read((reader) =>
    reader
      .prepare(
        `SELECT s.name, count(c.id) AS scans, coalesce(sum(c.status = 'COMPLETED' AND c.trigger = 'SCHEDULE'), 0) AS whole,
           coalesce(sum(c.discovered), 0) AS discovered, coalesce(sum(c.scanned), 0) AS scanned,
           coalesce(sum(c.findings_new), 0) AS found, coalesce(sum(c.findings_again), 0) AS again,
           coalesce(sum(c.token > 1), 0) AS takenOver,
           (SELECT count(*) FROM asset a WHERE a.source_id = s.id) AS assets,
           (SELECT count(*) FROM finding f JOIN asset a ON a.id = f.asset_id WHERE a.source_id = s.id) AS findings
         FROM source s LEFT JOIN scan c ON c.source_id = s.id GROUP BY s.id`,
      )
      .all(),
  ) as (Record<Count, number> & { name: string })[]
  const tell = (row: object) => JSON.stringify(row)
  return {
    takenOver: rows.reduce((sum, row) => sum + row.takenOver, 0),
    lost: rows.filter((row) => row.whole === 0 || counted(row).some((count) => count < PAGES)).map(tell),
    twice: rows
      .filter((row) => row.scans > 1 || row.again > 0 || counted(row).some((count) => count > PAGES))
      .map(tell),
  }
}

type Count = 'scans' | 'whole' | 'discovered' | 'scanned' | 'found' | 'again' | 'takenOver' | 'assets' | 'findings'

const counted = ({ discovered, scanned, found, assets, findings }: Record<Count, number>) => [
  discovered,
  scanned,
  found,
  assets,
  findings,
]
