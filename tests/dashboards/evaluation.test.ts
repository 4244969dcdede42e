import { expect, test } from 'vitest'
import { dashboardOperations } from '../../src/dashboards/operations.ts'
import { glossaryOperations } from '../../src/glossary/operations.ts'
import { metricOperations } from '../../src/query/metric-operations.ts'
import { plant } from '../query/estate.ts'
import { caller, errorOf, NOON, openContext } from '../support/context.ts'

const operations = [...glossaryOperations, ...metricOperations, ...dashboardOperations]
const HOUR = 3_600_000
const DAY = 24 * HOUR

function open() {
  const context = openContext()
  plant(context.store, {
    sources: [{ name: 'Docs', lastCompletedScanAt: NOON - HOUR }],
    assets: [
      { key: 'p1', source: 'Docs', lastScannedAt: NOON - HOUR },
      { key: 'p2', source: 'Docs', lastScannedAt: null },
    ],
    findings: [
      { asset: 'p1', firstDetectedAt: NOON - DAY, detectorType: 'PII', severity: 'CRITICAL', confidence: 0.9 },
      { asset: 'p1', firstDetectedAt: NOON - 2 * DAY, detectorType: 'PII', severity: 'LOW', confidence: 0.5 },
      {
        asset: 'p2',
        firstDetectedAt: NOON - 9 * DAY,
        detectorType: 'SECRETS',
        severity: 'HIGH',
        status: 'RESOLVED',
        resolvedAt: NOON - 8 * DAY,
        changes: [{ at: NOON - 8 * DAY, from: 'OPEN', to: 'RESOLVED' }],
      },
      {
        asset: 'p2',
        firstDetectedAt: NOON - 10 * DAY,
        detectorType: 'SECRETS',
        status: 'FALSE_POSITIVE',
        changes: [{ at: NOON - 9 * DAY, from: 'OPEN', to: 'FALSE_POSITIVE' }],
      },
    ],
  })
  return { context, ask: caller(operations, context) }
}

interface Item {
  metricSlug: string
  value: number | null
  warnings: Array<{ code: string }>
}

const valuesOf = (answer: { metrics: Item[] }) =>
  Object.fromEntries(answer.metrics.map(({ metricSlug, value }) => [metricSlug, value]))

test('discovery evaluates every default metric, in order', async () => {
  const answer = await open().ask('query_dashboard', { dashboard: 'discovery' })
  expect(valuesOf(answer)).toEqual({
    'total-findings': 4,
    'distinct-secrets': 0,
    'open-findings': 2,
    'new-findings': 4,
    'critical-open-findings': 1,
    'false-positive-rate': 0.25,
    'resolution-rate': 0.25,
    'affected-assets': 1,
    'scan-coverage': 0.5,
    'average-confidence': expect.any(Number),
    'mean-time-to-resolve': 24,
    'median-time-to-resolve': 24,
    'weekly-finding-trend': 0,
    'exposed-secrets': 0,
  })
  expect(answer.metrics.map((item: { position: number }) => item.position)).toEqual([
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
  ])
})

test('an item contains the fields of its metric and its placement', async () => {
  const { ask } = open()
  await ask('set_placement', { dashboard: 'd', slug: 'resolution-rate', size: 'lg', position: 3, chartType: 'bar' })
  const { dashboard, metrics } = await ask('query_dashboard', { dashboard: 'd' })
  expect(dashboard).toBe('d')
  expect(metrics).toEqual([
    {
      applied: { from: null, to: null, timeField: 'firstDetectedAt', timeZone: 'UTC' },
      metricSlug: 'resolution-rate',
      displayName: 'Resolution rate',
      value: 0.25,
      formatted: '25%',
      numerator: 1,
      denominator: 4,
      format: 'percentage',
      unit: '%',
      size: 'lg',
      position: 3,
      chartType: 'bar',
      pinnedFilters: null,
      trust: { tier: 'certified', label: expect.any(String) },
      warnings: [],
    },
  ])
})

