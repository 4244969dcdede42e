import { describe, expect, test } from 'vitest'
import { at, DAY, openAsked } from './ask.ts'

const now = at('2026-06-15T12:00:00Z')
const severities = ['CRITICAL', 'HIGH', 'LOW'] as const
const statuses = ['OPEN', 'FALSE_POSITIVE', 'OPEN', 'IGNORED', 'OPEN'] as const

/** Findings on most days of two months, of changing severity and status, in two spaces. */
const estate = {
  sources: [{ name: 'wiki', lastCompletedScanAt: now, observedFrom: at('2026-04-20T00:00:00Z') }],
  assets: ['a', 'b', 'c'].map((key, index) => ({ source: 'wiki', key, container: index === 2 ? 'Two' : 'One' })),
  findings: Array.from({ length: 90 }, (_, index) => ({
    asset: ['a', 'b', 'c'][index % 3] ?? 'a',
    firstDetectedAt: at('2026-04-20T06:00:00Z') + Math.floor(index * 0.6) * DAY + (index % 7) * 3_600_000,
    severity: severities[index % 3] ?? ('LOW' as const),
    status: statuses[index % 5] ?? ('OPEN' as const),
  })),
}

const range = { from: '2026-05-18T00:00:00Z', to: '2026-06-15T12:00:00Z' }
const shares = { displayName: 'x', allowedDimensions: ['severity', 'container', 'status'] }

async function open() {
  const asked = openAsked(estate, { now })
  await asked.simple('rolling', { window: { last: '14d' } })
  await asked.ask('create_metric', {
    ...shares,
    slug: 'doubled',
    type: 'DERIVED',
    definition: { formula: 'coalesce(open_findings, 0) * 2 - new_findings', inputs: ['open-findings', 'new-findings'] },
  })
  return asked
}

