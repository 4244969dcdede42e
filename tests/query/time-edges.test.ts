import { describe, expect, test } from 'vitest'
import { errorOf } from '../support/context.ts'
import { at, DAY, openAsked, toValues } from './ask.ts'
import type { FindingSeed } from './estate.ts'

const first = at('2026-03-10T00:00:00Z')
const finding = (seed: Partial<FindingSeed> = {}): FindingSeed => ({ asset: 'page', firstDetectedAt: first, ...seed })

describe('time', () => {
  const times = ['2026-03-09T23:59:59.999Z', '2026-03-10T00:00:00Z', '2026-03-10T23:59:59.999Z', '2026-03-11T00:00:00Z']
  const estate = { findings: times.map((time) => finding({ firstDetectedAt: at(time) })) }

  test.each<[string, object, number]>([
    ['a range to a timestamp excludes it', { from: '2026-03-10T00:00:00Z', to: '2026-03-11T00:00:00Z' }, 2],
    ['a range to a date includes the whole day', { from: '2026-03-10', to: '2026-03-10' }, 2],
    ['a date is a day in the time zone', { from: '2026-03-10', to: '2026-03-10', timeZone: 'Asia/Tokyo' }, 2],
    ['a range without a start', { to: '2026-03-09' }, 1],
    ['a range without an end', { from: '2026-03-11' }, 1],
    ['all time', {}, 4],
    ['an empty range', { from: '2026-03-10T00:00:00Z', to: '2026-03-10T00:00:00Z' }, 0],
  ])('%s', async (_, range, value) => {
    const { ask, simple } = openAsked(estate)
    const answer = await ask('query_metric', { metricSlug: await simple('m', {}), ...range })
    expect(answer.value).toBe(value)
  })

  test('the resolved range is part of the answer', async () => {
    const { ask, simple } = openAsked(estate)
    const metricSlug = await simple('m', {})
    const { applied } = await ask('query_metric', {
      metricSlug,
      from: '2026-03-10',
      to: '2026-03-10',
      timeZone: 'Europe/Berlin',
    })
    expect(applied).toMatchObject({
      from: '2026-03-09T23:00:00.000Z',
      to: '2026-03-10T23:00:00.000Z',
      timeField: 'firstDetectedAt',
      timeZone: 'Europe/Berlin',
    })
  })

  test('adjacent ranges do not overlap', async () => {
    const { ask, simple } = openAsked(estate)
    const metricSlug = await simple('m', {})
    const edge = '2026-03-10T00:00:00Z'
    const [before, after] = await Promise.all([
      ask('query_metric', { metricSlug, to: edge }),
      ask('query_metric', { metricSlug, from: edge }),
    ])
    expect(before.value + after.value).toBe(4)
  })

  test('a series has every bucket, marks incomplete ones, and has two buckets for a repeated hour', async () => {
    const { ask, simple } = openAsked({
      findings: ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'].map((time) => finding({ firstDetectedAt: at(time) })),
    })
    const series = await ask('query_metric_timeseries', {
      metricSlug: await simple('m', {}),
      granularity: 'hour',
      from: '2026-10-25',
      to: '2026-10-25T04:30',
      timeZone: 'Europe/Berlin',
    })
    expect(series.timeSeries.map(({ value }: { value: number }) => value)).toEqual([0, 0, 1, 1, 0, 0])
    expect(series.timeSeries.map(({ complete }: { complete: boolean }) => complete)).toEqual(Array(6).fill(false))
  })

  test('a series of a past range is complete except for buckets that the range cuts', async () => {
    const { ask, simple } = openAsked(estate)
    const { timeSeries } = await ask('query_metric_timeseries', {
      metricSlug: await simple('m', {}),
      granularity: 'day',
      from: '2026-03-09T12:00:00Z',
      to: '2026-03-12',
    })
    expect(timeSeries).toEqual([
      { timestamp: '2026-03-09T00:00:00.000Z', value: 1, complete: false },
      { timestamp: '2026-03-10T00:00:00.000Z', value: 2, complete: true },
      { timestamp: '2026-03-11T00:00:00.000Z', value: 1, complete: true },
      { timestamp: '2026-03-12T00:00:00.000Z', value: 0, complete: true },
    ])
  })

  test('the week starts on the given day', async () => {
    const { ask, simple } = openAsked(estate)
    const question = { metricSlug: await simple('m', {}), granularity: 'week', from: '2026-03-10', to: '2026-03-10' }
    const monday = await ask('query_metric_timeseries', question)
    const sunday = await ask('query_metric_timeseries', { ...question, weekStart: 'Sunday' })
    expect([monday, sunday].map((series) => series.timeSeries[0].timestamp.slice(0, 10))).toEqual([
      '2026-03-09',
      '2026-03-08',
    ])
  })

  test('rows without the timestamp are not counted', async () => {
    const { ask, simple } = openAsked({
      findings: [finding(), finding({ status: 'RESOLVED', resolvedAt: first + DAY })],
    })
    expect((await ask('query_metric', { metricSlug: await simple('m', { timeField: 'resolvedAt' }) })).value).toBe(1)
  })
})

