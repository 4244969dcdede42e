import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRandom } from '../../src/kernel/random.ts'
import { backUp, restore } from '../../src/store/backup.ts'
import { Store } from '../../src/store/store.ts'
import { print, quantile, readCount, readFlags, saveResults } from '../support/bench.ts'
import { safe } from '../support/safe-text.ts'

// How long a backup and a restore of a database of so many megabytes take, with the check of every page in both.
// npm run bench -- backup [--megabytes 100] [--rounds 5] [--folder DIR] [--json FILE]

const flags = readFlags({ megabytes: '100', rounds: '5', folder: tmpdir() })
const megabytes = readCount('megabytes', flags.megabytes)
const rounds = readCount('rounds', flags.rounds)
const ROWS_AT_ONCE = 1000
/** What a backup of 100 MB may take. */
const MAX_MS = 2000

const folder = mkdtempSync(join(flags.folder, 'assay-bench-backup-'))
try {
  const file = join(folder, 'assay.db')
  const store = Store.open(file, { now: Date.now })
  const random = createRandom(1)
  for (let batch = 0; batch < megabytes; batch++) {
    store.write((writer) => {
      const insert = writer.prepare('INSERT INTO install (name, value) VALUES (?, ?)')
      for (let row = 0; row < ROWS_AT_ONCE; row++) {
        insert.run(safe(`${batch}-${row}`), safe(`${random()}`.repeat(60).slice(0, 1000)))
      }
    })
  }
  store.close()
  const times: Record<'backup' | 'restore', number[]> = { backup: [], restore: [] }
  for (let round = 0; round < rounds; round++) {
    const copy = join(folder, `copy-${round}.db`)
    const started = performance.now()
    backUp(file, copy)
    times.backup.push(performance.now() - started)
    const begun = performance.now()
    const { aside } = restore(copy, file, Date.now())
    times.restore.push(performance.now() - begun)
    for (const gone of [copy, aside]) if (gone !== undefined) rmSync(gone, { force: true })
  }
  const size = statSync(file).size / 1e6
  const figures = Object.entries(times).map(([what, values]) => ({
    what,
    medianMs: quantile(values, 0.5),
    mostMs: Math.max(...values),
  }))
  for (const { what, medianMs, mostMs } of figures) {
    print(`${what} of ${size.toFixed(0)} MB: median ${medianMs.toFixed(0)} ms, at most ${mostMs.toFixed(0)} ms`)
  }
  const allowedMs = MAX_MS * Math.max(1, size / 100)
  const slow = figures.some(({ what, mostMs }) => what === 'backup' && mostMs > allowedMs)
  print(
    slow
      ? `a backup took more than the ${allowedMs.toFixed(0)} ms it may take`
      : `every backup took less than ${allowedMs.toFixed(0)} ms`,
  )
  saveResults(flags.json, { megabytes: size, rounds, times, figures })
  if (slow) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
