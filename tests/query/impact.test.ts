import { expect, test } from 'vitest'
import { findTermBySlug } from '../../src/glossary/glossary.store.ts'
import { updateTerm } from '../../src/glossary/terms.ts'
import { getStored, updateMetric } from '../../src/metrics/lifecycle.ts'
import { evaluateMetric } from '../../src/query/answer/evaluate.ts'
import type { Impact } from '../../src/query/impact-model.ts'
import { impactOperations } from '../../src/query/impact-operations.ts'
import type { Reader, Writer } from '../../src/store/store.ts'
import { plantMetrics, plantPolicies, plantTerm } from '../properties/plant-metrics.ts'
import {
  dimensionsOf,
  type MadeMetric,
  makeEstate,
  makeFilter,
  makeMetrics,
  NOW,
  namedTerms,
  SeededRandom,
} from '../properties/query-data.ts'
import { policiesOf } from '../properties/query-terms.ts'
import { caller, localPerson, openContext } from '../support/context.ts'
import { cases } from '../support/long.ts'
import { type EstateSeed, plant } from './estate.ts'

const FROM = '2025-11-15T12:00:00.000Z'
const TO = new Date(NOW).toISOString()
const author = { name: 'ada', via: 'cli', at: NOW } as const

function openEstate(seed: number) {
  const context = openContext({ caller: localPerson, now: NOW })
  const { store } = context
  plant(store, makeEstate(seed, 300) as EstateSeed)
  for (const [slug, mapping] of Object.entries(namedTerms)) plantTerm(store, slug, mapping)
  plantPolicies(store, policiesOf(seed))
  const metrics = makeMetrics(seed + 1)
  plantMetrics(store, metrics)
  return { store, metrics, ask: caller(impactOperations, context) }
}

/** What the stored definitions answer. */
function answer(reader: Reader, metricSlug: string, dimension: string | null) {
  const asked = { metricSlug, from: FROM, to: TO }
  const { value, formatted } = evaluateMetric(reader, asked, { now: NOW })
  const groups =
    dimension === null
      ? []
      : evaluateMetric(reader, { ...asked, dimensions: [dimension], limit: 1000 }, { now: NOW }).breakdown
  return { value, formatted, groups: new Map(groups.map((group) => [group.dimensionValue, group.value])) }
}

const months = (series: Impact['series']) =>
  series.map(({ timestamp }, index) => ({
    from: index === 0 ? FROM : timestamp,
    to: series[index + 1]?.timestamp ?? TO,
  }))

/** Compares one side of an impact with what is answered where the definitions are so. */
function expectSide(reader: Reader, impact: Impact, slug: string, side: 'before' | 'after'): void {
  const { value, formatted, groups } = answer(reader, slug, impact.dimension)
  expect(impact.value[side]).toBe(value)
  expect(side === 'before' ? impact.value.formattedBefore : impact.value.formattedAfter).toBe(formatted)
  for (const group of impact.groups) {
    // A group that is not there counts nothing: 0, or no value.
    const value = groups.get(group.dimensionValue)
    if (value === undefined) expect([0, null]).toContain(group[side])
    else expect(group[side]).toBe(value)
  }
  for (const [index, { from, to }] of months(impact.series).entries()) {
    expect(impact.series[index]?.[side]).toBe(
      evaluateMetric(reader, { metricSlug: slug, from, to }, { now: NOW }).value,
    )
  }
  for (const dependent of impact.metrics) expect(dependent[side]).toBe(answer(reader, dependent.slug, null).value)
}

test('an impact is what the change really does', async () => {
  const { store, metrics, ask } = openEstate(20_261_128)
  const random = new SeededRandom(7)
  const simple = metrics.filter(({ type }) => type === 'SIMPLE')
  for (let index = 0; index < cases(10, 700); index++) {
    const metric = random.pick(metrics.filter(({ type }) => type !== 'TREND'))
    const other: MadeMetric = random.pick(simple.filter((each) => each.entity === metric.entity && each !== metric))
    const isInput = JSON.stringify(metrics.filter(({ type }) => type !== 'SIMPLE')).includes(`"${metric.slug}"`)
    const change = {
      ...(metric.type === 'SIMPLE' && !isInput && random.chance(0.7)
        ? { type: 'SIMPLE' as const, definition: { ...other.definition }, emptyAs: null }
        : {}),
      glossaryTermSlug: random.pick([...Object.keys(namedTerms), null]),
    }
    const dimension = random.pick(dimensionsOf(metric.entity).filter((each) => each !== 'asset'))
    const impact: Impact = await ask('get_metric_impact', { slug: metric.slug, ...change, dimension })
    store.read((reader) => expectSide(reader, impact, metric.slug, 'before'))
    store.dryRun((writer: Writer) => {
      updateMetric(writer, getStored(writer, metric.slug), change, author)
      expectSide(writer, impact, metric.slug, 'after')
    })
  }
}, 600_000)

test('the findings that a term gains and loses are those of one filter and not of the other', async () => {
  const { store, ask } = openEstate(4)
  const random = new SeededRandom(11)
  plantMetrics(store, [
    {
      ...{ slug: 'all', type: 'SIMPLE', entity: 'finding', allowedDimensions: dimensionsOf('finding'), term: null },
      ...{ definition: { aggregation: 'COUNT', entity: 'finding' }, emptyAs: null },
    },
  ])
  for (let index = 0; index < cases(10, 300); index++) {
    const [was, is] = [makeFilter(random, true), makeFilter(random, true)]
    plantTerm(store, `was-${index}`, was)
    plantTerm(store, `is-${index}`, is)
    const impact: Impact = await ask('get_term_impact', { slug: `was-${index}`, filterMapping: is })
    const count = (terms: string[]) =>
      store.read((reader) => {
        const [first = '', second] = terms
        const filters = second === undefined ? {} : { filters: { terms: [second] } }
        const asked = { metricSlug: 'all', glossaryTermSlug: first, ...filters, from: FROM, to: TO }
        return evaluateMetric(reader, asked, { now: NOW }).value ?? 0
      })
    const both = count([`was-${index}`, `is-${index}`])
    expect(impact.lost.count).toBe(count([`was-${index}`]) - both)
    expect(impact.gained.count).toBe(count([`is-${index}`]) - both)
    expect(impact.gained.findings.length).toBe(Math.min(3, impact.gained.count))
    store.dryRun((writer) => {
      const term = findTermBySlug(writer, `was-${index}`)
      if (term === undefined) throw new Error('the term is missing')
      updateTerm(writer, term, { filterMapping: is } as never, author)
      for (const dependent of impact.metrics) {
        expect(dependent.after).toBe(answer(writer, dependent.slug, null).value)
      }
    })
  }
}, 600_000)

test('a metric that does not exist yet has only one side', async () => {
  const { ask } = openEstate(5)
  const definition = { aggregation: 'COUNT', entity: 'finding', filters: { severities: ['CRITICAL'] } }
  const impact: Impact = await ask('get_metric_impact', { slug: 'quite-new', type: 'SIMPLE', definition })
  expect(impact).toMatchObject({ isNew: true, value: { before: null, formattedBefore: '' }, lost: { count: 0 } })
  expect(impact.gained.count).toBe(impact.value.after)
  await expect(ask('get_metric_impact', { slug: 'quite-new' })).rejects.toMatchObject({ code: 'not_found' })
})
