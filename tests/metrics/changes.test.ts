import { expect, test } from 'vitest'
import { glossaryOperations } from '../../src/glossary/operations.ts'
import { metricOperations } from '../../src/query/metric-operations.ts'
import { caller, errorOf, openCaller, openContext } from '../support/context.ts'

const operations = [...glossaryOperations, ...metricOperations]

const open = () => openCaller(operations)

const count = { aggregation: 'COUNT', entity: 'finding' }
const metric = { slug: 'secrets', displayName: 'Secrets', type: 'SIMPLE', definition: count }

test('reordering dimensions and filter values does not change the version', async () => {
  const { ask } = open()
  const definition = (severities: string[]) => ({ ...count, filters: { severities } })
  await ask('create_metric', {
    ...metric,
    definition: definition(['LOW', 'HIGH']),
    allowedDimensions: ['severity', 'status'],
  })
  const change = { definition: definition(['HIGH', 'LOW']), allowedDimensions: ['status', 'severity'] }
  expect(await ask('update_metric', { slug: 'secrets', ...change })).toMatchObject({ ...change, version: 1 })
})

test('sending back a metric as it was read changes nothing', async () => {
  const { ask, context } = open()
  const read = await ask('get_metric', { slug: 'critical-open-findings' })
  context.clock.now += 1000
  await ask('update_metric', read)
  expect(await ask('get_metric', { slug: 'critical-open-findings' })).toEqual(read)
})

test('changed allowed dimensions make a new version and keep the certification', async () => {
  const { ask } = open()
  const before = await ask('get_metric', { slug: 'open-findings' })
  const narrowed = await ask('update_metric', { slug: 'open-findings', allowedDimensions: ['Severity', 'space'] })
  const { certifiedBy, certifiedAt } = before as { certifiedBy: string; certifiedAt: string }
  expect(narrowed).toMatchObject({
    ...{ status: 'ACTIVE', version: 2, certifiedVersion: 2, certifiedBy, certifiedAt },
    allowedDimensions: ['severity', 'container'],
  })
  const again = await ask('update_metric', { slug: 'open-findings', allowedDimensions: ['container', 'severity'] })
  expect(again).toMatchObject({ version: 2, status: 'ACTIVE' })
  const { items } = (await ask('list_metric_versions', { slug: 'open-findings' })) as { items: unknown[] }
  expect(items).toHaveLength(2)
})

test('null unlinks the term', async () => {
  const { ask } = open()
  const updated = await ask('update_metric', { slug: 'critical-open-findings', glossaryTermSlug: null })
  expect(updated).toMatchObject({ glossaryTermSlug: null, version: 2, status: 'DRAFT' })
})

test.each<[string, unknown]>([
  ['id', 'other'],
  ['version', 7],
  ['certifiedBy', 'Eve'],
  ['certifiedAt', '2020-01-01T00:00:00.000Z'],
  ['createdAt', '2020-01-01T00:00:00.000Z'],
])('an update refuses another %s', async (key, value) => {
  const error = await errorOf(open().ask('update_metric', { slug: 'open-findings', [key]: value }))
  expect(error).toMatchObject({ code: 'invalid_input', facts: { reason: 'read_only', issues: [{ path: key }] } })
})

test.each([
  ['ACTIVE', /certify_metric/],
  ['DEPRECATED', /deprecate_metric/],
])('an update cannot set %s', async (status, message) => {
  const { ask } = open()
  await ask('create_metric', metric)
  const error = await errorOf(ask('update_metric', { slug: 'secrets', status }))
  expect(error).toMatchObject({ code: 'invalid_input', facts: { issues: [{ path: 'status' }] } })
  expect(error.message).toMatch(message)
})

test('an update may remove the certification', async () => {
  const updated = await open().ask('update_metric', { slug: 'open-findings', status: 'DRAFT' })
  expect(updated).toMatchObject({ status: 'DRAFT', certifiedBy: null, version: 1 })
})

test('a cycle is refused, and the error shows it', async () => {
  const { ask } = open()
  const derived = (input: string) => ({ type: 'DERIVED', definition: { formula: input, inputs: [input] } })
  await ask('create_metric', { ...metric, slug: 'a' })
  await ask('create_metric', { ...metric, slug: 'b', ...derived('a') })
  await ask('create_metric', { ...metric, slug: 'c', ...derived('b') })
  const error = await errorOf(ask('update_metric', { slug: 'a', ...derived('c') }))
  expect(error).toMatchObject({
    code: 'invalid_input',
    facts: { reason: 'cycle', issues: [{ path: 'definition.inputs[0]' }] },
  })
  expect(error.message).toContain('a → c → b → a')
})

