import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FilterMapping } from '../../src/findings/filter.ts'
import { evaluateMetric } from '../../src/query/answer/evaluate.ts'
import { evaluateSeries } from '../../src/query/answer/series.ts'
import type { MetricAnswer, MetricQuestion, SeriesQuestion } from '../../src/query/model.ts'
import type { Reader, Store } from '../../src/store/store.ts'
import { askBoth } from '../engine/asking.ts'
import { type EstateSeed, openFolderStore, plant } from '../query/estate.ts'
import { plantMetrics, plantPolicies, plantTerm } from './plant-metrics.ts'
import { type MadeMetric, makeEstate, makeMetrics, makeQuestion, NOW, namedTerms, SeededRandom } from './query-data.ts'
import { checkDrivers } from './query-drivers.ts'
import { Oracle } from './query-oracle.ts'
import { type OracleFilter, type OracleQuestion, policiesOf } from './query-terms.ts'

const SEED = Number(process.env.ASSAY_QUERY_SEED ?? 20_261_115)
const ESTATES = Number(process.env.ASSAY_QUERY_ESTATES ?? 1)
const FINDINGS = Number(process.env.ASSAY_QUERY_FINDINGS ?? 2_000)
const QUESTIONS = Number(process.env.ASSAY_QUERY_COUNT ?? 100)

/** Each of the rarer kinds is asked at least this often. */
const LEAST = QUESTIONS * ESTATES >= 4_000 ? (QUESTIONS * ESTATES) / 100 : 1

/** Small marks and blocks, so that a small estate has many of them. */
const tiny = { markBits: 8, blockBits: 4, shareBits: 6, minLate: 40 }

const counts = new Map<string, number>()
const seen = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1)
const closers: (() => void)[] = []
afterAll(() => {
  for (const close of closers) close()
})

/** Numbers that were put together in another order may differ in the last places. */
const same = (actual: number | null | undefined, expected: number | null | undefined) => {
  if (actual == null || expected == null) return (actual ?? null) === (expected ?? null)
  return Math.abs(actual - expected) <= 1e-9 * Math.max(1, Math.abs(expected))
}

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

interface Named {
  dimensionValue: string
  dimensions?: Record<string, string>
  asset?: { key: string } | undefined
}