describe('series of groups', () => {
  test('each of the top values has every bucket, and they are the same in all buckets', async () => {
    const findings = [
      finding({ severity: 'HIGH' }),
      finding({ severity: 'HIGH', firstDetectedAt: first + 2 * DAY }),
      finding({ severity: 'LOW', firstDetectedAt: first + DAY }),
    ]
    const { ask, simple } = openAsked({ findings })
    const answer = await ask('query_metric_timeseries', {
      metricSlug: await simple('m', {}),
      granularity: 'day',
      from: '2026-03-10',
      to: '2026-03-12',
      dimension: 'severity',
    })
    const lines = answer.series.map(
      ({ dimensionValue, timeSeries }: { dimensionValue: string; timeSeries: { value: number }[] }) => [
        dimensionValue,
        ...timeSeries.map(({ value }) => value),
      ],
    )
    expect(lines).toEqual([
      ['HIGH', 1, 0, 1],
      ['LOW', 0, 1, 0],
    ])
  })
})

describe('stock', () => {
  const estate = {
    findings: [
      finding({
        status: 'OPEN',
        changes: [
          { at: first + 2 * DAY, from: 'OPEN', to: 'RESOLVED' },
          { at: first + 4 * DAY, from: 'RESOLVED', to: 'OPEN' },
        ],
      } as Partial<FindingSeed>),
      finding({ firstDetectedAt: first + 3 * DAY, status: 'FALSE_POSITIVE' }),
    ],
  }
  const open = { mode: 'stock', filters: { statuses: ['OPEN'] } }

  test.each([
    ['before anything', '2026-03-10T00:00:00Z', 0],
    ['after detection', '2026-03-10T00:00:00.001Z', 1],
    ['a change at the moment itself is not counted', '2026-03-12T00:00:00Z', 1],
    ['after it was resolved', '2026-03-12T00:00:00.001Z', 0],
    ['while it was resolved', '2026-03-13', 0],
    ['after it was re-opened', '2026-03-14T00:00:00.001Z', 1],
  ])('%s', async (_, to, value) => {
    const { ask, simple } = openAsked(estate)
    const metricSlug = await simple('m', open)
    expect((await ask('query_metric', { metricSlug, to })).value).toBe(value)
  })

  test('a stock series takes the state at the end of each bucket', async () => {
    const { ask, simple } = openAsked(estate)
    const { timeSeries } = await ask('query_metric_timeseries', {
      metricSlug: await simple('m', open),
      granularity: 'day',
      from: '2026-03-09',
      to: '2026-03-15',
    })
    expect(timeSeries.map(({ value }: { value: number }) => value)).toEqual([0, 1, 1, 0, 0, 1, 1])
  })

  test('a status in any filter is the status at the moment of the stock', async () => {
    const { ask, simple } = openAsked(estate)
    const metricSlug = await simple('m', { mode: 'stock' })
    const question = { metricSlug, to: '2026-03-13T00:00:00Z' }
    expect((await ask('query_metric', { ...question, filters: { statuses: ['RESOLVED'] } })).value).toBe(1)
    expect(toValues(await ask('query_metric', { ...question, dimensions: ['status'] }))).toEqual({ RESOLVED: 1 })
  })

  test('a decision in the same millisecond is counted', async () => {
    const now = first + 10 * DAY
    const { ask, simple } = openAsked(
      {
        findings: [finding({ status: 'IGNORED', changes: [{ at: now, from: 'OPEN', to: 'IGNORED' }] })],
      },
      { now },
    )
    expect((await ask('query_metric', { metricSlug: await simple('m', open) })).value).toBe(0)
  })
})

describe('comparison', () => {
  const estate = { findings: [0, 1, 1, 3].map((days) => finding({ firstDetectedAt: first + days * DAY })) }
  const range = { from: '2026-03-11', to: '2026-03-11' }

  test('the previous period has the same length, is adjacent, and is compared for each group', async () => {
    const { ask, simple } = openAsked(estate)
    const question = {
      metricSlug: await simple('m', {}),
      ...range,
      compare: 'previous_period',
      dimensions: ['severity'],
    }
    const answer = await ask('query_metric', question)
    expect(answer.comparison).toEqual({
      from: '2026-03-10T00:00:00.000Z',
      to: '2026-03-11T00:00:00.000Z',
      value: 1,
      delta: 1,
      pctChange: 1,
    })
    expect(answer.breakdown).toMatchObject([{ dimensionValue: 'HIGH', value: 2, previous: 1 }])
  })

  test('a change from 0 has a delta, but no percentage', async () => {
    const { ask, simple } = openAsked(estate)
    const question = { metricSlug: await simple('m', {}), ...range, compare: 'previous_year' }
    expect((await ask('query_metric', question)).comparison).toMatchObject({ value: 0, delta: 2, pctChange: null })
  })

  test('an explicit range can be compared', async () => {
    const { ask, simple } = openAsked(estate)
    const compare = { from: '2026-03-13', to: '2026-03-14' }
    expect(
      (await ask('query_metric', { metricSlug: await simple('m', {}), ...range, compare })).comparison,
    ).toMatchObject({
      value: 1,
      delta: 1,
      pctChange: 1,
    })
  })

  test('without a start there is no previous period', async () => {
    const { ask, simple } = openAsked(estate)
    const error = await errorOf(ask('query_metric', { metricSlug: await simple('m', {}), compare: 'previous_period' }))
    expect([error.code, error.facts.reason, error.facts.issues?.[0]?.path]).toEqual([
      'invalid_input',
      'range_required',
      'from',
    ])
  })
})

