import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildEngine } from '../../src/engine/load.store.ts'
import { runOnEngine } from '../../src/query/engine/engine-plan.ts'
import { openEngineSnapshot } from '../../src/query/engine/executor.ts'
import { type Cell, toValue } from '../../src/query/plan/cells.ts'
import type { Plan } from '../../src/query/plan/plan.ts'
import { runPlan } from '../../src/query/sql/plan.store.ts'
import { Store } from '../../src/store/store.ts'
import { type Duck, openDuck } from '../bench/query/duck.ts'
import { fillStore, NOW, START } from '../bench/query/estate.ts'

const FINDINGS = Number(process.env.ASSAY_LONG_FINDINGS ?? 1_000_000)
const DAY = 24 * 3_600_000

let folder: string
let store: Store
let duck: Duck
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-percentiles-'))
  store = Store.open(join(folder, 'assay.db'), { now: () => NOW })
  const filled = fillStore(store, FINDINGS, folder)
  duck = await openDuck(join(folder, 'duck.db'), filled)
}, 3_600_000)
afterAll(() => {
  duck.close()
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

const conf = 'conf::DOUBLE / 10000'
const age = `(${NOW} - epoch_ms(t))::DOUBLE / 3600000`
const edges = Array.from({ length: 25 }, (_, index) => START + (index + 1) * 28 * DAY)
const bucket = `least(25, floor((epoch_ms(t) - ${START}) / ${28 * DAY}))::INTEGER`
const plan = (field: 'confidence' | 'ageHours', p: number, more: Partial<Plan> = {}): Plan => ({
  entity: 'finding',
  mode: 'flow',
  measure: { aggregation: 'PERCENTILE', field, p },
  conditions: [],
  timeField: 'firstDetectedAt',
  range: {},
  at: NOW,
  dimensions: [],
  ...more,
})

test.each([
  ['a median by severity', plan('confidence', 0.5, { dimensions: ['severity'] }), conf, 'severity'],
  ['a percentile by detector', plan('confidence', 0.9, { dimensions: ['detectorType'] }), conf, 'detector'],
  ['a median age by severity', plan('ageHours', 0.5, { dimensions: ['severity'] }), age, 'severity'],
  ['a percentile age by type', plan('ageHours', 0.99, { dimensions: ['findingType'] }), age, 'ftype'],
  ['a median in series', plan('confidence', 0.5, { edges }), conf, bucket],
  ['a percentile age in series', plan('ageHours', 0.95, { edges }), age, bucket],
] as const)(
  '%s is the same as in DuckDB',
  async (_, asked, number, group) => {
    const { p = 0 } = asked.measure
    const rows = await (
      await duck.prepare(`SELECT ${group}::VARCHAR, quantile_cont(${number}, ${p}) FROM f_enum GROUP BY 1`)
    )()
    const theirs = new Map(rows.map(([name, value]) => [String(name), Number(value)]))
    const check = (cells: readonly Cell[]) => {
      expect(cells.length).toBe(theirs.size)
      for (const cell of cells) {
        const value = toValue(asked, cell, 'zero') ?? Number.NaN
        const expected = theirs.get(String(asked.edges === undefined ? cell.key[0] : cell.bucket)) ?? Number.NaN
        expect(Math.abs(value - expected)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(expected)))
      }
    }
    store.read((reader) => {
      check(runPlan(reader, asked))
      const answered = runOnEngine(buildEngine(reader), asked, openEngineSnapshot(reader))
      expect(answered !== undefined).toBe(asked.measure.field === 'confidence')
      if (answered !== undefined) check(answered)
    })
  },
  600_000,
)
