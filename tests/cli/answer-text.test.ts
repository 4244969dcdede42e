import { describe, expect, it } from 'vitest'
import { toAnswerText, toSeriesText } from '../../src/cli/answer-text.ts'
import { layOut } from '../../src/cli/output/layout.ts'

const onPipe = { width: Number.POSITIVE_INFINITY, hasColor: false, hasLinks: false }
const trust = { tier: 'certified', label: 'Certified by ada.' }
const rate = { slug: 'rate', displayName: 'Rate', format: 'percentage', unit: '%' }
const count = { slug: 'count', displayName: 'Count', format: 'number', unit: 'findings' }

const context = {
  applied: { from: null, to: null, timeField: 'firstDetectedAt', timeZone: 'UTC', filters: [] },
  freshness: { asOf: '2026-01-02T00:00:00.000Z', sources: [] },
}
const shownContext = ['range: all time, by first detection', 'data:  no source']

describe('toAnswerText', () => {
  it('formats groups as the metric is formatted, with previous values', () => {
    const text = toAnswerText({
      ...context,
      value: 0.25,
      formatted: '25%',
      metric: rate,
      trust,
      warnings: [{ code: 'truncated', message: 'Cut.' }],
      comparison: { value: 0.5, delta: -0.25, pctChange: -0.5 },
      breakdown: [
        { dimensions: { detectorType: 'PII' }, value: 1 / 3, previous: 0.5, delta: -1 / 6 },
        { dimensions: { detectorType: 'SECRETS' }, value: null, previous: null },
      ],
      other: { groups: 4, value: 0.125, previous: 0.5, delta: -0.375 },
    } as never)
    expect(layOut(text, onPipe)).toEqual([
      'Rate: 25%',
      'before: 50%, change: -25% (-50.0%)',
      '',
      'group       value  before  change',
      '──────────  ─────  ──────  ──────',
      'PII         33.3%     50%  -16.7%',
      'SECRETS      none    none    none',
      '(4 others)  12.5%     50%  -37.5%',
      '',
      'Certified by ada.',
      ...shownContext,
      '! Cut.',
    ])
  })
})

describe('all groups of two dimensions', () => {
  const groups = [
    ['Ops', 'HIGH', 3],
    ['Docs', 'LOW', 2],
    ['Ops', 'LOW', 1],
    ['Home', 'LOW', 0],
  ] as const
  const show = (more: object) =>
    layOut(
      toAnswerText({
        ...context,
        ...{ value: 6, formatted: '6 findings', metric: count, trust, warnings: [] },
        breakdown: groups.map(([container, severity, value]) => ({ dimensions: { container, severity }, value })),
        ...more,
      } as never),
      onPipe,
    ).slice(2, -4)

  it('are a table with one dimension on each side', () => {
    expect(show({})).toEqual([
      'container / severity  HIGH  LOW',
      '────────────────────  ────  ───',
      'Ops                      3    1',
      'Docs                     -    2',
      'Home                     -    0',
    ])
  })

  it('are listed where some are missing, or have previous values', () => {
    expect(show({ other: { groups: 1, value: 4 } })).toContain('Ops / HIGH      3')
    expect(show({ comparison: { value: 1, delta: 5, pctChange: 5 } }).join()).toContain('Ops / HIGH')
  })
})

describe('toSeriesText', () => {
  const points = (...values: (number | null)[]) =>
    values.map((value, index) => ({ timestamp: `2026-01-0${index + 1}`, value, complete: index < 1 }))

  it('shows each series below the total', () => {
    const text = toSeriesText({
      ...context,
      metric: count,
      trust,
      warnings: [],
      timeSeries: points(3, 5),
      series: [
        { dimensionValue: 'HIGH', timeSeries: points(2, 5) },
        { dimensionValue: 'a container with a long name', timeSeries: points(1, null) },
      ],
    } as never)
    expect(layOut(text, onPipe)).toEqual([
      'Count',
      '▅█',
      '▄█  HIGH',
      '█   a container with a long name',
      "from        all  HIGH  'a container w'…",
      '──────────  ───  ────  ────────────────  ────────────',
      '2026-01-01    3     2                 1',
      '2026-01-02    5     5              none  not complete',
      '',
      'Certified by ada.',
      ...shownContext,
    ])
  })
})
