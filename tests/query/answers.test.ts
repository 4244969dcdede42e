import { describe, expect, test } from 'vitest'
import { at, codesOf, DAY, openAsked, toValues } from './ask.ts'
import type { FindingSeed } from './estate.ts'

const now = at('2026-06-15T12:00:00Z')
const day = (days: number) => now - days * DAY
const finding = (seed: Partial<FindingSeed> = {}): FindingSeed => ({ asset: 'page', firstDetectedAt: day(1), ...seed })

/** Ten open secrets, four false positives, two open and two resolved findings of personal data. */
const estate = {
  findings: [
    ...Array.from({ length: 10 }, () => finding({ severity: 'CRITICAL' })),
    ...Array.from({ length: 4 }, () => finding({ status: 'FALSE_POSITIVE' })),
    ...Array.from({ length: 2 }, () => finding({ detectorType: 'PII', severity: 'LOW', confidence: 0.5 })),
    ...Array.from({ length: 2 }, () => finding({ detectorType: 'PII', status: 'RESOLVED', resolvedAt: day(0.5) })),
  ] as FindingSeed[],
}

describe('scopes are always combined with AND', () => {
  test('a rate within a term applies the term to numerator and denominator', async () => {
    const { ask } = openAsked(estate, { now })
    const answer = await ask('query_metric', {
      metricSlug: 'false-positive-rate',
      glossaryTermSlug: 'unresolved-issues',
    })
    expect(answer).toMatchObject({ value: 0, numerator: 0, denominator: 12 })
    expect(codesOf(answer)).toContain('contradiction')
    expect(answer.warnings.find(({ code }: { code: string }) => code === 'contradiction').message).toMatch(
      /numerator.*FALSE_POSITIVE.*OPEN/,
    )
  })

  test('a filter of the caller does not replace that of a term', async () => {
    const { ask } = openAsked(estate, { now })
    const answer = await ask('query_metric', {
      metricSlug: 'total-findings',
      glossaryTermSlug: 'security-threats',
      filters: { detectorTypes: ['PII'] },
    })
    expect([answer.value, codesOf(answer)]).toEqual([0, ['contradiction']])
  })

  test('a term of the caller is combined with that of the metric', async () => {
    const { ask, simple } = openAsked(estate, { now })
    const metricSlug = await simple('m', {}, { glossaryTermSlug: 'pii-exposure' })
    expect((await ask('query_metric', { metricSlug })).value).toBe(4)
    expect((await ask('query_metric', { metricSlug, glossaryTermSlug: 'unresolved-issues' })).value).toBe(2)
    expect((await ask('query_metric', { metricSlug, glossaryTermSlug: 'pii-exposure' })).value).toBe(4)
  })

  test('pinned filters are combined with those of the metric', async () => {
    const { ask } = openAsked(estate, { now })
    await ask('set_placement', { dashboard: 'd', slug: 'open-findings', pinnedFilters: { statuses: ['RESOLVED'] } })
    await ask('set_placement', { dashboard: 'd', slug: 'total-findings', pinnedFilters: { detectorTypes: ['PII'] } })
    const { metrics } = await ask('query_dashboard', { dashboard: 'd' })
    expect(metrics.map(({ value }: { value: number }) => value)).toEqual([0, 4])
  })

  test('filters and the term of a referenced metric also apply', async () => {
    const { ask, simple } = openAsked(estate, { now })
    const part = await simple('pii', {}, { glossaryTermSlug: 'pii-exposure' })
    await ask('create_metric', {
      slug: 'share',
      displayName: 'Share',
      type: 'RATIO',
      definition: { numerator: { metricSlug: part }, denominator: { aggregation: 'COUNT', entity: 'finding' } },
    })
    expect(
      await ask('query_metric', { metricSlug: 'share', filters: { severities: ['LOW', 'CRITICAL'] } }),
    ).toMatchObject({
      numerator: 2,
      denominator: 12,
    })
  })

  test('every applied filter is listed with its origin', async () => {
    const { ask } = openAsked(estate, { now })
    const { applied } = await ask('query_metric', {
      metricSlug: 'false-positive-rate',
      glossaryTermSlug: 'Security threats',
      filters: { exclude: { severities: ['INFO'] }, minConfidence: 0.25 },
    })
    expect(applied.filters).toEqual(
      expect.arrayContaining([
        { origin: 'metric', key: 'statuses', values: ['FALSE_POSITIVE'], part: 'numerator' },
        { origin: 'term', key: 'detectorTypes', values: ['SECRETS', 'PROMPT_INJECTION'], term: 'security-threats' },
        { origin: 'caller', key: 'minConfidence', values: ['0.25'] },
        { origin: 'caller', key: 'exclude.severities', values: ['INFO'] },
      ]),
    )
    expect(applied.filters).toHaveLength(4)
  })
})

