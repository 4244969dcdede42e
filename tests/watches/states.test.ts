import { describe, expect, it } from 'vitest'
import { errorOf, NOON } from '../support/context.ts'
import { DAY, openWatching, type Watching } from './watching.ts'

const above = (value: number, times?: number) => ({
  kind: 'above',
  value,
  ...(times === undefined ? {} : { for: times }),
})
const watch = { slug: 'open', displayName: 'Open findings', metricSlug: 'open-findings', condition: above(1) }
const one = (id: number, severity = 'HIGH', first = NOON - DAY) => ({ id, severity, first })

const stateOf = async ({ ask }: Watching, slug = 'open') => {
  const { state, value, reason } = await ask('get_watch', { slug })
  return { state, value, ...(reason === undefined ? {} : { reason }) }
}

describe('a watch', () => {
  it('is UNKNOWN before its first evaluation and while nothing in scope was scanned', async () => {
    const watching = openWatching()
    await watching.ask('create_watch', watch)
    expect(await stateOf(watching)).toEqual({ state: 'UNKNOWN', value: null, reason: 'not_evaluated' })
    await watching.tick()
    expect(await stateOf(watching)).toEqual({ state: 'UNKNOWN', value: 0, reason: 'no_source' })
  })

  it('is not evaluated again until a scan ends', async () => {
    const watching = openWatching()
    await watching.ask('create_watch', watch)
    await watching.bring([one(1)])
    await watching.tick()
    watching.context.clock.now += DAY
    await watching.tick()
    expect((await watching.ask('get_watch', { slug: 'open' })).evaluatedAt).toBe(new Date(NOON).toISOString())
  })

  it('is also evaluated on its cron expression, once for all missed times', async () => {
    const watching = openWatching()
    await watching.ask('create_watch', { ...watch, cron: '0 * * * *' })
    await watching.bring([one(1)])
    await watching.tick()
    expect((await watching.ask('get_watch', { slug: 'open' })).nextRunAt).toBe(new Date(NOON + 3_600_000).toISOString())
    watching.context.clock.now += 5 * 3_600_000 + 60_000
    await watching.tick()
    const { evaluatedAt, nextRunAt } = await watching.ask('get_watch', { slug: 'open' })
    expect([evaluatedAt, nextRunAt]).toEqual(
      [watching.context.clock.now, NOON + 6 * 3_600_000].map((at) => new Date(at).toISOString()),
    )
  })

  it.each([
    ['FAILED', 'scan_failed'],
    ['PARTIAL', 'scan_partial'],
    ['CANCELLED', 'scan_partial'],
  ] as const)('is never OK when the last scan was %s', async (status, reason) => {
    const watching = openWatching()
    await watching.ask('create_watch', watch)
    await watching.bring([one(1)])
    await watching.tick()
    watching.context.clock.now += 1
    watching.endScan(status)
    await watching.tick()
    expect(await stateOf(watching)).toEqual({ state: 'UNKNOWN', value: 1, reason })
    watching.context.clock.now += 1
    watching.endScan('COMPLETED')
    await watching.tick()
    expect(await stateOf(watching)).toEqual({ state: 'OK', value: 1 })
  })

  it('depends only on the sources in its scope', async () => {
    const watching = openWatching()
    await watching.bring([one(1)])
    await watching.bring([one(2)], 'other')
    await watching.ask('create_watch', { ...watch, filters: { sources: ['scanner'] } })
    watching.context.clock.now += 1
    watching.endScan('FAILED', 'other')
    await watching.tick()
    expect(await stateOf(watching)).toEqual({ state: 'OK', value: 1 })
  })

  it('of a change is UNKNOWN, with the reason, while a compared range begins before the first scan', async () => {
    const watching = openWatching()
    await watching.bring([one(1), one(2, 'HIGH', NOON - 2 * DAY)])
    const change = { metricSlug: 'new-findings', last: '7d', condition: { kind: 'changeAbove', value: 0.1 } }
    await watching.ask('create_watch', { ...watch, ...change })
    const trend = { metricSlug: 'weekly-finding-trend', condition: above(0.1) }
    await watching.ask('create_watch', { ...watch, slug: 'trend', ...trend })
    watching.context.clock.now += 6 * DAY
    await watching.bring([3, 4, 5].map((id) => one(id, 'HIGH', NOON + 6 * DAY)))
    await watching.tick()
    for (const slug of ['open', 'trend']) {
      const { state, reason, message } = await watching.ask('get_watch', { slug })
      expect([state, reason]).toEqual(['UNKNOWN', 'not_observed'])
      expect(message).toContain('before the first observation of scanner')
    }
    watching.context.clock.now += 7 * DAY
    await watching.bring(Array.from({ length: 9 }, (_, id) => one(10 + id, 'HIGH', NOON + 13 * DAY)))
    await watching.tick()
    for (const slug of ['open', 'trend']) expect(await stateOf(watching, slug)).toEqual({ state: 'FIRING', value: 2 })
  })

  it('names a source without a scan as the reason of UNKNOWN, and what to do', async () => {
    const watching = openWatching()
    await watching.bring([one(1)])
    await watching.ask('create_watch', watch)
    const required = { base_url: 'https://wiki.example', account_email: 'ann@wiki.example' }
    const config = { type: 'WIKI', required, masked: { api_token: 'secret' } }
    await watching.ask('create_source', { name: 'new', config })
    await watching.tick()
    const { message } = await watching.ask('get_watch', { slug: 'open' })
    expect(message).toMatch(/^No scan of new has completed, .*; scan it, remove it, or filter the watch/)
  })

  it('is UNKNOWN without a value', async () => {
    const watching = openWatching()
    await watching.bring([one(1)])
    const filters = { severities: ['LOW'] }
    await watching.ask('create_watch', { ...watch, metricSlug: 'average-confidence', filters, condition: above(0) })
    await watching.tick()
    expect(await stateOf(watching)).toEqual({ state: 'UNKNOWN', value: null, reason: 'no_value' })
  })

  it('is UNKNOWN, with the reason, when its term is no longer active', async () => {
    const watching = openWatching()
    await watching.bring([one(1)])
    await watching.ask('create_watch', { ...watch, glossaryTermSlug: 'security-threats' })
    await watching.ask('update_glossary_term', { slug: 'security-threats', isActive: false })
    await watching.tick()
    expect(await stateOf(watching)).toEqual({ state: 'UNKNOWN', value: null, reason: 'inactive_term' })
  })

  it('keeps a state for each group, even if it has become empty', async () => {
    const watching = openWatching()
    await watching.ask('create_watch', { ...watch, dimensions: ['severity'] })
    await watching.bring([one(1), one(2), one(3, 'LOW')])
    await watching.tick()
    const groupsOf = async () =>
      (await watching.ask('get_watch', { slug: 'open' })).groups.map(
        ({ group, state, value }: Record<string, unknown>) => [group, state, value],
      )
    expect(await groupsOf()).toEqual([
      [{ severity: 'HIGH' }, 'FIRING', 2],
      [{ severity: 'LOW' }, 'OK', 1],
    ])
    watching.context.clock.now += DAY
    await watching.bring([1, 2].map((id) => ({ ...one(id), resolved: NOON })))
    await watching.tick()
    expect(await groupsOf()).toEqual([
      [{ severity: 'HIGH' }, 'OK', 0],
      [{ severity: 'LOW' }, 'OK', 1],
    ])
    await watching.bring([one(3, 'LOW')])
    await watching.tick()
    expect(await groupsOf()).toEqual([[{ severity: 'LOW' }, 'OK', 1]])
  })

  it('derives the state of a group of one source from that source', async () => {
    const watching = openWatching()
    await watching.bring([one(1)])
    await watching.bring([one(2)], 'other')
    watching.context.clock.now += 1
    watching.endScan('PARTIAL', 'other')
    await watching.ask('create_watch', { ...watch, dimensions: ['source'] })
    await watching.tick()
    const { groups, state } = await watching.ask('get_watch', { slug: 'open' })
    expect(groups).toMatchObject([
      { group: { source: 'other' }, state: 'UNKNOWN', reason: 'scan_partial' },
      { group: { source: 'scanner' }, state: 'OK' },
    ])
    expect(state).toBe('UNKNOWN')
  })

  it('keeps the states of 100 groups: first those that fire, then the highest', async () => {
    const watching = openWatching()
    const of = (space: number, count: number, resolved?: number) =>
      Array.from({ length: count }, (_, index) => ({
        ...one(space * 10 + index),
        container: `Space ${space}`,
        ...(resolved === undefined ? {} : { resolved }),
      }))
    const spaces = Array.from({ length: 120 }, (_, index) => index)
    await watching.bring([...spaces.flatMap((space) => of(space, 1)), ...of(200, 3)])
    await watching.ask('create_watch', { ...watch, dimensions: ['container'] })
    await watching.tick()
    const { totalGroups, groups } = await watching.ask('get_watch', { slug: 'open' })
    expect([totalGroups, groups.length]).toEqual([121, 100])
    expect(groups[0]).toMatchObject({ group: { container: 'Space 200' }, state: 'FIRING', value: 3 })
    watching.context.clock.now += DAY
    await watching.bring(of(200, 3, NOON))
    await watching.tick()
    const { history } = await watching.ask('get_watch', { slug: 'open' })
    expect(history[0]).toMatchObject({ group: { container: 'Space 200' }, state: 'OK', value: 0 })
  })
})

