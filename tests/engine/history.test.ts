import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Engine } from '../../src/engine/columnar-index.ts'
import { FacetTable } from '../../src/engine/index/facets.ts'
import { History } from '../../src/engine/index/history.ts'
import { defaultTimeline } from '../../src/engine/index/timeline.ts'
import { buildEngine, catchUp } from '../../src/engine/load.store.ts'
import type { FindingRecord } from '../../src/findings/finding-record.ts'
import { FindingLedger } from '../../src/findings/ledger.store.ts'
import { runOnEngine } from '../../src/query/engine/engine-plan.ts'
import { openEngineSnapshot } from '../../src/query/engine/executor.ts'
import type { Cell } from '../../src/query/plan/cells.ts'
import type { Plan } from '../../src/query/plan/plan.ts'
import { runPlan } from '../../src/query/sql/plan.store.ts'
import type { Store } from '../../src/store/store.ts'
import { makeEstate, NOW, SeededRandom } from '../properties/query-data.ts'
import { type EstateSeed, openFolderStore, plant } from '../query/estate.ts'
import { safe } from '../support/safe-text.ts'

const DAY = 24 * 3_600_000
const tiny = { markBits: 8, blockBits: 4, minLate: 40 }
const severities = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFO'] as const
const statuses = ['OPEN', 'RESOLVED', 'FALSE_POSITIVE', 'IGNORED'] as const

let store: Store
let close: () => void
let ids: number[]
beforeEach(() => {
  ;({ store, close } = openFolderStore(() => NOW))
  plant(store, makeEstate(3, 400) as EstateSeed)
  ids = store
    .read((reader) =>
      reader.prepare('SELECT id FROM finding WHERE first_detected_at < ? ORDER BY id LIMIT 25').all(NOW - 70 * DAY),
    )
    .map((row) => (row as { id: number }).id)
})
afterEach(() => close())

const change = (work: (ledger: FindingLedger) => void) => store.write((writer) => FindingLedger.keep(writer, NOW, work))

function find(ledger: FindingLedger, id: number): FindingRecord {
  const finding = ledger.findById(id)
  if (finding === undefined) throw new Error(`finding ${id} is gone`)
  return finding
}

const measures: Plan['measure'][] = [
  { aggregation: 'COUNT' },
  { aggregation: 'COUNT_DISTINCT', field: 'assetId' },
  { aggregation: 'AVG', field: 'confidence' },
  { aggregation: 'MIN', field: 'confidence' },
  { aggregation: 'MAX', field: 'confidence' },
]

/** Asks both how findings were on every other of 80 days, by status and severity. */
function expectSame(engine: Engine): void {
  const write = (cells: readonly Cell[] | undefined) =>
    cells?.map(({ id: _id, ...cell }) => JSON.stringify(cell)).sort()
  const days = Array.from({ length: 40 }, (_, index) => NOW - (39 - index) * 2 * DAY)
  store.read((reader) => {
    expect(catchUp(reader, engine)).toBe(true)
    for (const measure of measures) {
      const plan: Plan = {
        entity: 'finding',
        mode: 'stock',
        measure,
        conditions: [],
        timeField: 'firstDetectedAt',
        range: {},
        at: NOW,
        dimensions: ['status', 'severity'],
        edges: days,
      }
      const cells = runOnEngine(engine, plan, { ...openEngineSnapshot(reader), hasChanged: () => true })
      expect(write(cells), measure.aggregation).toEqual(write(runPlan(reader, plan)))
    }
  })
}

test('past states match SQL after any changes to findings with a history, without a rebuild', () => {
  const engine = store.read((reader) => buildEngine(reader, tiny))
  const random = new SeededRandom(5)
  for (let round = 0; round < 10; round++) {
    change((ledger) => {
      for (let left = 1 + random.below(12); left > 0; left--) {
        const finding = find(ledger, random.pick(ids))
        const { facets } = finding
        const kind = random.pick(['status', 'status', 'severity', 'confidence', 'both'])
        const severity = random.pick(severities)
        const confidence = random.below(10_001)
        if (kind === 'severity') ledger.update(finding, { facets: { ...facets, severity } })
        else if (kind === 'confidence') ledger.update(finding, { confidence })
        else {
          const to = random.pick(statuses.filter((status) => status !== facets.status))
          const patch = kind === 'both' ? { facets: { ...facets, severity }, confidence } : {}
          ledger.changeStatus(finding, { at: NOW - random.below(60 * DAY), to, actor: safe('ada') }, patch)
        }
      }
    })
    expectSame(engine)
    if (random.chance(0.3)) engine.runMaintenanceStep()
    expect(engine.history.isComplete).toBe(true)
  }
})

