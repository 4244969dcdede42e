import { expect, test } from 'vitest'
import { z } from 'zod'
import { glossaryOperations } from '../../src/glossary/operations.ts'
import { CreateMetric, metricTypes } from '../../src/metrics/model.ts'
import { metricOperations } from '../../src/query/metric-operations.ts'
import { errorOf, openCaller } from '../support/context.ts'

const operations = [...glossaryOperations, ...metricOperations]

const open = () => openCaller(operations)

const count = { aggregation: 'COUNT', entity: 'finding' }
const metric = { slug: 'secrets', displayName: 'Secrets', type: 'SIMPLE', definition: count }

test('a created metric is a draft, flat, with defaults', async () => {
  const { ask, context } = open()
  const at = new Date(context.now()).toISOString()
  const created = await ask('create_metric', metric)
  expect(created).toEqual({
    ...metric,
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    description: '',
    allowedDimensions: [],
    format: 'number',
    unit: '',
    status: 'DRAFT',
    glossaryTermSlug: null,
    owner: null,
    color: null,
    synonyms: [],
    emptyAs: null,
    better: null,
    version: 1,
    certifiedBy: null,
    certifiedAt: null,
    certifiedVersion: null,
    certifiedVia: null,
    deprecatedBy: null,
    deprecatedAt: null,
    deprecationReason: null,
    replacedBy: null,
    trust: { tier: 'draft', label: expect.any(String) },
    createdAt: at,
    updatedAt: at,
  })
  const read = await ask('get_metric', { slug: 'secrets' })
  expect(read).toEqual({ ...created, glossaryTerm: null, usedBy: { metrics: [], dashboards: [], watches: [] } })
})

test('a metric contains its whole term', async () => {
  const { ask } = open()
  const created = await ask('create_metric', { ...metric, glossaryTermSlug: 'PII exposure' })
  expect(created.glossaryTermSlug).toBe('pii-exposure')
  const { glossaryTerm } = await ask('get_metric', { slug: 'secrets' })
  const { metrics, ...term } = await ask('get_glossary_term', { slug: 'pii-exposure' })
  expect(glossaryTerm).toEqual(term)
  expect(metrics).toEqual([
    { slug: 'secrets', displayName: 'Secrets', type: 'SIMPLE', status: 'DRAFT', format: 'number', unit: '' },
  ])
})

/** Default metrics that a person certifies, because they need policies of due dates. */
const uncertified = ['overdue-findings', 'sla-compliance']

test('default metrics are certified by assay and not drifted, but for those on due dates', async () => {
  const { items, total } = await open().ask('list_metrics')
  expect(total).toBe(16)
  const isDraft = ({ slug }: { slug: string }) => uncertified.includes(slug)
  expect(items.filter(isDraft)).toMatchObject(uncertified.map(() => ({ status: 'DRAFT', certifiedBy: null })))
  for (const item of items) {
    if (isDraft(item)) continue
    expect(item).toMatchObject({
      status: 'ACTIVE',
      certifiedBy: 'assay',
      certifiedVersion: 1,
      certifiedVia: 'cli',
      trust: { tier: 'certified' },
    })
    expect(item.allowedDimensions).toHaveLength(item.slug === 'scan-coverage' ? 9 : 17)
  }
})

test('certifying a default metric again does not change its digest', async () => {
  const { ask, context } = open()
  const digests = () =>
    context.read((reader) => reader.prepare('SELECT slug, certified_digest FROM metric ORDER BY slug').all())
  const installed = digests()
  for (const { slug } of (await ask('list_metrics', { status: 'ACTIVE' })).items) {
    await ask('certify_metric', { slug, certifiedBy: 'Ann' })
  }
  expect(digests()).toEqual(installed)
})

test('create accepts every default definition', async () => {
  const { ask } = open()
  for (const item of (await ask('list_metrics')).items) {
    const { slug, displayName, description, type, definition, allowedDimensions, format, unit, synonyms } = item
    const members = { displayName, description, type, definition, allowedDimensions, format, unit, synonyms }
    const copy = await ask('create_metric', { slug: `${slug}-copy`, ...members })
    expect(copy).toMatchObject(members)
  }
})

