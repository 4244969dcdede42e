import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../../src/sample/ids.ts'
import { Store } from '../../src/store/store.ts'
import { startEntry } from '../support/entry.ts'

const entry = new URL('./ledger-entry.ts', import.meta.url)
/** So often one file is killed at, before the next begins anew: what is looked over stays small. */
const KILLS_A_FILE = 100

export interface Killings {
  kills: number
  /** Batches that were told as kept. */
  acknowledged: number
  /** What was wrong after a kill. */
  damages: string[]
  /** How long it took after each kill until the database was open and had answered. */
  openMs: number[]
}

/** A database with a source, and nothing in it. */
export function makeDatabase(): { file: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'assay-killed-'))
  const file = join(folder, 'assay.db')
  const store = Store.open(file, { now: Date.now })
  store.write((writer) => {
    writer
      .prepare(
        `INSERT INTO source (id, uid, name, type, config, created_at, updated_at) VALUES (1, 'a', 'a', 'FAKE', '{}', 0, 0)`,
      )
      .run()
  })
  store.close()
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Kills a writer without warning at random moments, again and again on one file, and looks the file over each time. */
export async function killWriters(kills: number, seed: number): Promise<Killings> {
  const random = createRandom(`writers ${seed}`)
  const result: Killings = { kills: 0, acknowledged: 0, damages: [], openMs: [] }
  while (result.kills < kills) {
    const { file, remove } = makeDatabase()
    try {
      let there = 0
      for (let kill = 0; kill < KILLS_A_FILE && result.kills < kills; kill++) {
        const kept = await killOne(file, there, 5 + random() * 60)
        result.kills++
        result.acknowledged += Math.max(0, kept + 1 - there)
        const startedAt = performance.now()
        const store = Store.open(file, { now: Date.now })
        store.read((reader) => reader.prepare('SELECT count(*) FROM source').get())
        result.openMs.push(performance.now() - startedAt)
        store.close()
        result.damages.push(...examine(file, Math.max(there, kept + 1)))
        // The newest batch may be there without having been told.
        there = countBatches(file)
      }
    } finally {
      remove()
    }
  }
  return result
}

/** Returns the number of the last batch that was told as kept; -1 for none. */
async function killOne(file: string, from: number, afterMs: number): Promise<number> {
  const { child, output, ended } = await startEntry(entry, [file, String(from)])
  const writing = new Promise<void>((resolve) => child.stdout?.once('data', () => resolve()))
  await Promise.race([writing, ended])
  await sleep(afterMs)
  child.kill('SIGKILL')
  await ended
  return Math.max(-1, ...output().split('\n').slice(0, -1).map(Number))
}

function countBatches(file: string): number {
  const store = Store.open(file, { now: Date.now })
  try {
    return (store.read((reader) => reader.prepare('SELECT count(*) AS n FROM asset').get()) as { n: number }).n
  } finally {
    store.close()
  }
}

/** Every batch from the first to the newest is there, whole, with its counts and its log. */
export function examine(file: string, acknowledged: number): string[] {
  const store = Store.open(file, { now: Date.now })
  try {
    const { integrity, foreignKeys } = store.examine()
    const { batches, highest, torn, findings, counted } = store.read((reader) =>
      reader
        .prepare(
          `SELECT (SELECT count(*) FROM asset) AS batches,
             (SELECT coalesce(max(CAST(substr(key, 7) AS INTEGER)) + 1, 0) FROM asset) AS highest,
             (SELECT count(*) FROM asset a WHERE CAST(a.name AS INTEGER) <>
               (SELECT count(*) FROM finding f WHERE f.asset_id = a.id)) AS torn,
             (SELECT count(*) FROM finding) AS findings, (SELECT coalesce(sum(n), 0) FROM combo) AS counted`,
        )
        .get(),
    ) as { batches: number; highest: number; torn: number; findings: number; counted: number }
    return [
      ...(integrity === 'ok' ? [] : [integrity]),
      ...(foreignKeys === 0 ? [] : ['broken references']),
      ...(batches === highest ? [] : [`${batches} batches up to ${highest}`]),
      ...(highest >= acknowledged ? [] : [`${acknowledged} told, ${highest} there`]),
      ...(torn === 0 ? [] : [`${torn} batches in part`]),
      ...(findings === counted ? [] : [`${findings} findings, ${counted} counted`]),
    ]
  } finally {
    store.close()
  }
}
