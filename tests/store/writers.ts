import { setTimeout as sleep } from 'node:timers/promises'
import { buildEngine, catchUp } from '../../src/engine/load.store.ts'
import { hasStoredCounts } from '../../src/engine/snapshot/snapshot.store.ts'
import { createRandom } from '../../src/sample/ids.ts'
import { insertScan } from '../../src/scans/scans.store.ts'
import type { PostgresStore } from '../../src/store/postgres/store.ts'
import type { Reader } from '../../src/store/store.ts'
import { plant } from '../query/estate.ts'
import { startCuttingProxy } from '../support/cutting-proxy.ts'
import { type RunningEntry, startEntry } from '../support/entry.ts'
import { openPostgresStore } from '../support/postgres.ts'
import { type Estate, expectedOf, type WriterOrder } from './writers-model.ts'

const entry = new URL('./writers-entry.ts', import.meta.url)
const FOLLOW_MS = 20

export interface WritersOptions {
  connectionString: string
  writers: number
  estate: Estate
  pauseMs?: number
  /** Mean time between two processes that are killed, and between two connections that are cut; absent: none. */
  killMs?: number
  cutMs?: number
  seed?: number
}

export interface WritersResult {
  /** What was lost, doubled or out of order. */
  faults: string[]
  batches: number
  kills: number
  cuts: number
  /** Milliseconds that the batches took that were stored. */
  batchMs: number[]
  elapsedMs: number
}

/**
 * Lets processes write to sources of their own at the same time, while a follower reads the change log, and compares
 * what is stored at the end with what was written.
 */
export async function runWriters(options: WritersOptions): Promise<WritersResult> {
  const { connectionString, writers, estate, pauseMs = 0, killMs, cutMs, seed = 1 } = options
  const store = openPostgresStore(connectionString, Date.now)
  let commits = 0
  // One reply at least, as a short run may be over before the first of the other cuts.
  const onCommit = () => (cutMs !== undefined && ++commits === 3 ? 'unanswered' : undefined)
  const proxy = await startCuttingProxy(connectionString, onCommit)
  const faults: string[] = []
  const batchMs: number[] = []
  const random = createRandom(`writers ${seed}`)
  let [kills, isOver] = [0, false]
  try {
    plant(store, {
      sources: Array.from({ length: writers }, (_, number) => ({ name: `source ${number}` })),
      assets: [],
    })
    const scans = store.write((writer) => {
      const ids = writer.prepare('SELECT id FROM source ORDER BY id').pluck().all() as number[]
      const draft = { trigger: 'MANUAL', requestedBy: 'test', configHash: 'c', detectorsHash: 'd', seed: 1 } as const
      return ids.map((sourceId) => insertScan(writer, { ...draft, sourceId, sampled: false }, Date.now()))
    })
    const startedAt = performance.now()
    const running: RunningEntry[] = []
    const work = async (scanUid: string, index: number) => {
      const order: WriterOrder = { url: cutMs === undefined ? connectionString : proxy.url, scanUid, estate, pauseMs }
      for (let acknowledged = 0, code: number | null = null; code !== 0; ) {
        const started = await startEntry(entry, [JSON.stringify(order)])
        running[index] = started
        code = await started.ended
        const lines = started.output().split('\n').slice(0, -1)
        for (const line of lines) {
          const [batch = 0, took = 0] = line.split(' ').map(Number)
          if (batch < acknowledged) faults.push(`batch ${batch} of ${scanUid} was acknowledged twice`)
          acknowledged = batch + 1
          batchMs.push(took)
        }
        const kept = findStored(store, scanUid)
        if (kept < acknowledged)
          faults.push(`${acknowledged} batches of ${scanUid} were acknowledged, ${kept} are stored`)
        if (code !== 0 && code !== null) throw new Error(`a writer has ended with ${code}`)
      }
    }
    const harass = async (meanMs: number | undefined, act: () => void) => {
      while (meanMs !== undefined && !isOver) {
        await sleep(meanMs * (0.5 + random()))
        if (!isOver) act()
      }
    }
    const killing = harass(killMs, () => {
      const { child, output } = running[Math.floor(random() * running.length)] ?? {}
      // One that has stored something, as a process that starts slowly would otherwise never store anything.
      if (child?.exitCode === null && output?.() !== '' && child.kill('SIGKILL')) kills++
    })
    let printed = ''
    const cutting = harass(cutMs, () => {
      // Not twice before something more was stored, as on a slow machine nothing ever would be.
      const lengths = running.map(({ output }) => output().length).join()
      if (lengths !== printed) proxy.cut(random())
      printed = lengths
    })
    const following = follow(store, () => isOver, faults)
    try {
      await Promise.all(scans.map(work))
    } finally {
      isOver = true
    }
    const elapsedMs = performance.now() - startedAt
    await Promise.all([killing, cutting, following])
    store.read((reader) => {
      for (const fault of listFaults(reader, estate, writers)) faults.push(fault)
    })
    return { faults, batches: writers * estate.batches, kills, cuts: proxy.cuts(), batchMs, elapsedMs }
  } finally {
    proxy.close()
    store.close()
  }
}

