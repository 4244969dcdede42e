import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createRandom } from '../../src/sample/ids.ts'
import { Store } from '../../src/store/store.ts'

const entry = fileURLToPath(new URL('./ledger-entry.ts', import.meta.url))

export interface Killings {
  kills: number
  /** Batches that were told as kept. */
  acknowledged: number
  /** What was wrong after a kill. */
  damages: string[]
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
  const { file, remove } = makeDatabase()
  const result: Killings = { kills: 0, acknowledged: 0, damages: [] }
  try {
    while (result.kills < kills) {
      const kept = await killOne(file, result.acknowledged, 5 + random() * 60)
      result.kills++
      result.acknowledged = Math.max(result.acknowledged, kept + 1)
      result.damages.push(...examine(file, result.acknowledged))
      // The newest batch may be there without having been told.
      result.acknowledged = Math.max(result.acknowledged, countBatches(file))
    }
    return result
  } finally {
    remove()
  }
}

/** Returns the number of the last batch that was told as kept; -1 for none. */
async function killOne(file: string, from: number, afterMs: number): Promise<number> {
  const child = spawn(process.execPath, ['--import', 'tsx', entry, file, String(from)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let last = -1
  let rest = ''
  const writing = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) last = Number(line)
      resolve()
    })
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  await Promise.race([writing, ended])
  await sleep(afterMs)
  child.kill('SIGKILL')
  await ended
  return last
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
