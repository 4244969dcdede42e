import { afterAll, expect, test } from 'vitest'
import { buildEngine, catchUp } from '../../src/engine/load.store.ts'
import { recordExpiries } from '../../src/findings/expiries.ts'
import { FindingLedger } from '../../src/findings/ledger.store.ts'
import { evaluateMetric } from '../../src/query/answer/evaluate.ts'
import type { Writer } from '../../src/store/store.ts'
import { plantMetrics, plantPolicies, plantTerm } from '../properties/plant-metrics.ts'
import { makeEstate, makeMetrics, makeQuestion, NOW, namedTerms, SeededRandom } from '../properties/query-data.ts'
import { policiesOf } from '../properties/query-terms.ts'
import { type EstateSeed, openFolderStore, plant } from '../query/estate.ts'
import { cases } from '../support/long.ts'
import { safe } from '../support/safe-text.ts'
import { answerBoth, askBoth } from './asking.ts'
import { changeSomething } from './changing.ts'

const DAY = 86_400_000
const SEED = Number(process.env.ASSAY_ENGINE_SEED ?? 4)
const QUESTIONS = cases(60, 1_000)
/** So few rows between marks that a small estate has many, and late rows are merged often. */
const tiny = { markBits: 8, blockBits: 4, minLate: 40 }
const closers: (() => void)[] = []
afterAll(() => {
  for (const close of closers) close()
})

test.each([SEED, SEED + 1])(
  `estate %i: the engine answers ${QUESTIONS} random questions as SQL does, with writes in between`,
  (seed) => {
    const metrics = makeMetrics(seed + 100)
    const { store, close } = openFolderStore(() => NOW)
    closers.push(close)
    plant(store, makeEstate(seed, 1500) as EstateSeed)
    for (const [slug, mapping] of Object.entries(namedTerms)) plantTerm(store, slug, mapping)
    plantPolicies(store, policiesOf(seed))
    plantMetrics(store, metrics)
    const random = new SeededRandom(seed)
    let served = 0
    for (let number = 0; number < QUESTIONS; number++) {
      if (random.chance(0.5)) changeSomething(store, random)
      const { question, isSeries } = makeQuestion(random, metrics)
      const { sql, engine, served: plans } = answerBoth(store, question, isSeries, tiny)
      expect({ number, question, answer: engine }).toEqual({ number, question, answer: sql })
      served += plans
    }
    expect(served).toBeGreaterThan(QUESTIONS / 2)
  },
  300_000,
)

test('a change is not missed when the change logs are emptied before and after it', () => {
  const { store, close } = openFolderStore(() => NOW)
  closers.push(close)
  plant(store, makeEstate(SEED, 300) as EstateSeed)
  const empty = (writer: Writer) => {
    for (const log of ['facet_log', 'asset_log']) writer.prepare(`DELETE FROM ${log}`).run()
  }
  store.write(empty)
  const engine = store.read((reader) => buildEngine(reader, tiny))
  const changes = [
    (writer: Writer) => {
      const { id } = writer.prepare('SELECT max(id) AS id FROM finding').get() as { id: number }
      FindingLedger.keep(writer, NOW, (ledger) => {
        const finding = ledger.findById(id)
        if (finding !== undefined) ledger.update(finding, { confidence: 1 + (finding.confidence % 10_000) })
      })
    },
    (writer: Writer) => writer.prepare('UPDATE asset SET container_id = container_id + 1 WHERE id = 1').run(),
  ]
  for (const change of changes) {
    store.write((writer) => {
      change(writer)
      empty(writer)
    })
    expect(store.read((reader) => catchUp(reader, engine))).toBe(false)
  }
})

test('assets with the most open findings at a future moment include findings of decisions that end before it', async () => {
  const { store, close } = openFolderStore(() => NOW)
  closers.push(close)
  plant(store, makeEstate(SEED, 300) as EstateSeed)
  store.write((writer) =>
    FindingLedger.keep(writer, NOW, (ledger) => {
      const open = writer.prepare('SELECT f.id FROM finding f JOIN combo k ON k.id = f.combo_id AND k.status = 0')
      for (const id of open.pluck().all() as number[]) {
        const finding = ledger.findById(id)
        const decision = { at: NOW, to: 'IGNORED' as const, actor: safe('ada'), until: NOW + 1000 * DAY }
        if (finding !== undefined) ledger.changeStatus(finding, decision)
      }
    }),
  )
  await recordExpiries({ store, now: () => NOW })
  const ask = (to: number) =>
    askBoth(store, (reader) => {
      const question = { metricSlug: 'open-findings', dimensions: ['asset'], limit: 2, to: new Date(to).toISOString() }
      return evaluateMetric(reader, question, { now: NOW })
    })
  const [before, after] = [ask(NOW + 1000 * DAY), ask(NOW + 1001 * DAY)]
  expect(before.engine).toEqual(before.sql)
  expect(after.sql.value).toBeGreaterThan(Number(before.sql.value) + 50)
  expect(after.engine).toEqual(after.sql)
})
