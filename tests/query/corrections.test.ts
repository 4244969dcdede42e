import { describe, expect, test } from 'vitest'
import type { MetricAnswer } from '../../src/query/model.ts'
import { errorOf } from '../support/context.ts'
import { secretsAndPersonalData as estate, finding, now, openAsked } from './ask.ts'

describe('corrected calls', () => {
  test.each<[string, string, object, string]>([
    [
      'a term given as a metric',
      'query_metric',
      { metricSlug: 'pii-exposure', filters: { statuses: ['OPEN'] } },
      'explore_by_glossary_term',
    ],
    [
      'a severity given as a term',
      'query_metric',
      { metricSlug: 'total-findings', glossaryTermSlug: 'critical' },
      'query_metric',
    ],
    ['a metric given as a term', 'explore_by_glossary_term', { glossaryTermSlug: 'Open findings' }, 'query_metric'],
    ['a misplaced filter', 'query_metric', { metricSlug: 'total-findings', severity: 'HIGH' }, 'query_metric'],
  ])('%s', async (_, tool, input, corrected) => {
    const { ask } = openAsked({ ...estate, sources: [{ name: 'Team wiki' }] }, { now })
    const { facts } = await errorOf(ask(tool, input))
    expect(facts.fix?.tool).toBe(corrected)
    await expect(ask(corrected, facts.fix?.arguments ?? {})).resolves.toBeDefined()
  })

  test('a granularity given as a dimension leads to the suggestion of a time series', async () => {
    const { ask } = openAsked(estate, { now })
    const { facts } = await errorOf(ask('query_metric', { metricSlug: 'new-findings', dimensions: ['Month'] }))
    expect(facts.fix).toEqual({
      tool: 'query_metric_timeseries',
      arguments: { metricSlug: 'new-findings', granularity: 'month' },
    })
  })

  test.each([
    ['yesterday', '2026-06-14'],
    ['last 30 days', '2026-05-16'],
    ['the last week', '2026-06-08'],
    ['2 hours ago', '2026-06-15T10:00:00.000Z'],
  ])('%s is refused, and %s is suggested', async (from, value) => {
    const { ask } = openAsked(estate, { now })
    const { facts } = await errorOf(ask('query_metric', { metricSlug: 'new-findings', from }))
    expect(facts).toMatchObject({ issues: [{ path: 'from' }], suggestions: [{ value, kind: 'time' }] })
  })

  test.each([
    ['2026-02-30', ['2026-02-28']],
    ['2026/3/9', ['2026-03-09']],
    ['31.12.2025', ['2025-12-31']],
    ['12/31/2025', ['2025-12-31']],
    ['3/4/2026', ['2026-03-04', '2026-04-03']],
    ['3.4.2026', ['2026-04-03', '2026-03-04']],
    ['2026-13-01', undefined],
    ['0000-01-01T', undefined],
  ])('%s is refused, and %j is suggested', async (to, values) => {
    const { ask } = openAsked(estate, { now })
    const { facts } = await errorOf(ask('query_metric', { metricSlug: 'new-findings', to }))
    expect(facts.reason).toBe('invalid_time')
    expect(facts.suggestions?.map(({ value }) => value)).toEqual(values)
  })

  test('too many buckets are refused, and coarser granularities are suggested', async () => {
    const { ask } = openAsked(estate, { now })
    const range = { metricSlug: 'new-findings', granularity: 'hour', from: '2020-01-01', to: '2026-01-01' }
    const { facts } = await errorOf(ask('query_metric_timeseries', range))
    expect(facts.issues?.[0]?.path).toBe('granularity')
    expect(facts.suggestions?.map(({ value }) => value)).toEqual(['day', 'week', 'month'])
  })

  test.each([
    ['state', 'status'],
    ['priority', 'severity'],
    ['CRITICAL', 'severity'],
  ])('the everyday name %s leads to the suggestion %s', async (name, dimension) => {
    const { ask } = openAsked(estate, { now })
    const { facts } = await errorOf(ask('query_metric', { metricSlug: 'new-findings', dimensions: [name] }))
    expect(facts.suggestions?.[0]).toEqual({ value: dimension, kind: 'dimension' })
  })

  test.each([
    ['space', 'container'],
    ['Workspace', 'container'],
    ['repository', 'container'],
    ['detector', 'detectorType'],
    ['type', 'findingType'],
    ['page', 'asset'],
    ['kind', 'assetKind'],
  ])('%s is accepted as the dimension %s', async (name, dimension) => {
    const { ask } = openAsked(estate, { now })
    const question = { metricSlug: 'new-findings', dimensions: [name] }
    const { breakdown, warnings } = (await ask('query_metric', question)) as MetricAnswer
    expect(Object.keys(breakdown[0]?.dimensions ?? {})).toEqual([dimension])
    expect(warnings).toContainEqual({ code: 'coerced', message: expect.stringContaining(dimension) as string })
    const misspelled = { metricSlug: 'new-findings', dimensions: [name, 'severity level'] }
    const { facts } = await errorOf(ask('query_metric', misspelled))
    expect(facts.reason).toBe('unknown_dimension')
  })

  const of = (metricSlug: string, more: object = {}) => ({ metricSlug, ...more })
  test.each<[object, string, RegExp]>([
    [of('total-findings', { dimensions: ['detector_type'] }), 'dimensions[0]', /'detectorType'/],
    [of('total-findings', { dimensions: ['severities'] }), 'dimensions[0]', /'severity'/],
    [of('total_findings'), 'metricSlug', /'total-findings'/],
    [of('false positives rates'), 'metricSlug', /'false-positive-rate'/],
    [of('total-findings', { glossaryTermSlug: 'security_threat' }), 'glossaryTermSlug', /'security-threats'/],
    [of('total-findings', { filters: { sources: ['Old wiki', 'team_wiki'] } }), 'filters.sources[1]', /'Team wiki'/],
    [of('new-findings', { granularity: 'day', dimension: 'finding type' }), 'dimension', /'findingType'/],
    [of('new-findings', { granularity: 'Weekly' }), 'granularity', /'week'/],
    [of('new-findings', { from: '2026-06-01', compare: 'previous period' }), 'compare', /'previous_period'/],
    [{ glossaryTermSlug: 'pii_exposures' }, 'glossaryTermSlug', /'pii-exposure'/],
  ])('%j is corrected to its only possible meaning, with a warning', async (input, path, name) => {
    const { ask } = openAsked({ ...estate, sources: [{ name: 'Team wiki' }, { name: 'Old wiki' }] }, { now })
    const ofMetric = 'granularity' in input ? 'query_metric_timeseries' : 'query_metric'
    const { warnings } = await ask('metricSlug' in input ? ofMetric : 'explore_by_glossary_term', input)
    const [coerced, ...others] = (warnings as MetricAnswer['warnings']).filter(({ code }) => code === 'coerced')
    expect(others).toEqual([])
    expect(coerced?.message).toMatch(name)
    expect(coerced?.message.startsWith(`${path} was `)).toBe(true)
  })

  test('values match in any letter case, and similar ones are suggested for unknown values', async () => {
    const { ask } = openAsked(
      {
        ...estate,
        sources: [{ name: 'Team wiki' }, { name: 'HR Wiki', lastCompletedScanAt: null }],
        assets: [{ key: 'page', container: 'Übersicht', owner: 'Ada', labels: ['legal'] }],
      },
      { now },
    )
    const count = async (filters: object) =>
      (await ask('query_metric', { metricSlug: 'total-findings', filters })) as MetricAnswer
    expect((await count({ containers: ['ÜBERSICHT'] })).value).toBe(18)
    expect((await count({ containers: ['U\u0308bersicht'.toLowerCase()] })).value).toBe(18)
    expect((await count({ labels: ['LEGAL'], owners: ['ada'] })).value).toBe(18)
    const [misspelled] = (await count({ containers: ['Uebersicht'] })).warnings
    expect(misspelled?.suggestions).toEqual([{ key: 'containers', value: 'Übersicht' }])
    const [source] = (await count({ containers: ['hr wiki'] })).warnings
    expect(source?.message).toContain('a source, never scanned')
    expect(source?.suggestions).toContainEqual({ key: 'sources', value: 'HR Wiki' })
    const { facts } = await errorOf(count({ sources: ['übersicht'] }))
    expect(await ask('query_metric', facts.fix?.arguments ?? {})).toMatchObject({ value: 18 })
  })

  test('are not given when a name has no single correction', async () => {
    const { ask } = openAsked(estate, { now })
    for (const input of [{ metricSlug: 'findings' }, { metricSlug: 'total-findings', dimensions: ['team'] }]) {
      expect((await errorOf(ask('query_metric', input))).facts.fix).toBeUndefined()
    }
  })
})

