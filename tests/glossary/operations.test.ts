import { expect, test } from 'vitest'
import { glossaryOperations } from '../../src/glossary/operations.ts'
import { metricOperations } from '../../src/query/metric-operations.ts'
import { plant } from '../query/estate.ts'
import { errorOf, openCaller } from '../support/context.ts'

const operations = [...glossaryOperations, ...metricOperations]

const open = () => openCaller(operations)

const term = { slug: 'gdpr', displayName: 'GDPR matters', filterMapping: { detectorTypes: ['PII'] } }

test('a created term is returned with all defaults', async () => {
  const { ask, context } = open()
  const created = await ask('create_glossary_term', term)
  const at = new Date(context.now()).toISOString()
  expect(created).toMatchObject({
    ...term,
    description: '',
    category: '',
    color: null,
    icon: null,
    synonyms: [],
    isActive: true,
    createdAt: at,
    updatedAt: at,
  })
  expect(await ask('get_glossary_term', { slug: 'gdpr' })).toEqual({ ...created, metrics: [] })
})

test.each<[string, object, string]>([
  ['a slug with capitals', { slug: 'Gdpr' }, 'slug'],
  ['a slug with an underscore', { slug: 'a_b' }, 'slug'],
  ['a slug that is too long', { slug: 'a'.repeat(101) }, 'slug'],
  ['a name of blanks', { displayName: '  ' }, 'displayName'],
  ['a colour by name', { color: 'red' }, 'color'],
  ['a colour of five digits', { color: '#dd333' }, 'color'],
  ['a colour of seven digits', { color: '#dd33338' }, 'color'],
  ['an unknown key', { colour: '#fff' }, 'colour'],
  ['an unknown mapping key', { filterMapping: { detectors: ['PII'] } }, 'filterMapping.detectors'],
  ['an empty mapping', { filterMapping: {} }, 'filterMapping'],
  ['a mapping with an empty exclude', { filterMapping: { exclude: {} } }, 'filterMapping'],
  ['a mapping that matches any confidence', { filterMapping: { minConfidence: 0 } }, 'filterMapping'],
  ['an empty list', { filterMapping: { severities: [] } }, 'filterMapping.severities'],
  ['an unknown severity', { filterMapping: { severities: ['URGENT'] } }, 'filterMapping.severities[0]'],
  [
    'an invalid detector name',
    { filterMapping: { exclude: { detectorTypes: ['a/b'] } } },
    'filterMapping.exclude.detectorTypes[0]',
  ],
  ['a confidence over 1', { filterMapping: { minConfidence: 2 } }, 'filterMapping.minConfidence'],
])('create refuses %s', async (_, change, path) => {
  const error = await errorOf(open().ask('create_glossary_term', { ...term, ...change }))
  expect(error.code).toBe('invalid_input')
  expect(error.facts.issues?.map((issue) => issue.path)).toContain(path)
})

test.each(['#d33', '#D338', '#dd3333', '#dd333380'])('%s is a colour', async (color) => {
  const { ask } = open()
  expect(await ask('create_glossary_term', { ...term, color })).toMatchObject({ color })
})

test('an unknown detector type gives a warning, not an error', async () => {
  const { ask } = open()
  const { warnings } = await ask('create_glossary_term', { ...term, filterMapping: { detectorTypes: ['YARA', 'PII'] } })
  expect(warnings).toEqual([{ code: 'unknown_detector', message: expect.stringContaining('YARA') }])
})

test('a detector type that only imported findings have gives no warning', async () => {
  const { ask, context } = open()
  plant(context.store, {
    sources: [{ name: 'Docs' }],
    assets: [{ key: 'p1', source: 'Docs' }],
    findings: [{ asset: 'p1', detectorType: 'YARA', firstDetectedAt: 1 }],
  })
  const created = await ask('create_glossary_term', { ...term, filterMapping: { detectorTypes: ['YARA'] } })
  expect(created).not.toHaveProperty('warnings')
})

test('an update changes the given members and keeps the others', async () => {
  const { ask, context } = open()
  const created = await ask('create_glossary_term', { ...term, color: '#abc', synonyms: ['privacy law'] })
  context.clock.now += 1000
  const updated = await ask('update_glossary_term', { slug: 'gdpr', description: 'New', icon: 'scale' })
  expect(updated).toEqual({
    ...created,
    description: 'New',
    icon: 'scale',
    updatedAt: new Date(context.now()).toISOString(),
  })
})

