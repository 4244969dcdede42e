import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FilterMapping } from '../../src/findings/filter.ts'
import { evaluateMetric } from '../../src/query/answer/evaluate.ts'
import { evaluateSeries } from '../../src/query/answer/series.ts'
import type { MetricQuestion, SeriesQuestion } from '../../src/query/model.ts'
import type { Reader, Store } from '../../src/store/store.ts'
import { askBoth } from '../engine/asking.ts'
import { type EstateSeed, openFolderStore, plant } from '../query/estate.ts'
import { cases } from '../support/long.ts'
import { plantMetrics, plantPolicies, plantTerm } from './plant-metrics.ts'
import { compareScalar, compareSeries } from './query-comparison.ts'
import { type MadeMetric, makeEstate, makeMetrics, makeQuestion, NOW, namedTerms, SeededRandom } from './query-data.ts'
import { Oracle } from './query-oracle.ts'
import { type OracleFilter, type OracleQuestion, policiesOf } from './query-terms.ts'

const SEED = Number(process.env.ASSAY_QUERY_SEED ?? 20_261_121)
const ESTATES = cases(1, 10)
const FINDINGS = cases(250, 600)
const QUESTIONS = cases(250, 1_000)

/** Each of the rarer kinds is asked at least this often. */
const LEAST = QUESTIONS * ESTATES >= 4_000 ? (QUESTIONS * ESTATES) / 100 : 1

/** Small marks and blocks, so that a small estate has many of them. */
const tiny = { markBits: 8, blockBits: 4, minLate: 40 }

const counts = new Map<string, number>()
const seen = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1)
const closers: (() => void)[] = []
afterAll(() => {
  for (const close of closers) close()
})

interface Estate {
  store: Store
  oracle: Oracle
  metrics: MadeMetric[]
}

function openEstate(seed: number): Estate {
  const estate = makeEstate(seed, FINDINGS)
  const metrics = makeMetrics(seed + 1)
  const { store, close } = openFolderStore(() => NOW)
  closers.push(close)
  plant(store, estate as EstateSeed)
  for (const [slug, mapping] of Object.entries(namedTerms)) plantTerm(store, slug, mapping)
  const policies = policiesOf(seed)
  plantPolicies(store, policies)
  plantMetrics(store, metrics)
  return { store, oracle: new Oracle(estate, metrics, NOW, { filters: namedTerms, policies }), metrics }
}

/** The caller's term is a row like any other, made for the question. */
function toInput({ term, pinned, filters, ...question }: OracleQuestion, store: Store) {
  const slug = term === undefined ? undefined : addTerm(store, term)
  return {
    input: {
      ...question,
      ...(filters === undefined ? {} : { filters: filters as FilterMapping }),
      ...(slug === undefined ? {} : { glossaryTermSlug: slug }),
    },
    options: { now: NOW, pinnedFilters: pinned as FilterMapping | undefined },
  }
}

let terms = 0
function addTerm(store: Store, mapping: OracleFilter): string {
  const slug = `asked-${++terms}`
  plantTerm(store, slug, mapping)
  return slug
}

function noteCoverage(metric: MadeMetric, question: OracleQuestion, isSeries: boolean) {
  seen(metric.type)
  seen(isSeries ? 'series' : 'scalar')
  seen(metric.entity)
  if (metric.definition.aggregation !== undefined) {
    seen(metric.definition.aggregation)
    if (metric.definition.window !== undefined)
      seen(metric.definition.window.last === undefined ? 'window to date' : 'rolling window')
    seen(metric.definition.mode ?? 'flow')
  }
  if ((question.timeZone ?? 'UTC') !== 'UTC') seen('zone')
  if (question.orderBy !== undefined) seen(`order by ${question.orderBy}`)
  for (const dimension of [
    ...(question.dimensions ?? []),
    ...(question.dimension === undefined ? [] : [question.dimension]),
  ]) {
    seen(`by ${dimension}`)
  }
  const filters = [question.term, question.filters, question.pinned, metric.definition.filters].filter(Boolean)
  for (const filter of filters) {
    const ranges = { ...filter?.ranges, ...filter?.exclude?.ranges }
    for (const key of Object.keys({ ...filter, ...filter?.exclude, ...ranges })) seen(`with ${key}`)
  }
  for (const part of ['explain', 'dimensions', 'dimension', 'compare', 'limit', 'term', 'filters', 'pinned'] as const) {
    if (question[part] !== undefined) seen(part)
  }
}

