import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Store } from '../../src/store/store.ts'
import { describeMachine, print, quantile, readCount, readFlags, saveResults } from '../support/bench.ts'
import { timeImports } from './write/import.ts'
import { openFilled, rescan, timeEncoding } from './write/ours.ts'
import { OrmTable, PlainTable, type Rival, SortedTable } from './write/rivals.ts'
import { BATCH, type Batch, Estate, planBatches, START } from './write/work.ts'

// Findings into the store: all at once, by `assay import`, and by re-scans against tables that others would use.
// npm run bench -- write --rows 1e6 [--turns 30] [--imports 3] [--json FILE]

/** Batches of one turn: enough that copying the log back into the database is part of it. */
const BATCHES_OF_TURN = 10
/** Where others need minutes to be filled, they are left out; so many findings are imported at most. */
const MAX_ROWS_OF_ORM = 2_000_000
const MAX_IMPORTED = 1_000_000
/** What an import may have resident. */
const IMPORT_MEGABYTES = 400

const flags = readFlags({ rows: '2e5', turns: '30', imports: '3' })
const estate = new Estate(readCount('rows', flags.rows))
const folder = mkdtempSync(join(tmpdir(), 'assay-bench-write-'))
const say = (what: string, text: string) => print(`${what.padEnd(44)} ${text}`)
const perSecond = (rows: number, seconds: number) => `${Math.round(rows / seconds).toLocaleString('en')} findings/s`

/** Bytes that this process has handed to the system: log, pages and checkpoints. */
const writtenBytes = () => Number(/wchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1] ?? Number.NaN)

interface Contestant {
  name: string
  run: (batch: Batch) => void
  /** Milliseconds of each turn. */
  times: number[]
  bytes: number
}

/** Has the system write what it still holds back of anybody's turn, so that the next one does not pay for it. */
function settle(): void {
  if (process.platform !== 'win32') execFileSync('sync')
}

/** Every contestant stores the same batches, turn by turn. */
function compete(contestants: readonly Contestant[], batches: readonly Batch[]): void {
  for (let turn = 0; turn * BATCHES_OF_TURN < batches.length; turn++) {
    const some = batches.slice(turn * BATCHES_OF_TURN, (turn + 1) * BATCHES_OF_TURN)
    for (let place = 0; place < contestants.length; place++) {
      const one = contestants[(place + turn) % contestants.length]
      if (one === undefined) continue
      settle()
      const [bytes, started] = [writtenBytes(), performance.now()]
      for (const batch of some) one.run(batch)
      one.times.push(performance.now() - started)
      one.bytes += writtenBytes() - bytes
    }
  }
}

function measureRescans() {
  const [file, bare] = [join(folder, 'log.db'), join(folder, 'bare.db')]
  const { sourceId, seconds } = openFilled(file, estate)
  say('bulk at the store', perSecond(estate.rows, seconds))
  copyFileSync(file, bare)
  const open = (name: string) => Store.open(name, { now: () => START })
  const [store, unlogged] = [open(file), open(bare)]
  const plain = new PlainTable(join(folder, 'plain.db'))
  const others: Rival[] = [new SortedTable(join(folder, 'sorted.db'))]
  if (estate.rows <= MAX_ROWS_OF_ORM) others.push(new OrmTable(join(folder, 'orm.db')))
  for (const rival of [plain, ...others]) rival.fill(estate)
  const enter = (name: string, run: Contestant['run']): Contestant => ({ name, run, times: [], bytes: 0 })
  const ours = () => enter('assay', (batch) => rescan(store, sourceId, batch, true))
  const enterRival = (rival: Rival) => enter(rival.name, (batch) => rival.store(batch))
  const bareOurs = enter('assay without its change log', (batch) => rescan(unlogged, sourceId, batch, false))
  // First with the plain table alone: in one rotation with all the others ours was measured slower, and that table was not.
  const meetings = [
    [ours(), enterRival(plain)],
    [ours(), bareOurs, ...others.map(enterRival)],
  ]
  const turns = Number(flags.turns)
  const batches = planBatches(estate.rows, 2 * turns * BATCHES_OF_TURN)
  print(`machine ${JSON.stringify(describeMachine())}`)
  for (const [index, meeting] of meetings.entries()) {
    const from = index * turns * BATCHES_OF_TURN
    for (const late of meeting.slice(1)) for (const batch of batches.slice(0, from)) late.run(batch)
    compete(meeting, batches.slice(from, from + turns * BATCHES_OF_TURN))
  }
  for (const one of [store, unlogged, plain, ...others]) one.close()
  const rows = BATCHES_OF_TURN * BATCH
  const median = (one: Contestant | undefined) => quantile(one?.times ?? [], 0.5)
  const rescans = meetings.flatMap((meeting) =>
    meeting.map((one) => ({
      name: one.name,
      rowsPerSecond: rows / (median(one) / 1000),
      meanRowsPerSecond: (rows * one.times.length) / (one.times.reduce((sum, ms) => sum + ms, 0) / 1000),
      bytesPerRow: Math.round(one.bytes / one.times.length / rows),
      timeAgainstOurs: median(one) / median(meeting[0]),
    })),
  )
  for (const { name, rowsPerSecond, meanRowsPerSecond, bytesPerRow, timeAgainstOurs } of rescans) {
    const overall = `${perSecond(meanRowsPerSecond, 1)} overall, ${bytesPerRow} bytes a row`
    say(
      `re-scan, ${name}`,
      `${perSecond(rowsPerSecond, 1)} by the median, ${overall}, ${timeAgainstOurs.toFixed(2)} x our time`,
    )
  }
  const without = median(bareOurs) - timeEncoding() * BATCHES_OF_TURN
  const feedCost = median(meetings[1]?.[0]) / without
  say("what the engine's feed costs", `${feedCost.toFixed(3)} x`)
  return { bulkPerSecond: estate.rows / seconds, feedCost, rescans }
}

try {
  print(`machine ${JSON.stringify(describeMachine())}`)
  const measured = measureRescans()
  for (const file of ['log.db', 'bare.db', 'plain.db', 'sorted.db', 'orm.db'])
    rmSync(join(folder, file), { force: true })
  const imported = Math.min(estate.rows, MAX_IMPORTED)
  const { first, again, duckDb, megabytes } = await timeImports(folder, imported, Number(flags.imports))
  say('assay import, the whole command', `${perSecond(imported, first)}, median of ${flags.imports}`)
  say('assay import, the same file once more', perSecond(imported, again))
  say('assay import, most memory resident', `${Math.round(megabytes)} MB`)
  say('DuckDB reading that file into a table', `${perSecond(imported, duckDb)}, ${(first / duckDb).toFixed(2)} x`)
  print(`machine ${JSON.stringify(describeMachine())}`)
  saveResults(flags.json, {
    command: `npm run bench -- write --rows ${flags.rows}`,
    rows: estate.rows,
    ...measured,
    imported,
    importPerSecond: imported / first,
    importAgainPerSecond: imported / again,
    importAgainstDuckDb: first / duckDb,
    importMegabytes: megabytes,
    importMemory: megabytes / IMPORT_MEGABYTES,
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