test('sending back a term as it was read changes nothing', async () => {
  const { ask, context } = open()
  await ask('create_glossary_term', term)
  const read = await ask('get_glossary_term', { slug: 'gdpr' })
  context.clock.now += 1000
  await ask('update_glossary_term', read)
  expect(await ask('get_glossary_term', { slug: 'gdpr' })).toEqual(read)
})

test.each([
  ['id', 'other'],
  ['createdAt', '2020-01-01T00:00:00.000Z'],
  ['metrics', [{ slug: 'x' }]],
])('an update refuses another %s', async (key, value) => {
  const { ask } = open()
  await ask('create_glossary_term', term)
  const error = await errorOf(ask('update_glossary_term', { slug: 'gdpr', [key]: value }))
  expect(error).toMatchObject({ code: 'invalid_input', facts: { reason: 'read_only', issues: [{ path: key }] } })
})

test('an inactive term is listed only when asked for', async () => {
  const { ask } = open()
  await ask('update_glossary_term', { slug: 'data-quality', isActive: false })
  expect((await ask('list_glossary_terms')).total).toBe(6)
  expect((await ask('list_glossary_terms', { includeInactive: true })).total).toBe(7)
})

test.each<[string, object, string[]]>([
  ['an exact category', { category: 'PRIORITY' }, ['critical-findings', 'publicly-readable', 'unresolved-issues']],
  [
    'a category in another letter case',
    { category: 'Priority' },
    ['critical-findings', 'publicly-readable', 'unresolved-issues'],
  ],
  ['a category without terms', { category: 'PRIOR' }, []],
  ['a prefix', { search: 'expos' }, ['pii-exposure']],
  ['a synonym', { search: 'dead links' }, ['broken-content']],
  ['a word of a description', { search: 'national ids' }, ['pii-exposure']],
  ['a plural', { search: 'severities' }, []],
  ['a word with accents', { search: 'crítical' }, ['critical-findings']],
  ['letter case', { search: 'PII' }, ['pii-exposure']],
  ['signs only', { search: '"*() -' }, []],
  ['blanks', { search: '  ', limit: 1 }, ['broken-content']],
  ['search and category', { search: 'issues', category: 'SECURITY' }, ['security-threats']],
])('the list is narrowed by %s', async (_, filter, slugs) => {
  const { items } = await open().ask('list_glossary_terms', filter)
  expect(items.map((item: { slug: string }) => item.slug)).toEqual(slugs)
})

test('a name counts more than a description', async () => {
  const { ask } = open()
  await ask('create_glossary_term', { ...term, slug: 'one', displayName: 'Something', description: 'about invoices' })
  await ask('create_glossary_term', { ...term, slug: 'two', displayName: 'Invoices' })
  const { items } = await ask('list_glossary_terms', { search: 'invoice' })
  expect(items.map((item: { slug: string }) => item.slug)).toEqual(['two', 'one'])
})

test('words are searched separately when no term contains all of them', async () => {
  const found = await open().ask('list_glossary_terms', { search: 'how many critical findings are there' })
  expect(found).toMatchObject({ matched: 'any' })
  expect(found.items[0].slug).toBe('critical-findings')
})

test('a changed term is found by its new words only', async () => {
  const { ask } = open()
  await ask('create_glossary_term', { ...term, synonyms: ['zebra'] })
  await ask('update_glossary_term', { slug: 'gdpr', synonyms: ['giraffe'] })
  expect((await ask('list_glossary_terms', { search: 'zebra' })).total).toBe(0)
  expect((await ask('list_glossary_terms', { search: 'giraffe' })).total).toBe(1)
})

test('pages do not overlap, and total counts all', async () => {
  const { ask } = open()
  const [first, second] = [
    await ask('list_glossary_terms', { limit: 4 }),
    await ask('list_glossary_terms', { limit: 4, offset: 4 }),
  ]
  const slugs = [...first.items, ...second.items].map((item: { slug: string }) => item.slug)
  expect(new Set(slugs).size).toBe(7)
  expect([first.total, second.total]).toEqual([7, 7])
})

