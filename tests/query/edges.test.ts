import { describe, expect, test } from 'vitest'
import { buildEngine } from '../../src/engine/load.store.ts'
import { attachEngine } from '../../src/query/engine/executor.ts'
import { errorOf } from '../support/context.ts'
import { at, codesOf, openAsked, toValues } from './ask.ts'
import type { FindingSeed } from './estate.ts'

const first = at('2026-03-10T00:00:00Z')
const finding = (seed: Partial<FindingSeed> = {}): FindingSeed => ({ asset: 'page', firstDetectedAt: first, ...seed })
const nothing = { findingTypes: ['NEVER_SEEN'] }

describe('empty results', () => {
  test.each<[string, object, object, number | null, string | undefined]>([
    ['COUNT', {}, {}, 0, undefined],
    ['COUNT_DISTINCT', { aggregation: 'COUNT_DISTINCT', field: 'assetId' }, {}, 0, undefined],
    ['SUM', { aggregation: 'SUM', field: 'confidence' }, {}, 0, undefined],
    [
      'a SUM that is declared to be null when empty',
      { aggregation: 'SUM', field: 'confidence' },
      { emptyAs: 'null' },
      null,
      'no_rows',
    ],
    ['AVG', { aggregation: 'AVG', field: 'confidence' }, {}, null, 'no_rows'],
    ['MIN', { aggregation: 'MIN', field: 'confidence' }, {}, null, 'no_rows'],
    ['MAX', { aggregation: 'MAX', field: 'confidence' }, {}, null, 'no_rows'],
  ])('%s', async (_, definition, more, value, reason) => {
    const { ask, simple } = openAsked({ findings: [finding()] })
    const metricSlug = await simple('m', definition, more)
    const answer = await ask('query_metric', { metricSlug, filters: nothing })
    expect([answer.value, answer.reason, answer.breakdown]).toEqual([value, reason, []])
    const range = { from: '2026-03-01', to: '2026-03-02' }
    const series = await ask('query_metric_timeseries', { metricSlug, filters: nothing, granularity: 'day', ...range })
    expect(series.timeSeries.map((point: { value: number | null }) => point.value)).toEqual([value, value])
  })
})

describe('ratios', () => {
  const ratio = (numerator: object, denominator: object) => ({
    slug: 'ratio',
    displayName: 'Ratio',
    type: 'RATIO',
    format: 'percentage',
    allowedDimensions: ['severity', 'detectorType'],
    definition: {
      numerator: { aggregation: 'COUNT', entity: 'finding', ...numerator },
      denominator: { aggregation: 'COUNT', entity: 'finding', ...denominator },
    },
  })

  test('a percentage is a fraction in value and is formatted as a percentage', async () => {
    const { ask } = openAsked({
      findings: [finding({ status: 'FALSE_POSITIVE' }), ...Array.from({ length: 11 }, () => finding())],
    })
    await ask('create_metric', ratio({ filters: { statuses: ['FALSE_POSITIVE'] } }, {}))
    const answer = await ask('query_metric', { metricSlug: 'ratio' })
    expect(answer.value).toBeCloseTo(1 / 12, 12)
    expect(answer.formatted).toBe('8.3%')
  })
})