const derived = (formula: string, ...inputs: string[]) => ({ type: 'DERIVED', definition: { formula, inputs } })
const trend = (baseMetricSlug: string, currentWindow: string, compareWindow: string) => ({
  type: 'TREND',
  definition: { baseMetricSlug, currentWindow, compareWindow },
})

/** What differs from a plain COUNT, and the member of the definition that is wrong. */
test.each<[string, object, string, RegExp]>([
  ['a COUNT with a field', { field: 'confidence' }, 'field', /COUNT takes no field/],
  ['a SUM without one', { aggregation: 'SUM' }, 'field', /confidence, resolutionHours, ageHours/],
  [
    'a distinct count of a number',
    { aggregation: 'COUNT_DISTINCT', field: 'confidence' },
    'field',
    /does not fit COUNT_/,
  ],
  ['an average of a name', { aggregation: 'AVG', field: 'container' }, 'field', /does not fit AVG/],
  [
    'a field of the other entity',
    { aggregation: 'AVG', entity: 'asset', field: 'confidence' },
    'field',
    /ageDays, open/,
  ],
  ['an unknown field', { aggregation: 'AVG', field: 'cvss' }, 'field', /./],
  ['a PERCENTILE without p', { aggregation: 'PERCENTILE', field: 'confidence' }, 'p', /from 0 to 1, such as 0.9/],
  ['a percentile beyond 1', { aggregation: 'PERCENTILE', field: 'confidence', p: 90 }, 'p', /1/],
  ['a p below 0', { aggregation: 'PERCENTILE', field: 'confidence', p: -0.1 }, 'p', /0/],
  ['a p of another aggregation', { aggregation: 'MEDIAN', field: 'confidence', p: 0.5 }, 'p', /is for PERCENTILE only/],
  ['a median of a name', { aggregation: 'MEDIAN', field: 'container' }, 'field', /does not fit MEDIAN/],
  ['a window of length 0', { window: {} }, 'window', /either last/],
  ['a window of two kinds', { window: { last: '28d', toDate: 'month' } }, 'window', /either last/],
  ['a window of a stock', { mode: 'stock', window: { last: '28d' } }, 'window', /cannot be used with mode stock/],
  ['a window to date of an unknown period', { window: { toDate: 'decade' } }, 'window.toDate', /quarter/],
  ['a window with an unknown key', { window: { last: '28d', step: '1d' } }, 'window.step', /not a known key/],
  ['a time of the other entity', { timeField: 'lastScannedAt' }, 'timeField', /firstDetectedAt/],
  ['scanned on findings', { filters: { scanned: true } }, 'filters.scanned', /assets/],
  ['an unknown filter', { filters: { severity: ['LOW'] } }, 'filters.severity', /not a known key/],
  ['an empty list of a filter', { filters: { severities: [] } }, 'filters.severities', /at least one/],
  ['a missing aggregation', { aggregation: undefined }, 'aggregation', /./],
])('create refuses %s', async (_, change, member, message) => {
  const error = await errorOf(open().ask('create_metric', { ...metric, definition: { ...count, ...change } }))
  expect([error.code, error.facts.issues]).toEqual([
    'invalid_input',
    [{ path: `definition.${member}`, message: expect.stringMatching(message) }],
  ])
})

