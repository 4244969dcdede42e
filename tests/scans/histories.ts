import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../../src/sample/ids.ts'
import type { Scan } from '../../src/scans/model.ts'
import { PAST_REREAD_MS } from './compared.ts'
import { openBiWorld } from './history-bi.ts'
import { type Chance, type Foretold, Model, WORDS, type World } from './history-model.ts'
import { openWikiWorld } from './history-wiki.ts'
import { type ScanProcess, startScanProcess } from './scan-process.ts'
import { findingNumber, listHistories, openSectionedBench } from './sectioned.ts'
import { takeUp } from './workbench.ts'

const MAX_REQUESTS_BEFORE_KILL = 12

const statuses = ['OPEN', 'RESOLVED', 'FALSE_POSITIVE', 'IGNORED']
const worlds = { WIKI: openWikiWorld, BI_PLATFORM: openBiWorld }
export type Platform = keyof typeof worlds

export interface HistoryOutcome {
  kills: number
  problems: string[]
}

/**
 * One random history of a tenant against the model; the differences, if there are any. `killed`: one of its scans runs
 * in a process of its own that is killed on the way.
 */
export async function runHistory(
  platform: Platform,
  seed: number,
  { steps, killed = false }: { steps: number; killed?: boolean },
): Promise<HistoryOutcome> {
  const random = createRandom(`${platform} ${seed}`)
  const chance: Chance = Object.assign((p: number) => random() < p, {
    pick: <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T,
  })
  const world: World = await worlds[platform]()
  const home = mkdtempSync(join(tmpdir(), 'assay-history-'))
  const model = new Model()
  let bench = openSectionedBench(home)
  let kills = 0
  const problems: string[] = []
  const killStep = killed ? 1 + Math.floor(random() * (steps - 1)) : -1
  const victim: ScanProcess | undefined = killed ? await startScanProcess() : undefined

  function compare(say: (problem: string) => void): void {
    const rows = bench.store.read((reader) =>
      reader
        .prepare(
          `SELECT f.id, a.key, f.fp, c.status
           FROM finding f JOIN asset a ON a.id = f.asset_id JOIN combo c ON c.id = f.combo_id`,
        )
        .all(),
    ) as { id: number; key: string; fp: number; status: number }[]
    const histories = listHistories(bench, ({ to_status }) => statuses[to_status])
    const stored = new Map(
      rows.map(({ id, key, fp, status }) => [
        `${key} ${fp}`,
        `${statuses[status]} ${(histories.get(id) ?? []).join(',')}`,
      ]),
    )
    const told = new Map(
      [...model.findings].map(([id, { status, history }]) => {
        const [key = '', word = ''] = id.split(' ')
        return [`${key} ${findingNumber(key, `word:${word}`)}`, `${status} ${history.join(',')}`]
      }),
    )
    for (const id of new Set([...stored.keys(), ...told.keys()])) {
      if (stored.get(id) !== told.get(id)) say(`${id}: ${stored.get(id)} in place of ${told.get(id)}`)
    }
    const counted = bench.store.read((reader) =>
      reader.prepare('SELECT status, sum(n) AS n FROM combo GROUP BY status HAVING sum(n) > 0 ORDER BY status').all(),
    ) as { status: number; n: number }[]
    const expected = statuses.flatMap((name, status) => {
      const n = [...model.findings.values()].filter((finding) => finding.status === name).length
      return n === 0 ? [] : [{ status, n }]
    })
    if (JSON.stringify(counted) !== JSON.stringify(expected)) {
      say(`counts are ${JSON.stringify(counted)} in place of ${JSON.stringify(expected)}`)
    }
  }

  async function decideOne(): Promise<void> {
    const open = [...model.findings].filter(([, { status }]) => status === 'OPEN')
    if (open.length === 0) return
    const [id] = chance.pick(open)
    const status = chance.pick(['IGNORED', 'FALSE_POSITIVE'] as const)
    const [key = '', word = ''] = id.split(' ')
    const row = bench.store.read((reader) =>
      reader
        .prepare('SELECT f.id FROM finding f JOIN asset a ON a.id = f.asset_id WHERE a.key = ? AND f.fp = ?')
        .get(key, findingNumber(key, `word:${word}`)),
    ) as { id: number } | undefined
    if (row === undefined) return
    await bench.run('update_finding', { id: String(row.id), status, reason: 'as decided' })
    model.decide(id, status)
  }

  /** A scan that is broken off after some time, and goes on in another store. */
  async function scanWithStop(afterMs: number): Promise<Scan> {
    const { now } = bench.clock
    const { id } = await bench.run<Scan>('start_scan', { id: 'fake' })
    await sleep(afterMs)
    await bench.close()
    bench = openSectionedBench(home)
    bench.clock.now = now
    return await takeUp(bench, id)
  }

  /** A scan whose process is killed, and which goes on in this one. */
  async function scanWithKill(process: ScanProcess): Promise<Scan> {
    const due = world.requests.length + 1 + Math.floor(random() * MAX_REQUESTS_BEFORE_KILL)
    const ended = await process.scan({ home, now: bench.clock.now }, () => world.requests.length >= due)
    if (ended === undefined) kills++
    const { items } = await bench.run<{ items: { id: string }[] }>('list_scans', { limit: 1 })
    return await takeUp(bench, items[0]?.id ?? '')
  }

  function checkScan(scan: Scan, foretold: Foretold, say: (problem: string) => void): void {
    const { new: added, resolved } = scan.progress.findings
    if (added !== foretold.new || resolved !== foretold.resolved) {
      say(`the scan counts ${added} new and ${resolved} resolved in place of ${JSON.stringify(foretold)}`)
    }
    const isSaid = scan.status !== 'COMPLETED' || scan.warnings.length > 0
    if (foretold.stale > 0 && !isSaid) say(`${foretold.stale} findings stay, and nothing is said`)
  }

  try {
    await bench.run('create_source', { name: 'fake', config: { ...world.config, detectors: [{ type: 'WORDS' }] } })
    for (let step = 0; step < steps && problems.length === 0; step++) {
      const say = (problem: string) => problems.push(`${platform} seed ${seed} step ${step}: ${problem}`)
      for (const item of world.items) {
        const isPlace = item.kind === 'workspace' || item.kind === 'space' || item.kind === 'comments'
        if (!isPlace && chance(0.08)) item.isThere = !item.isThere
        for (const section of Object.keys(item.texts)) {
          if (chance(0.25)) item.texts[section] = new Set(WORDS.filter(() => chance(0.3)))
        }
      }
      if (chance(0.7)) await bench.run('update_source', { id: 'fake', config: { optional: world.changeView(chance) } })
      world.publish()
      // The platform's times show no edit of these tenants.
      bench.clock.now += PAST_REREAD_MS
      const scan =
        victim !== undefined && step === killStep
          ? await scanWithKill(victim)
          : chance(0.3)
            ? await scanWithStop(random() * 60)
            : await bench.scan()
      checkScan(scan, model.foretell(world.items, world.sight), say)
      compare(say)
      if (chance(0.4)) await decideOne()
    }
    return { kills, problems }
  } finally {
    await bench.close()
    await victim?.close()
    await world.close()
    rmSync(home, { recursive: true, force: true })
  }
}
