import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeHome, serveAssay } from '../support/assay.ts'
import { ask } from './estate.ts'

const { home, remove } = makeHome()
const finding = {
  asset: { key: 'a' },
  detectorType: 'SECRETS',
  findingType: 'KEY',
  severity: 'HIGH',
  firstDetectedAt: '2026-01-05T00:00:00Z',
}

let url: string
let stop: () => Promise<unknown>
beforeAll(async () => {
  ;({ url, stop } = await serveAssay(home, ['--no-background']))
  const { status } = await ask(url, 'POST', '/findings/import?source=scanner', finding)
  expect(status).toBe(200)
}, 60_000)
afterAll(async () => {
  await stop()
  remove()
})

const iso = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
const term = {
  slug: 'zebra-keys',
  displayName: 'Zebra keys',
  description: 'Keys that anyone can read',
  category: 'SECURITY',
  filterMapping: { detectorTypes: ['SECRETS'] },
  color: '#dd3333',
  icon: 'key',
}
const metric = {
  slug: 'zebra-key-count',
  displayName: 'Zebra key count',
  type: 'SIMPLE',
  definition: { aggregation: 'COUNT', entity: 'finding' },
  allowedDimensions: ['severity', 'detectorType'],
  format: 'number',
  unit: 'findings',
  glossaryTermSlug: 'zebra-keys',
}

interface Step {
  name: string
  method: string
  path: string
  body?: unknown
  status?: number
  expected: unknown
}