test('a preview counts the findings of every status that match', async () => {
  const { ask, context } = open()
  plant(context.store, {
    sources: [{ name: 'Docs' }],
    assets: [
      { key: 'p1', source: 'Docs' },
      { key: 'p2', source: 'Docs', status: 'DELETED' },
    ],
    findings: [
      { asset: 'p1', detectorType: 'PII', firstDetectedAt: 1 },
      { asset: 'p1', detectorType: 'PII', firstDetectedAt: 2, status: 'FALSE_POSITIVE' },
      { asset: 'p2', detectorType: 'PII', firstDetectedAt: 3, status: 'RESOLVED' },
      { asset: 'p1', detectorType: 'SECRETS', firstDetectedAt: 4 },
    ],
  })
  expect(await ask('preview_glossary_term', { slug: 'pii-exposure' })).toEqual({ count: 3 })
  expect(await ask('preview_glossary_term', { slug: 'security-threats' })).toEqual({ count: 1 })
  expect(await ask('preview_glossary_term', { slug: 'broken-content' })).toEqual({ count: 0 })
})

test('a deleted term is returned, and no longer exists', async () => {
  const { ask } = open()
  const created = await ask('create_glossary_term', term)
  expect(await ask('delete_glossary_term', { slug: 'gdpr' })).toEqual(created)
  expect(await errorOf(ask('get_glossary_term', { slug: 'gdpr' }))).toMatchObject({ code: 'not_found' })
})

test('a term that metrics use is not deleted, and they are named', async () => {
  const { ask } = open()
  const error = await errorOf(ask('delete_glossary_term', { slug: 'critical-findings' }))
  expect(error).toMatchObject({ code: 'conflict', facts: { facts: { metrics: ['critical-open-findings'] } } })
  expect(error.message).toContain('critical-open-findings')
})

test('detach unlinks the metrics, which become drafts', async () => {
  const { ask } = open()
  await ask('delete_glossary_term', { slug: 'critical-findings', detach: true })
  expect(await ask('get_metric', { slug: 'critical-open-findings' })).toMatchObject({
    glossaryTerm: null,
    glossaryTermSlug: null,
    status: 'DRAFT',
    certifiedBy: null,
    version: 2,
  })
})

test('a changed mapping marks certified metrics as drifted, with a warning', async () => {
  const { ask } = open()
  const change = { slug: 'critical-findings', filterMapping: { severities: ['CRITICAL', 'HIGH'] } }
  const { warnings } = await ask('update_glossary_term', change)
  expect(warnings).toEqual([{ code: 'drifted', message: expect.stringContaining('critical-open-findings') }])
  const { trust } = await ask('get_metric', { slug: 'critical-open-findings' })
  expect(trust).toMatchObject({ tier: 'drifted', label: expect.stringContaining('term critical-findings') })
})

test('a changed text of a term marks no metric as drifted', async () => {
  const { ask } = open()
  await ask('update_glossary_term', { slug: 'critical-findings', description: 'Other words.' })
  expect((await ask('get_metric', { slug: 'critical-open-findings' })).trust.tier).toBe('certified')
})

test('restoring the mapping ends the drift', async () => {
  const { ask } = open()
  await ask('update_glossary_term', { slug: 'critical-findings', filterMapping: { severities: ['LOW'] } })
  await ask('update_glossary_term', { slug: 'critical-findings', filterMapping: { severities: ['CRITICAL'] } })
  expect((await ask('get_metric', { slug: 'critical-open-findings' })).trust.tier).toBe('certified')
})

test('every change of a term is in the audit trail, newest first', async () => {
  const { ask } = open()
  await ask('create_glossary_term', term)
  await ask('update_glossary_term', { slug: 'gdpr', description: 'New' })
  await ask('delete_glossary_term', { slug: 'gdpr' })
  const { items } = await ask('list_audit', { kind: 'term', name: 'gdpr' })
  expect(items).toMatchObject([
    { action: 'delete', before: { description: 'New' }, after: null },
    { action: 'update', before: { description: '' }, after: { description: 'New' } },
    { action: 'create', before: null, after: { slug: 'gdpr' }, actor: 'local', via: 'http' },
  ])
})

test('a mapping with an unknown source gives a warning', async () => {
  const { ask } = open()
  const filterMapping = { sources: ['no-such-wiki'], exclude: { sources: ['no-such-bi'] } }
  const { warnings } = await ask('create_glossary_term', { slug: 'ours', displayName: 'Ours', filterMapping })
  expect(warnings).toEqual([
    { code: 'unknown_value', message: expect.stringContaining('no-such-wiki') },
    { code: 'unknown_value', message: expect.stringContaining('no-such-bi') },
  ])
})