let served = 0
/** The answer of SQL, once the engine has given the same. */
function readBoth<Answer>(store: Store, ask: (reader: Reader) => Answer): Answer {
  const { sql, engine, served: plans } = askBoth(store, ask, tiny)
  expect(engine).toEqual(sql)
  served += plans
  return sql
}

let estates: Estate[] = []
beforeAll(() => {
  estates = Array.from({ length: ESTATES }, (_, index) => openEstate(SEED + index * 1000))
}, 300_000)

test.each(Array.from({ length: ESTATES }, (_, index) => index))(
  `estate %i: ${QUESTIONS} random questions have the same answers as a naive evaluation`,
  (index) => {
    const estate = estates[index]
    if (estate === undefined) throw new Error('the estate was not planted')
    const random = new SeededRandom(SEED + index * 1000 + 2)
    for (let number = 0; number < QUESTIONS; number++) {
      const { question, isSeries } = makeQuestion(random, estate.metrics)
      const metric = estate.metrics.find(({ slug }) => slug === question.metricSlug)
      if (metric === undefined) throw new Error('the question is about no metric')
      noteCoverage(metric, question, isSeries)
      try {
        const { input, options } = toInput(question, estate.store)
        const compared = { oracle: estate.oracle, metric, question, seen }
        if (isSeries) {
          compareSeries(
            readBoth(estate.store, (reader) => evaluateSeries(reader, input as SeriesQuestion, options)),
            compared,
          )
        } else {
          // Without a limit, fewer groups are listed than fit in an answer.
          const asked = { limit: 50, ...input } as MetricQuestion
          compareScalar(
            readBoth(estate.store, (reader) => evaluateMetric(reader, asked, options)),
            compared,
          )
        }
      } catch (error) {
        throw new Error(
          `question ${number} ${JSON.stringify(question)} of ${JSON.stringify(metric)}: ${error instanceof Error ? error.message : error}`,
          { cause: error },
        )
      }
    }
  },
  300_000,
)

test('the questions cover every kind often enough', () => {
  const kinds = ['SIMPLE', 'RATIO', 'DERIVED', 'TREND', 'finding', 'asset', 'flow', 'stock', 'series', 'scalar']
  const aggregations = ['COUNT', 'COUNT_DISTINCT', 'SUM', 'AVG', 'MIN', 'MAX', 'MEDIAN', 'PERCENTILE']
  const windows = ['rolling window', 'window to date']
  const parts = ['explain', 'zone', 'dimensions', 'dimension', 'compare', 'limit', 'term', 'filters', 'pinned', 'other']
  const compared = ['compared breakdown', 'vanished group', 'additive', 'order by previous', 'order by delta', 'tie']
  const explained = ['divided sum', 'divided rate', 'undivided', 'also']
  for (const kind of [...compared, ...explained, ...windows])
    expect([kind, counts.get(kind) ?? 0]).toSatisfy(([, n]: [string, number]) => n >= LEAST)
  for (const dimension of ['asset', 'owner', 'label', 'dataset', 'audience', 'value']) parts.push(`by ${dimension}`)
  for (const key of ['owners', 'labels', 'datasets', 'audiences', 'values', 'assets', 'terms', 'ranges'])
    parts.push(`with ${key}`)
  for (const key of ['overdue', 'sla']) {
    expect([key, counts.get(`with ${key}`) ?? 0]).toSatisfy(([, n]: [string, number]) => n >= LEAST)
  }
  for (const kind of [...kinds, ...aggregations, ...parts])
    expect([kind, counts.get(kind) ?? 0]).toSatisfy(([, n]: [string, number]) => n >= (QUESTIONS * ESTATES) / 50)
  expect(served).toBeGreaterThan((QUESTIONS * ESTATES) / 2)
  expect((counts.get('series') ?? 0) + (counts.get('scalar') ?? 0)).toBe(QUESTIONS * ESTATES)
})
