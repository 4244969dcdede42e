import { afterAll, expect, test, vi } from 'vitest'
import { ComboCounts, hasFewCombos } from '../../src/engine/combo-counts.store.ts'
import { buildEngine } from '../../src/engine/load.store.ts'
import { facetRows } from '../../src/findings/facets.ts'
import { markLogReset } from '../../src/findings/log.store.ts'
import { evaluateMetric } from '../../src/query/answer/evaluate.ts'
import {
  allowCounts,
  answerByCounts,
  attachEngine,
  loadCounts,
  NotCounted,
  readByCounts,
} from '../../src/query/engine/executor.ts'
import type { MetricQuestion } from '../../src/query/model.ts'
import type { Reader, Store } from '../../src/store/store.ts'
import { plantMetrics, plantPolicies, plantTerm } from '../properties/plant-metrics.ts'
import { makeEstate, makeMetrics, makeQuestion, NOW, namedTerms, SeededRandom } from '../properties/query-data.ts'
import { policiesOf } from '../properties/query-terms.ts'
import { type EstateSeed, openFolderStore, plant } from '../query/estate.ts'
import { isLong } from '../support/long.ts'
import { safe } from '../support/safe-text.ts'
import { answer } from './asking.ts'
import { changeSomething } from './changing.ts'

const SEED = Number(process.env.ASSAY_ENGINE_SEED ?? 4)
const QUESTIONS = Number(process.env.ASSAY_ENGINE_QUESTIONS ?? 60)
const closers: (() => void)[] = []
afterAll(() => {
  for (const close of closers) close()
})

function fill(seed: number): Store {
  const { store, close } = openFolderStore(() => NOW)
  closers.push(close)
  plant(store, makeEstate(seed, isLong ? 2000 : 700) as EstateSeed)
  store.write((writer) =>
    writer.prepare('UPDATE combo SET n = (SELECT count(*) FROM finding WHERE combo_id = combo.id)').run(),
  )
  return store
}

/** The counts in a snapshot, loaded again if they cannot follow; with a change between the pages of a load. */
function follow(store: Store, known: ComboCounts, change: () => void): ComboCounts {
  if (known.isLoaded && store.read((reader) => known.follow(reader))) return known
  const counts = new ComboCounts(100)
  while (!counts.isLoaded) {
    store.read((reader) => counts.loadSome(reader))
    change()
  }
  return follow(store, counts, () => {})
}

/** The answer by counts beside that of SQL; undefined where the counts do not suffice. */
function askBoth(store: Store, counts: ComboCounts, ask: (reader: Reader) => unknown) {
  return store.read((reader) => {
    const sql = ask(reader)
    if (reader.seesEnds || !counts.follow(reader)) return { sql, counted: undefined }
    try {
      return { sql, counted: answerByCounts(reader, counts, () => ask(reader)) }
    } catch (error) {
      if (!(error instanceof NotCounted)) throw error
      return { sql, counted: undefined }
    }
  })
}

const ofFindings = facetRows.flatMap(({ name, table }) => (table === 'combo' ? [name] : []))
const severities = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFO']

/** A question about present findings by facets. */
function makePresentQuestion(random: SeededRandom): MetricQuestion {
  const picked = <Item>(items: readonly Item[], most: number) => [...new Set(random.some(items, most))]
  return {
    metricSlug: random.pick(['total-findings', 'open-findings', 'false-positive-rate']),
    ...(random.chance(0.8) ? { dimensions: picked(ofFindings, 2) } : {}),
    ...(random.chance(0.3) ? { limit: 1 + random.below(8) } : {}),
    filters: {
      ...(random.chance(0.3) ? { severities: picked(severities, 3) as never } : {}),
      ...(random.chance(0.3) ? { detectorTypes: picked(['SECRETS', 'PII', 'secrets', 'UNKNOWN'], 2) as never } : {}),
      ...(random.chance(0.2) ? { statuses: ['OPEN', 'RESOLVED'] as never } : {}),
      ...(random.chance(0.2) ? { findingTypes: ['EMAIL'] as never } : {}),
      ...(random.chance(0.2) ? { exclude: { severities: picked(severities, 2) } as never } : {}),
    },
  }
}

test.each(isLong ? [SEED, SEED + 1] : [SEED])(
  `estate %i: counts answer ${QUESTIONS} random questions as SQL does, with writes in between`,
  (seed) => {
    const metrics = makeMetrics(seed + 100)
    const store = fill(seed)
    for (const [slug, mapping] of Object.entries(namedTerms)) plantTerm(store, slug, mapping)
    plantPolicies(store, policiesOf(seed))
    plantMetrics(store, metrics)
    const random = new SeededRandom(seed)
    let counts = new ComboCounts()
    let counted = 0
    const change = () => {
      if (!random.chance(0.4)) return
      changeSomething(store, random, { startsOver: 0 })
      if (random.chance(0.05)) store.write((writer) => markLogReset(writer, NOW))
      if (random.chance(0.05)) store.write((writer) => writer.prepare('DELETE FROM facet_log').run())
    }
    for (let number = 0; number < QUESTIONS; number++) {
      change()
      counts = follow(store, counts, change)
      const { question, isSeries } = makeQuestion(random, metrics)
      const present = makePresentQuestion(random)
      const both = random.chance(0.7)
        ? askBoth(store, counts, (reader) => evaluateMetric(reader, present, { now: NOW }))
        : askBoth(store, counts, (reader) => answer(reader, question, isSeries))
      if (both.counted === undefined) continue
      expect({ number, present, question, answer: both.counted }).toEqual({
        number,
        present,
        question,
        answer: both.sql,
      })
      counted += 1
    }
    expect(counted).toBeGreaterThan(QUESTIONS / 4)
  },
  300_000,
)

