import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildEngine } from '../../../src/engine/load.store.ts'
import { attachEngine, findEngine } from '../../../src/query/engine/executor.ts'
import { packageFile } from '../../../src/runtime/package-files.ts'
import { describeMachine, print, readCount, readFlags, saveResults } from '../../support/bench.ts'
import { createDatabase, openAdmin, openPostgresStore, startOwnPostgres } from '../../support/postgres.ts'
import { median } from '../query/compare.ts'
import { NOW } from '../query/estate.ts'
import { openKept } from '../query/kept.ts'
import { askDashboard } from '../query/questions.ts'

// A large database is moved to PostgreSQL by the program; there the dashboard of 12 is asked of the engine and of SQL.
// npm run bench -- moved [--rows 2e7] [--runs 5] [--json FILE]

const main = packageFile('dist/main.js').pathname
const flags = readFlags({ rows: '2e7', runs: '5' })
const [rows, runs] = [readCount('rows', flags.rows), readCount('runs', flags.runs)]
/** Not a millisecond is lost to checkpoints of small logs, as on a server that was set up for its size. */
const SETTINGS = '-c shared_buffers=2GB -c maintenance_work_mem=1GB -c work_mem=64MB -c max_wal_size=16GB'

interface Moved {
  rows: number
  tables: { name: string; rows: number }[]
  questions: number
}

function time<T>(work: () => T): { ms: number; result: T } {
  const started = performance.now()
  const result = work()
  return { ms: performance.now() - started, result }
}

function moveTo(address: string, home: string): Moved {
  const { status, stdout } = spawnSync(process.execPath, [main, 'move', '--to', address, '--json', '--home', home], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error('the database was not moved; build first')
  return JSON.parse(stdout) as Moved
}

const folder = mkdtempSync(join(tmpdir(), 'assay-bench-moved-'))
const server = await startOwnPostgres({ settings: SETTINGS })
const { name, connectionString } = createDatabase(server)
try {
  print(`machine ${JSON.stringify(describeMachine())}`)
  const { home, store: origin, filled, fillSeconds } = openKept(folder, rows)
  origin.close()
  print(`${filled.findings} findings of ${filled.assets} assets, filled in ${fillSeconds.toFixed(0)} s`)
  const { ms: moveMs, result: moved } = time(() => moveTo(connectionString, home))
  print(
    `moved in ${(moveMs / 1000).toFixed(0)} s: ${moved.rows} rows of ${moved.tables.length} tables with equal hashes, ` +
      `${moved.questions} questions with equal answers, ${Math.round(filled.findings / (moveMs / 1000))} findings/s`,
  )
  rmSync(home, { recursive: true, force: true })
  server.run('VACUUM ANALYZE', name)
  const admin = openAdmin(server, name)
  const bytesOnDisk = Number(admin.query('SELECT pg_database_size(current_database())')[0]?.[0])
  admin.close()
  print(`${(bytesOnDisk / filled.findings).toFixed(0)} bytes of the database for each finding`)

  const [store, withoutEngine] = [
    openPostgresStore(connectionString, () => NOW),
    openPostgresStore(connectionString, () => NOW),
  ]
  const { ms: buildMs } = time(() => store.read((reader) => attachEngine(reader, buildEngine(reader))))
  const bytes = store.read((reader) => findEngine(reader)?.bytes ?? 0) / filled.findings
  print(`engine built from the rows in ${(buildMs / 1000).toFixed(1)} s, ${bytes.toFixed(1)} bytes for each finding`)
  const [engineTimes, sqlTimes]: [number[], number[]] = [[], []]
  let different = 0
  for (let run = 0; run < runs; run++) {
    const sql = time(() => withoutEngine.read(askDashboard))
    sqlTimes.push(sql.ms)
    for (let again = 0; again < 20; again++) {
      const engine = time(() => store.read(askDashboard))
      // The first answers compile code and fill lookup tables.
      if (run > 0 || again >= 10) engineTimes.push(engine.ms)
      if (JSON.stringify(engine.result) !== JSON.stringify(sql.result)) different++
    }
  }
  const [engineMs, sqlMs] = [median(engineTimes), median(sqlTimes)]
  print(
    `dashboard of 12: engine ${engineMs.toFixed(2)} ms, SQL of PostgreSQL ${sqlMs.toFixed(0)} ms, ${(sqlMs / engineMs).toFixed(0)}x; ` +
      `${different} different answers`,
  )
  store.close()
  withoutEngine.close()
  const { questions, rows: movedRows } = moved
  const move = { ms: moveMs, rows: movedRows, questions }
  saveResults(flags.json, {
    command: `npm run bench -- moved --rows ${flags.rows}`,
    ...{ rows: filled.findings, move, bytesOnDisk, buildMs, bytesPerFinding: bytes, engineMs, sqlMs, different },
  })
  process.exitCode = different > 0 ? 1 : 0
} finally {
  server.stop()
  rmSync(folder, { recursive: true, force: true })
}
