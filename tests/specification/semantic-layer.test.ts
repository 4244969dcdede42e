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

  it.each(['dd3333', '#dd333', 'red', '#gggggg'])('take hex colors, not %s', async (color) => {
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
