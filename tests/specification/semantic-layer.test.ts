import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Doors, exchange, makeTemplate, openDoors, type Template } from '../catalogue/estate.ts'

let template: Template
let doors: Doors
beforeAll(async () => {
  template = await makeTemplate()
  doors = openDoors(template)
}, 60_000)
afterAll(() => {
  doors.close()
  template.remove()
})

// biome-ignore lint/suspicious/noExplicitAny: replies of different operations are read by member
type Body = any
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/

async function ask(request: string, body?: unknown): Promise<{ status: number; body: Body; headers: Headers }> {
  const [method = 'GET', path = '/'] = request.split(' ')
  const reply = await doors.http.request(`http://127.0.0.1:7411${path}`, {
    method,
    headers: {
      host: '127.0.0.1:7411',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: reply.status, body: await reply.json(), headers: reply.headers }
}
const get = async (request: string, body?: unknown) => (await ask(request, body)).body

const term = {
  slug: 'leaks',
  displayName: 'Exposed signing keys',
  description: 'Credentials that anyone can read',
  category: 'SECURITY_TEST',
  filterMapping: { detectorTypes: ['SECRETS'] },
  color: '#dd3333',
  icon: 'key',
}
const metric = {
  slug: 'leak-count',
  displayName: 'Number of leaks',
  type: 'SIMPLE',
  definition: { aggregation: 'COUNT', entity: 'finding' },
  allowedDimensions: ['severity', 'detectorType'],
  format: 'number',
  unit: 'findings',
  glossaryTermSlug: 'leaks',
}

describe('glossary terms', () => {
  it('are created with slug, names, category, mapping, color and icon, and returned with id, state and times', async () => {
    const { status, body } = await ask('POST /semantic/glossary', term)
    expect([status, body]).toEqual([201, expect.objectContaining({ ...term, isActive: true })])
    expect(body.id).toMatch(uuid)
    for (const time of [body.createdAt, body.updatedAt]) expect(time).toMatch(instant)
  })

  it('have unique slugs', async () => {
    expect((await ask('POST /semantic/glossary', term)).status).toBe(409)
  })

  it.each(['dd3333', '#dd33', 'red', '#gggggg'])('take hex colors, not %s', async (color) => {
    expect((await ask('POST /semantic/glossary', { ...term, slug: 'other', color })).status).toBe(400)
  })

  it('have all fields in a list except color and icon', async () => {
    const { items } = await get('GET /semantic/glossary?category=SECURITY_TEST')
    const { color: _, icon: __, ...listed } = term
    expect(items).toEqual([expect.objectContaining({ ...listed, id: expect.stringMatching(uuid), isActive: true })])
    for (const member of ['createdAt', 'updatedAt']) expect(items[0][member]).toMatch(instant)
    expect(Object.keys(items[0])).not.toEqual(expect.arrayContaining(['color']))
    expect(Object.keys(items[0])).not.toEqual(expect.arrayContaining(['icon']))
  })

  it('are updated by any subset of their fields', async () => {
    expect(await get('PUT /semantic/glossary/leaks', { description: 'Keys in the open' })).toMatchObject({
      ...term,
      description: 'Keys in the open',
    })
    const filterMapping = { detectorTypes: ['SECRETS', 'PII'] }
    expect(await get('PUT /semantic/glossary/leaks', { filterMapping })).toMatchObject({ filterMapping })
    expect((await get('PUT /semantic/glossary/leaks', { isActive: false })).isActive).toBe(false)
    expect((await get('PUT /semantic/glossary/leaks', { isActive: true, ...term })).isActive).toBe(true)
  })

  it('are previewed without a body, as the number of findings that match', async () => {
    const { items } = await get('GET /findings?detectorTypes=SECRETS&limit=500')
    expect(await get('POST /semantic/glossary/leaks/preview')).toEqual({ count: items.length })
    expect(items.length).toBeGreaterThan(0)
  })
})

describe('metric definitions', () => {
  it('are created with their definition, dimensions, format, unit and term', async () => {
    const { status, body } = await ask('POST /semantic/metrics', metric)
    expect([status, body]).toEqual([201, expect.objectContaining(metric)])
  })

  it('have unique slugs', async () => {
    expect((await ask('POST /semantic/metrics', metric)).status).toBe(409)
  })

  it('come with their term, which lists them', async () => {
    const whole = await get('GET /semantic/metrics/leak-count')
    expect(whole).toMatchObject({
      slug: 'leak-count',
      glossaryTerm: { slug: 'leaks', displayName: 'Exposed signing keys' },
    })
    const { metrics } = await get('GET /semantic/glossary/leaks')
    expect(metrics).toEqual([expect.objectContaining({ slug: 'leak-count', displayName: 'Number of leaks' })])
  })

  it('are updated by any subset, such as description and allowedDimensions', async () => {
    const changes = { description: 'All of them', allowedDimensions: ['severity', 'detectorType', 'container'] }
    expect(await get('PUT /semantic/metrics/leak-count', changes)).toMatchObject({ slug: 'leak-count', ...changes })
  })

  it.each<[string, () => Promise<unknown>]>([
    ['a draft', async () => ask('PUT /semantic/metrics/leak-count', { unit: 'leaks' })],
    ['an active one', async () => ask('POST /semantic/metrics/leak-count/certify', { certifiedBy: 'Bob' })],
    ['a deprecated one', async () => ask('POST /semantic/metrics/leak-count/deprecate', { deprecatedBy: 'Bob' })],
  ])('become ACTIVE by certification from %s, which records the person', async (_state, prepare) => {
    await prepare()
    const { status, body } = await ask('POST /semantic/metrics/leak-count/certify', { certifiedBy: 'Ada' })
    expect([status, body]).toMatchObject([200, { status: 'ACTIVE', certifiedBy: 'Ada' }])
    expect(await get('GET /semantic/metrics/leak-count')).toMatchObject({ status: 'ACTIVE', certifiedBy: 'Ada' })
  })
})

describe('the query engine', () => {
  const range = { from: '2000-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }
  const bySeverity = { metricSlug: 'leak-count', dimensions: ['severity'], ...range }

  it('evaluates a metric as a value and a breakdown of values', async () => {
    const { value, breakdown } = await get('POST /semantic/query', bySeverity)
    expect(value).toBeGreaterThan(0)
    for (const entry of breakdown) {
      expect(entry).toMatchObject({ dimensionValue: expect.any(String), value: expect.any(Number) })
    }
    expect(breakdown.reduce((sum: number, entry: Body) => sum + entry.value, 0)).toBe(value)
  })

  it('combines a term of the caller with the metric', async () => {
    const all = await get('POST /semantic/query', { metricSlug: 'total-findings' })
    const some = await get('POST /semantic/query', { metricSlug: 'total-findings', glossaryTermSlug: 'leaks' })
    expect(some.value).toBeLessThan(all.value)
    expect(some.value).toBe((await get('POST /semantic/glossary/leaks/preview')).count)
  })

  it('evaluates a dashboard by its placements, in their order and with their pinned filters', async () => {
    const place = (slug: string, placement: object) => ask(`PUT /semantic/dashboards/walls/metrics/${slug}`, placement)
    await place('leak-count', { size: 'md', position: 2, chartType: 'number' })
    const pinnedFilters = { detectorTypes: ['PII'] }
    await place('total-findings', { size: 'lg', position: 1, chartType: 'bar', pinnedFilters })
    const { dashboard, metrics } = await get('POST /semantic/query/dashboard', { dashboard: 'walls', ...range })
    expect(dashboard).toBe('walls')
    const leaks = await get('POST /semantic/query', bySeverity)
    const personal = await get('POST /semantic/query', { metricSlug: 'total-findings', filters: pinnedFilters })
    expect(metrics).toMatchObject([
      {
        metricSlug: 'total-findings',
        displayName: 'Total findings',
        value: personal.value,
        format: 'number',
        unit: 'findings',
        size: 'lg',
        position: 1,
        chartType: 'bar',
      },
      { metricSlug: 'leak-count', value: leaks.value, size: 'md', position: 2, chartType: 'number' },
    ])
    expect(personal.value).toBeGreaterThan(0)
  })
})

describe('requests and responses', () => {
  it('a deleted object no longer exists, and the reply contains it', async () => {
    expect((await ask('DELETE /semantic/glossary/leaks')).status).toBe(409)
    await ask('DELETE /semantic/dashboards/walls/metrics/leak-count')
    await ask('DELETE /semantic/dashboards/walls/metrics/total-findings')
    expect(await ask('DELETE /semantic/metrics/leak-count')).toMatchObject({
      status: 200,
      body: { slug: 'leak-count' },
    })
    expect(await ask('DELETE /semantic/glossary/leaks')).toMatchObject({ status: 200, body: { slug: 'leaks' } })
    expect((await ask('GET /semantic/metrics/leak-count')).status).toBe(404)
    expect((await ask('GET /semantic/glossary/leaks')).status).toBe(404)
  })
})

describe('the agent tools', () => {
  const call = async (name: string, input: object) => {
    const { structuredContent, isError } = (await doors.mcp.callTool(name, { ...input }, exchange)) as Body
    expect(isError ?? false).toBe(false)
    return structuredContent
  }

  it('list terms with their mappings, and all metrics', async () => {
    const { items } = await call('list_glossary_terms', {})
    expect(items.every(({ filterMapping }: Body) => typeof filterMapping === 'object')).toBe(true)
    const { total } = await get('GET /semantic/metrics')
    expect((await call('list_metrics', { limit: 500 })).items).toHaveLength(total)
  })
})