test('a reader without an engine answers by counts where these suffice, as SQL does, with writes in between', () => {
  const store = fill(SEED)
  store.read(allowCounts)
  const random = new SeededRandom(SEED)
  const sums = vi.spyOn(ComboCounts.prototype, 'sum')
  for (let number = 0; number < QUESTIONS; number++) {
    if (random.chance(0.4)) changeSomething(store, random, { startsOver: 0 })
    if (random.chance(0.1)) store.write((writer) => writer.prepare('DELETE FROM facet_log').run())
    if (random.chance(0.1)) store.read((reader) => attachEngine(reader, buildEngine(reader)))
    else if (random.chance(0.5)) store.read((reader) => attachEngine(reader, undefined))
    const question = makePresentQuestion(random)
    const ask = (reader: Reader) => evaluateMetric(reader, question, { now: NOW })
    const bySql = store.openSnapshot()
    expect({ number, question, answer: store.read(ask) }).toEqual({ number, question, answer: ask(bySql.reader) })
    bySql.close()
  }
  expect(sums.mock.calls.length).toBeGreaterThan(QUESTIONS / 2)
})

const bySeverity = (reader: Reader) =>
  evaluateMetric(reader, { metricSlug: 'total-findings', dimensions: ['severity'] }, { now: NOW })

/** Whether counts that are read soon do not answer. */
const isRefusedBy = (store: Store, work: (reader: Reader) => unknown) =>
  store.read((reader) => {
    try {
      readByCounts(reader, work)
      return false
    } catch (error) {
      if (!(error instanceof NotCounted)) throw error
      return true
    }
  })

test('while the engine is awaited, questions are answered by few counts, and others refused', () => {
  const store = fill(SEED)
  const distinct = (reader: Reader) => evaluateMetric(reader, { metricSlug: 'affected-assets' }, { now: NOW })
  const isRefused = (work: (reader: Reader) => unknown) => isRefusedBy(store, work)
  expect(isRefused(bySeverity)).toBe(true)
  store.read(allowCounts)
  expect(isRefused(distinct)).toBe(true)
  expect(store.read((reader) => readByCounts(reader, bySeverity))).toEqual(store.read(bySeverity))
  const combos = store.read((reader) => reader.prepare('SELECT count(*) FROM combo').pluck().get()) as number
  const hasFew = (most: number) => store.read((reader) => hasFewCombos(reader, most))
  expect([hasFew(combos), hasFew(combos - 1)]).toEqual([true, false])
  store.read((reader) => attachEngine(reader, buildEngine(reader)))
  expect(isRefused(bySeverity)).toBe(true)
})

test('while the engine is awaited, many counts answer only if they were read before and follow the log', () => {
  const store = fill(SEED)
  store.write((writer) => {
    const addKey = writer.prepare('INSERT INTO word (text) VALUES (?)')
    for (let key = 0; key < 600; key++) addKey.run(safe(`rule-${key}`))
    writer
      .prepare(
        `INSERT INTO combo (source_id, detector_id, type_id, category_id, custom_key_id, severity, status)
         SELECT c.source_id, c.detector_id, c.type_id, c.category_id, w.id, 1, s.status
         FROM (SELECT * FROM combo ORDER BY id LIMIT 1) c, word w, (SELECT 0 AS status UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3) s
         WHERE w.text LIKE 'rule-%'`,
      )
      .run()
  })
  store.read(allowCounts)
  expect(isRefusedBy(store, bySeverity)).toBe(true)
  store.read(loadCounts)
  const random = new SeededRandom(SEED)
  const change = () => changeSomething(store, random, { startsOver: 0 })
  const expectSame = () => {
    const counted = store.read((reader) => readByCounts(reader, bySeverity)).breakdown.map(({ value }) => value)
    const rows =
      'SELECT count(*) AS n FROM finding f JOIN combo c ON c.id = f.combo_id GROUP BY c.severity ORDER BY n DESC'
    expect(counted).toEqual(store.read((reader) => reader.prepare(rows).pluck().all()))
  }
  for (let round = 0; round < 5; round++) {
    expectSame()
    change()
  }
  for (let round = 0; round < 60; round++) change()
  expect(isRefusedBy(store, bySeverity)).toBe(true)
  store.read(allowCounts)
  store.read(loadCounts)
  expectSame()
})

test('counts do not answer about ranges, confidence, assets or a moment before the newest finding', () => {
  const store = fill(SEED)
  const counts = follow(store, new ComboCounts(), () => {})
  const isCounted = (question: MetricQuestion) =>
    askBoth(store, counts, (reader) => evaluateMetric(reader, question, { now: NOW })).counted !== undefined
  const total = { metricSlug: 'total-findings' }
  expect(isCounted(total)).toBe(true)
  expect(isCounted({ ...total, dimensions: ['severity', 'source'] })).toBe(true)
  expect(isCounted({ ...total, dimensions: ['assetKind'] })).toBe(false)
  expect(isCounted({ ...total, from: '2026-01-01T00:00:00Z' })).toBe(false)
  expect(isCounted({ ...total, filters: { minConfidence: 0.5 } })).toBe(false)
  expect(isCounted({ metricSlug: 'open-findings', to: '2026-01-01T00:00:00Z' })).toBe(false)
})