describe('a watch that is refused', () => {
  it.each<[string, object, string, string]>([
    ['an unknown metric', { metricSlug: 'open-finding' }, 'not_found', ''],
    ['a dimension that is not allowed', { dimensions: ['mood'] }, 'invalid_input', 'dimensions[0]'],
    ['a range of a stock', { last: '7d' }, 'invalid_input', 'last'],
    ['a range of a trend', { metricSlug: 'weekly-finding-trend', last: '7d' }, 'invalid_input', 'last'],
    ['a change without a range', { condition: { kind: 'changeAbove', value: 1 } }, 'invalid_input', 'last'],
    ['an invalid cron expression', { cron: 'often' }, 'invalid_input', 'cron'],
    ['an invalid window', { last: '7 days' }, 'invalid_input', 'last'],
    ['no evaluations', { condition: above(1, 0) }, 'invalid_input', 'condition.for'],
    ['an unknown source', { filters: { sources: ['nowhere'] } }, 'not_found', 'filters.sources[0]'],
    ['an unknown term', { glossaryTermSlug: 'nothing' }, 'not_found', 'glossaryTermSlug'],
  ])('%s is refused with its path', async (_name, change, code, path) => {
    const { ask } = openWatching()
    const error = await errorOf(ask('create_watch', { ...watch, ...change }))
    expect(error.code).toBe(code)
    if (path !== '') expect(error.facts.issues?.map((issue) => issue.path)).toContain(path)
    expect((await ask('list_watches')).total).toBe(0)
  })

  it.each([
    'http://hooks.acme.com/',
    'https://10.0.0.8/',
    'https://localhost:8443/',
    'https://2130706433/',
    'https://a:b@acme.com/',
  ])('the address %s is refused', async (url) => {
    const { ask } = openWatching()
    const error = await errorOf(ask('create_watch', { ...watch, deliver: [{ type: 'webhook', url, format: 'json' }] }))
    expect(error).toMatchObject({ code: 'invalid_input', facts: { issues: [{ path: 'deliver[0].url' }] } })
  })

  it('a deprecated metric is refused, with its successor; a draft gives a warning', async () => {
    const { ask } = openWatching()
    await ask('deprecate_metric', { slug: 'new-findings', replacedBy: 'total-findings' })
    const error = await errorOf(ask('create_watch', { ...watch, metricSlug: 'new-findings' }))
    expect([error.code, error.facts.reason, error.facts.suggestions]).toEqual([
      'conflict',
      'deprecated_metric',
      [{ value: 'total-findings', kind: 'metric' }],
    ])
    const definition = { aggregation: 'COUNT', entity: 'finding' }
    await ask('create_metric', { slug: 'mine', displayName: 'Mine', type: 'SIMPLE', definition })
    expect((await ask('create_watch', { ...watch, metricSlug: 'mine' })).warnings).toMatchObject([{ code: 'draft' }])
  })

  it('a metric or term that is watched cannot be deleted', async () => {
    const { ask } = openWatching()
    await ask('create_watch', { ...watch, metricSlug: 'scan-coverage', glossaryTermSlug: 'data-quality' })
    await ask('remove_placement', { dashboard: 'discovery', slug: 'scan-coverage' })
    const metric = await errorOf(ask('delete_metric', { slug: 'scan-coverage' }))
    expect([metric.code, metric.facts.facts]).toMatchObject(['conflict', { watches: ['open'] }])
    const term = await errorOf(ask('delete_glossary_term', { slug: 'data-quality', detach: true }))
    expect([term.code, term.facts.facts]).toMatchObject(['conflict', { watches: ['open'] }])
    await ask('delete_watch', { slug: 'open' })
    await ask('delete_metric', { slug: 'scan-coverage' })
  })
})