describe('groups', () => {
  test.each(['SQL', 'the index'])(
    'a name that equals a word of ours is in quotes, and can be filtered by: %s',
    async (by) => {
      const names = ['', '(none)', '(NONE)', '(withheld)', '"(none)"', 'none']
      const findings = names.flatMap((category, index) =>
        Array.from({ length: 2 ** index }, () => finding({ category })),
      )
      const { ask, simple, context } = openAsked({ findings })
      if (by === 'the index') context.read((reader) => attachEngine(reader, buildEngine(reader)))
      const metricSlug = await simple('m', {})
      const answer = await ask('query_metric', { metricSlug, dimensions: ['category'] })
      const values = { '(none)': 1, '"(none)"': 2, '"(NONE)"': 4, '"(withheld)"': 8, '""(none)""': 16, none: 32 }
      expect(toValues(answer)).toEqual(values)
      for (const [written, value] of Object.entries(values)) {
        // Letter case is ignored in filters.
        const wanted = written.toLowerCase() === '"(none)"' ? 6 : value
        const filtered = await ask('query_metric', { metricSlug, filters: { categories: [written] } })
        expect([written, filtered.value, codesOf(filtered)]).toEqual([written, wanted, []])
      }
    },
  )

  test('three dimensions are combined, joined by slashes', async () => {
    const { ask, simple } = openAsked({ findings: [finding({ detectorType: 'PII' })] })
    const metricSlug = await simple('m', {})
    const dimensions = ['severity', 'detectorType', 'category']
    expect((await ask('query_metric', { metricSlug, dimensions })).breakdown).toEqual([
      {
        dimensionValue: 'HIGH / PII / (none)',
        value: 1,
        dimensions: { severity: 'HIGH', detectorType: 'PII', category: '(none)' },
      },
    ])
    const error = await errorOf(ask('query_metric', { metricSlug, dimensions: [...dimensions, 'status'] }))
    expect([error.code, error.facts.reason]).toEqual(['invalid_input', 'too_many_dimensions'])
  })
})

describe('formulas', () => {
  const derived = (formula: string, inputs: string[]) => ({
    slug: 'derived',
    displayName: 'Derived',
    type: 'DERIVED',
    allowedDimensions: ['severity'],
    definition: { formula, inputs },
  })

  test.each<[string, string, number | null, string | undefined]>([
    ['null propagates', 'some_findings + no_average', null, 'no_rows'],
    ['unless coalesce', 'some_findings + coalesce(no_average, 5)', 7, undefined],
    ['a division by zero', 'no_average / (some_findings - 2)', null, 'no_rows'],
    ['precedence and signs', '-some_findings * (2 + 3) / 4 + 0 * coalesce(no_average, 0)', -2.5, undefined],
  ])('%s', async (_, formula, value, reason) => {
    const { ask, simple } = openAsked({ findings: [finding(), finding()] })
    await simple('some-findings', {})
    await simple('no-average', { aggregation: 'AVG', field: 'confidence', filters: nothing })
    await ask('create_metric', derived(formula, ['some-findings', 'no-average']))
    const answer = await ask('query_metric', { metricSlug: 'derived' })
    expect([answer.value, answer.reason]).toEqual([value, reason])
  })

  test('a division by zero is reported as the reason', async () => {
    const { ask, simple } = openAsked({ findings: [finding()] })
    await simple('a', {})
    await simple('b', { filters: nothing })
    await ask('create_metric', derived('a / b', ['a', 'b']))
    expect(await ask('query_metric', { metricSlug: 'derived' })).toMatchObject({
      value: null,
      reason: 'zero_denominator',
    })
  })
})

