import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildEngine } from '../../src/engine/load.store.ts'
import { forgetShapes } from '../../src/query/engine-plan.ts'
import { attachEngine, findEngine } from '../../src/query/executor.ts'
import { type Reader, Store } from '../../src/store/store.ts'
import { type Duck, layouts, openDuck } from './query/duck.ts'
import { fillStore, NOW } from './query/estate.ts'
import { askDashboard, dashboardSql, plantQuestions, type Question, questions } from './query/questions.ts'

// Questions to the engine through the query function against DuckDB, interleaved in one process.
// npm run bench -- query --rows 1e6 [--runs 15] [--json FILE]

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1e6' },
    runs: { type: 'string', default: '15' },
    json: { type: 'string' },
    only: { type: 'string' },
    folder: { type: 'string' },
  },
})
const rows = Number(values.rows)
const runs = Number(values.runs)
const print = (line: string) => process.stdout.write(`${line}\n`)

const median = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
const geometricMean = (numbers: readonly number[]) =>
  Math.exp(numbers.reduce((sum, number) => sum + Math.log(number), 0) / numbers.length)

interface Measured {
  name: string
  isHard: boolean
  duckMs: number
  warmMs: number
  coldMs: number
  equal: boolean
}

/** The numbers of an answer, whatever their order and however they are typed. */
function toNumbers(given: readonly unknown[]): number[] {
  return given
    .map((value) => Number(value ?? 0))
    .filter((value) => value !== 0)
    .sort((a, b) => a - b)
}

const areEqual = (left: readonly number[], right: readonly number[]) =>
  left.length === right.length &&
  left.every((value, index) => Math.abs(value - (right[index] ?? 0)) <= 1e-12 * Math.max(1, Math.abs(value)))

async function timed<T>(work: () => T | Promise<T>): Promise<{ ms: number; result: T }> {
  const started = performance.now()
  const result = await work()
  return { ms: performance.now() - started, result }
}

async function compare(
  store: Store,
  duck: Duck,
  asked: Pick<Question, 'name' | 'ask' | 'isHard'> & { statements: string[][] },
): Promise<Measured> {
  const rivals: (() => Promise<unknown[][]>[])[] = []
  for (const statements of asked.statements) {
    const prepared = await Promise.all(statements.map((sql) => duck.prepare(sql)))
    rivals.push(() => prepared.map((run) => run()))
  }
  const ask = () => store.read((reader) => asked.ask(reader))
  const cold = () =>
    store.read((reader) => {
      const engine = findEngine(reader)
      if (engine !== undefined) forgetShapes(engine)
      return asked.ask(reader)
    })
  const answer = ask()
  const byRival = rivals.map(() => [] as number[])
  const [warmTimes, coldTimes]: [number[], number[]] = [[], []]
  let theirs: unknown[] = []
  const warm = performance.now() + 1500
  for (let round = 0; round < 60 && performance.now() < warm; round++) ask()
  const least = Math.max(3, runs)
  const budget = performance.now() + 12_000
  for (let round = 0; round < least && (round < 3 || performance.now() < budget); round++) {
    for (const [index, rival] of rivals.entries()) {
      const { ms, result } = await timed(async () => {
        const found: unknown[][] = []
        for (const running of rival()) found.push(...(await running))
        return found
      })
      byRival[index]?.push(ms)
      theirs = result.flatMap((row) =>
        row.slice(Math.max(0, row.length === 2 && asked.name.startsWith('least') ? 0 : row.length - 1)),
      )
    }
    // Our part is short, so it is measured more often, and in the same rounds.
    ask()
    for (let again = 0; again < 5; again++) warmTimes.push((await timed(ask)).ms)
    for (let again = 0; again < 3; again++) coldTimes.push((await timed(cold)).ms)
  }
  const equal = areEqual(toNumbers(answer), toNumbers(theirs))
  if (!equal) print(`DIFFERENT ${asked.name}: ${toNumbers(answer).slice(0, 5)} and ${toNumbers(theirs).slice(0, 5)}`)
  const duckMs = Math.min(...byRival.map(median))
  return {
    name: asked.name,
    isHard: asked.isHard === true,
    duckMs,
    warmMs: median(warmTimes),
    coldMs: median(coldTimes),
    equal,
  }
}

