import { expect, test } from 'vitest'
import { z } from 'zod'
import { glossaryOperations } from '../../src/glossary/operations.ts'
import { CreateMetric, metricTypes } from '../../src/metrics/model.ts'
import { metricOperations } from '../../src/metrics/operations.ts'
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
  expect(total).toBe(14)
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
    expect(item.allowedDimensions).toHaveLength(item.slug === 'scan-coverage' ? 8 : 14)
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

test.each<[string, object, Record<string, RegExp>]>([
  [
    'a COUNT with a field',
    { definition: { ...count, field: 'confidence' } },
    { 'definition.field': /COUNT takes no field/ },
  ],
  [
    'a SUM without one',
    { definition: { ...count, aggregation: 'SUM' } },
    { 'definition.field': /confidence, resolutionHours, ageHours/ },
  ],
  [
    'a distinct count of a number',
    { definition: { ...count, aggregation: 'COUNT_DISTINCT', field: 'confidence' } },
    { 'definition.field': /does not fit COUNT_DISTINCT of finding/ },
  ],
  [
    'an average of a name',
    { definition: { ...count, aggregation: 'AVG', field: 'container' } },
    { 'definition.field': /does not fit AVG/ },
  ],
  [
    'a field of the other entity',
    { definition: { aggregation: 'AVG', entity: 'asset', field: 'confidence' } },
    { 'definition.field': /ageDays, openFindings/ },
  ],
  ['an unknown field', { definition: { ...count, aggregation: 'AVG', field: 'cvss' } }, { 'definition.field': /./ }],
  [
    'a PERCENTILE without p',
    { definition: { ...count, aggregation: 'PERCENTILE', field: 'confidence' } },
    { 'definition.p': /from 0 to 1, such as 0.9/ },
  ],
  [
    'a percentile beyond 1',
    { definition: { ...count, aggregation: 'PERCENTILE', field: 'confidence', p: 90 } },
    { 'definition.p': /1/ },
  ],
  [
    'a p below 0',
    { definition: { ...count, aggregation: 'PERCENTILE', field: 'confidence', p: -0.1 } },
    { 'definition.p': /0/ },
  ],
  [
    'a p of another aggregation',
    { definition: { ...count, aggregation: 'MEDIAN', field: 'confidence', p: 0.5 } },
    { 'definition.p': /is for PERCENTILE only/ },
  ],
  [
    'a median of a name',
    { definition: { ...count, aggregation: 'MEDIAN', field: 'container' } },
    { 'definition.field': /does not fit MEDIAN/ },
  ],
  ['a window of length 0', { definition: { ...count, window: {} } }, { 'definition.window': /either last/ }],
  [
    'a window of two kinds',
    { definition: { ...count, window: { last: '28d', toDate: 'month' } } },
    { 'definition.window': /either last/ },
  ],
  [
    'a window of a stock',
    { definition: { ...count, mode: 'stock', window: { last: '28d' } } },
    { 'definition.window': /cannot be used with mode stock/ },
  ],
  [
    'a window to date of an unknown period',
    { definition: { ...count, window: { toDate: 'decade' } } },
    { 'definition.window.toDate': /quarter/ },
  ],
  [
    'a window with an unknown key',
    { definition: { ...count, window: { last: '28d', step: '1d' } } },
    { 'definition.window.step': /not a known key/ },
  ],
  [
    'a time of the other entity',
    { definition: { ...count, timeField: 'lastScannedAt' } },
    { 'definition.timeField': /firstDetectedAt/ },
  ],
  [
    'scanned on findings',
    { definition: { ...count, filters: { scanned: true } } },
    { 'definition.filters.scanned': /assets/ },
  ],
  [
    'an unknown filter',
    { definition: { ...count, filters: { severity: ['LOW'] } } },
    { 'definition.filters.severity': /not a known key/ },
  ],
  [
    'an empty list of a filter',
    { definition: { ...count, filters: { severities: [] } } },
    { 'definition.filters.severities': /at least one/ },
  ],
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
  ['a missing aggregation', { definition: { entity: 'finding' } }, { 'definition.aggregation': /./ }],
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
    { type: 'DERIVED', definition: { formula: 'open_finding * 2', inputs: ['open-findings'] } },
    {
      'definition.formula': /position 1: 'open_finding' is not an input; did you mean open_findings/,
      'definition.inputs[0]': /does not use/,
    },
  ],
  [
    'a broken formula',
    { type: 'DERIVED', definition: { formula: 'open_findings *', inputs: ['open-findings'] } },
    { 'definition.formula': /position 16/ },
  ],
  [
    'an unused input',
    { type: 'DERIVED', definition: { formula: 'open_findings', inputs: ['open-findings', 'new-findings'] } },
    { 'definition.inputs[1]': /does not use new-findings \(written new_findings\)/ },
  ],
  [
    'an input named twice',
    { type: 'DERIVED', definition: { formula: 'open_findings', inputs: ['open-findings', 'open-findings'] } },
    { 'definition.inputs[1]': /twice/ },
  ],
  ['no inputs', { type: 'DERIVED', definition: { formula: '1', inputs: [] } }, { 'definition.inputs': /at least one/ }],
  [
    'windows of unequal length',
    { type: 'TREND', definition: { baseMetricSlug: 'open-findings', currentWindow: '7d', compareWindow: '2w' } },
    { 'definition.compareWindow': /as long as/ },
  ],
  [
    'a month against 30 days',
    { type: 'TREND', definition: { baseMetricSlug: 'open-findings', currentWindow: '1mo', compareWindow: '30d' } },
    { 'definition.compareWindow': /as long as/ },
  ],
  [
    'a window in minutes',
    { type: 'TREND', definition: { baseMetricSlug: 'open-findings', currentWindow: '3m', compareWindow: '3m' } },
    { 'definition.currentWindow': /12h, 7d, 2w or 3mo/, 'definition.compareWindow': /./ },
  ],
  [
    'a trend of a trend',
    { type: 'TREND', definition: { baseMetricSlug: 'weekly-finding-trend', currentWindow: '7d', compareWindow: '1w' } },
    { 'definition.baseMetricSlug': /its own windows/ },
  ],
  [
    'itself',
    { type: 'TREND', definition: { baseMetricSlug: 'secrets', currentWindow: '7d', compareWindow: '1w' } },
    { 'definition.baseMetricSlug': /secrets → secrets/ },
  ],
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

test.each<[string, string, object, object]>([
  [
    'windows of equal length in other units',
    'TREND',
    { currentWindow: '7d', compareWindow: '1w' },
    { baseMetricSlug: 'open-findings' },
  ],
  ['months', 'TREND', { currentWindow: '3mo', compareWindow: '3mo' }, { baseMetricSlug: 'scan-coverage' }],
  [
    'a formula over other metrics',
    'DERIVED',
    { formula: '100 * open_findings / total_findings' },
    { inputs: ['open-findings', 'total-findings'] },
  ],
  ['stock', 'SIMPLE', { ...count, mode: 'stock', filters: { statuses: ['OPEN'] } }, {}],
  ['assets that were scanned', 'SIMPLE', { aggregation: 'COUNT', entity: 'asset', filters: { scanned: false } }, {}],
])('create accepts %s', async (_, type, some, more) => {
  const definition = { ...some, ...more }
  expect(await open().ask('create_metric', { ...metric, type, definition })).toMatchObject({ type, definition })
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