test('a finding with more than 255 changes has its complete history', () => {
  const [id = 0] = ids
  let engine = store.read((reader) => buildEngine(reader, tiny))
  for (let round = 0; round < 6; round++) {
    change((ledger) => {
      for (let turn = 0; turn < 50; turn++) {
        const finding = find(ledger, id)
        const to = finding.facets.status === 'OPEN' ? 'RESOLVED' : 'OPEN'
        ledger.changeStatus(finding, { at: NOW - 60 * DAY + (round * 50 + turn) * 3_600_000, to, actor: safe('ada') })
      }
    })
    // Before and after the 256th change.
    if (round > 3) expectSame(engine)
  }
  expect(engine.history.countOf(id)).toBeGreaterThanOrEqual(300)
  engine = store.read((reader) => buildEngine(reader, tiny))
  expect(engine.history.isComplete).toBe(true)
  expectSame(engine)
  change((ledger) => ledger.update(find(ledger, id), { confidence: 1 }))
  expectSame(engine)
})

test('after an import has corrected a resolution time, the history is not used until it is rebuilt', () => {
  const [id = 0] = ids
  change((ledger) => {
    const finding = find(ledger, id)
    const to = finding.facets.status === 'OPEN' ? 'IGNORED' : 'OPEN'
    ledger.changeStatus(finding, { at: NOW - 65 * DAY, to, actor: safe('ada') })
  })
  change((ledger) =>
    ledger.changeStatus(find(ledger, id), { at: NOW - 10 * DAY, to: 'RESOLVED', actor: safe('import'), scanId: 1 }),
  )
  const engine = store.read((reader) => buildEngine(reader, tiny))
  expectSame(engine)
  change((ledger) => ledger.correctResolution(find(ledger, id), NOW - 60 * DAY))
  expect(store.read((reader) => catchUp(reader, engine))).toBe(true)
  expect(engine.history.isComplete).toBe(false)
  expectSame(store.read((reader) => buildEngine(reader, tiny)))
})

test('a history of mostly removed changes reports that it needs compaction', () => {
  const facets = new FacetTable()
  const row = { source: 1, detector: 1, type: 1, category: 1, customKey: 1, severity: 1, presence: 0 }
  facets.add({ id: 1, ...row, status: 0 })
  const combo = facets.add({ id: 2, ...row, status: 1 })
  const history = new History(facets, { ...defaultTimeline, maxSpare: 100 })
  const subject = { time: 5, combo, confidence: 1, asset: 1 }
  const changes = [{ at: 9, from: 0 }]
  for (let id = 1; id <= 100; id++) history.add({ ...subject, id }, changes)
  let rounds = 0
  for (; !history.needsCompaction; rounds++) {
    history.remove({ ...subject, id: 7 }, changes)
    history.add({ ...subject, id: 7 }, changes)
  }
  expect(rounds).toBeGreaterThan(25)
  expect(rounds).toBeLessThan(100)
})

test('high finding ids take no more memory than low ones, and the memory is reported', () => {
  const facets = new FacetTable()
  const count = 20_000
  const makeHistory = () => new History(facets, defaultTimeline)
  const fill = (history: History, firstId: number) => {
    const subject = { time: 5, combo: 0, confidence: 1, asset: 1 }
    for (let id = firstId; id < firstId + count; id++) history.add({ ...subject, id }, [{ at: 9, from: 0 }])
    return history.bytes
  }
  const [low, high, far] = [makeHistory(), makeHistory(), makeHistory()]
  const usual = fill(low, 1)
  const firstId = 17_500_000
  high.reserve(firstId + count, 200_000)
  expect(fill(high, firstId)).toBeLessThan(usual + 1.25 * (firstId + count))
  expect(fill(far, 2 ** 40)).toBeGreaterThan(count * 40)
  expect(far.isComplete).toBe(true)
  for (const [history, id] of [
    [low, 7],
    [high, firstId + 7],
    [far, 2 ** 40 + 7],
  ] as const) {
    expect(history.countOf(id)).toBe(1)
  }
})