test('metrics are nested at most 8 levels deep, regardless of where a level is added', async () => {
  const { ask } = open()
  const derived = (input: string) => ({ type: 'DERIVED', definition: { formula: input, inputs: [input] } })
  await ask('create_metric', { ...metric, slug: 'm0' })
  for (let level = 1; level <= 8; level++) {
    await ask('create_metric', { ...metric, slug: `m${level}`, ...derived(`m${level - 1}`) })
  }
  const above = await errorOf(ask('create_metric', { ...metric, slug: 'm9', ...derived('m8') }))
  expect(above.message).toMatch(/9 levels/)
  await ask('create_metric', { ...metric, slug: 'below' })
  const below = await errorOf(ask('update_metric', { slug: 'm0', ...derived('below') }))
  expect(below.message).toMatch(/9 levels/)
})

test('a change that would break dependent metrics is refused', async () => {
  const { ask } = open()
  await ask('create_metric', { ...metric, slug: 'a' })
  const ratio = { numerator: { metricSlug: 'a' }, denominator: count }
  await ask('create_metric', {
    ...metric,
    slug: 'r',
    type: 'RATIO',
    definition: ratio,
    allowedDimensions: ['severity'],
  })
  const error = await errorOf(
    ask('update_metric', { slug: 'a', definition: { aggregation: 'COUNT', entity: 'asset' } }),
  )
  expect(error.message).toMatch(/r, which depends on this metric, allows severity/)
})

test('a metric under a TREND cannot become a TREND', async () => {
  const { ask } = open()
  const definition = { baseMetricSlug: 'open-findings', currentWindow: '7d', compareWindow: '7d' }
  const error = await errorOf(ask('update_metric', { slug: 'new-findings', type: 'TREND', definition }))
  expect(error.message).toMatch(/weekly-finding-trend is a TREND based on this metric/)
})

test('certification records who, when, which version and through which interface', async () => {
  const { ask, context } = open()
  await ask('create_metric', metric)
  await ask('update_metric', { slug: 'secrets', unit: 'secrets' })
  context.clock.now += 5000
  expect(await ask('certify_metric', { slug: 'secrets', certifiedBy: 'Ann Example' })).toMatchObject({
    status: 'ACTIVE',
    certifiedBy: 'Ann Example',
    certifiedAt: new Date(context.now()).toISOString(),
    certifiedVersion: 2,
    certifiedVia: 'http',
    trust: { tier: 'certified', label: 'Certified by local for Ann Example on 2026-06-15 (version 2).' },
  })
})

test('without a name the caller certifies', async () => {
  const { ask } = open()
  await ask('create_metric', metric)
  expect(await ask('certify_metric', { slug: 'secrets' })).toMatchObject({ certifiedBy: 'local' })
})

test('a caller without the scope cannot certify', async () => {
  const context = openContext({ caller: { name: 'bot', via: 'mcp', scopes: new Set(['read', 'author']) } })
  const ask = caller(operations, context)
  expect(await errorOf(ask('certify_metric', { slug: 'open-findings' }))).toMatchObject({ code: 'forbidden' })
})

test('a changed input marks all certified metrics that depend on it as drifted', async () => {
  const { ask } = open()
  await ask('create_metric', { ...metric, slug: 'a' })
  await ask('create_metric', { ...metric, slug: 'b', type: 'DERIVED', definition: { formula: 'a', inputs: ['a'] } })
  await ask('create_metric', { ...metric, slug: 'c', type: 'DERIVED', definition: { formula: 'b', inputs: ['b'] } })
  await ask('certify_metric', { slug: 'c' })
  await ask('update_metric', { slug: 'a', description: 'Only words.', unit: 'x' })
  expect((await ask('get_metric', { slug: 'c' })).trust.tier).toBe('certified')
  await ask('update_metric', { slug: 'a', definition: { ...count, mode: 'stock' } })
  expect((await ask('get_metric', { slug: 'c' })).trust).toMatchObject({
    tier: 'drifted',
    label: expect.stringContaining('metric a'),
  })
  await ask('certify_metric', { slug: 'c' })
  expect((await ask('get_metric', { slug: 'c' })).trust.tier).toBe('certified')
  await ask('update_metric', { slug: 'a', glossaryTermSlug: 'pii-exposure' })
  expect((await ask('get_metric', { slug: 'c' })).trust.tier).toBe('drifted')
})

