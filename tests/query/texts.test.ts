import { expect, test } from 'vitest'
import { renderExplore, renderMetric, renderSeries } from '../../src/query/answer/render.ts'
import { at, codesOf, DAY, openAsked } from './ask.ts'

const now = at('2026-06-15T12:00:00Z')
const found = (count: number, days: number, asset = 'page') =>
  Array.from({ length: count }, () => ({ asset, firstDetectedAt: now - days * DAY, confidence: 0.5 }))
const estate = { findings: [...found(1200, 3), ...found(34, 20)] }
const toText = (lines: readonly string[]) => lines.join('\n')

test('a value is formatted with thousands separators, followed by plain digits', async () => {
  const { ask } = openAsked(estate, { now })
  const answer = await ask('query_metric', { metricSlug: 'total-findings' })
  expect(answer.formatted).toBe('1,234 findings')
  expect(toText(renderMetric(answer))).toContain('1,234 findings [1234]')
  const duration = await ask('query_metric', { metricSlug: 'total-findings', from: '2026-06-10' })
  expect(duration.formatted).toBe('1,200 findings')
})

test('a stock is described as of its moment, other values without a range as all time', async () => {
  const { ask } = openAsked(estate, { now })
  const stock = await ask('query_metric', { metricSlug: 'open-findings', from: '2026-06-01', to: '2026-06-10' })
  expect(stock.applied).toMatchObject({ from: null, asOf: '2026-06-11T00:00:00.000Z' })
  expect(toText(renderMetric(stock))).toContain('as of 2026-06-11T00:00:00.000Z')
  expect(toText(renderMetric(stock))).not.toContain('range:')
  const all = toText(renderMetric(await ask('query_metric', { metricSlug: 'total-findings' })))
  expect(all).toContain('range: all time by firstDetectedAt')
})

test('empty buckets are left out of a text, and counted', async () => {
  const { ask } = openAsked(estate, { now })
  const range = { from: '2026-05-20', to: '2026-06-14', granularity: 'day' }
  const series = await ask('query_metric_timeseries', { metricSlug: 'new-findings', ...range })
  expect(series.timeSeries).toHaveLength(26)
  const text = toText(renderSeries(series))
  expect(text.match(/^- /gm)).toHaveLength(2)
  expect(text).toContain('24 empty buckets are left out')
  const averages = await ask('query_metric_timeseries', { metricSlug: 'average-confidence', ...range })
  expect(averages.timeSeries.filter(({ n }: { n: number }) => n > 0)).toHaveLength(2)
  const explored = await ask('explore_by_glossary_term', {
    glossaryTermSlug: 'security-threats',
    ...{ from: range.from },
  })
  expect(toText(renderExplore(explored))).not.toMatch(/new by day: .* 0[, ]/)
})

test('a bucket with an average of 0 is not empty', async () => {
  const zero = { findings: [{ asset: 'page', firstDetectedAt: now - DAY, confidence: 0 }] }
  const { ask } = openAsked(zero, { now })
  const series = await ask('query_metric_timeseries', {
    metricSlug: 'average-confidence',
    granularity: 'day',
    from: '2026-06-13',
    to: '2026-06-14',
  })
  expect(toText(renderSeries(series))).toContain('- 2026-06-14T00:00:00.000Z: 0')
})

test('a source is reported as stale only if it has assets that the query counts', async () => {
  const { ask } = openAsked(
    {
      sources: [
        { name: 'Wiki', lastCompletedScanAt: now - DAY },
        { name: 'Reports', lastCompletedScanAt: now - 30 * DAY },
      ],
      assets: [
        { key: 'page', source: 'Wiki', container: 'Engineering' },
        { key: 'report', source: 'Reports', container: 'Sales', kind: 'bi.report' },
      ],
      findings: [...found(2, 3), ...found(1, 3, 'report')],
    },
    { now },
  )
  const namesOf = async (filters: object) =>
    (await ask('query_metric', { metricSlug: 'new-findings', filters })).freshness.sources.map(
      ({ name }: { name: string }) => name,
    )
  expect(await namesOf({ containers: ['Engineering'] })).toEqual(['Wiki'])
  expect(await namesOf({ assetKinds: ['bi.report'] })).toEqual(['Reports'])
  expect(await namesOf({ severities: ['HIGH'] })).toEqual(['Reports', 'Wiki'])
  const text = toText(
    renderMetric(await ask('query_metric', { metricSlug: 'new-findings', filters: { containers: ['Engineering'] } })),
  )
  expect(text).not.toContain('stale')
})

test('further metrics are evaluated in the given order, with individual errors', async () => {
  const { ask } = openAsked(estate, { now })
  const question = { dimensions: ['severity'], from: '2026-06-10', limit: 5 }
  const alsoMetrics = ['average-confidence', 'no-such-metric', 'scan-coverage', 'open-findings']
  const answer = await ask('query_metric', { metricSlug: 'new-findings', ...question, alsoMetrics })
  expect(answer.also.map(({ metric }: { metric: { slug: string } }) => metric.slug)).toEqual(alsoMetrics)
  const [average, unknown, coverage, open] = answer.also
  expect(average).toEqual(await ask('query_metric', { metricSlug: 'average-confidence', ...question }))
  expect(open).toEqual(await ask('query_metric', { metricSlug: 'open-findings', ...question }))
  expect(unknown).toMatchObject({ value: null, error: { code: 'not_found' } })
  expect(coverage).toMatchObject({ value: null, error: { code: 'invalid_input' } })
  const text = toText(renderMetric(answer))
  expect(text).toContain('(average-confidence): 0.5 [0.5, n 1200]')
  expect(text).toContain('no-such-metric: not_found')
})

test.each<[string, object, string]>([
  ['nine further metrics', { alsoMetrics: Array.from({ length: 9 }, () => 'new-findings') }, 'alsoMetrics'],
  ['a limit over 1,000', { dimensions: ['severity'], limit: 1001 }, 'limit'],
  ['an unknown key', { explane: true }, 'explane'],
  ['a range that ends before it begins', { from: '2026-06-10', to: '2026-06-01' }, 'from'],
  [
    'a compared range that ends before it begins',
    { compare: { from: '2026-06-10', to: '2026-06-01' } },
    'compare.from',
  ],
  ['an unknown order', { compare: 'previous_year', orderBy: 'size' }, 'orderBy'],
])('%s is refused with its path', async (_, given, path) => {
  const { ask } = openAsked(estate, { now })
  const error = await ask('query_metric', { metricSlug: 'new-findings', ...given }).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'invalid_input', facts: { issues: [{ path }] } })
})

test('a range that begins before the first scan gives a warning for every further metric', async () => {
  const { ask } = openAsked(
    { ...estate, sources: [{ name: 'Wiki', lastCompletedScanAt: now, observedFrom: now - DAY }] },
    { now },
  )
  const answer = await ask('query_metric', {
    metricSlug: 'new-findings',
    from: '2026-06-01',
    alsoMetrics: ['total-findings'],
  })
  expect([codesOf(answer), codesOf(answer.also[0])]).toEqual([['not_scanned'], ['not_scanned']])
  expect(toText(renderMetric(answer)).match(/not_scanned/g)).toHaveLength(1)
})
