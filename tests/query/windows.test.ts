import { describe, expect, test } from 'vitest'
import { at, codesOf, DAY, openAsked } from './ask.ts'

const now = at('2026-06-15T12:00:00Z')
const on = (date: string) => ({ asset: 'page', firstDetectedAt: at(`${date}T06:00:00Z`) })
const estate = {
  findings: ['2026-04-30', '2026-05-02', '2026-05-20', '2026-06-01', '2026-06-10', '2026-06-14'].map(on),
}
const values = (series: { timeSeries: { value: number | null }[] }) => series.timeSeries.map(({ value }) => value)

describe('a rolling window', () => {
  test('ends at the end of the range, and determines its own start', async () => {
    const { ask, simple } = openAsked(estate, { now })
    const metricSlug = await simple('m', { window: { last: '28d' } })
    const answer = await ask('query_metric', { metricSlug, from: '2026-06-12' })
    expect(answer.value).toBe(4)
    expect(answer.applied).toMatchObject({ from: '2026-05-18T12:00:00.000Z', to: '2026-06-15T12:00:00.000Z' })
    expect(answer.warnings.find(({ code }: { code: string }) => code === 'coerced').message).toContain(
      'from is ignored',
    )
    expect(codesOf(await ask('query_metric', { metricSlug }))).toEqual([])
  })

  test('of a bucket ends with it and may begin before the range', async () => {
    const { ask, simple } = openAsked(estate, { now })
    const metricSlug = await simple('m', { window: { last: '7d' } })
    const range = { from: '2026-06-08', to: '2026-06-15' }
    const series = await ask('query_metric_timeseries', { metricSlug, granularity: 'day', ...range })
    expect(values(series)).toEqual([0, 0, 1, 1, 1, 1, 2, 2])
    const distinct = await simple('d', { aggregation: 'COUNT_DISTINCT', field: 'assetId', window: { last: '7d' } })
    expect(
      values(await ask('query_metric_timeseries', { metricSlug: distinct, granularity: 'day', ...range })),
    ).toEqual([0, 0, 1, 1, 1, 1, 1, 1])
  })

  test('is compared with the one that ended one length earlier', async () => {
    const { ask, simple } = openAsked(estate, { now })
    const metricSlug = await simple('m', { window: { last: '14d' } })
    const { comparison } = await ask('query_metric', { metricSlug, compare: 'previous_period' })
    expect(comparison).toMatchObject({ from: '2026-05-18T12:00:00.000Z', to: '2026-06-01T12:00:00.000Z', value: 2 })
  })
})

describe('a window to date', () => {
  test.each<[string, string, number, number]>([
    ['week', '2026-06-15T00:00:00.000Z', 0, 0],
    ['month', '2026-06-01T00:00:00.000Z', 3, 1],
    ['quarter', '2026-04-01T00:00:00.000Z', 6, 0],
    ['year', '2026-01-01T00:00:00.000Z', 6, 0],
  ])('begins with its %s', async (toDate, from, value, previous) => {
    const { ask, simple } = openAsked(estate, { now })
    const metricSlug = await simple('m', { window: { toDate } })
    const answer = await ask('query_metric', { metricSlug, compare: 'previous_period' })
    expect(answer).toMatchObject({ value, applied: { from }, comparison: { value: previous } })
  })

  test('is the whole period when it ends with it', async () => {
    const { ask, simple } = openAsked(estate, { now })
    const metricSlug = await simple('m', { window: { toDate: 'month' } })
    const answer = await ask('query_metric', { metricSlug, to: '2026-05-31', compare: 'previous_period' })
    expect(answer).toMatchObject({ value: 2, comparison: { value: 1 } })
  })

  test('grows from bucket to bucket until the period ends', async () => {
    const { ask, simple } = openAsked(estate, { now })
    const metricSlug = await simple('m', { window: { toDate: 'month' } })
    const range = { from: '2026-05-31', to: '2026-06-02' }
    const series = await ask('query_metric_timeseries', { metricSlug, granularity: 'day', ...range })
    expect(values(series)).toEqual([2, 1, 1])
  })
})

describe('a median', () => {
  const resolved = (hours: number) => ({
    ...on('2026-06-01'),
    status: 'RESOLVED' as const,
    resolvedAt: at('2026-06-01T06:00:00Z') + hours * 3_600_000,
  })
  const durations = { findings: [1, 2, 4, 100].map(resolved) }

  test('is interpolated between the two middle values, and has the count', async () => {
    const { ask } = openAsked(durations, { now })
    const answer = await ask('query_metric', { metricSlug: 'median-time-to-resolve', dimensions: ['severity'] })
    expect(answer).toMatchObject({ value: 3, formatted: '3 hours', n: 4, breakdown: [{ value: 3, n: 4 }] })
    expect((await ask('query_metric', { metricSlug: 'mean-time-to-resolve' })).n).toBe(4)
  })

  test('of the omitted groups is computed over all their rows', async () => {
    const { ask, simple } = openAsked(
      {
        findings: ['A', 'B', 'C'].flatMap((findingType, at) =>
          [1, 2, 9].map((part) => ({ ...on('2026-06-01'), findingType, confidence: (at + part) / 20 })),
        ),
      },
      { now },
    )
    const metricSlug = await simple('p', { aggregation: 'PERCENTILE', field: 'confidence', p: 0.25 })
    const { other } = await ask('query_metric', { metricSlug, dimensions: ['findingType'], limit: 1 })
    expect(other).toMatchObject({ groups: 2, n: 6, value: 0.1 })
  })

  test('is null in a bucket without rows', async () => {
    const { ask } = openAsked(durations, { now })
    const { timeSeries } = await ask('query_metric_timeseries', {
      metricSlug: 'median-time-to-resolve',
      granularity: 'day',
      from: new Date(now - 15 * DAY).toISOString(),
      to: new Date(now - 9 * DAY).toISOString(),
    })
    expect(timeSeries.map(({ value, n }: { value: number | null; n: number }) => [value, n])).toEqual([
      [null, 0],
      [2, 3],
      [null, 0],
      [null, 0],
      [null, 0],
      [100, 1],
      [null, 0],
    ])
  })
})