test('a deprecated metric names its successor, and can be certified again', async () => {
  const { ask } = open()
  const deprecated = await ask('deprecate_metric', {
    slug: 'new-findings',
    replacedBy: 'Total findings',
    reason: 'Twice the same.',
    deprecatedBy: 'Ann',
  })
  expect(deprecated).toMatchObject({
    status: 'DEPRECATED',
    replacedBy: 'total-findings',
    deprecatedBy: 'Ann',
    deprecationReason: 'Twice the same.',
    trust: { tier: 'deprecated', label: 'Deprecated by local for Ann; use total-findings instead.' },
  })
  expect(await ask('certify_metric', { slug: 'new-findings' })).toMatchObject({
    status: 'ACTIVE',
    replacedBy: null,
    deprecatedBy: null,
  })
})

test.each([
  ['itself', 'new-findings', 'invalid_input'],
  ['an unknown metric', 'no-such', 'not_found'],
  ['a deprecated metric', 'open-findings', 'invalid_input'],
])('a deprecated metric cannot name %s as its successor', async (_, replacedBy, code) => {
  const { ask } = open()
  await ask('deprecate_metric', { slug: 'open-findings', deprecatedBy: 'Ann' })
  expect(await errorOf(ask('deprecate_metric', { slug: 'new-findings', replacedBy }))).toMatchObject({ code })
})

test('a metric in use is not deleted, and the error names what uses it', async () => {
  const error = await errorOf(open().ask('delete_metric', { slug: 'new-findings' }))
  expect(error).toMatchObject({
    code: 'conflict',
    facts: { facts: { metrics: ['weekly-finding-trend'], dashboards: ['discovery'] } },
  })
  expect(error.message).toMatch(/weekly-finding-trend.*discovery/)
})

test('usedBy names metrics and dashboards', async () => {
  const { usedBy } = await open().ask('get_metric', { slug: 'new-findings' })
  expect(usedBy).toEqual({ metrics: ['weekly-finding-trend'], dashboards: ['discovery'], watches: [] })
})

test('a deleted metric is returned, no longer exists, and is no longer named as a successor', async () => {
  const { ask } = open()
  const created = await ask('create_metric', metric)
  await ask('deprecate_metric', { slug: 'new-findings', replacedBy: 'secrets' })
  expect(await ask('delete_metric', { slug: 'secrets' })).toEqual(created)
  expect(await errorOf(ask('get_metric', { slug: 'secrets' }))).toMatchObject({ code: 'not_found' })
  expect(await ask('get_metric', { slug: 'new-findings' })).toMatchObject({ status: 'DEPRECATED', replacedBy: null })
})

const slugsOf = (answer: { items: Array<{ slug: string }> }) => answer.items.map((item) => item.slug)

test.each<[string, object, string[]]>([
  ['type', { type: 'TREND' }, ['weekly-finding-trend']],
  ['type in another case', { type: 'trend' }, ['weekly-finding-trend']],
  ['status', { status: 'DRAFT' }, ['overdue-findings', 'sla-compliance']],
  ['term', { glossaryTermSlug: 'critical-findings' }, ['critical-open-findings']],
  ['a synonym', { search: 'mttr' }, ['mean-time-to-resolve']],
  ['a prefix and type', { search: 'rat', type: 'RATIO' }, ['false-positive-rate', 'resolution-rate']],
  ['a page', { limit: 2, offset: 1, type: 'RATIO' }, ['resolution-rate', 'scan-coverage']],
])('the list is narrowed by %s', async (_, filter, slugs) => {
  expect(slugsOf(await open().ask('list_metrics', filter)).sort()).toEqual(slugs)
})

test.each([['severity'], ['container'], ['assets by container'], ['detector type']])(
  'the dimension words "%s" find metrics',
  async (search) => {
    expect((await open().ask('list_metrics', { search })).total).toBeGreaterThan(0)
  },
)

test('the audit trail can be paged backwards without gaps', async () => {
  const { ask } = open()
  const all = await ask('list_audit', { limit: 500 })
  const paged: unknown[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await ask('list_audit', { limit: 7, ...(cursor === undefined ? {} : { cursor }) })
    paged.push(...page.items)
    cursor = page.nextCursor
    if (cursor === undefined) break
  }
  expect(paged).toEqual(all.items)
  expect(all.items).toHaveLength(35)
})

