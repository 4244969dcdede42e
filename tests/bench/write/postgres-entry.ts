import { spawnSync } from 'node:child_process'
import { closeSync, createReadStream, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importFindings } from '../../../src/imports/imports.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { packageFile } from '../../../src/runtime/package-files.ts'
import { openVault } from '../../../src/store/keys/vault-file.ts'
import { PostgresClient } from '../../../src/store/postgres/client.ts'
import { plant } from '../../query/estate.ts'
import { describeMachine, print, readCount, readFlags, saveResults } from '../../support/bench.ts'
import { startScript, untilPrinted } from '../../support/entry.ts'
import { createDatabase, openAdmin, openPostgresStore, startPostgres } from '../../support/postgres.ts'
import { BATCH, storeBatch } from './scan-batch.ts'

// Findings into a PostgreSQL server of this machine: round trips, and CPU time of this process and of the server.
// Then so many processes scan a source each, all at the same time.
// npm run bench -- postgres [--rows 20000] [--batches 20] [--writers 12] [--json FILE]

const TICK_MS = 10
const main = packageFile('dist/main.js').pathname

const flags = readFlags({ rows: '20000', batches: '20', writers: '12', writer: '' })
const [rows, batches] = [readCount('rows', flags.rows), readCount('batches', flags.batches)]
const writers = readCount('writers', flags.writers)
const folder = mkdtempSync(join(tmpdir(), 'assay-bench-postgres-'))
const server = await startPostgres()
const { connectionString, drop } = createDatabase(server)
const store = openPostgresStore(connectionString, Date.now)

let calls = 0
const { query } = PostgresClient.prototype
PostgresClient.prototype.query = function (request) {
  calls++
  return query.call(this, request)
}

/** CPU time of the processes of a server, those that have ended included. */
function serverMs(): number {
  const admin = openAdmin(server)
  const [[backend] = []] = admin.query('SELECT pg_backend_pid()')
  admin.close()
  const fieldsOf = (pid: string) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const postmaster = fieldsOf(String(backend))[1] ?? ''
  const sum = (values: readonly (string | undefined)[]) => values.reduce((total, value) => total + Number(value), 0)
  let ticks = sum(fieldsOf(postmaster).slice(11, 15))
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = fieldsOf(pid)
      if (fields[1] === postmaster) ticks += sum(fields.slice(11, 13))
    } catch {
      // It has ended meanwhile.
    }
  }
  return ticks * TICK_MS
}

interface Cost {
  roundTrips: number
  clientMs: number
  serverMs: number
  wallMs: number
}

/** Says what storing so many findings cost for each batch of 500, from the totals. */
function tell(name: string, findings: number, totals: Cost): Cost & { name: string } {
  const each = (total: number) => Math.round((total / (findings / BATCH)) * 10) / 10
  const cost = {
    roundTrips: each(totals.roundTrips),
    clientMs: each(totals.clientMs),
    serverMs: each(totals.serverMs),
    wallMs: each(totals.wallMs),
  }
  const perCore = Math.round((BATCH * 1000) / (cost.clientMs + cost.serverMs))
  print(
    `${name.padEnd(24)} ${cost.roundTrips} round trips, ${cost.clientMs} ms CPU here, ${cost.serverMs} ms in the server, ` +
      `${cost.wallMs} ms; ${Math.round((BATCH * 1000) / cost.wallMs)} findings/s, ${perCore} per core and second`,
  )
  return { name, ...cost }
}

async function measure(name: string, findings: number, work: () => unknown): Promise<Cost & { name: string }> {
  const [server0, cpu0, wall0] = [serverMs(), process.cpuUsage(), performance.now()]
  calls = 0
  await work()
  const [wallMs, { user, system }] = [performance.now() - wall0, process.cpuUsage(cpu0)]
  return tell(name, findings, {
    ...{ roundTrips: calls, clientMs: (user + system) / 1000, serverMs: serverMs() - server0, wallMs },
  })
}

async function measureImports(): Promise<Cost[]> {
  const file = join(folder, 'findings.ndjson')
  const output = openSync(file, 'w')
  const generate = ['generate', '--findings', String(rows), '--seed', '1', '--home', join(folder, 'home')]
  const { status } = spawnSync(process.execPath, [main, ...generate], { stdio: ['ignore', output, 'inherit'] })
  closeSync(output)
  if (status !== 0) throw new Error('findings could not be generated; build first')
  const vault = openVault({ store, home: folder, env: {}, now: Date.now })
  const { signal } = new AbortController()
  const context = { store, vault, log: silentLog, now: Date.now, signal, caller: { name: 'bench' } }
  const run = () => importFindings(createReadStream(file), { source: 'bench', format: 'ndjson' }, context)
  return [await measure('import', rows, run), await measure('the same import again', rows, run)]
}

async function measureScans(): Promise<Cost[]> {
  plant(store, { sources: [{ name: 'scanned' }], assets: [] })
  const sourceId = store.read((reader) => reader.prepare(`SELECT id FROM source WHERE name = 'scanned'`).pluck().get())
  const run = (number: number) => () => {
    for (let batch = 0; batch < batches; batch++) storeBatch(store, Number(sourceId), batch, number)
  }
  const costs: Cost[] = []
  for (const [number, name] of ['scan', 're-scan', 're-scan'].entries()) {
    costs.push(await measure(name, batches * BATCH, run(number)))
  }
  return costs
}

/** Re-scans of as many sources as there are writers, each by a process of its own, at the same time. */
async function measureWriters(): Promise<Cost> {
  plant(store, { sources: Array.from({ length: writers }, (_, index) => ({ name: `source ${index}` })), assets: [] })
  const ids = store.read((reader) =>
    reader.prepare(`SELECT id FROM source WHERE name LIKE 'source %' ORDER BY id`).pluck().all(),
  )
  const started = ids.map((id) => startScript(flags.writer, [connectionString, String(id), String(batches)]))
  for (const writer of started) await untilPrinted(writer, 'ready')
  const [server0, wall0] = [serverMs(), performance.now()]
  for (const { child } of started) child.kill('SIGUSR2')
  const codes = await Promise.all(started.map(({ ended }) => ended))
  if (codes.some((code) => code !== 0)) throw new Error(`writers ended with ${codes}`)
  const reports = started.map(
    ({ output }) => JSON.parse(output().slice('ready\n'.length)) as Pick<Cost, 'roundTrips' | 'clientMs'>,
  )
  const sum = (of: 'roundTrips' | 'clientMs') => reports.reduce((total, report) => total + report[of], 0)
  return tell(`re-scan, ${writers} writers`, writers * batches * BATCH, {
    roundTrips: sum('roundTrips'),
    clientMs: sum('clientMs'),
    serverMs: serverMs() - server0,
    wallMs: performance.now() - wall0,
  })
}

try {
  print(`machine ${JSON.stringify(describeMachine())}`)
  const results = [...(await measureImports()), ...(await measureScans()), await measureWriters()]
  saveResults(flags.json, {
    command: `npm run bench -- postgres --rows ${rows} --batches ${batches} --writers ${writers}`,
    results,
  })
} finally {
  store.close()
  drop()
  server.stop()
  rmSync(folder, { recursive: true, force: true })
}
