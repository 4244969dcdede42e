import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FindingLedger } from '../../src/findings/ledger.store.ts'
import { openToldAssets } from '../../src/findings/told-assets.store.ts'
import { Store } from '../../src/store/store.ts'
import { Dice } from '../properties/query-data.ts'
import { describeMachine, print, quantile, readFlags, saveResults } from '../support/bench.ts'
import { OrmTable, PlainTable, type Rival } from './write/rivals.ts'
import { type Batch, planBatches, type Seen, START, toFacets, withoutLog } from './write/work.ts'

// Findings into the store: all at once, by `assay import`, and by re-scans against tables that others would use.
// npm run bench -- write --rows 1e6 [--batches 60] [--json FILE]

const flags = readFlags({ rows: '2e5', batches: '60' })
const rows = Number(flags.rows)
const rounds = Number(flags.batches)
const folder = mkdtempSync(join(tmpdir(), 'assay-bench-write-'))
const BULK = 64_000
const PER_ASSET = 5

function openFilled(file: string): { store: Store; sourceId: number; seconds: number } {
  const store = Store.open(file, { now: () => START })
  const sourceId = store.write((writer) => {
    const { lastInsertRowid } = writer
      .prepare(
        `INSERT INTO source (uid, name, type, config, created_at, updated_at) VALUES ('s', 's', 'WIKI', '{}', 0, 0)`,
      )
      .run()
    const assets = openToldAssets(Number(lastInsertRowid))
    FindingLedger.keep(writer, START, (ledger) => {
      for (let asset = 0; asset < rows / PER_ASSET; asset++)
        assets.save(writer, ledger.facets, { key: `a${asset}`, name: `Asset ${asset}` }, START)
    })
    return Number(lastInsertRowid)
  })
  const dice = new Dice(1)
  const started = performance.now()
  for (let from = 0; from < rows; from += BULK) {
    store.write((writer) =>
      FindingLedger.keep(writer, START, (ledger) => {
        for (let number = from; number < Math.min(rows, from + BULK); number++) {
          ledger.insert({
            assetId: 1 + Math.floor(number / PER_ASSET),
            fp: number,
            facets: toFacets(sourceId, number, 'OPEN'),
            firstDetectedAt: START + dice.below(730) * 86_400_000,
            confidence: 5_000 + dice.below(5_000),
            lastDetectedAt: null,
            resolvedAt: null,
            location: null,
            excerpt: null,
          })
        }
      }),
    )
  }
  return { store, sourceId, seconds: (performance.now() - started) / 1000 }
}

/** The store's own way: an asset's findings are read once, and what is as it was is not written. */
function rescan(store: Store, sourceId: number, batch: Batch, hasLog: boolean): void {
  store.write((given) => {
    const writer = hasLog ? given : withoutLog(given)
    FindingLedger.keep(writer, batch.at, (ledger) => {
      for (const [assetId, seen] of batch.byAsset) {
        const known = new Map(ledger.listOfAsset(assetId).map((record) => [record.fp, record]))
        for (const one of seen) storeSeen(ledger, known.get(one.fp), one)
      }
    })
  })

  function storeSeen(ledger: FindingLedger, before: ReturnType<FindingLedger['findById']>, one: Seen): void {
    if (before === undefined) {
      const facets = toFacets(sourceId, one.fp, 'OPEN')
      const { assetId, fp, confidence } = one
      const none = { lastDetectedAt: null, resolvedAt: null, location: null, excerpt: null }
      ledger.insert({ assetId, fp, facets, firstDetectedAt: batch.at, confidence, ...none })
    } else if (one.status !== before.facets.status) {
      ledger.changeStatus(before, { at: batch.at, to: one.status, actor: 'scan', scanId: 1 })
    } else ledger.update(before, { confidence: before.confidence })
  }
}

/** Bytes that this process has handed to the system: log, pages and checkpoints. */
const writtenBytes = () => Number(/wchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1] ?? Number.NaN)