/** The name of a group as the oracle writes it: an asset with its key. */
function toOracleName({ dimensionValue, dimensions, asset }: Named): string {
  if (asset === undefined) return dimensionValue
  if (dimensions === undefined) return `${dimensionValue}#${asset.key}`
  return Object.entries(dimensions)
    .map(([dimension, value]) => (dimension === 'asset' ? `${value}#${asset.key}` : value))
    .join(' / ')
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

function compareScalar({ store, oracle }: Estate, metric: MadeMetric, question: OracleQuestion): void {
  const expected = oracle.evaluate(question)
  const { input, options } = toInput(question, store)
  // Without a limit, fewer groups are listed than fit in an answer.
  const asked = { limit: 50, ...input } as MetricQuestion
  const actual = readBoth(store, (reader) => evaluateMetric(reader, asked, options))
  const { alsoMetrics = [], ...alone } = question
  for (const [index, metricSlug] of alsoMetrics.entries()) {
    seen('also')
    const also = actual.also?.[index]
    if (also === undefined || 'error' in also) {
      if (question.compare !== 'previous_period') throw new Error(`${metricSlug} failed: ${also?.error.message}`)
      continue
    }
    check(`value of ${metricSlug}`, also.value, oracle.evaluate({ ...alone, metricSlug }).value)
  }
  check('value', actual.value, expected.value)
  check('n', actual.n, expected.n)
  if (expected.drivers !== undefined) {
    checkDrivers(actual, expected.drivers, check)
    const isDivided = actual.drivers?.some(({ contribution }) => contribution !== null) === true
    const isSum = ['COUNT', 'SUM'].includes(metric.definition.aggregation ?? '')
    seen(isDivided ? (isSum ? 'divided sum' : 'divided rate') : 'undivided')
  }
  if (question.dimensions !== undefined) {
    expect(actual.totalGroups).toBe(expected.totalGroups)
    expect(actual.breakdown.length).toBe(expected.breakdown.length)
    for (const [index, group] of expected.breakdown.entries()) {
      const entry = actual.breakdown[index]
      // Groups of values that differ in the last places only may stand in either order.
      const named =
        entry !== undefined && toOracleName(entry) === group.name
          ? entry
          : actual.breakdown.find((other) => toOracleName(other) === group.name)
      check(`value of ${group.name}`, named?.value, group.value)
      check(`n of ${group.name}`, named?.n, group.n)
      if (question.orderBy === undefined) check(`place of ${group.name}`, entry?.value, group.value)
      else if (entry !== named) check(`rank of ${group.name}`, rankOf(entry, question), rankOf(named, question))
      if (group.numerator !== undefined) {
        check(`numerator of ${group.name}`, named?.numerator, group.numerator)
        check(`denominator of ${group.name}`, named?.denominator, group.denominator)
      }
      checkChange(group.name, named, group)
    }
    expect(actual.other?.groups).toBe(expected.other?.groups)
    check('other', actual.other?.value, expected.other?.value)
    checkChange('other', actual.other, expected.other)
    expect(actual.warnings.some(({ code }) => code === 'tie_cut')).toBe(expected.isTieCut)
    if (expected.other !== undefined) seen('other')
    if (expected.isTieCut) seen('tie')
    if (question.compare !== undefined) {
      seen('compared breakdown')
      if (expected.breakdown.some(({ value, previous }) => !value && previous)) seen('vanished group')
      checkSums(metric, actual)
    }
  }
  check('comparison', actual.comparison?.value, expected.comparison?.value)
  check('delta', actual.comparison?.delta, expected.comparison?.delta)
  check('pctChange', actual.comparison?.pctChange, expected.comparison?.pctChange)
}

interface Changed {
  value?: number | null
  previous?: number | null | undefined
  delta?: number | null | undefined
  pctChange?: number | null | undefined
}

function checkChange(name: string, actual: Changed | undefined, expected: Changed | undefined): void {
  if (expected?.previous === undefined) return
  check(`previous of ${name}`, actual?.previous, expected.previous)
  check(`delta of ${name}`, actual?.delta, expected.delta)
  // What is left by rounding is no base of a percentage.
  if (Math.abs(expected.previous ?? 1) > 1e-9 || expected.previous === 0)
    check(`pctChange of ${name}`, actual?.pctChange, expected.pctChange)
}

function rankOf(entry: Changed | undefined, { orderBy }: OracleQuestion): number | null {
  if (orderBy === 'value') return entry?.value ?? null
  if (orderBy === 'previous') return entry?.previous ?? null
  return entry?.delta == null ? null : Math.abs(entry.delta)
}

/** The parts of an additive metric add up to both totals. */
function checkSums({ definition }: MadeMetric, answer: MetricAnswer): void {
  const { breakdown, other, value, comparison, overlapping } = answer
  const { aggregation } = definition
  if ((aggregation !== 'COUNT' && aggregation !== 'SUM') || overlapping === true) return
  seen('additive')
  const parts: Changed[] = other === undefined ? breakdown : [...breakdown, other]
  const sum = (read: (part: Changed) => number | null | undefined) =>
    parts.reduce((total, part) => total + (read(part) ?? 0), 0)
  check(
    'sum of values',
    sum(({ value }) => value),
    value ?? 0,
  )
  check(
    'sum of previous',
    sum(({ previous }) => previous),
    comparison?.value ?? 0,
  )
  if (comparison?.delta != null && parts.every(({ delta }) => delta !== null))
    check(
      'sum of deltas',
      sum(({ delta }) => delta),
      comparison.delta,
    )
}

function compareSeries({ store, oracle }: Estate, question: OracleQuestion): void {
  const expected = oracle.series(question)
  const { input, options } = toInput(question, store)
  const actual = readBoth(store, (reader) => evaluateSeries(reader, input as SeriesQuestion, options))
  expect(actual.timeSeries.map(({ timestamp }) => timestamp)).toEqual(expected.points.map(({ timestamp }) => timestamp))
  for (const [index, point] of expected.points.entries()) {
    check(`point ${point.timestamp}`, actual.timeSeries[index]?.value, point.value)
    check(`n of ${point.timestamp}`, actual.timeSeries[index]?.n, point.n)
    expect(actual.timeSeries[index]?.complete).toBe(point.complete)
  }
  if (expected.groups === undefined) return
  expect(actual.totalGroups).toBe(expected.groups.size)
  for (const { timeSeries, ...group } of actual.series ?? []) {
    const name = toOracleName(group)
    const values = expected.groups.get(name) ?? []
    for (const [index, { value }] of timeSeries.entries()) check(`${name} ${index}`, value, values[index])
  }
}

function check(what: string, actual: number | null | undefined, expected: number | null | undefined): void {
  if (!same(actual, expected)) throw new Error(`${what} is ${actual}, expected ${expected}`)
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
        if (isSeries) compareSeries(estate, question)
        else compareScalar(estate, metric, question)
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
  for (const dimension of ['asset', 'owner', 'label', 'dataset']) parts.push(`by ${dimension}`)
  for (const key of ['owners', 'labels', 'datasets', 'assets', 'terms', 'ranges']) parts.push(`with ${key}`)
  for (const key of ['overdue', 'sla']) {
    expect([key, counts.get(`with ${key}`) ?? 0]).toSatisfy(([, n]: [string, number]) => n >= LEAST)
  }
  for (const kind of [...kinds, ...aggregations, ...parts])
    expect([kind, counts.get(kind) ?? 0]).toSatisfy(([, n]: [string, number]) => n >= (QUESTIONS * ESTATES) / 50)
  expect(served).toBeGreaterThan((QUESTIONS * ESTATES) / 2)
  expect((counts.get('series') ?? 0) + (counts.get('scalar') ?? 0)).toBe(QUESTIONS * ESTATES)
})