describe('the aggregation is the metric’s own, everywhere', () => {
  test('a series of an average gives averages', async () => {
    const { ask } = openAsked(estate, { now })
    const range = { from: '2026-06-13', to: '2026-06-14' }
    const { timeSeries } = await ask('query_metric_timeseries', {
      metricSlug: 'average-confidence',
      granularity: 'day',
      ...range,
    })
    expect(timeSeries.map(({ value }: { value: number | null }) => value)).toEqual([null, 154_000 / 180_000])
  })

  test('a series and a value agree on term, filters and range', async () => {
    const { ask, simple } = openAsked(estate, { now })
    const question = {
      metricSlug: await simple('m', { filters: { statuses: ['OPEN'] } }, { glossaryTermSlug: 'security-threats' }),
      filters: { severities: ['CRITICAL'] },
      from: '2026-06-14',
      to: '2026-06-14',
    }
    const { value } = await ask('query_metric', question)
    const { timeSeries } = await ask('query_metric_timeseries', { ...question, granularity: 'day' })
    expect([value, timeSeries[0].value]).toEqual([10, 10])
  })

  test('breakdowns of averages and of distinct values are averages and distinct values', async () => {
    const { ask, simple } = openAsked(estate, { now })
    const average = await ask('query_metric', { metricSlug: 'average-confidence', dimensions: ['severity'] })
    expect(toValues(average)).toEqual({ CRITICAL: 0.9, HIGH: 0.9, LOW: 0.5 })
    const metricSlug = await simple('types', { aggregation: 'COUNT_DISTINCT', field: 'detectorType' })
    expect(toValues(await ask('query_metric', { metricSlug, dimensions: ['status'] }))).toEqual({
      OPEN: 2,
      FALSE_POSITIVE: 1,
      RESOLVED: 1,
    })
  })

  test('distinct values obey the range', async () => {
    const { ask, simple } = openAsked(estate, { now })
    const metricSlug = await simple('assets', { aggregation: 'COUNT_DISTINCT', field: 'assetId' })
    expect((await ask('query_metric', { metricSlug })).value).toBe(1)
    expect((await ask('query_metric', { metricSlug, from: '2026-06-15' })).value).toBe(0)
  })

  test('averages of confidence are exact', async () => {
    const findings = Array.from({ length: 1000 }, (_, index) => finding({ confidence: (index % 10) / 10 + 0.05 }))
    const { ask } = openAsked({ findings }, { now })
    expect((await ask('query_metric', { metricSlug: 'average-confidence' })).value).toBe(0.5)
  })
})

describe('the first detection of findings', () => {
  test('determines its time, regardless of later detections', async () => {
    const { ask } = openAsked({ findings: [finding({ firstDetectedAt: day(10), lastDetectedAt: day(0.1) })] }, { now })
    const week = { from: '2026-06-12', to: '2026-06-15' }
    expect((await ask('query_metric', { metricSlug: 'new-findings', ...week })).value).toBe(0)
    expect(
      (await ask('query_metric', { metricSlug: 'new-findings', from: '2026-06-05', to: '2026-06-05' })).value,
    ).toBe(1)
  })
})

describe('assets', () => {
  const assets = [
    { key: 'a', lastScannedAt: day(1) },
    { key: 'b', lastScannedAt: day(1), kind: 'bi.report' },
    { key: 'c', lastScannedAt: null },
    { key: 'gone', status: 'DELETED' as const, deletedAt: day(2) },
  ]
  const findings = [finding({ asset: 'a' }), finding({ asset: 'c', detectorType: 'PII' }), finding({ asset: 'gone' })]

  test('coverage counts scanned assets with and without findings, but no deleted ones', async () => {
    const { ask } = openAsked({ assets, findings }, { now })
    expect(await ask('query_metric', { metricSlug: 'scan-coverage' })).toMatchObject({
      value: 2 / 3,
      numerator: 2,
      denominator: 3,
    })
  })

  test.each<[string, object, number]>([
    ['a term selects assets with at least one matching finding', { glossaryTermSlug: 'security-threats' }, 1],
    [
      'a filter of findings selects assets with at least one matching finding',
      { filters: { severities: ['HIGH'] } },
      2,
    ],
    [
      'one finding must match every scope',
      { glossaryTermSlug: 'security-threats', filters: { detectorTypes: ['PII'] } },
      0,
    ],
    ['a filter of assets applies to the asset', { filters: { assetKinds: ['bi.report'] } }, 1],
    ['a range applies to the asset', { from: '2026-06-01' }, 0],
  ])('%s', async (_, scope, value) => {
    const { ask, simple } = openAsked({ assets, findings }, { now })
    expect((await ask('query_metric', { metricSlug: await simple('m', { entity: 'asset' }), ...scope })).value).toBe(
      value,
    )
  })
})

