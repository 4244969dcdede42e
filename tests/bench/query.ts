import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { buildEngine } from '../../src/engine/load.store.ts'
import { attachEngine, findEngine } from '../../src/query/engine/executor.ts'
import type { Reader, Store } from '../../src/store/store.ts'
import { describeMachine, print, readCount, readFlags, saveResults } from '../support/bench.ts'
import { askBoth, askOrm, compare, geometricMean, type Measured, timed } from './query/compare.ts'
import { layouts, openDuck } from './query/duck.ts'
import { type Kept, openKept } from './query/kept.ts'
import { openOrm, ormDialect } from './query/orm.ts'
import { askDashboard, dashboardSql, type Question, questions } from './query/questions.ts'
import { serveBoth } from './query/served.ts'

// Questions to the engine through the query function against DuckDB, interleaved in one process; then growth against a
// tenth of the findings, SQLite as an ORM uses it, and the dashboard of 12 over HTTP.
// npm run bench -- query --rows 1e6 [--runs 15] [--parts duckdb,growth,orm,http] [--only NAME] [--keep DIR] [--json FILE]

const flags = readFlags({
  rows: '1e6',
  runs: '15',
  parts: 'duckdb,growth,orm,http',
  only: '',
  keep: '',
  folder: tmpdir(),
  'orm-minutes': '15',
})
const rows = readCount('rows', flags.rows)
const runs = readCount('runs', flags.runs)
const parts = new Set(flags.parts.split(','))
/** The size that HTTP is compared with. */
const SMALL = 100_000
/** With more rows an ORM's table is asked everything only once. */
const FEW = 2_000_000

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
/** Bytes in use once everything is collected that is not. */
function countBytes(): number {
  collect()
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

const buildNow = (reader: Reader): void => attachEngine(reader, buildEngine(reader))

const findBytes = (store: Store) => store.read(findEngine)?.bytes ?? 0

const isAsked = ({ name }: { name: string }) => name.includes(flags.only)
const dashboard = { name: 'dashboard of 12', ask: askDashboard }
const suite = [...questions.filter(({ isHard }) => isHard !== true), dashboard].filter(isAsked)
const toStatements = (one: (typeof suite)[number] | Question, dialect: (typeof layouts)[number]) =>
  'sql' in one ? [one.sql(dialect)] : dashboardSql(dialect)

function show(one: Measured): Measured {
  const [warm, cold] = [one.duckMs / one.warmMs, one.duckMs / one.coldMs]
  print(
    `${one.name.padEnd(44)} DuckDB ${one.duckMs.toFixed(2).padStart(9)} ms   warm ${one.warmMs.toFixed(3).padStart(8)} ${warm.toFixed(1).padStart(7)}x   cold ${one.coldMs.toFixed(3).padStart(8)} ${cold.toFixed(1).padStart(7)}x`,
  )
  return one
}

async function againstDuckDb({ home, store, filled }: Kept): Promise<{ measured: Measured[]; summary: object }> {
  const containers = Math.min(5000, Math.max(50, Math.ceil(rows / 2000)))
  const { ms, result: duck } = await timed(() => openDuck(join(home, 'duck.db'), filled, containers))
  print(`DuckDB opened in ${(ms / 1000).toFixed(1)} s, two layouts`)
  const measured: Measured[] = []
  for (const one of [...suite, ...questions.filter(({ isHard }) => isHard === true).filter(isAsked)]) {
    const statements = layouts.map((dialect) => toStatements(one, dialect))
    measured.push(show(await compare(store, duck, { ...one, statements }, runs)))
  }
  duck.close()
  const ratios = (isHard: boolean, of: 'warmMs' | 'coldMs') =>
    measured.filter((one) => one.isHard === isHard).map((one) => one.duckMs / one[of])
  const least = (values: readonly number[]) => Math.min(...values)
  const whole = measured.find(({ name }) => name === dashboard.name)
  const summary = {
    warm: geometricMean(ratios(false, 'warmMs')),
    leastWarm: least(ratios(false, 'warmMs')),
    cold: geometricMean(ratios(false, 'coldMs')),
    leastCold: least(ratios(false, 'coldMs')),
    dashboard: whole === undefined ? null : whole.duckMs / whole.warmMs,
    hard: geometricMean(ratios(true, 'warmMs')),
    leastHard: least(ratios(true, 'warmMs')),
    different: measured.filter(({ equal }) => !equal).length,
  }
  return { measured, summary }
}

/** How much longer each question takes than over a tenth of the findings. */
function measureGrowth(kept: Kept, tenth: Kept) {
  tenth.store.read(buildNow)
  const growths = suite.map((one) => {
    const { largeMs, smallMs } = askBoth([kept.store, tenth.store], one, runs)
    print(
      `${one.name.padEnd(44)} ${smallMs.toFixed(3).padStart(8)} to ${largeMs.toFixed(3).padStart(8)} ms   ${(largeMs / smallMs).toFixed(2)}x`,
    )
    return { name: one.name, largeMs, smallMs }
  })
  return { growths, growth: geometricMean(growths.map(({ largeMs, smallMs }) => largeMs / smallMs)) }
}

async function againstOrm({ home, store, filled }: Kept, ours: readonly { name: string; warmMs: number }[]) {
  const { ms, result: database } = await timed(() => openOrm(join(home, 'orm.db'), filled))
  const times = rows > FEW ? 1 : 3
  print(`SQLite as an ORM uses it, opened in ${(ms / 1000).toFixed(1)} s; asked ${times} times`)
  const asked = suite.map((one) => ({ ...one, statements: toStatements(one, ormDialect) }))
  const deadline = performance.now() + Number(flags['orm-minutes']) * 60_000
  const answers = askOrm(database, store, asked, { times, deadline }).map((one) => {
    const warmMs = ours.find(({ name }) => name === one.name)?.warmMs ?? Number.NaN
    print(
      `${one.name.padEnd(44)} ORM ${one.ormMs.toFixed(0).padStart(9)} ms   ${(one.ormMs / warmMs).toFixed(0).padStart(7)}x`,
    )
    return { ...one, ratio: one.ormMs / warmMs }
  })
  database.close()
  return { answers, orm: geometricMean(answers.map(({ ratio }) => ratio)) }
}

if (flags.keep !== '') mkdirSync(flags.keep, { recursive: true })
const folder = flags.keep === '' ? mkdtempSync(join(flags.folder, 'assay-bench-')) : flags.keep
const opened: Kept[] = []
const open = (count: number) => {
  const kept = openKept(folder, count)
  opened.push(kept)
  return kept
}
try {
  print(`machine ${JSON.stringify(describeMachine())}`)
  const kept = open(rows)
  const { findings, assets, changes } = kept.filled
  const filled = kept.fillSeconds === 0 ? 'kept from before' : `filled in ${kept.fillSeconds.toFixed(1)} s`
  print(`${findings} findings of ${assets} assets, ${changes} changes of status; ${filled}`)
  const before = countBytes()
  const { ms: buildMs } = await timed(() => kept.store.read(buildNow))
  const a = (bytes: number) => (bytes / findings).toFixed(1)
  print(
    `engine built from the rows in ${(buildMs / 1000).toFixed(1)} s: ${a(findBytes(kept.store))} bytes a finding in its columns, ${a(countBytes() - before)} in the process`,
  )
  const duck = parts.has('duckdb') ? await againstDuckDb(kept) : undefined
  const bytes = findBytes(kept.store)
  const processBytes = countBytes() - before
  print(`after all questions: ${a(bytes)} bytes a finding in its columns and tables, ${a(processBytes)} in the process`)
  const growth = parts.has('growth') ? measureGrowth(kept, open(rows / 10)) : undefined
  const orm = parts.has('orm') ? await againstOrm(kept, duck?.measured ?? []) : undefined
  const homes = [
    kept.home,
    parts.has('http') ? (opened.find((one) => one.filled.findings === SMALL) ?? open(SMALL)).home : '',
  ] as const
  for (const { store } of opened) store.close()
  const http = parts.has('http') && rows > SMALL && existsSync(homes[1]) ? await serveBoth(homes, 200) : undefined
  if (parts.has('http') && rows <= SMALL) print(`dashboard of 12 over HTTP: needs more than ${SMALL} findings`)
  if (http !== undefined) {
    print(
      `dashboard of 12 over HTTP: ${http.largeMs.toFixed(2)} ms at ${findings}, ${http.smallMs.toFixed(2)} ms at ${SMALL}, ${(http.largeMs / http.smallMs).toFixed(2)}x`,
    )
  }
  const summary = {
    rows: findings,
    bytesPerFinding: bytes / findings,
    processBytesPerFinding: processBytes / findings,
    buildSeconds: buildMs / 1000,
    ...duck?.summary,
    growth: growth?.growth,
    orm: orm?.orm,
    differentFromOrm: orm?.answers.filter(({ equal }) => !equal).length,
    httpGrowth: http === undefined ? undefined : http.largeMs / http.smallMs,
  }
  print(JSON.stringify(summary, null, 2))
  saveResults(flags.json, {
    command: `npm run bench -- query --rows ${flags.rows}`,
    ...summary,
    measured: duck?.measured,
    growths: growth?.growths,
    orms: orm?.answers,
    http,
  })
  const different = (duck?.measured ?? []).concat((orm?.answers as never) ?? []).filter(({ equal }) => !equal)
  process.exitCode = different.length > 0 ? 1 : 0
} finally {
  if (flags.keep === '') rmSync(folder, { recursive: true, force: true })
}