function buildNow(reader: Reader): void {
  const steps = buildEngine(reader)
  for (;;) {
    const { done, value } = steps.next()
    if (!done) continue
    attachEngine(reader, value)
    return
  }
}

const folder = mkdtempSync(join(values.folder ?? tmpdir(), 'assay-bench-'))
try {
  const store = Store.open(join(folder, 'assay.db'), { now: () => NOW })
  const { ms: fillMs, result: filled } = await timed(() => fillStore(store, rows, folder))
  print(
    `${filled.findings} findings of ${filled.assets} assets, ${filled.changes} changes of status; filled in ${(fillMs / 1000).toFixed(1)} s`,
  )
  plantQuestions(store)
  const before = process.memoryUsage()
  const { ms: buildMs } = await timed(() => store.read(buildNow))
  const engine = store.read((reader) => findEngine(reader))
  const bytes = engine?.bytes ?? 0
  const after = process.memoryUsage()
  print(
    `engine built from the rows in ${(buildMs / 1000).toFixed(1)} s, ${(bytes / filled.findings).toFixed(1)} bytes a finding in its columns, ${((after.arrayBuffers + after.heapUsed - before.arrayBuffers - before.heapUsed) / filled.findings).toFixed(1)} in all`,
  )
  const { ms: duckMs, result: duck } = await timed(() =>
    openDuck(join(folder, 'duck.db'), filled, Math.min(5000, Math.max(50, Math.ceil(rows / 2000)))),
  )
  print(
    `DuckDB loaded twice in ${(duckMs / 1000).toFixed(1)} s; load ${loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')}`,
  )
  const measured: Measured[] = []
  const show = (one: Measured) => {
    measured.push(one)
    print(
      `${one.name.padEnd(44)} DuckDB ${one.duckMs.toFixed(2).padStart(9)} ms   warm ${one.warmMs.toFixed(3).padStart(8)} ${(one.duckMs / one.warmMs).toFixed(1).padStart(7)}x   cold ${one.coldMs.toFixed(3).padStart(8)} ${(one.duckMs / one.coldMs).toFixed(1).padStart(7)}x ${one.equal ? '' : 'DIFFERENT'}`,
    )
  }
  const chosen = questions.filter(({ name }) => values.only === undefined || name.includes(values.only))
  for (const question of chosen.filter(({ isHard }) => !isHard)) {
    show(await compare(store, duck, { ...question, statements: layouts.map((table) => [question.sql(table)]) }))
  }
  if (values.only === undefined || 'dashboard of 12'.includes(values.only)) {
    show(
      await compare(store, duck, {
        name: 'dashboard of 12',
        ask: askDashboard,
        statements: layouts.map((table) => dashboardSql.map((sql) => sql.replaceAll('$', table))),
      }),
    )
  }
  for (const question of chosen.filter(({ isHard }) => isHard)) {
    show(await compare(store, duck, { ...question, statements: layouts.map((table) => [question.sql(table)]) }))
  }
  const suite = measured.filter(({ isHard }) => !isHard)
  const hard = measured.filter(({ isHard }) => isHard)
  const summary = {
    rows: filled.findings,
    bytesPerFinding: bytes / filled.findings,
    buildSeconds: buildMs / 1000,
    warm: geometricMean(suite.map(({ duckMs: theirs, warmMs }) => theirs / warmMs)),
    cold: geometricMean(suite.map(({ duckMs: theirs, coldMs }) => theirs / coldMs)),
    leastWarm: Math.min(...suite.map(({ duckMs: theirs, warmMs }) => theirs / warmMs)),
    leastCold: Math.min(...suite.map(({ duckMs: theirs, coldMs }) => theirs / coldMs)),
    hard: geometricMean(hard.map(({ duckMs: theirs, warmMs }) => theirs / warmMs)),
    leastHard: Math.min(...hard.map(({ duckMs: theirs, warmMs }) => theirs / warmMs)),
    different: measured.filter(({ equal }) => !equal).length,
    load: loadavg(),
  }
  print(JSON.stringify(summary, null, 2))
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify({ ...summary, measured }, null, 2))
  process.exitCode = summary.different > 0 ? 1 : 0
  duck.close()
  store.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
