import { afterAll, expect, test } from 'vitest'
import { Engine } from '../../src/engine/columnar-index.ts'
import { buildEngine, catchUp } from '../../src/engine/load.store.ts'
import { isDueKey } from '../../src/findings/due-conditions.ts'
import { toConditions } from '../../src/findings/filter.ts'
import { FindingLedger } from '../../src/findings/ledger.store.ts'
import { runOnEngine } from '../../src/query/engine/engine-plan.ts'
import { openEngineSnapshot } from '../../src/query/engine/executor.ts'
import { areSame, createSeededRandom, makePlan, openTerms } from '../../src/query/engine/verify.ts'
import type { Plan } from '../../src/query/plan/plan.ts'
import { runPlan } from '../../src/query/sql/plan.store.ts'
import type { Reader, Store } from '../../src/store/store.ts'
import { plantPolicies, plantTerm } from '../properties/plant-metrics.ts'
import { makeEstate, NOW, namedTerms, SeededRandom } from '../properties/query-data.ts'
import { policiesOf } from '../properties/query-terms.ts'
import { type EstateSeed, openFolderStore, plant } from '../query/estate.ts'
import { changeSomething } from './changing.ts'

const DAY = 86_400_000
const ROUNDS = Number(process.env.ASSAY_DUE_ROUNDS ?? 12)
const tiny = { markBits: 8, blockBits: 4, minLate: 40 }
const closers: (() => void)[] = []
afterAll(() => {
  for (const close of closers) close()
})

function openEstate(seed: number, findings: number): Store {
  const { store, close } = openFolderStore(() => NOW)
  closers.push(close)
  plant(store, makeEstate(seed, findings) as EstateSeed)
  for (const [slug, mapping] of Object.entries(namedTerms)) plantTerm(store, slug, mapping)
  return store
}

/** As an import does, with and without a change of the history. */
function correctResolutions(store: Store, random: SeededRandom): void {
  store.write((writer) => {
    const resolved = writer
      .prepare('SELECT id FROM finding WHERE resolved_at IS NOT NULL AND id >= ? ORDER BY id LIMIT 3')
      .pluck()
      .all(random.below(1500)) as number[]
    FindingLedger.keep(writer, NOW, (ledger) => {
      for (const id of resolved) {
        const finding = ledger.findById(id)
        if (finding === undefined) continue
        const resolvedAt = finding.firstDetectedAt + random.below(300) * DAY
        if (random.chance(0.2)) ledger.correctResolution(finding, resolvedAt)
        ledger.update(finding, { resolvedAt })
      }
    })
  })
}

function restore(engine: Engine, reader: Reader): Engine {
  const image = engine.toImage().map(({ column, used }) => ({ column: column.slice(0, used), used }))
  const restored = Engine.restore(image, tiny)
  catchUp(reader, restored)
  return restored
}

test('questions about due dates and several terms have the answers of SQL while findings change', () => {
  const store = openEstate(7, 1500)
  plantPolicies(store, policiesOf(1))
  const random = new SeededRandom(7)
  const seeded = createSeededRandom(7)
  let engine = store.read((reader) => buildEngine(reader, tiny))
  const served = { due: 0, moments: 0, terms: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    changeSomething(store, random, { startsOver: 0 })
    if (random.chance(0.5)) correctResolutions(store, random)
    store.read((reader) => {
      if (random.chance(0.3)) engine = restore(engine, reader)
      if (!catchUp(reader, engine) || !engine.history.isComplete) engine = buildEngine(reader, tiny)
      engine.runMaintenanceStep()
      const [terms, snapshot] = [openTerms(reader, engine, seeded), openEngineSnapshot(reader)]
      for (let left = 40; left > 0; left--) {
        const plan = makePlan(engine, seeded, NOW, terms)
        const isDue = plan.conditions.some(({ key }) => isDueKey(key))
        const isOfTerms = plan.conditions.some(({ key }) => key === 'terms')
        if (!isDue && !isOfTerms) continue
        const cells = runOnEngine(engine, plan, snapshot)
        if (cells === undefined) continue
        expect({ plan, same: areSame(cells, runPlan(reader, plan)) }).toEqual({ plan, same: true })
        if (isDue) served[plan.mode === 'stock' ? 'moments' : 'due'] += 1
        else served.terms += 1
      }
    })
  }
  expect(Math.min(...Object.values(served))).toBeGreaterThan(ROUNDS / 3)
}, 120_000)

test('a series of assets with overdue findings has the same values as each of its moments', () => {
  const store = openEstate(9, 600)
  plantPolicies(store, policiesOf(1))
  const edges = Array.from({ length: 14 }, (_, index) => NOW - (200 - 15 * index) * DAY)
  store.read((reader) => {
    const { termOf } = openTerms(reader, buildEngine(reader, tiny), createSeededRandom(9))
    for (const filter of [{ overdue: true }, { overdue: true, owners: ['Ada'] }, { overdue: false }]) {
      const plan: Plan = {
        ...{ entity: 'asset', mode: 'stock', measure: { aggregation: 'COUNT' }, timeField: 'firstSeenAt', range: {} },
        conditions: toConditions(filter, termOf).map((condition) => ({ ...condition, origin: 'caller' })),
        ...{ at: NOW, dimensions: ['assetKind'] },
      }
      const cells = runPlan(reader, { ...plan, edges })
      const each = edges.flatMap((at, bucket) => runPlan(reader, { ...plan, at }).map((cell) => ({ ...cell, bucket })))
      expect(areSame(cells, each)).toBe(true)
      expect(each.length).toBeGreaterThan(5)
    }
  })
})