describe('explore_view', () => {
  test.each([
    ['new-findings', 'day'],
    ['open-findings', 'week'],
    ['false-positive-rate', 'day'],
    ['doubled', 'week'],
    ['rolling', 'week'],
    ['weekly-finding-trend', 'week'],
    ['average-confidence', 'day'],
  ])('%s has in every %s the value that a query over that bucket returns', async (metricSlug, granularity) => {
    const { ask } = await open()
    const view = await ask('explore_view', { metricSlug, granularity, compare: 'previous_period', ...range })
    const { timeSeries, previous } = view.series
    expect(previous.length).toBeGreaterThan(3)
    const ends = timeSeries.map((_: object, index: number) => timeSeries[index + 1]?.timestamp ?? range.to)
    for (const [index, { timestamp, value }] of timeSeries.entries()) {
      const from = timestamp < range.from ? range.from : timestamp
      const alone = await ask('query_metric', { metricSlug, from, to: ends[index] })
      expect([timestamp, value]).toEqual([timestamp, alone.value])
    }
  })

  test('leaves out dimensions that the metric does not allow where the caller asks for that', async () => {
    const { ask } = await open()
    const question = { metricSlug: 'doubled', dimensions: ['container', 'detectorType', 'severity'], ...range }
    const { boards } = await ask('explore_view', { ...question, onlyAllowed: true })
    expect(boards.map(({ dimension }: { dimension: string }) => dimension)).toEqual(['container', 'severity'])
    const { boards: alone } = await ask('explore_view', { ...question, dimensions: ['container', 'severity'] })
    expect(boards).toEqual(alone)
    await expect(ask('explore_view', question)).rejects.toMatchObject({ facts: { reason: 'dimension_not_allowed' } })
    const unknown = { ...question, dimensions: ['colour'], onlyAllowed: true }
    await expect(ask('explore_view', unknown)).rejects.toMatchObject({ facts: { reason: 'unknown_dimension' } })
  })

  test('values, comparisons and breakdowns are those of query_metric', async () => {
    const { ask } = await open()
    const question = { metricSlug: 'new-findings', filters: { severities: ['HIGH', 'LOW'] }, ...range }
    const view = await ask('explore_view', {
      ...question,
      compare: 'previous_period',
      dimensions: ['container', 'severity'],
      alsoMetrics: ['open-findings', 'nothing'],
      limit: 1,
    })
    const alone = await ask('query_metric', {
      ...question,
      compare: 'previous_period',
      dimensions: ['container'],
      limit: 1,
    })
    const { breakdown, totalGroups, truncated, other, warnings, ...same } = alone
    expect(view).toMatchObject(same)
    expect(view.boards[0]).toMatchObject({
      dimension: 'container',
      filterKey: 'containers',
      breakdown,
      totalGroups,
      other,
    })
    const stock = await ask('query_metric', { ...question, metricSlug: 'open-findings', compare: 'previous_period' })
    expect(view.also[0]).toMatchObject({ value: stock.value, comparison: stock.comparison, better: 'lower' })
    expect(view.also[1]).toMatchObject({ metric: { slug: 'nothing' }, value: null, error: { code: 'not_found' } })
    expect(view.observedFrom).toBe('2026-04-20T00:00:00.000Z')
  })

  test('another metric that fails has its own fix', async () => {
    const { ask } = await open()
    const view = await ask('explore_view', {
      metricSlug: 'new-findings',
      alsoMetrics: ['security-threats', 'open-findigns', 'open-finding'],
      ...range,
    })
    expect(view.also[0].error.fix).toEqual({
      tool: 'explore_by_glossary_term',
      arguments: { glossaryTermSlug: 'security-threats', ...range },
    })
    expect(view.also[1].error).not.toHaveProperty('fix')
    expect(view.also[1].error.suggestions[0]).toMatchObject({ value: 'open-findings', kind: 'metric' })
    expect(view.also[2]).toMatchObject({ metric: { slug: 'open-findings' }, value: expect.any(Number) })
  })

  test('a breakdown ignores the filter of its own dimension', async () => {
    const { ask } = await open()
    const filters = { severities: ['HIGH'], containers: ['One'] }
    const view = await ask('explore_view', { metricSlug: 'new-findings', filters, dimensions: ['severity'], ...range })
    const alone = await ask('query_metric', {
      metricSlug: 'new-findings',
      filters: { containers: ['One'] },
      dimensions: ['severity'],
      ...range,
    })
    expect(view.boards[0].breakdown).toEqual(alone.breakdown)
    expect(view.boards[0].breakdown.length).toBeGreaterThan(1)
    expect(view.value).toBeLessThan(alone.value)
  })

  test('a focus restricts values and breakdowns, compared with the same part of the compared range', async () => {
    const { ask } = await open()
    const focus = { from: '2026-05-25T00:00:00Z', to: '2026-06-01T00:00:00Z' }
    const compare = { from: '2026-04-20T00:00:00Z', to: '2026-05-18T12:00:00Z' }
    const view = await ask('explore_view', {
      metricSlug: 'new-findings',
      ...range,
      focus,
      compare,
      granularity: 'week',
      dimensions: ['severity'],
    })
    const before = { from: '2026-04-27T00:00:00Z', to: '2026-05-04T00:00:00Z' }
    const alone = await ask('query_metric', {
      metricSlug: 'new-findings',
      ...focus,
      compare: before,
      dimensions: ['severity'],
    })
    expect(view).toMatchObject({ value: alone.value, comparison: alone.comparison })
    expect(view.boards[0].breakdown).toEqual(alone.breakdown)
    expect(view.series.timeSeries).toHaveLength(5)
  })

  test('a range with too many buckets is refused', async () => {
    const { ask } = await open()
    const asked = ask('explore_view', { metricSlug: 'new-findings', granularity: 'hour', ...range, from: '2026-05-01' })
    await expect(asked).rejects.toMatchObject({ code: 'invalid_input', facts: { reason: 'too_many_buckets' } })
  })
})

test('words restrict every number to the findings that have them', async () => {
  const { ask } = await open()
  const asked = { metricSlug: 'total-findings', search: 'two', dimensions: ['severity', 'container', 'status'] }
  const view = await ask('explore_view', asked)
  const of = (more: object) =>
    ask('query_metric', { metricSlug: 'total-findings', filters: { containers: ['Two'], ...more } })
  expect(view.value).toBe((await of({})).value)
  expect(view.boards[1].breakdown).toMatchObject([{ dimensionValue: 'Two', value: 30 }])
  const filtered = await ask('explore_view', { ...asked, filters: { severities: ['LOW'], statuses: ['OPEN'] } })
  expect(filtered.value).toBe((await of({ severities: ['LOW'], statuses: ['OPEN'] })).value)
  expect(filtered.boards[0].breakdown.length).toBe(view.boards[0].breakdown.length)
  expect((await ask('explore_view', { ...asked, search: 'two nowhere' })).value).toBe(0)
})