test('pinned filters apply to their own metric only', async () => {
  const { ask } = open()
  await ask('set_placement', { dashboard: 'd', slug: 'total-findings', pinnedFilters: { detectorTypes: ['PII'] } })
  await ask('set_placement', { dashboard: 'd', slug: 'new-findings' })
  expect(valuesOf(await ask('query_dashboard', { dashboard: 'd' }))).toEqual({ 'total-findings': 2, 'new-findings': 4 })
})

test('pinned filters are combined with those of the metric and never replace them', async () => {
  const { ask } = open()
  await ask('set_placement', { dashboard: 'd', slug: 'open-findings', pinnedFilters: { statuses: ['RESOLVED'] } })
  const { metrics } = await ask('query_dashboard', { dashboard: 'd' })
  expect(metrics[0]).toMatchObject({ value: 0, warnings: [{ code: 'contradiction' }] })
})

test('the range applies to every metric', async () => {
  const { ask } = open()
  const from = new Date(NOON - 3 * DAY).toISOString()
  const answer = await ask('query_dashboard', { dashboard: 'discovery', from })
  expect(valuesOf(answer)).toMatchObject({ 'total-findings': 2, 'open-findings': 2, 'false-positive-rate': 0 })
  expect(answer.applied).toEqual({ from, to: null, timeZone: 'UTC' })
})

test('a failing metric has its own error, and the others have a value', async () => {
  const { ask, context } = open()
  context.store.write((writer) => {
    writer.prepare(`UPDATE metric SET definition = '{"broken":' || id || '}' WHERE slug = 'new-findings'`).run()
  })
  const { metrics } = await ask('query_dashboard', { dashboard: 'discovery' })
  const failed = metrics.find((item: Item) => item.metricSlug === 'new-findings')
  expect(failed).toMatchObject({ value: null, error: { code: 'internal', message: expect.stringContaining('log') } })
  expect(metrics.filter((item: object) => 'error' in item).length).toBeLessThanOrEqual(2)
  expect(valuesOf({ metrics })).toMatchObject({ 'total-findings': 4 })
})

test('a draft has a warning on its own item', async () => {
  const { ask } = open()
  await ask('update_metric', { slug: 'new-findings', status: 'DRAFT' })
  const { metrics, warnings } = await ask('query_dashboard', { dashboard: 'discovery' })
  const codes = Object.fromEntries(
    metrics.map((item: Item) => [item.metricSlug, item.warnings.map(({ code }) => code)]),
  )
  expect(codes).toMatchObject({ 'new-findings': ['draft'], 'total-findings': [] })
  expect(warnings).toEqual([])
})

test('warnings common to all metrics are reported once', async () => {
  const context = openContext()
  const { metrics, warnings } = await caller(operations, context)('query_dashboard', { dashboard: 'discovery' })
  expect(warnings).toMatchObject([{ code: 'not_scanned' }])
  expect(metrics.every((item: Item) => item.warnings.length === 0)).toBe(true)
})

test('freshness names each source once', async () => {
  const { freshness } = await open().ask('query_dashboard', { dashboard: 'discovery' })
  expect(freshness).toEqual({
    asOf: new Date(NOON).toISOString(),
    sources: [
      { name: 'Docs', lastCompletedScanAt: new Date(NOON - HOUR).toISOString(), observedFrom: null, stale: false },
    ],
  })
})

test.each<[string, object, string]>([
  ['an unknown dashboard', { dashboard: 'discovry' }, 'not_found'],
  ['no dashboard', {}, 'invalid_input'],
  ['an impossible date', { dashboard: 'discovery', from: '2026-02-30' }, 'invalid_input'],
  ['a range that runs backwards', { dashboard: 'discovery', from: '2026-03-02', to: '2026-02-01' }, 'invalid_input'],
  ['an unknown zone', { dashboard: 'discovery', timeZone: 'Mars/Base' }, 'invalid_input'],
  ['an unknown key', { dashboard: 'discovery', metric: 'x' }, 'invalid_input'],
])('a request with %s is refused as a whole', async (_, question, code) => {
  expect(await errorOf(open().ask('query_dashboard', question))).toMatchObject({ code })
})
