import { expect, test } from 'vitest'
import { dashboardOperations } from '../../src/dashboards/operations.ts'
import { metricOperations } from '../../src/query/metric-operations.ts'
import { errorOf, openCaller } from '../support/context.ts'

const operations = [...metricOperations, ...dashboardOperations]

const open = () => openCaller(operations)

const slugsOf = (answer: { placements: Array<{ metricSlug: string }> }) =>
  answer.placements.map((placement) => placement.metricSlug)

test('a new installation shows every default metric on discovery', async () => {
  const { ask } = open()
  expect(await ask('list_dashboards')).toEqual({ items: [{ name: 'discovery', placements: 14 }], total: 1 })
  const dashboard = await ask('get_dashboard', { dashboard: 'discovery' })
  expect(slugsOf(dashboard).slice(0, 3)).toEqual(['total-findings', 'open-findings', 'new-findings'])
})

test('the first placement creates the dashboard, with defaults', async () => {
  const { ask } = open()
  const placement = await ask('set_placement', { dashboard: 'Weekly review', slug: 'open-findings' })
  expect(placement).toEqual({
    dashboard: 'Weekly review',
    metricSlug: 'open-findings',
    displayName: 'Open findings',
    pinnedFilters: null,
    size: 'md',
    position: 1,
    chartType: 'number',
  })
  expect(await ask('get_dashboard', { dashboard: 'Weekly review' })).toEqual({
    dashboard: 'Weekly review',
    placements: [placement],
  })
})

test('a further placement is added at the end, and positions order them', async () => {
  const { ask } = open()
  await ask('set_placement', { dashboard: 'd', slug: 'open-findings', position: 5 })
  expect(await ask('set_placement', { dashboard: 'd', slug: 'new-findings' })).toMatchObject({ position: 6 })
  await ask('set_placement', { dashboard: 'd', slug: 'total-findings', position: 0 })
  expect(slugsOf(await ask('get_dashboard', { dashboard: 'd' }))).toEqual([
    'total-findings',
    'open-findings',
    'new-findings',
  ])
})

test('a size and a chart may be any words, which stay as they are', async () => {
  const { ask } = open()
  const words = { size: 'Full width', chartType: 'Säulen 3D' }
  expect(await ask('set_placement', { dashboard: 'd', slug: 'open-findings', ...words })).toMatchObject(words)
  expect((await ask('get_dashboard', { dashboard: 'd' })).placements).toMatchObject([words])
  expect((await ask('query_dashboard', { dashboard: 'd' })).metrics).toMatchObject([words])
})

test('a change keeps the members that it omits', async () => {
  const { ask } = open()
  const pinnedFilters = { severities: ['CRITICAL'] }
  const placed = await ask('set_placement', { dashboard: 'd', slug: 'open-findings', pinnedFilters, size: 'xl' })
  const changed = await ask('set_placement', { dashboard: 'd', slug: 'open-findings', chartType: 'bar' })
  expect(changed).toEqual({ ...placed, chartType: 'bar' })
})

test.each([
  ['null', null],
  ['an empty object', {}],
])('%s removes the pinned filters', async (_, none) => {
  const { ask } = open()
  await ask('set_placement', { dashboard: 'd', slug: 'open-findings', pinnedFilters: { severities: ['LOW'] } })
  const changed = await ask('set_placement', { dashboard: 'd', slug: 'open-findings', pinnedFilters: none })
  expect(changed).toMatchObject({ pinnedFilters: null })
})

test.each<[string, object, string]>([
  ['a size of blanks', { size: '  ' }, 'size'],
  ['a size of many characters', { size: 'x'.repeat(41) }, 'size'],
  ['a chart that is no text', { chartType: 5 }, 'chartType'],
  ['a chart with a line break', { chartType: 'a\nb' }, 'chartType'],
  ['a position', { position: 1.5 }, 'position'],
  ['a filter key', { pinnedFilters: { severity: ['LOW'] } }, 'pinnedFilters.severity'],
  ['a name of blanks', { dashboard: '  ' }, 'dashboard'],
  ['a key', { colour: 'red' }, 'colour'],
])('an unknown %s is refused', async (_, change, path) => {
  const error = await errorOf(open().ask('set_placement', { dashboard: 'd', slug: 'open-findings', ...change }))
  expect(error).toMatchObject({ code: 'invalid_input', facts: { issues: [{ path }] } })
})

test('an unknown metric is not found, and no dashboard is created', async () => {
  const { ask } = open()
  const error = await errorOf(ask('set_placement', { dashboard: 'd', slug: 'open-finding' }))
  expect(error.code).toBe('not_found')
  expect(error.facts.suggestions?.[0]).toMatchObject({ value: 'open-findings', kind: 'metric' })
  expect((await ask('list_dashboards')).total).toBe(1)
})

test('an error for an unknown dashboard suggests the closest one', async () => {
  const error = await errorOf(open().ask('get_dashboard', { dashboard: 'discovry' }))
  expect(error).toMatchObject({
    code: 'not_found',
    facts: { suggestions: [{ value: 'discovery', kind: 'dashboard' }] },
  })
})

test('the letter case of a dashboard does not matter', async () => {
  const { ask } = open()
  await ask('set_placement', { dashboard: 'DISCOVERY', slug: 'open-findings', size: 'lg' })
  expect((await ask('list_dashboards')).total).toBe(1)
})

test('a removed placement is returned, and removing the last one deletes the dashboard', async () => {
  const { ask } = open()
  const placement = await ask('set_placement', { dashboard: 'd', slug: 'open-findings' })
  expect(await ask('remove_placement', { dashboard: 'd', slug: 'Open findings' })).toEqual(placement)
  expect(await errorOf(ask('get_dashboard', { dashboard: 'd' }))).toMatchObject({ code: 'not_found' })
})

test('a metric that is not placed cannot be removed', async () => {
  const { ask } = open()
  await ask('set_placement', { dashboard: 'd', slug: 'open-findings' })
  const error = await errorOf(ask('remove_placement', { dashboard: 'd', slug: 'new-findings' }))
  expect(error).toMatchObject({ code: 'not_found', facts: { suggestions: [{ value: 'open-findings' }] } })
})

test('a metric can be deleted once no dashboard shows it', async () => {
  const { ask } = open()
  expect(await errorOf(ask('delete_metric', { slug: 'resolution-rate' }))).toMatchObject({ code: 'conflict' })
  await ask('remove_placement', { dashboard: 'discovery', slug: 'resolution-rate' })
  expect(await ask('delete_metric', { slug: 'resolution-rate' })).toMatchObject({ slug: 'resolution-rate' })
})

test('placements are in the audit trail', async () => {
  const { ask } = open()
  await ask('set_placement', { dashboard: 'd', slug: 'open-findings' })
  await ask('set_placement', { dashboard: 'd', slug: 'open-findings' })
  await ask('set_placement', { dashboard: 'd', slug: 'open-findings', size: 'sm' })
  await ask('remove_placement', { dashboard: 'd', slug: 'open-findings' })
  const { items } = await ask('list_audit', { kind: 'placement', name: 'd/open-findings' })
  expect(items).toMatchObject([
    { action: 'delete', before: { size: 'sm' }, after: null },
    { action: 'update', before: { size: 'md' }, after: { size: 'sm' } },
    { action: 'create', before: null },
  ])
})