test.each<[string, object, Record<string, RegExp>]>([
  [
    'a definition of another type',
    { type: 'RATIO' },
    {
      'definition.numerator': /inline SIMPLE/,
      'definition.denominator': /inline SIMPLE/,
      'definition.aggregation': /not a known key/,
      'definition.entity': /not a known key/,
    },
  ],
  ['a dimension that does not exist', { allowedDimensions: ['colour'] }, { 'allowedDimensions[0]': /./ }],
  [
    'a dimension of findings on assets',
    { definition: { aggregation: 'COUNT', entity: 'asset' }, allowedDimensions: ['source', 'severity'] },
    { 'allowedDimensions[1]': /source, sourceType, assetKind, container/ },
  ],
  ['emptyAs on a COUNT', { emptyAs: 'null' }, { emptyAs: /SUM/ }],
  ['an unknown format', { format: 'percent' }, { format: /./ }],
  [
    'both sides of a ratio',
    {
      type: 'RATIO',
      definition: {
        numerator: { ...count, field: 'confidence' },
        denominator: { aggregation: 'AVG', entity: 'finding' },
      },
    },
    { 'definition.numerator.field': /COUNT takes no field/, 'definition.denominator.field': /is required by AVG/ },
  ],
  [
    'a part in both forms',
    {
      type: 'RATIO',
      definition: { numerator: { metricSlug: 'open-findings', entity: 'finding' }, denominator: count },
    },
    { 'definition.numerator.entity': /not a known key/ },
  ],
  [
    'dimensions that only one side allows',
    {
      type: 'RATIO',
      definition: { numerator: count, denominator: { aggregation: 'COUNT', entity: 'asset' } },
      allowedDimensions: ['severity'],
    },
    { 'allowedDimensions[0]': /source, sourceType/ },
  ],
  [
    'an unknown name in a formula',
    derived('open_finding * 2', 'open-findings'),
    {
      'definition.formula': /position 1: 'open_finding' is not an input; did you mean open_findings/,
      'definition.inputs[0]': /does not use/,
    },
  ],
  ['a broken formula', derived('open_findings *', 'open-findings'), { 'definition.formula': /position 16/ }],
  [
    'an unused input',
    derived('open_findings', 'open-findings', 'new-findings'),
    { 'definition.inputs[1]': /does not use new-findings \(written new_findings\)/ },
  ],
  [
    'an input named twice',
    derived('open_findings', 'open-findings', 'open-findings'),
    { 'definition.inputs[1]': /twice/ },
  ],
  ['no inputs', derived('1'), { 'definition.inputs': /at least one/ }],
  ['windows of unequal length', trend('open-findings', '7d', '2w'), { 'definition.compareWindow': /as long as/ }],
  ['a month against 30 days', trend('open-findings', '1mo', '30d'), { 'definition.compareWindow': /as long as/ }],
  [
    'a window in minutes',
    trend('open-findings', '3m', '3m'),
    { 'definition.currentWindow': /12h, 7d, 2w or 3mo/, 'definition.compareWindow': /./ },
  ],
  ['a trend of a trend', trend('weekly-finding-trend', '7d', '1w'), { 'definition.baseMetricSlug': /its own windows/ }],
  ['itself', trend('secrets', '7d', '1w'), { 'definition.baseMetricSlug': /secrets → secrets/ }],
  [
    'problems of every kind at once',
    {
      type: 'RATIO',
      definition: {
        numerator: { ...count, field: 'confidence' },
        denominator: { metricSlug: 'open-finding' },
        extra: 1,
      },
    },
    {
      'definition.extra': /not a known key/,
      'definition.numerator.field': /COUNT takes no field/,
      'definition.denominator.metricSlug': /the closest are open-findings/,
    },
  ],
])('create refuses %s', async (_, change, problems) => {
  const error = await errorOf(open().ask('create_metric', { ...metric, ...change }))
  expect(error.code).toBe('invalid_input')
  expect(error.facts.issues?.map((issue) => issue.path).sort()).toEqual(Object.keys(problems).sort())
  for (const { path, message } of error.facts.issues ?? []) expect(message).toMatch(problems[path] ?? /never/)
})

test.each<[string, object, string]>([
  ['RATIO', { numerator: count, denominator: { metricSlug: 'no-such' } }, 'definition.denominator.metricSlug'],
  ['DERIVED', { formula: 'no_such', inputs: ['no-such'] }, 'definition.inputs[0]'],
  ['TREND', { baseMetricSlug: 'no-such', currentWindow: '7d', compareWindow: '7d' }, 'definition.baseMetricSlug'],
])('an unknown metric in a %s is not found', async (type, definition, path) => {
  const error = await errorOf(open().ask('create_metric', { ...metric, type, definition }))
  expect(error).toMatchObject({ code: 'not_found', facts: { issues: [{ path }] } })
})

test('the schema of a definition has a variant for each type', () => {
  const { definition } = z.toJSONSchema(CreateMetric, { io: 'input' }).properties ?? {}
  expect(definition).toMatchObject({ type: 'object', anyOf: metricTypes.map((title) => ({ title, type: 'object' })) })
})