describe('trends', () => {
  const trend = {
    slug: 'trend',
    displayName: 'Trend',
    type: 'TREND',
    format: 'percentage',
    allowedDimensions: ['severity'],
  }
  const now = at('2026-03-20T12:00:00Z')

  test('windows end at the end of the range, are adjacent, and count their border once', async () => {
    const moments = [
      '2026-03-13T12:00:00Z',
      '2026-03-13T11:59:59.999Z',
      '2026-03-06T12:00:00Z',
      '2026-03-06T11:59:59.999Z',
    ]
    const { ask, simple } = openAsked(
      { findings: moments.map((moment) => finding({ firstDetectedAt: at(moment) })) },
      { now },
    )
    const base = await simple('base', {})
    await ask('create_metric', {
      ...trend,
      definition: { baseMetricSlug: base, currentWindow: '7d', compareWindow: '7d' },
    })
    expect(await ask('query_metric', { metricSlug: 'trend' })).toMatchObject({
      value: -0.5,
      current: 1,
      previous: 2,
      delta: -1,
      formatted: '-50%',
      applied: { from: '2026-03-13T12:00:00.000Z', to: '2026-03-20T12:00:00.000Z' },
    })
  })

  test('terms, filters and the end of the range apply to both windows', async () => {
    const findings = [1, 2, 9].flatMap((days) => [
      finding({ firstDetectedAt: now - days * DAY, severity: 'LOW' }),
      finding({ firstDetectedAt: now - days * DAY, detectorType: 'PII' }),
    ])
    const { ask, simple } = openAsked({ findings }, { now })
    const base = await simple('base', {}, { glossaryTermSlug: 'pii-exposure' })
    await ask('create_metric', {
      ...trend,
      definition: { baseMetricSlug: base, currentWindow: '1w', compareWindow: '7d' },
    })
    expect(await ask('query_metric', { metricSlug: 'trend' })).toMatchObject({ current: 2, previous: 1, value: 1 })
    const narrowed = await ask('query_metric', { metricSlug: 'trend', filters: { severities: ['LOW'] } })
    expect(narrowed).toMatchObject({ value: null, reason: 'base_zero', current: 0, previous: 0, delta: 0 })
    const earlier = await ask('query_metric', { metricSlug: 'trend', to: '2026-03-18T00:00:00Z' })
    expect(earlier).toMatchObject({ current: 1, previous: 0, delta: 1, value: null })
  })

  test('a window of a month is a calendar month', async () => {
    const { ask, simple } = openAsked({ findings: [finding({ firstDetectedAt: at('2026-02-28T00:00:00Z') })] })
    const base = await simple('base', {})
    await ask('create_metric', {
      ...trend,
      definition: { baseMetricSlug: base, currentWindow: '1mo', compareWindow: '1mo' },
    })
    const answer = await ask('query_metric', { metricSlug: 'trend', to: '2026-03-31T00:00:00Z' })
    expect([answer.current, answer.applied.from]).toEqual([1, '2026-02-28T00:00:00.000Z'])
  })

  test('the previous period is the preceding calendar window', async () => {
    const moments = ['2026-01-31T12:00:00Z', '2026-02-15T12:00:00Z', '2026-02-28T12:00:00Z', '2026-03-15T00:00:00Z']
    const { ask, simple } = openAsked({ findings: moments.map((moment) => finding({ firstDetectedAt: at(moment) })) })
    const base = await simple('base', {})
    await ask('create_metric', {
      ...trend,
      definition: { baseMetricSlug: base, currentWindow: '1mo', compareWindow: '1mo' },
    })
    const asked = { metricSlug: 'trend', to: '2026-04-01T00:00:00Z', compare: 'previous_period' }
    expect(await ask('query_metric', asked)).toMatchObject({
      value: -0.5,
      comparison: { value: 1, from: '2026-02-01T00:00:00.000Z', to: '2026-03-01T00:00:00.000Z', delta: -1.5 },
    })
  })
})
