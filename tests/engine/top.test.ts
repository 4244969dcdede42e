import { afterEach, expect, test } from 'vitest'
import { buildEngine } from '../../src/engine/load.store.ts'
import { toBreakdown } from '../../src/query/answer/breakdown.ts'
import { attachEngine, type FindTop, openTop } from '../../src/query/engine/executor.ts'
import { groupOrders } from '../../src/query/model.ts'
import type { MeasureNode, Plan } from '../../src/query/plan/plan.ts'
import { runPlan } from '../../src/query/sql/plan.store.ts'
import { makeEstate, NOW, SeededRandom } from '../properties/query-data.ts'
import { type EstateSeed, openFolderStore, plant } from '../query/estate.ts'

const DAY = 24 * 3_600_000

let close: () => void
afterEach(() => close())

test('the first assets and values of breakdowns, compared or not, are those of all groups listed by SQL', () => {
  const opened = openFolderStore(() => NOW)
  const { store } = opened
  close = opened.close
  plant(store, makeEstate(11, 900) as EstateSeed)
  store.read((reader) => attachEngine(reader, buildEngine(reader)))
  const random = new SeededRandom(11)
  const nodeOf = (plan: Plan): MeasureNode => ({ kind: 'measure', plan, emptyAs: 'zero', isUndated: false })
  const found = new Set<string>()
  for (let round = 0; round < 400; round++) {
    const [dimension, mode] = [
      random.pick(['asset', 'asset', 'value'] as const),
      random.pick(['flow', 'stock'] as const),
    ]
    const severities = random.some(['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'], 4)
    const planOver = (from: number, to: number): Plan => ({
      entity: 'finding',
      mode,
      measure: { aggregation: 'COUNT' },
      conditions:
        severities.length === 0 ? [] : [{ key: 'severities', values: severities, exclude: false, origin: 'caller' }],
      timeField: 'firstDetectedAt',
      range: mode === 'flow' ? { from, to } : {},
      at: to,
      dimensions: [dimension],
    })
    const length = random.pick([3, 30, 200]) * DAY
    const now = nodeOf(planOver(NOW - length, NOW))
    const before = random.chance(0.7) ? nodeOf(planOver(NOW - 2 * length, NOW - length)) : undefined
    const orderBy = before === undefined ? ('value' as const) : random.pick(groupOrders)
    const limit = random.pick([1, 2, 5, 20])
    store.read((reader) => {
      const list = (topOf: FindTop) =>
        toBreakdown(now, (plan) => runPlan(reader, plan), { limit, before, orderBy, topOf })
      const top = openTop(reader)
      const told = list((...asked) => {
        const cells = top(...asked)
        const kind = before === undefined ? dimension : `${dimension} by ${orderBy}`
        if (cells !== undefined) found.add(kind)
        return cells
      })
      expect({ round, told }).toEqual({ round, told: list(() => undefined) })
    })
  }
  const kinds = ['asset', 'value'].flatMap((each) => [each, ...groupOrders.map((orderBy) => `${each} by ${orderBy}`)])
  expect([...found].sort()).toEqual(kinds.sort())
})