const findStored = (store: PostgresStore, scanUid: string) =>
  store.read((reader) => reader.prepare('SELECT discovered FROM scan WHERE uid = ?').pluck().get(scanUid) as number)

/** Reads the change log all the time; an engine follows it. */
async function follow(store: PostgresStore, isOver: () => boolean, faults: string[]): Promise<void> {
  const engine = store.read((reader) => buildEngine(reader))
  for (let isLast = false; ; ) {
    store.read((reader) => {
      const last = engine.seq
      const seqs = reader.prepare('SELECT seq FROM facet_log WHERE seq > ? ORDER BY seq').pluck().all(last) as number[]
      const head = reader.prepare(`SELECT seq FROM sqlite_sequence WHERE name = 'facet_log'`).pluck().get() as number
      const expected = Array.from({ length: head - last }, (_, index) => last + index + 1)
      if (seqs.join() !== expected.join()) faults.push(`after ${last} up to ${head} the log has ${seqs.join()}`)
      if (!catchUp(reader, engine)) faults.push(`the engine could not follow from ${last} to ${head}`)
      if (!isLast) return
      if (!hasStoredCounts(reader, engine)) faults.push('the counts of the engine differ')
      const again = buildEngine(reader)
      if (again.assets.count !== engine.assets.count) {
        faults.push(`the engine has ${engine.assets.count} assets, ${again.assets.count} are stored`)
      }
      const words = reader.prepare('SELECT id, text FROM word').all() as { id: number; text: string }[]
      const missing = words.filter(({ id, text }) => id > 0 && engine.names.wordOf(id) !== text)
      if (missing.length > 0) faults.push(`the engine lacks ${missing.length} words`)
    })
    if (isLast || faults.length > 100) return
    isLast = isOver()
    await sleep(FOLLOW_MS)
  }
}

/** What is stored compared with what was written, and the sums with each other. */
function listFaults(reader: Reader, estate: Estate, writers: number): string[] {
  const expected = expectedOf(estate)
  const rows = reader
    .prepare(
      `SELECT s.id, (SELECT count(*) FROM asset a WHERE a.source_id = s.id) AS assets,
         (SELECT count(*) FROM finding f JOIN combo c ON c.id = f.combo_id WHERE c.source_id = s.id AND c.status = 0) AS open,
         (SELECT count(*) FROM finding f JOIN combo c ON c.id = f.combo_id WHERE c.source_id = s.id AND c.status = 1) AS resolved,
         (SELECT count(*) FROM status_change h JOIN finding f ON f.id = h.finding_id JOIN combo c ON c.id = f.combo_id
          WHERE c.source_id = s.id) AS changes,
         (SELECT count(*) FROM combo c WHERE c.source_id = s.id AND c.n <>
           (SELECT count(*) FROM finding f WHERE f.combo_id = c.id)) AS miscounted
       FROM source s ORDER BY s.id`,
    )
    .all() as ({ id: number; miscounted: number } & typeof expected)[]
  const faults = rows.length === writers ? [] : [`${rows.length} sources`]
  for (const { id, miscounted, ...stored } of rows) {
    for (const key of ['open', 'resolved', 'changes', 'assets'] as const) {
      if (stored[key] !== expected[key]) faults.push(`source ${id}: ${stored[key]} ${key}, ${expected[key]} written`)
    }
    if (miscounted > 0) faults.push(`source ${id}: ${miscounted} combinations have a wrong count`)
  }
  return faults
}
