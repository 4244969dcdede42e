import { describe, expect, test } from 'vitest'
import { errorOf } from '../support/context.ts'
import { at, DAY, openAsked } from './ask.ts'
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
})

describe('comparison', () => {
  const estate = { findings: [0, 1, 1, 3].map((days) => finding({ firstDetectedAt: first + days * DAY })) }

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