describe('information that comes with a number', () => {
  test('a certified metric is labelled as certified', async () => {
    const { ask } = openAsked(estate, { now })
    const answer = await ask('query_metric', { metricSlug: 'total-findings' })
    expect(answer.trust).toEqual({ tier: 'certified', label: expect.stringContaining('Certified by assay') })
    expect(answer.warnings).toEqual([])
    expect(answer.metric).toMatchObject({ slug: 'total-findings', type: 'SIMPLE', status: 'ACTIVE', version: 1 })
  })

  test('a draft, a deprecated and a drifted metric answer with a warning', async () => {
    const { ask, simple } = openAsked(estate, { now })
    const metricSlug = await simple('m', {}, { glossaryTermSlug: 'pii-exposure' })
    expect((await ask('query_metric', { metricSlug })).warnings.map(({ code }: { code: string }) => code)).toEqual([
      'draft',
    ])
    await ask('certify_metric', { slug: metricSlug, certifiedBy: 'ada' })
    await ask('update_glossary_term', { slug: 'pii-exposure', filterMapping: { detectorTypes: ['PII', 'SECRETS'] } })
    const drifted = await ask('query_metric', { metricSlug })
    expect([drifted.value, drifted.trust.tier, codesOf(drifted)]).toEqual([18, 'drifted', ['drifted']])
    await ask('deprecate_metric', { slug: metricSlug, deprecatedBy: 'ada', replacedBy: 'total-findings' })
    const deprecated = await ask('query_metric', { metricSlug })
    expect([deprecated.value, codesOf(deprecated)]).toEqual([18, ['deprecated']])
    expect(deprecated.warnings[0].message).toContain('total-findings')
  })

  test('an answer names the sources in scope, with their last scan', async () => {
    const sources = [
      { name: 'Fresh', lastCompletedScanAt: day(1) },
      { name: 'Old', lastCompletedScanAt: day(30) },
      { name: 'Never', lastCompletedScanAt: null },
    ]
    const { ask } = openAsked({ sources, findings: [] }, { now })
    const { freshness, warnings } = await ask('query_metric', { metricSlug: 'total-findings' })
    expect(freshness).toEqual({
      asOf: '2026-06-15T12:00:00.000Z',
      sources: [
        { name: 'Fresh', lastCompletedScanAt: '2026-06-14T12:00:00.000Z', observedFrom: null, stale: false },
        { name: 'Never', lastCompletedScanAt: null, observedFrom: null, stale: true },
        { name: 'Old', lastCompletedScanAt: '2026-05-16T12:00:00.000Z', observedFrom: null, stale: true },
      ],
    })
    expect(warnings).toEqual([])
    const never = await ask('query_metric', { metricSlug: 'total-findings', filters: { sources: ['never'] } })
    expect([never.value, codesOf(never)]).toEqual([0, ['not_scanned']])
    expect(never.freshness.sources.map(({ name }: { name: string }) => name)).toEqual(['Never'])
  })

  test('an empty result names the filter that excludes everything, and the time of any matches', async () => {
    const { ask } = openAsked(estate, { now })
    const { diagnosis } = await ask('query_metric', {
      metricSlug: 'total-findings',
      filters: { severities: ['CRITICAL'], statuses: ['RESOLVED'] },
      from: '2026-06-10',
    })
    expect(diagnosis.withoutFilter).toMatchObject([
      { key: 'severities', count: 2 },
      { key: 'statuses', count: 10 },
    ])
    expect(diagnosis.withoutRange).toBe(0)
    expect(diagnosis.summary).toContain('without it: 10')
    const early = await ask('query_metric', { metricSlug: 'total-findings', to: '2026-01-01' })
    expect(early.diagnosis).toMatchObject({
      withoutRange: 18,
      firstAt: '2026-06-14T12:00:00.000Z',
      lastAt: '2026-06-14T12:00:00.000Z',
    })
    expect((await ask('query_metric', { metricSlug: 'total-findings' })).diagnosis).toBeUndefined()
  })

  test('coerced input is reported in warnings', async () => {
    const { ask } = openAsked(estate, { now })
    const answer = await ask('query_metric', {
      metricSlug: 'Total Findings',
      dimensions: '["Severity"]',
      filters: { statuses: 'open' },
      limit: '2',
    })
    expect(answer.breakdown).toHaveLength(2)
    const forgiven = answer.warnings.map(({ message }: { message: string }) => message.split(' ')[0])
    expect(forgiven).toEqual(['dimensions', 'filters.statuses', 'filters.statuses[0]', 'limit', 'dimensions[0]'])
  })

  test('an answer is small unless a higher limit is given', async () => {
    const assets = Array.from({ length: 300 }, (_, index) => ({
      key: `k${index}`,
      container: `${'A long name of a space '.repeat(8)}${index}`,
    }))
    const findings = assets.map(({ key }) => finding({ asset: key }))
    const { ask } = openAsked({ assets, findings }, { now })
    const question = { metricSlug: 'total-findings', dimensions: ['container'] }
    const answer = await ask('query_metric', question)
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(16_000)
    expect(answer.breakdown.length + answer.other.groups).toBe(300)
    expect(answer.other.value).toBe(answer.other.groups)
    expect((await ask('query_metric', { ...question, limit: 300 })).breakdown).toHaveLength(300)
  })

  test('explore gives the same answer as evaluate', async () => {
    const { ask } = openAsked(estate, { now })
    const question = { metricSlug: 'total-findings', dimensions: ['severity'], glossaryTermSlug: 'security-threats' }
    expect(await ask('explore_metric', question)).toEqual(await ask('query_metric', question))
  })
})
