import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildEngine, catchUp } from '../../src/engine/load.store.ts'
import { runOnEngine } from '../../src/query/engine/engine-plan.ts'
import { openEngineSnapshot } from '../../src/query/engine/executor.ts'
import { areSame, createSeededRandom, makePlan } from '../../src/query/engine/verify.ts'
import type { Cell } from '../../src/query/plan/cells.ts'
import type { Plan, PlanCondition } from '../../src/query/plan/plan.ts'
import { runPlan } from '../../src/query/sql/plan.store.ts'
import { type Reader, Store } from '../../src/store/store.ts'
import { type Duck, openDuck } from '../bench/query/duck.ts'
import { type Filled, fillStore, NOW } from '../bench/query/estate.ts'
import { changeSomething } from '../engine/changing.ts'
import { SeededRandom } from '../properties/query-data.ts'
import { safe } from '../support/safe-text.ts'

const FINDINGS = Number(process.env.ASSAY_LONG_FINDINGS ?? 1_000_000)
const QUESTIONS = Number(process.env.ASSAY_LONG_QUESTIONS ?? 10_000)
const SEED = Number(process.env.ASSAY_LONG_SEED ?? 11)
const OF_DUCKDB = Math.ceil(QUESTIONS / 20)

let folder: string
let store: Store
let filled: Filled
let duck: Duck
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-long-'))
  store = Store.open(join(folder, 'assay.db'), { now: () => NOW })
  filled = fillStore(store, FINDINGS, folder)
  duck = await openDuck(join(folder, 'duck.db'), filled)
}, 3_600_000)
afterAll(() => {
  duck.close()
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

const ask = (reader: Reader, plan: Plan, engine: ReturnType<typeof buildEngine>) =>
  runOnEngine(engine, plan, openEngineSnapshot(reader))

const columns: Record<string, string> = {
  severity: 'severity',
  severities: 'severity',
  status: 'status',
  statuses: 'status',
  detectorType: 'detector',
  detectorTypes: 'detector',
  findingType: 'ftype',
  findingTypes: 'ftype',
  category: 'category',
  categories: 'category',
  source: 'source',
  sources: 'source',
  sourceId: 'source',
  container: 'container',
  containers: 'container',
  owner: 'owner',
  owners: 'owner',
  assetId: 'asset',
  confidence: 'conf',
  minConfidence: 'conf',
}

function toSql({ measure, conditions, range, dimensions }: Plan): string | undefined {
  const field = measure.field ?? 'assetId'
  const used = [...dimensions, field, ...conditions.map(({ key }) => key)]
  if (used.some((name) => columns[name] === undefined)) return undefined
  const keys = dimensions.map((dimension) => columns[dimension])
  const aggregates: Record<string, string> = {
    COUNT: 'count(*), 0, NULL, NULL, NULL',
    COUNT_DISTINCT: `count(DISTINCT ${columns[field]}), 0, NULL, NULL, NULL`,
    AVG: 'count(*), sum(conf)::DOUBLE, NULL, NULL, NULL',
    MIN: 'count(*), 0, min(conf), NULL, NULL',
    MAX: 'count(*), 0, NULL, max(conf), NULL',
    PERCENTILE: `count(*), 0, NULL, NULL, quantile_cont(conf::DOUBLE, ${measure.p})`,
  }
  const instants = [
    ...(range.from === undefined ? [] : [`t >= epoch_ms(${range.from}::BIGINT)`]),
    ...(range.to === undefined ? [] : [`t < epoch_ms(${range.to}::BIGINT)`]),
  ]
  const where = [...instants, ...conditions.map(toCondition)]
  const filter = where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`
  const groupBy = keys.length === 0 ? '' : `GROUP BY ${keys.map((_, index) => index + 1).join(', ')}`
  const named = keys.map((key) => `${key}::VARCHAR`)
  return `SELECT ${[...named, aggregates[measure.aggregation]].join(', ')} FROM f_enum ${filter} ${groupBy}`
}

function toCondition({ key, values, exclude }: PlanCondition): string {
  if (key === 'minConfidence') return `conf >= ${Math.round(Number(values[0]) * 10_000)}`
  const list = values.map((value) => `'${value}'`).join(', ')
  return `${columns[key]}::VARCHAR ${exclude ? 'NOT IN' : 'IN'} (${list})`
}

/** Interpolated numbers may differ in the last places. */
const withRoundedQuantile = (cell: Cell): Cell =>
  cell.quantile === null ? cell : { ...cell, quantile: Number(cell.quantile.toPrecision(12)) }

test(`${OF_DUCKDB} random questions have the same answers as DuckDB`, async () => {
  const engine = store.read((reader) => buildEngine(reader))
  const random = createSeededRandom(SEED)
  let asked = 0
  while (asked < OF_DUCKDB) {
    const plan: Plan = { ...makePlan(engine, random, NOW), mode: 'flow' }
    const sql = toSql(plan)
    if (sql === undefined || plan.edges !== undefined) continue
    const cells = store.read((reader) => ask(reader, plan, engine))?.map(withRoundedQuantile)
    if (cells === undefined) continue
    const rows = await (await duck.prepare(sql))()
    const count = plan.dimensions.length
    const theirs = rows.map((row): Cell => {
      const [n, sum, min, max, quantile] = row.slice(count)
      const toNumber = (value: unknown) => (value === null ? null : Number(value))
      const key = row.slice(0, count).map((name) => (name === null ? null : safe(String(name))))
      return {
        key,
        bucket: 0,
        n: Number(n),
        sum: Number(sum),
        min: toNumber(min),
        max: toNumber(max),
        quantile: toNumber(quantile),
      }
    })
    expect(areSame(cells, theirs.map(withRoundedQuantile)), JSON.stringify(plan)).toBe(true)
    asked++
  }
}, 3_600_000)

test(`${QUESTIONS} random questions have the same answers as SQL while findings are written`, () => {
  let engine = store.read((reader) => buildEngine(reader))
  const [random, changing] = [createSeededRandom(SEED + 1), new SeededRandom(SEED + 2)]
  const started = Date.now()
  let [served, left, built] = [0, 0, 1]
  for (let number = 0; served < QUESTIONS; number++) {
    if (number % 3 === 0) changeSomething(store, changing, { most: 300, startsOver: 0.004 })
    store.read((reader) => {
      if (!catchUp(reader, engine) || (!engine.history.isComplete && number % 50 === 0)) {
        engine = buildEngine(reader)
        built++
      }
      const plan = makePlan(engine, random, NOW)
      const cells = ask(reader, plan, engine)
      if (cells === undefined) {
        left++
        return
      }
      expect(areSame(cells, runPlan(reader, plan)), `question ${number} ${JSON.stringify(plan)}`).toBe(true)
      served++
      if (served % 500 > 0) return
      const minutes = ((Date.now() - started) / 60_000).toFixed(1)
      process.stderr.write(`${served} the same, ${left} left to SQL, ${built} engines built, ${minutes} min\n`)
    })
  }
}, 36_000_000)