describe('names and kinds', () => {
  test('an unknown filter value gives a warning with the closest values', async () => {
    const { ask, simple } = openAsked({ findings: [finding({ findingType: 'EMAIL' })] })
    const answer = await ask('query_metric', {
      metricSlug: await simple('m', {}),
      filters: { findingTypes: ['EMIAL'] },
    })
    expect(answer.value).toBe(0)
    expect(codesOf(answer)).toEqual(['unknown_value'])
    expect(answer.warnings.at(-1).suggestions).toContainEqual({ key: 'findingTypes', value: 'EMAIL' })
  })

  test.each<[string, object, string, string | undefined, string]>([
    ['an enum value', { filters: { severities: ['HIHG'] } }, 'invalid_input', undefined, 'filters.severities[0]'],
    ['an empty list', { filters: { severities: [] } }, 'invalid_input', undefined, 'filters.severities'],
    ['a source', { filters: { sources: ['Wikki'] } }, 'not_found', 'unknown_source', 'filters.sources[0]'],
    ['a metric', { metricSlug: 'totl-findings' }, 'not_found', 'unknown_metric', 'metricSlug'],
    ['a term', { glossaryTermSlug: 'pii exposre' }, 'not_found', 'unknown_term', 'glossaryTermSlug'],
    ['a dimension', { dimensions: ['severty'] }, 'invalid_input', 'unknown_dimension', 'dimensions[0]'],
  ])('%s that does not exist is refused with suggestions', async (_, change, code, reason, path) => {
    const { ask } = openAsked({ findings: [finding()] })
    const error = await errorOf(ask('query_metric', { metricSlug: 'total-findings', ...change }))
    expect([error.code, error.facts.reason, error.facts.issues?.[0]?.path]).toEqual([code, reason, path])
    if (path !== 'filters.severities') expect(error.facts.suggestions).not.toEqual([])
  })

  test('a dimension that the metric does not allow is refused with the allowed ones', async () => {
    const { ask, simple } = openAsked({ findings: [finding()] })
    const metricSlug = await simple('m', {}, { allowedDimensions: ['severity', 'status'] })
    const error = await errorOf(ask('query_metric', { metricSlug, dimensions: ['container'] }))
    expect([error.code, error.facts.reason]).toEqual(['invalid_input', 'dimension_not_allowed'])
    expect(error.facts.suggestions?.map(({ value }) => value).sort()).toEqual(['severity', 'status'])
  })

  test('a dimension given as a metric is refused, and the error says that it is a dimension', async () => {
    const { ask } = openAsked({ findings: [finding()] })
    const error = await errorOf(ask('query_metric', { metricSlug: 'severity' }))
    expect(error.message).toContain('severity is a dimension, not a metric')
  })

  test('a time series of a metric of another type is refused, and SIMPLE metrics are suggested', async () => {
    const { ask } = openAsked({ findings: [finding()] })
    const error = await errorOf(
      ask('query_metric_timeseries', { metricSlug: 'false-positive-rate', granularity: 'day' }),
    )
    expect([error.code, error.facts.reason]).toEqual(['invalid_input', 'unsupported_metric_type'])
    const [suggested] = error.facts.suggestions ?? []
    expect(
      (await ask('query_metric_timeseries', { metricSlug: suggested?.value, granularity: 'day' })).timeSeries,
    ).toHaveLength(30)
  })

  test('an inactive term cannot be used in a query', async () => {
    const { ask } = openAsked({ findings: [finding()] })
    await ask('update_glossary_term', { slug: 'pii-exposure', isActive: false })
    const error = await errorOf(ask('query_metric', { metricSlug: 'total-findings', glossaryTermSlug: 'pii-exposure' }))
    expect(error.code).toBe('conflict')
  })
})

describe('deleted sources', () => {
  test('a term with a deleted source gives an empty answer with a warning', async () => {
    const { ask, simple } = openAsked({ findings: [finding()] })
    const metricSlug = await simple('m', {})
    await ask('create_glossary_term', { slug: 'gone', displayName: 'Gone', filterMapping: { sources: ['Old wiki'] } })
    const answer = await ask('query_metric', { metricSlug, glossaryTermSlug: 'gone' })
    expect(answer.value).toBe(0)
    expect(answer.warnings).toContainEqual({
      code: 'unknown_value',
      message: expect.stringContaining("No source is called 'Old wiki'"),
    })
  })
})

test('the resolved range is part of the answer', async () => {
  const { ask, simple } = openAsked({ findings: [finding()] })
  const range = { from: '2026-03-10', to: '2026-03-10', timeZone: 'Europe/Berlin' }
  const { applied } = await ask('query_metric', { metricSlug: await simple('m', {}), ...range })
  expect(applied).toMatchObject({
    ...{ from: '2026-03-09T23:00:00.000Z', to: '2026-03-10T23:00:00.000Z' },
    ...{ timeField: 'firstDetectedAt', timeZone: 'Europe/Berlin' },
  })
})

test('without a start there is no previous period', async () => {
  const { ask, simple } = openAsked({ findings: [finding()] })
  const { code, facts } = await errorOf(
    ask('query_metric', { metricSlug: await simple('m', {}), compare: 'previous_period' }),
  )
  expect([code, facts.reason, facts.issues?.[0]?.path]).toEqual(['invalid_input', 'range_required', 'from'])
})