/** Every endpoint of the glossary, the metrics and the query engine, in an order in which each has what it needs. */
const steps: Step[] = [
  {
    name: 'create term',
    method: 'POST',
    path: '/semantic/glossary',
    body: term,
    status: 201,
    expected: { ...term, id: expect.any(String), isActive: true, createdAt: iso, updatedAt: iso },
  },
  {
    name: 'list terms by category',
    method: 'GET',
    path: '/semantic/glossary?category=SECURITY',
    expected: {
      items: expect.arrayContaining([expect.objectContaining({ slug: 'zebra-keys' })]),
      total: expect.any(Number),
    },
  },
  {
    name: 'search terms in names',
    method: 'GET',
    path: '/semantic/glossary?search=zebra',
    expected: { items: [expect.objectContaining({ slug: 'zebra-keys' })], total: 1 },
  },
  {
    name: 'search terms in descriptions',
    method: 'GET',
    path: '/semantic/glossary?search=anyone%20can%20read',
    expected: { items: [expect.objectContaining({ slug: 'zebra-keys' })], total: 1 },
  },
  {
    name: 'create metric',
    method: 'POST',
    path: '/semantic/metrics',
    body: metric,
    status: 201,
    expected: { ...metric, status: 'DRAFT', version: 1, certifiedBy: null },
  },
  {
    name: 'get term with its metrics',
    method: 'GET',
    path: '/semantic/glossary/zebra-keys',
    expected: {
      ...term,
      metrics: [expect.objectContaining({ slug: 'zebra-key-count', type: 'SIMPLE', status: 'DRAFT' })],
    },
  },
  {
    name: 'update term',
    method: 'PUT',
    path: '/semantic/glossary/zebra-keys',
    body: { description: 'Changed' },
    expected: { slug: 'zebra-keys', description: 'Changed', filterMapping: term.filterMapping },
  },
  {
    name: 'preview term',
    method: 'POST',
    path: '/semantic/glossary/zebra-keys/preview',
    expected: { count: 1 },
  },
  {
    name: 'list metrics by type',
    method: 'GET',
    path: '/semantic/metrics?type=RATIO',
    expected: {
      items: expect.arrayContaining([expect.objectContaining({ slug: 'false-positive-rate', type: 'RATIO' })]),
    },
  },
  {
    name: 'list metrics by status',
    method: 'GET',
    path: '/semantic/metrics?status=DRAFT',
    expected: { items: expect.arrayContaining([expect.objectContaining({ slug: 'zebra-key-count' })]) },
  },
  {
    name: 'certify metric',
    method: 'POST',
    path: '/semantic/metrics/zebra-key-count/certify',
    body: { certifiedBy: 'Ada' },
    expected: {
      slug: 'zebra-key-count',
      status: 'ACTIVE',
      certifiedBy: 'Ada',
      certifiedAt: iso,
      certifiedVersion: 1,
      certifiedVia: 'http',
    },
  },
  {
    name: 'get metric',
    method: 'GET',
    path: '/semantic/metrics/zebra-key-count',
    expected: {
      slug: 'zebra-key-count',
      status: 'ACTIVE',
      certifiedBy: 'Ada',
      glossaryTerm: expect.objectContaining({ slug: 'zebra-keys' }),
    },
  },
  {
    name: 'update metric',
    method: 'PUT',
    path: '/semantic/metrics/zebra-key-count',
    body: { description: 'How many', allowedDimensions: ['severity', 'detectorType', 'container'] },
    expected: { slug: 'zebra-key-count', description: 'How many', version: 2, status: 'ACTIVE', certifiedBy: 'Ada' },
  },
  {
    name: 'query',
    method: 'POST',
    path: '/semantic/query',
    body: {
      metricSlug: 'zebra-key-count',
      dimensions: ['severity'],
      glossaryTermSlug: 'security-threats',
      from: '2020-01-01T00:00:00Z',
      to: '2100-01-01T00:00:00Z',
    },
    expected: { value: 1, breakdown: [expect.objectContaining({ dimensionValue: 'HIGH', value: 1 })] },
  },
  {
    name: 'time series',
    method: 'POST',
    path: '/semantic/query/timeseries',
    body: {
      metricSlug: 'zebra-key-count',
      granularity: 'day',
      from: '2026-01-01T00:00:00Z',
      to: '2026-01-04T00:00:00Z',
    },
    expected: {
      timeSeries: ['2026-01-01', '2026-01-02', '2026-01-03'].map((day) =>
        expect.objectContaining({ timestamp: `${day}T00:00:00.000Z`, value: 0 }),
      ),
    },
  },
  {
    name: 'time series of a ratio',
    method: 'POST',
    path: '/semantic/query/timeseries',
    body: { metricSlug: 'false-positive-rate', granularity: 'day' },
    status: 400,
    expected: { code: 'invalid_input', reason: 'unsupported_metric_type' },
  },
  {
    name: 'dashboard',
    method: 'POST',
    path: '/semantic/query/dashboard',
    body: { dashboard: 'discovery' },
    expected: {
      dashboard: 'discovery',
      metrics: expect.arrayContaining([
        expect.objectContaining({
          metricSlug: 'total-findings',
          displayName: 'Total findings',
          value: expect.any(Number),
          format: 'number',
          unit: 'findings',
          size: 'md',
          position: 1,
          chartType: 'number',
        }),
      ]),
    },
  },
  {
    name: 'explore',
    method: 'POST',
    path: '/semantic/query/explore',
    body: { metricSlug: 'total-findings', dimensions: ['severity'], glossaryTermSlug: 'pii-exposure' },
    expected: { value: 0, breakdown: [] },
  },
  {
    name: 'a dimension that is not allowed',
    method: 'POST',
    path: '/semantic/query',
    body: { metricSlug: 'zebra-key-count', dimensions: ['source'] },
    status: 400,
    expected: { code: 'invalid_input', reason: 'dimension_not_allowed' },
  },
  {
    name: 'delete a term that a metric uses',
    method: 'DELETE',
    path: '/semantic/glossary/zebra-keys',
    status: 409,
    expected: { code: 'conflict' },
  },
  {
    name: 'delete metric',
    method: 'DELETE',
    path: '/semantic/metrics/zebra-key-count',
    expected: { slug: 'zebra-key-count' },
  },
  { name: 'delete term', method: 'DELETE', path: '/semantic/glossary/zebra-keys', expected: { slug: 'zebra-keys' } },
  {
    name: 'a deleted term',
    method: 'GET',
    path: '/semantic/glossary/zebra-keys',
    status: 404,
    expected: { code: 'not_found' },
  },
]

describe('every endpoint of the semantic layer', () => {
  it.each(steps)('$name', async ({ method, path, body, status = 200, expected }) => {
    const reply = await ask(url, method, path, body)
    expect({ status: reply.status, body: reply.body }).toMatchObject({ status, body: expected })
    if (status === 201) expect(reply.headers.get('location')).toMatch(/^\/semantic\//)
  })

  it('lists terms without color and icon', async () => {
    const { body } = await ask(url, 'GET', '/semantic/glossary')
    for (const item of body.items as object[]) {
      expect(item).not.toHaveProperty('color')
      expect(item).not.toHaveProperty('icon')
    }
  })
})