test('every change of a metric is in the audit trail', async () => {
  const { ask } = open()
  await ask('create_metric', metric)
  await ask('update_metric', { slug: 'secrets', unit: 'x' })
  await ask('update_metric', { slug: 'secrets', unit: 'x' })
  await ask('certify_metric', { slug: 'secrets' })
  await ask('deprecate_metric', { slug: 'secrets' })
  await ask('delete_metric', { slug: 'secrets' })
  const { items } = await ask('list_audit', { kind: 'metric', name: 'secrets' })
  expect(items.map((item: { action: string }) => item.action)).toEqual([
    'delete',
    'deprecate',
    'certify',
    'update',
    'create',
  ])
  expect(items[3]).toMatchObject({ before: { unit: '', version: 1 }, after: { unit: 'x', version: 2 } })
})

test('the audit trail distinguishes callers with the same name', async () => {
  const { ask, context } = open()
  await ask('create_metric', metric)
  const other = { ...context.caller, id: 'https://id.example.com#4711' }
  await caller(operations, { ...context, caller: other })('certify_metric', { slug: 'secrets' })
  const { items } = await ask('list_audit', { kind: 'metric', name: 'secrets' })
  expect(items).toMatchObject([
    { action: 'certify', actor: 'local', actorId: 'https://id.example.com#4711' },
    { action: 'create', actor: 'local', actorId: null },
  ])
})

test('an invalid cursor is refused', async () => {
  expect(await errorOf(open().ask('list_audit', { cursor: 'x' }))).toMatchObject({ code: 'invalid_input' })
})

test('a refused change writes nothing', async () => {
  const { ask } = open()
  const before = await ask('list_audit', { limit: 500 })
  const definition = { formula: 'open_findings +', inputs: ['open-findings'] }
  await errorOf(ask('update_metric', { slug: 'open-findings', type: 'DERIVED', definition, description: 'New' }))
  expect(await ask('list_audit', { limit: 500 })).toEqual(before)
  expect((await ask('get_metric', { slug: 'open-findings' })).description).not.toBe('New')
})

test.each<[string, Record<string, unknown>, string, string[]]>([
  [
    'members and definition',
    {
      type: 'SIMPLE',
      definition: { aggregation: 'SUM', entity: 'asset', field: 'confidence', filters: { foo: [1] } },
      allowedDimensions: ['nope'],
      format: 'percent',
    },
    'invalid_input',
    ['allowedDimensions[0]', 'format', 'definition.filters.foo', 'definition.field'],
  ],
  [
    'definition and term',
    {
      type: 'SIMPLE',
      definition: { aggregation: 'SUM', entity: 'asset', field: 'confidence' },
      glossaryTermSlug: 'no-such-term',
    },
    'invalid_input',
    ['definition.field', 'glossaryTermSlug'],
  ],
  [
    'an unknown metric and an unknown term',
    {
      type: 'DERIVED',
      definition: { formula: 'no_such * 2', inputs: ['no-such'] },
      glossaryTermSlug: 'no-such-term',
    },
    'not_found',
    ['definition.inputs[0]', 'glossaryTermSlug'],
  ],
  [
    'an unknown term alone',
    { type: 'SIMPLE', definition: count, glossaryTermSlug: 'no-such-term' },
    'not_found',
    ['glossaryTermSlug'],
  ],
  [
    'every unknown name of a formula',
    {
      type: 'DERIVED',
      definition: { formula: 'foo(open_findings) + bar(1) / totals', inputs: ['open-findings', 'new-findings'] },
    },
    'invalid_input',
    ['definition.formula', 'definition.formula', 'definition.formula', 'definition.inputs[1]'],
  ],
])('all problems are reported at once: %s', async (_name, members, code, paths) => {
  const { ask } = open()
  const error = await errorOf(ask('create_metric', { slug: 'bad', displayName: 'Bad', ...members }))
  expect(error.code).toBe(code)
  expect((error.facts.issues ?? []).map(({ path }) => path)).toEqual(paths)
})

test('an update reports an unknown term with its path', async () => {
  const { ask } = open()
  await ask('create_metric', metric)
  expect(await errorOf(ask('update_metric', { slug: 'secrets', glossaryTermSlug: 'no-such-term' }))).toMatchObject({
    code: 'not_found',
    facts: { issues: [{ path: 'glossaryTermSlug' }] },
  })
})