describe('explore by term', () => {
  test('returns counts, metrics, breakdowns, trend and examples for the same findings', async () => {
    const { ask } = openAsked(estate, { now })
    const answer = await ask('explore_by_glossary_term', { glossaryTermSlug: 'PII exposure', from: '2026-06-01' })
    expect(answer).toMatchObject({ count: 4, open: 2, assets: 1 })
    expect(answer.breakdowns.map(({ dimension }: { dimension: string }) => dimension)).toEqual(['severity', 'status'])
    expect(answer.trend.timeSeries.reduce((sum: number, { value }: { value: number }) => sum + value, 0)).toBe(4)
    expect(answer.examples.slice(0, 2).map(({ status }: { status: string }) => status)).toEqual(['OPEN', 'OPEN'])
    expect(answer.metrics.find(({ metricSlug }: { metricSlug: string }) => metricSlug === 'open-findings').value).toBe(
      2,
    )
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(16_000)
  })

  test('returns requested dimensions even if they have a single value', async () => {
    const { ask } = openAsked(estate, { now })
    const { breakdowns } = await ask('explore_by_glossary_term', {
      glossaryTermSlug: 'pii-exposure',
      dimensions: ['assetKind'],
    })
    expect(breakdowns).toEqual([
      { dimension: 'assetKind', totalGroups: 1, entries: [{ dimensionValue: 'wiki.page', value: 4 }] },
    ])
  })

  test('explains why a term has no matches', async () => {
    const { ask } = openAsked({ findings: [finding()] }, { now })
    const answer = await ask('explore_by_glossary_term', { glossaryTermSlug: 'pii-exposure' })
    expect(answer).toMatchObject({ count: 0, breakdowns: [], examples: [] })
    expect(answer.diagnosis.summary).toContain('pii-exposure')
  })
})
