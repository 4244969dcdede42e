import { expect, test } from 'vitest'
import { facetRows } from '../../src/findings/facets.ts'
import { evaluateMetric } from '../../src/query/answer/evaluate.ts'
import type { MetricAnswer, MetricQuestion } from '../../src/query/model.ts'
import type { Plan } from '../../src/query/plan/plan.ts'
import { runPlan } from '../../src/query/sql/plan.store.ts'
import { countsSuffice } from '../../src/query/sql/rows.store.ts'
import type { Reader, Store } from '../../src/store/store.ts'
import { changeSomething } from '../engine/changing.ts'
import { plantTerm } from '../properties/plant-metrics.ts'
import { makeEstate, NOW, namedTerms, SeededRandom } from '../properties/query-data.ts'
import { isLong } from '../support/long.ts'
import { type EstateSeed, openStore, plant } from './estate.ts'

const SEED = 4
const QUESTIONS = isLong ? 3_000 : 80
const DAY = 86_400_000
const severities = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFO'] as const
const ofFindings = facetRows.flatMap(({ name, table }) => (table === 'combo' ? [name] : []))

function fill(now: () => number): Store {
  const store = openStore(now)
  plant(store, makeEstate(SEED, 700) as EstateSeed)
  return store
}

function makeQuestion(random: SeededRandom): MetricQuestion {
  const picked = <Item>(items: readonly Item[], most: number) => [...new Set(random.some(items, most))]
  return {
    metricSlug: random.pick(['total-findings', 'open-findings', 'false-positive-rate']),
    ...(random.chance(0.8) ? { dimensions: picked(ofFindings, 2) } : {}),
    ...(random.chance(0.3) ? { limit: 1 + random.below(8) } : {}),
    ...(random.chance(0.3) ? { glossaryTermSlug: random.pick(Object.keys(namedTerms)) } : {}),
    filters: {
      ...(random.chance(0.3) ? { severities: picked(severities, 3) } : {}),
      ...(random.chance(0.3) ? { detectorTypes: picked(['SECRETS', 'PII', 'secrets'], 2) as never } : {}),
      ...(random.chance(0.2) ? { statuses: ['OPEN', 'RESOLVED'] } : {}),
      ...(random.chance(0.2) ? { exclude: { severities: picked(severities, 2) } } : {}),
    },
  } as MetricQuestion
}

/** The numbers of an answer; a condition on confidence, which every finding meets, has its rows counted one by one. */
function ask(reader: Reader, question: MetricQuestion, now: number, isByRow: boolean): object {
  const filters = { ...question.filters, ...(isByRow ? { minConfidence: 0 } : {}) }
  const answer = evaluateMetric(reader, { ...question, filters } as MetricQuestion, { now }) as MetricAnswer
  const { value, breakdown, other, totalGroups } = answer
  return { value, breakdown, other, totalGroups }
}

test(`stored counts answer ${QUESTIONS} random questions as the rows do, while findings change and decisions end`, () => {
  const clock = { now: NOW }
  const store = fill(() => clock.now)
  for (const [slug, mapping] of Object.entries(namedTerms)) plantTerm(store, slug, mapping)
  const random = new SeededRandom(SEED)
  for (let number = 0; number < QUESTIONS; number++) {
    if (random.chance(0.4)) changeSomething(store, random)
    if (random.chance(0.1)) clock.now = NOW + random.below(70 * DAY)
    const question = makeQuestion(random)
    const [counted, byRow] = store.read((reader) =>
      [false, true].map((isByRow) => ask(reader, question, clock.now, isByRow)),
    )
    expect({ number, question, ...counted }).toEqual({ number, question, ...byRow })
  }
})

const stock: Plan = {
  ...{ entity: 'finding', timeField: 'firstDetectedAt', mode: 'stock', at: NOW + DAY, range: {} },
  ...{ measure: { aggregation: 'COUNT' }, conditions: [], dimensions: ['severity'] },
}
const flow: Plan = { ...stock, mode: 'flow' }
const toTexts = (cells: readonly object[]) => cells.map((cell) => JSON.stringify(cell)).sort()
const on = (key: string, values: (string | number)[], more = {}) =>
  ({ ...{ key, values, exclude: false, origin: 'caller' }, ...more }) as Plan['conditions'][number]

test.each<[string, boolean, Plan]>([
  ['all findings', true, flow],
  ['findings by facets of their own', true, { ...stock, dimensions: ['source', 'findingType'] }],
  ['findings of a severity', true, { ...stock, conditions: [on('severities', ['HIGH'])] }],
  ['findings of terms', true, { ...flow, conditions: [on('terms', [], { anyOf: [[on('severities', ['HIGH'])]] })] }],
  ['findings by their last detection', true, { ...flow, timeField: 'lastDetectedAt' }],
  ['findings until after the newest', true, { ...flow, range: { to: NOW + 1 } }],
  ['findings of a container', false, { ...flow, conditions: [on('containers', ['Space 1'])] }],
  [
    'findings of terms about assets',
    false,
    { ...flow, conditions: [on('terms', [], { anyOf: [[on('containers', ['Space 1'])]] })] },
  ],
  ['findings by container', false, { ...flow, dimensions: ['container'] }],
  ['findings of a range', false, { ...flow, range: { from: NOW - DAY } }],
  ['findings until before the newest', false, { ...flow, range: { to: NOW - 700 * DAY } }],
  ['resolved findings by their time', false, { ...flow, timeField: 'resolvedAt' }],
  ['a stock before the latest change', false, { ...stock, at: NOW - 700 * DAY }],
  ['findings over time', false, { ...flow, edges: [NOW - DAY, NOW] }],
  ['assets', false, { ...flow, entity: 'asset', timeField: 'firstSeenAt', dimensions: [] }],
  ['confidence', false, { ...flow, measure: { aggregation: 'AVG', field: 'confidence' } }],
])('of %s, counts suffice: %s', (_what, suffice, plan) => {
  const store = fill(() => NOW)
  store.write((writer) => writer.prepare('DELETE FROM status_change WHERE at > ?').run(NOW))
  expect(store.read((reader) => countsSuffice(reader, plan))).toBe(suffice)
  if (!suffice) return
  const byRow = { ...plan, conditions: [...plan.conditions, on('minConfidence', [0])] }
  const [counted, expected] = store.read((reader) => [plan, byRow].map((each) => toTexts(runPlan(reader, each))))
  expect(counted).toEqual(expected)
})
