import { describe, expect, test } from 'vitest'
import { errorOf } from '../support/context.ts'
import { at, DAY, openAsked } from './ask.ts'
import type { FindingSeed } from './estate.ts'

const first = at('2026-03-10T00:00:00Z')
const finding = (seed: Partial<FindingSeed> = {}): FindingSeed => ({ asset: 'page', firstDetectedAt: first, ...seed })

describe('time', () => {
  const times = ['2026-03-09T23:59:59.999Z', '2026-03-10T00:00:00Z', '2026-03-10T23:59:59.999Z', '2026-03-11T00:00:00Z']
  const estate = { findings: times.map((time) => finding({ firstDetectedAt: at(time) })) }

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