function importFile(): { seconds: number } {
  const file = join(folder, 'findings.ndjson')
  const main = new URL('../../dist/main.js', import.meta.url).pathname
  const run = (args: string[], stdout: number | 'pipe') => {
    const started = performance.now()
    const { status, stderr } = spawnSync(process.execPath, [main, ...args, '--home', join(folder, 'home')], {
      stdio: ['ignore', stdout, 'pipe'],
    })
    if (status !== 0) throw new Error(`assay ${args[0]} ended with ${status}: ${stderr}`)
    return (performance.now() - started) / 1000
  }
  run(['generate', '--findings', String(rows), '--seed', '1'], openSync(file, 'w'))
  return { seconds: run(['import', file, '--source', 'bench'], 'pipe') }
}

try {
  print(`machine ${JSON.stringify(describeMachine())}`)
  const file = join(folder, 'log.db')
  const filled = openFilled(file)
  print(`bulk at the store     ${Math.round(rows / filled.seconds)} findings/s`)
  filled.store.close()
  const bare = join(folder, 'bare.db')
  copyFileSync(file, bare)
  const { sourceId } = filled
  const [store, unlogged] = [file, bare].map((name) => Store.open(name, { now: () => START })) as [Store, Store]
  const rivals: Rival[] = [new PlainTable(join(folder, 'plain.db')), new OrmTable(join(folder, 'orm.db'))]
  for (const rival of rivals) rival.fill(rows, PER_ASSET)
  const contestants = [
    { name: 'assay', run: (batch: Batch) => rescan(store, sourceId, batch, true) },
    { name: 'assay without its change log', run: (batch: Batch) => rescan(unlogged, sourceId, batch, false) },
    ...rivals.map((rival) => ({ name: rival.name, run: (batch: Batch) => rival.store(batch) })),
  ].map((one) => ({ ...one, times: [] as number[], bytes: 0 }))
  const batches = planBatches(rows, PER_ASSET, rounds)
  for (const [round, batch] of batches.entries()) {
    for (let turn = 0; turn < contestants.length; turn++) {
      const one = contestants[(turn + round) % contestants.length]
      if (one === undefined) continue
      const [bytes, started] = [writtenBytes(), performance.now()]
      one.run(batch)
      one.times.push(performance.now() - started)
      one.bytes += writtenBytes() - bytes
    }
  }
  const [ours] = contestants
  const results = contestants.map(({ name, times, bytes }) => ({
    name,
    rowsPerSecond: Math.round(500 / (quantile(times, 0.5) / 1000)),
    meanRowsPerSecond: Math.round((500 * times.length) / (times.reduce((sum, ms) => sum + ms, 0) / 1000)),
    bytesPerRow: Math.round(bytes / times.length / 500),
    timeAgainstOurs: quantile(times, 0.5) / quantile(ours?.times ?? [], 0.5),
  }))
  for (const { name, rowsPerSecond, meanRowsPerSecond, bytesPerRow, timeAgainstOurs } of results) {
    print(
      `re-scan ${name.padEnd(30)} ${rowsPerSecond} rows/s by the median, ${meanRowsPerSecond} overall, ` +
        `${bytesPerRow} bytes a row, ${timeAgainstOurs.toFixed(2)} x our time`,
    )
  }
  const logCost = 1 / (results[1]?.timeAgainstOurs ?? Number.NaN)
  print(`the change log costs  ${logCost.toFixed(2)} x`)
  for (const one of [store, unlogged, ...rivals]) one.close()
  const imported = importFile()
  print(`assay import          ${Math.round(rows / imported.seconds)} findings/s, the whole command`)
  print(`machine ${JSON.stringify(describeMachine())}`)
  saveResults(flags.json, {
    command: `npm run bench -- write --rows ${flags.rows}`,
    rows,
    bulkPerSecond: rows / filled.seconds,
    importPerSecond: rows / imported.seconds,
    logCost,
    rescans: results,
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
