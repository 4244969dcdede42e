import { describe, expect, test } from 'vitest'
import { impactOperations } from '../../src/query/impact-operations.ts'
import { caller } from '../support/context.ts'
import { at, codesOf, DAY, openAsked } from './ask.ts'
import type { FindingSeed } from './estate.ts'

const now = at('2026-06-15T12:00:00Z')
const day = (days: number) => now - days * DAY
const found = (count: number, days: number, seed: Partial<FindingSeed> = {}): FindingSeed[] =>
  Array.from({ length: count }, () => ({ asset: 'page', firstDetectedAt: day(days), ...seed }))
const week = { from: '2026-06-08T12:00:00Z', to: '2026-06-15T12:00:00Z' }
const compared = { metricSlug: 'new-findings', ...week, compare: 'previous_period' }

/** This week one type appeared, one stayed; last week another one had nearly all. */
const estate = {
  findings: [
    ...found(2, 3, { findingType: 'NEW' }),
    ...found(3, 3, { findingType: 'KEPT' }),
    ...found(1, 10, { findingType: 'KEPT' }),
    ...found(159, 10, { findingType: 'GONE' }),
  ],
}

test.each([
  ['2026-05', '2026-05', '{"from":"2026-04","to":"2026-04"}'],
  ['2026-03', '2026-03', '{"from":"2026-02","to":"2026-02"}'],
  ['2026-01', '2026-03', '{"from":"2025-10","to":"2025-12"}'],
  ['2026-08', '2026-08', undefined],
  ['2026-05-02', '2026-05-31', undefined],
])('the months %s to %s compared with as many days before say how to compare with %3$s', async (from, to, given) => {
  const { ask } = openAsked(estate, { now: at('2026-09-15T12:00:00Z') })
  const { warnings } = await ask('query_metric', { ...compared, from, to })
  const notes = warnings.filter(({ code }: { code: string }) => code === 'coerced')
  expect(notes.map(({ message }: { message: string }) => message)).toEqual(
    given === undefined ? [] : [expect.stringContaining(`give ${given}`)],
  )
})

describe('a compared breakdown', () => {
  test('has the groups of both ranges, which add up to both totals', async () => {
    const { ask } = openAsked(estate, { now })
    const answer = await ask('query_metric', { ...compared, dimensions: ['findingType'] })
    expect(answer.breakdown).toMatchObject([
      { dimensionValue: 'KEPT', value: 3, previous: 1, delta: 2, pctChange: 2 },
      { dimensionValue: 'NEW', value: 2, previous: 0, delta: 2, pctChange: null },
      { dimensionValue: 'GONE', value: 0, previous: 159, delta: -159, pctChange: -1 },
    ])
    expect(answer.comparison).toMatchObject({ value: 160, delta: -155 })
    expect(answer.totalGroups).toBe(3)
  })

  test('warns of a tie at its limit', async () => {
    const { ask } = openAsked(estate, { now })
    const question = { ...compared, dimensions: ['findingType'], orderBy: 'delta', limit: 2 }
    const { warnings } = await ask('query_metric', question)
    expect(codesOf({ warnings })).toEqual(['truncated', 'tie_cut'])
    expect(warnings.at(-1).message).toContain('of 2 groups with the same value, 2 findings, 1 is listed')
    expect(warnings.at(-1).suggestions).toEqual([{ key: 'findingTypes', value: 'NEW' }])
    const whole = await ask('query_metric', { ...question, limit: 3 })
    expect(codesOf(whole)).toEqual([])
  })
})

