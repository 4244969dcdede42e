import { describe, expect, test } from 'vitest'
import { at, codesOf, DAY, HOUR, openAsked } from './ask.ts'

const now = at('2026-06-15T12:00:00Z')
const sources = [
  { name: 'ahead', lastCompletedScanAt: now + DAY },
  { name: 'present', lastCompletedScanAt: now - HOUR },
]
const assets = [
  { key: 'a', source: 'ahead' },
  { key: 'b', source: 'present' },
]
const findings = [
  { asset: 'a', firstDetectedAt: now + DAY / 2 },
  { asset: 'a', firstDetectedAt: now - HOUR, status: 'RESOLVED', resolvedAt: now - DAY },
  { asset: 'b', firstDetectedAt: now - HOUR },
] as const

describe('a clock', () => {
  test('that was set back gives a warning in every answer', async () => {
    const { ask } = openAsked({ sources, assets, findings: [...findings] }, { now })
    const answer = await ask('query_metric', { metricSlug: 'total-findings' })
    expect(codesOf(answer)).toEqual(['clock_moved'])
    expect(answer.warnings[0].message).toContain('2026-06-16T12:00:00.000Z')
    for (const [name, input] of [
      ['query_metric_timeseries', { metricSlug: 'total-findings', granularity: 'day' }],
      ['explore_by_glossary_term', { glossaryTermSlug: 'unresolved-issues' }],
    ] as const) {
      expect(codesOf(await ask(name, input))).toContain('clock_moved')
    }
    const elsewhere = await ask('query_metric', { metricSlug: 'total-findings', filters: { sources: ['present'] } })
    expect(codesOf(elsewhere)).toEqual([])
  })

  test('may differ from that of another machine by a minute', async () => {
    const { ask } = openAsked({ sources: [{ name: 's', lastCompletedScanAt: now + 60_000 }] }, { now })
    expect(codesOf(await ask('query_metric', { metricSlug: 'total-findings' }))).toEqual([])
  })

  test('that was set back makes no duration negative', async () => {
    const { ask, simple } = openAsked({ sources, assets, findings: [...findings] }, { now })
    const shortest = async (field: string, mode: string) => {
      const metricSlug = await simple(`${field}-${mode}`.toLowerCase(), { aggregation: 'MIN', field, mode })
      return (await ask('query_metric', { metricSlug })).value as number
    }
    for (const mode of ['flow', 'stock']) {
      expect(await shortest('ageHours', mode)).toBeCloseTo(mode === 'flow' ? 0 : 1, 5)
      expect([mode, await shortest('resolutionHours', mode)]).toEqual([mode, 0])
    }
  })
})