test('an unknown term is not found', async () => {
  const error = await errorOf(open().ask('create_metric', { ...metric, glossaryTermSlug: 'pii-exposures' }))
  expect(error.code).toBe('not_found')
  expect(error.facts.suggestions?.[0]).toMatchObject({ value: 'pii-exposure', kind: 'term' })
})

test.each<[string, object]>([
  ['windows of equal length in other units', trend('open-findings', '7d', '1w')],
  ['months', trend('scan-coverage', '3mo', '3mo')],
  ['a formula over other metrics', derived('100 * open_findings / total_findings', 'open-findings', 'total-findings')],
  ['stock', { definition: { ...count, mode: 'stock', filters: { statuses: ['OPEN'] } } }],
  ['assets that were scanned', { definition: { aggregation: 'COUNT', entity: 'asset', filters: { scanned: false } } }],
])('create accepts %s', async (_, change) => {
  expect(await open().ask('create_metric', { ...metric, ...change })).toMatchObject(change)
})

test('enum values of a definition may be in any letter case', async () => {
  const definition = { aggregation: 'count', entity: 'Finding' }
  expect((await open().ask('create_metric', { ...metric, definition })).definition).toEqual(count)
})

test('a SUM metric may return null where there are no rows', async () => {
  const definition = { aggregation: 'SUM', entity: 'finding', field: 'ageHours' }
  expect(await open().ask('create_metric', { ...metric, definition, emptyAs: 'null' })).toMatchObject({
    emptyAs: 'null',
  })
})

test('an unknown detector in a filter gives a warning', async () => {
  const definition = { ...count, filters: { detectorTypes: ['YARA'] } }
  const { warnings } = await open().ask('create_metric', { ...metric, definition })
  expect(warnings).toMatchObject([{ code: 'unknown_detector' }])
})

test.each<[string, object]>([
  ['type and definition', { type: 'RATIO', definition: { numerator: count, denominator: count } }],
  ['definition', { definition: { ...count, mode: 'stock' } }],
  ['term', { glossaryTermSlug: 'pii-exposure' }],
  ['unit', { unit: 'things' }],
  ['format', { format: 'percentage' }],
])('a change of %s makes a new version and removes the certification', async (_, change) => {
  const { ask } = open()
  await ask('create_metric', metric)
  await ask('certify_metric', { slug: 'secrets', certifiedBy: 'Ann' })
  const updated = await ask('update_metric', { slug: 'secrets', ...change })
  expect(updated).toMatchObject({
    ...change,
    version: 2,
    status: 'DRAFT',
    certifiedBy: null,
    certifiedAt: null,
    certifiedVersion: null,
    certifiedVia: null,
  })
  const { items } = await ask('list_metric_versions', { slug: 'secrets' })
  expect(items).toMatchObject([
    { version: 2, createdBy: 'local', createdVia: 'http', ...change },
    { version: 1, unit: '' },
  ])
})

test.each<[string, object]>([
  ['description', { description: 'Other' }],
  ['name', { displayName: 'Other' }],
  ['owner', { owner: 'security' }],
  ['synonyms', { synonyms: ['keys'] }],
  ['colour', { color: '#abcdef' }],
])('a change of %s keeps version and certification', async (_, change) => {
  const { ask } = open()
  await ask('create_metric', metric)
  const certified = await ask('certify_metric', { slug: 'secrets', certifiedBy: 'Ann' })
  expect(await ask('update_metric', { slug: 'secrets', ...change })).toEqual({ ...certified, ...change })
  expect((await ask('list_metric_versions', { slug: 'secrets' })).total).toBe(1)
})

test('a change of the better direction keeps version and certification', async () => {
  const { ask } = open()
  expect(await ask('get_metric', { slug: 'open-findings' })).toMatchObject({ better: 'lower', version: 1 })
  const changed = await ask('update_metric', { slug: 'open-findings', better: 'higher' })
  expect(changed).toMatchObject({ better: 'higher', version: 1, status: 'ACTIVE' })
  expect(await ask('update_metric', { slug: 'open-findings', better: null })).toMatchObject({ better: null })
})
