import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listMigrations } from '../../src/store/migrations.ts'
import { Store } from '../../src/store/store.ts'
import { makeOldDatabase } from '../store/old-database.ts'
import { describeMachine, print, readCount, readFlags, saveResults } from '../support/bench.ts'

// How long the first start on a database of an earlier schema takes: its copy, the check of that, and the migration.
// npm run bench -- migration [--findings 1000000] [--from 2] [--rounds 3] [--json FILE]

const flags = readFlags({ findings: '1000000', from: '2', rounds: '3' })
const findings = readCount('findings', flags.findings)
const from = readCount('from', flags.from)
const rounds = readCount('rounds', flags.rounds)
const MAX_MS = 10_000

const folder = mkdtempSync(join(tmpdir(), 'assay-bench-migration-'))
try {
  const [old, file] = [join(folder, 'old.db'), join(folder, 'assay.db')]
  makeOldDatabase(old, from, findings)
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    copyFileSync(old, file)
    const started = performance.now()
    const store = Store.open(file, { now: Date.now })
    times.push(performance.now() - started)
    const { integrity, foreignKeys, schema } = store.examine()
    store.close()
    if (integrity !== 'ok' || foreignKeys !== 0) throw new Error(`the migrated database is damaged: ${integrity}`)
    if (schema !== listMigrations().at(-1)?.number) throw new Error(`the schema is ${schema}`)
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
    rmSync(join(folder, 'backups'), { recursive: true, force: true })
  }
  const most = Math.max(...times)
  print(`machine ${JSON.stringify(describeMachine())}`)
  print(
    `${findings} findings, ${(statSync(old).size / 1e6).toFixed(0)} MB, schema ${from} to the newest: ` +
      `${times.map((ms) => `${(ms / 1000).toFixed(2)} s`).join(', ')}; it may take ${MAX_MS / 1000} s`,
  )
  saveResults(flags.json, { findings, from, times })
  if (most > MAX_MS * Math.max(1, findings / 1e6)) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