it('check_watches evaluates now, preview_watch changes nothing', async () => {
  const watching = openWatching()
  await watching.ask('create_watch', watch)
  await watching.bring([one(1), one(2)])
  expect(await watching.ask('preview_watch', { slug: 'open' })).toMatchObject({
    problem: null,
    groups: [{ group: {}, value: 2, met: true, reason: null }],
  })
  expect((await stateOf(watching)).reason).toBe('not_evaluated')
  expect((await watching.ask('check_watches', { watches: ['open'] })).items).toMatchObject([
    { state: 'FIRING', value: 2 },
  ])
})

it('a group whose name equals a word of ours has a state of its own', async () => {
  const watching = openWatching()
  await watching.ask('create_watch', { ...watch, condition: above(0), dimensions: ['container'] })
  await watching.bring([
    { ...one(1), container: '(none)' },
    { ...one(2), container: '' },
  ])
  for (let tick = 0; tick < 2; tick++) {
    await watching.ask('check_watches')
    const { groups } = await watching.ask('get_watch', { slug: 'open' })
    expect(groups.map(({ group, state }: { group: object; state: string }) => ({ ...group, state }))).toEqual(
      expect.arrayContaining([
        { container: '(none)', state: 'FIRING' },
        { container: '"(none)"', state: 'FIRING' },
      ]),
    )
    expect(groups).toHaveLength(2)
  }
})

it('changes of a watch are in the audit trail, and its definition has a valid digest', async () => {
  const watching = openWatching()
  const { ask, context } = watching
  const deliver = [{ type: 'webhook', url: 'https://hooks.acme.com/a', format: 'json', secret: 'a-long-signing-key' }]
  await ask('create_watch', { ...watch, deliver })
  await ask('update_watch', { slug: 'open', condition: above(5) })
  await watching.bring([one(1)])
  await watching.tick()
  const { items } = await ask('list_audit', { kind: 'watch' })
  expect(items.map(({ action }: { action: string }) => action)).toEqual(['update', 'create'])
  expect(JSON.stringify(items)).not.toContain('a-long-signing-key')
  const { listDamagedDefinitions } = await import('../../src/store/digests.store.ts')
  expect(context.read(listDamagedDefinitions)).not.toContain('watch open')
})