describe('drivers', () => {
  const question = { ...compared, explain: true }

  test('add up to the change, with the most informative dimension first', async () => {
    const { ask } = openAsked(estate, { now })
    const { drivers, driverDimensions } = await ask('query_metric', question)
    expect(drivers[0]).toEqual({
      dimension: 'findingType',
      dimensionValue: 'GONE',
      from: 159,
      to: 0,
      contribution: -159,
    })
    expect(driverDimensions[0]).toMatchObject({
      dimension: 'findingType',
      rest: { groups: 0, from: 0, to: 0, contribution: 0 },
    })
    expect(driverDimensions).toHaveLength(16)
    for (const { dimension, rest } of driverDimensions) {
      const own = drivers.filter((driver: { dimension: string }) => driver.dimension === dimension)
      const sum = own.reduce((total: number, { contribution }: { contribution: number }) => total + contribution, 0)
      expect(sum + rest.contribution).toBe(-155)
    }
  })

  test('examine only the given dimensions', async () => {
    const { ask } = openAsked(estate, { now })
    const { driverDimensions } = await ask('query_metric', { ...question, dimensions: ['severity', 'source'] })
    expect(driverDimensions.map(({ dimension }: { dimension: string }) => dimension).sort()).toEqual([
      'severity',
      'source',
    ])
  })

  test('divide the change of a rate into changes within groups and changes of their shares', async () => {
    const { ask } = openAsked(
      {
        findings: [
          ...found(8, 10, { severity: 'LOW', confidence: 0.2 }),
          ...found(2, 10, { severity: 'HIGH', confidence: 0.9 }),
          ...found(5, 3, { severity: 'LOW', confidence: 0.4 }),
          ...found(5, 3, { severity: 'HIGH', confidence: 0.9 }),
        ],
      },
      { now },
    )
    const answer = await ask('query_metric', {
      ...question,
      metricSlug: 'average-confidence',
      dimensions: ['severity'],
    })
    // Whole: from 0.34 to 0.65, mean 0.495. LOW: 0.2 × 0.65 − 0.3 × (0.3 − 0.495). HIGH: 0.3 × (0.9 − 0.495).
    const { drivers, comparison } = answer
    expect(drivers).toMatchObject([
      { dimensionValue: 'LOW', from: 0.2, to: 0.4, contribution: expect.closeTo(0.1885, 12) },
      { dimensionValue: 'HIGH', from: 0.9, to: 0.9, contribution: expect.closeTo(0.1215, 12) },
    ])
    expect(comparison.delta).toBeCloseTo(0.31, 12)
  })

  test('are the changes of the groups themselves for a metric that cannot be divided', async () => {
    const { ask, simple } = openAsked(estate, { now })
    const metricSlug = await simple('types', { aggregation: 'COUNT_DISTINCT', field: 'findingType' })
    const answer = await ask('query_metric', { ...question, metricSlug, dimensions: ['severity'] })
    expect(answer.drivers).toEqual([
      { dimension: 'severity', dimensionValue: 'HIGH', from: 2, to: 2, contribution: null, delta: 0 },
    ])
    expect(codesOf(answer)).toContain('not_decomposable')
  })

  test('are not computed for a rate when a group has a numerator and no denominator', async () => {
    const { ask } = openAsked(estate, { now })
    const of = (findingTypes: string[]) => ({ aggregation: 'COUNT', entity: 'finding', filters: { findingTypes } })
    await ask('create_metric', {
      slug: 'ratio',
      displayName: 'Ratio',
      type: 'RATIO',
      definition: { numerator: of(['NEW', 'GONE']), denominator: of(['KEPT']) },
      allowedDimensions: ['findingType', 'severity'],
    })
    const answer = await ask('query_metric', { ...question, metricSlug: 'ratio' })
    const nulls = answer.drivers.filter(({ contribution }: { contribution: number | null }) => contribution === null)
    expect(new Set(nulls.map(({ dimension }: { dimension: string }) => dimension))).toEqual(new Set(['findingType']))
    expect(answer.warnings.find(({ code }: { code: string }) => code === 'not_decomposable').message).toContain(
      'by findingType',
    )
  })

  test.each(['explain', 'orderBy'])('requires a comparison for %s', async (path) => {
    const { ask } = openAsked(estate, { now })
    const own = path === 'explain' ? { explain: true } : { orderBy: 'delta' }
    const error = await ask('query_metric', { metricSlug: 'new-findings', ...own }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'invalid_input', facts: { reason: 'compare_required', issues: [{ path }] } })
  })
})

