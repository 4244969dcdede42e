import { spawnSync } from 'node:child_process'
import { closeSync, createReadStream, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findAssets, type SeenAsset, saveAsset } from '../../../src/findings/assets.store.ts'
import { applyDetection } from '../../../src/findings/detected.ts'
import { FindingLedger } from '../../../src/findings/ledger.store.ts'
import { importFindings } from '../../../src/imports/imports.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { packageFile } from '../../../src/runtime/package-files.ts'
import { openVault } from '../../../src/store/keys/vault-file.ts'
import { PostgresClient } from '../../../src/store/postgres/client.ts'
import type { PostgresStore } from '../../../src/store/postgres/store.ts'
import { plant } from '../../query/estate.ts'
import { describeMachine, print, readCount, readFlags, saveResults } from '../../support/bench.ts'
import { createDatabase, openAdmin, openPostgresStore, startPostgres } from '../../support/postgres.ts'
import { safe } from '../../support/safe-text.ts'

// Findings into a PostgreSQL server of this machine: round trips, and CPU time of this process and of the server.
// npm run bench -- postgres [--rows 20000] [--batches 20] [--json FILE]

const BATCH = 500
const PER_ASSET = 5
const TICK_MS = 10
const main = packageFile('dist/main.js').pathname

const flags = readFlags({ rows: '20000', batches: '20' })
const [rows, batches] = [readCount('rows', flags.rows), readCount('batches', flags.batches)]
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

/** What storing some findings costs, for each batch of 500. */
async function measure(name: string, findings: number, work: () => unknown): Promise<Cost & { name: string }> {
  const [server0, cpu0, wall0] = [serverMs(), process.cpuUsage(), performance.now()]
  calls = 0
  await work()
  const [roundTrips, wall, cpu] = [calls, performance.now() - wall0, process.cpuUsage(cpu0)]
  const each = (total: number) => Math.round((total / (findings / BATCH)) * 10) / 10
  const cost = {
    roundTrips: each(roundTrips),
    clientMs: each((cpu.user + cpu.system) / 1000),
    serverMs: each(serverMs() - server0),
    wallMs: each(wall),
  }
  const perCore = Math.round((BATCH * 1000) / (cost.clientMs + cost.serverMs))
  print(
    `${name.padEnd(24)} ${cost.roundTrips} round trips, ${cost.clientMs} ms CPU here, ${cost.serverMs} ms in the server, ` +
      `${cost.wallMs} ms; ${Math.round((BATCH * 1000) / cost.wallMs)} findings/s, ${perCore} per core and second`,
  )
  return { name, ...cost }
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

/** Stores one batch of a scan: 500 findings of 100 assets, in one transaction. */
function storeBatch(target: PostgresStore, sourceId: number, batch: number, run: number): void {
  const at = Date.now()
  target.write(
    (writer) =>
      FindingLedger.keep(writer, at, (ledger) => {
        const keys = Array.from({ length: BATCH / PER_ASSET }, (_, asset) => batch * (BATCH / PER_ASSET) + asset)
        const stored = findAssets(
          writer,
          sourceId,
          keys.map((key) => `a${key}`),
        )
        const ids = keys.map((key, index) => {
          const draft = { kind: 'wiki.page', key: `a${key}`, name: 'page', url: '', checksum: '', links: [] }
          return saveAsset(
            writer,
            ledger.facets,
            {
              ...safe({ sourceId, scopeKey: 'S', scanId: 1, at, detectorsHash: 'h', scanned: true }),
              draft: safe(draft) as SeenAsset['draft'],
            },
            stored[index] ?? null,
          )
        })
        ledger.readAhead(ids)
        for (const [index, id] of ids.entries()) {
          const numbers = Array.from({ length: PER_ASSET }, (_, number) => (keys[index] ?? 0) * PER_ASSET + number)
          applyDetection(ledger, {
            asset: { id, sourceId, lastScannedAt: null },
            // In each run after the first, one of ten findings is gone or there again.
            found: numbers
              .filter((number) => run === 0 || (number + run) % 20 !== 0)
              .map((number) => ({
                detectorType: `DETECTOR_${number % 5}`,
                findingType: `TYPE_${number % 30}`,
                category: 'SECURITY',
                severity: 'HIGH' as const,
                confidence: 0.9,
                location: { path: 'Body' },
                excerpt: 'an excerpt of some length [redacted]',
                fingerprint: (number + 1).toString(16).padStart(12, '0'),
              })),
            examinedTypes: new Set(Array.from({ length: 5 }, (_, number) => `DETECTOR_${number}`)),
            complete: new Set(Array.from({ length: 5 }, (_, number) => `DETECTOR_${number}`)),
            scanId: 1,
            at,
          })
        }
      }),
    { scope: { source: sourceId } },
  )
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

try {
  print(`machine ${JSON.stringify(describeMachine())}`)
  const results = [...(await measureImports()), ...(await measureScans())]
  saveResults(flags.json, { command: `npm run bench -- postgres --rows ${rows} --batches ${batches}`, results })
} finally {
  store.close()
  drop()
  server.stop()
  rmSync(folder, { recursive: true, force: true })
}