describe('coverage', () => {
  const observe = (days: number) => ({
    ...estate,
    sources: [{ name: 'Wiki', lastCompletedScanAt: day(1), observedFrom: day(days) }],
  })

  test('is the first warning when it differs between the ranges', async () => {
    const { ask } = openAsked(observe(5), { now })
    const { warnings } = await ask('query_metric', { ...compared, explain: true })
    expect(warnings[0]).toMatchObject({ code: 'coverage_differs', message: expect.stringContaining('Wiki') })
  })

  test('that differs leaves no change in percent, in the total and in every group', async () => {
    const { ask } = openAsked(observe(5), { now })
    const answer = await ask('query_metric', { ...compared, dimensions: ['severity'], limit: 1 })
    expect(answer.comparison.delta).not.toBeNull()
    expect([answer.comparison, ...answer.breakdown].map(({ pctChange }) => pctChange)).toEqual(
      [answer.comparison, ...answer.breakdown].map(() => null),
    )
    const view = await ask('explore_view', { ...compared, dimensions: ['severity'] })
    expect(view.boards[0].breakdown.map(({ pctChange }: { pctChange: unknown }) => pctChange)).toEqual(
      view.boards[0].breakdown.map(() => null),
    )
    const trend = await ask('query_metric', { metricSlug: 'weekly-finding-trend' })
    expect(trend).toMatchObject({ value: null, reason: 'not_observed', formatted: 'no value' })
  })

  test('that differs leaves a trend without a value wherever it is shown', async () => {
    const { ask, context } = openAsked(observe(5), { now })
    const askImpact = caller(impactOperations, context)
    const slug = 'weekly-finding-trend'
    const impact = await askImpact('get_metric_impact', { slug, dimension: 'severity' })
    expect(impact.value).toMatchObject({ before: null, after: null, formattedAfter: 'no value' })
    expect(impact.groups.length).toBeGreaterThan(0)
    for (const { before, after } of [...impact.groups, impact.series.at(-1)])
      expect({ before, after }).toEqual({ before: null, after: null })
    const ofInput = await askImpact('get_metric_impact', { slug: 'new-findings' })
    expect(ofInput.metrics).toMatchObject([{ slug, before: null, after: null }])
    const view = await ask('explore_view', { metricSlug: slug, from: new Date(day(14)).toISOString() })
    expect(view.series.timeSeries.at(-1).value).toBeNull()
    await ask('update_metric', { slug, tests: [{ kind: 'notNull' }] })
    const { items } = await askImpact('test_metrics', { metrics: [slug] })
    expect(items).toMatchObject([{ slug, passed: false, tests: [{ value: null }] }])
  })

  test('begins where points say nothing before', async () => {
    const { ask } = openAsked(observe(5), { now })
    const asked = { metricSlug: 'new-findings', granularity: 'day', from: new Date(day(9)).toISOString() }
    const { timeSeries } = await ask('query_metric_timeseries', asked)
    const unobserved = timeSeries.filter(({ observed }: { observed?: false }) => observed === false)
    expect(unobserved.map(({ timestamp }: { timestamp: string }) => Date.parse(timestamp) < day(5))).toEqual(
      unobserved.map(() => true),
    )
    expect(unobserved.length).toBeGreaterThan(2)
    const view = await ask('explore_view', asked)
    expect(view.series.timeSeries).toEqual(timeSeries)
  })

  test('causes no warning when it is complete or missing in both ranges', async () => {
    for (const days of [20, 0]) {
      const { ask } = openAsked(observe(days), { now })
      expect(codesOf(await ask('query_metric', compared))).not.toContain('coverage_differs')
    }
  })

  test.each([
    [10, 7, false],
    [5, 7, true],
  ])('of %i days in a query over %i has the warning not_scanned: %s', async (observed, asked, isEarned) => {
    const { ask } = openAsked(observe(observed), { now })
    const from = new Date(day(asked)).toISOString()
    const answers = [
      await ask('query_metric', { metricSlug: 'new-findings', from }),
      await ask('query_metric', { metricSlug: 'open-findings', to: from }),
      await ask('query_metric_timeseries', { metricSlug: 'new-findings', granularity: 'day', from }),
      await ask('explore_by_glossary_term', { glossaryTermSlug: 'security-threats', from }),
    ]
    for (const answer of answers) {
      expect(codesOf(answer).includes('not_scanned')).toBe(isEarned)
      expect(answer.freshness.sources[0].observedFrom).toBe(new Date(day(observed)).toISOString())
    }
    expect(codesOf(await ask('query_metric', { metricSlug: 'new-findings' }))).toEqual([])
  })
})

describe('the diagnosis of a stock', () => {
  test('states the moment at which no finding counted yet', async () => {
    const { ask } = openAsked(estate, { now })
    const { diagnosis } = await ask('query_metric', { metricSlug: 'open-findings', to: '2026-01-01' })
    expect(diagnosis).toMatchObject({ withoutRange: 165 })
    expect(diagnosis.summary).toContain('of the 165 that match now, none did at 2026-01-02T00:00:00.000Z')
  })

  test('names the filter that excludes everything', async () => {
    const { ask } = openAsked(estate, { now })
    const filters = { severities: ['LOW'] }
    const { diagnosis } = await ask('query_metric', { metricSlug: 'open-findings', filters })
    expect(diagnosis.summary).toContain('the caller requires severities LOW (without it: 165)')
  })
})

test('names a missing value or time as the cause', async () => {
  const { ask } = openAsked(estate, { now })
  const { diagnosis } = await ask('query_metric', { metricSlug: 'mean-time-to-resolve' })
  expect(diagnosis.summary).not.toContain('nothing to count at all')
})

test('explore reports the number of omitted examples', async () => {
  const { ask } = openAsked(estate, { now })
  const answer = await ask('explore_by_glossary_term', { glossaryTermSlug: 'security-threats' })
  expect(answer.cut).toEqual({ examples: { shown: 5, total: 165 } })
  expect(answer.trend.timeSeries.at(-1)).toMatchObject({ complete: false })
})
