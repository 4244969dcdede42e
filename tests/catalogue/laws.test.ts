import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { operations } from '../../src/catalogue.ts'
import { listQueryMembers } from '../../src/http/routes.ts'
import { call, type Operation } from '../../src/operation/operation.ts'
import { type EstateIds, makeTemplate, type OpenEstate, openEstate, type Template, tenantMark } from './estate.ts'
import { examples } from './examples.ts'

type Schema = Record<string, unknown>

const agentTools = [
  'explore_by_glossary_term',
  'get_glossary_term',
  'list_glossary_terms',
  'list_metrics',
  'query_metric',
  'query_metric_timeseries',
]
const adminTools = [
  ...['create', 'update', 'delete', 'preview'].map((verb) => `${verb}_glossary_term`),
  ...['get', 'create', 'update', 'delete', 'certify', 'deprecate'].map((verb) => `${verb}_metric`),
  ...['query_dashboard', 'set_placement', 'remove_placement'],
  ...['list_sources', 'list_scans', 'get_stats', 'search_findings'],
  ...['get', 'create', 'update', 'delete', 'test'].map((verb) => `${verb}_source`),
  ...['start', 'get', 'cancel'].map((verb) => `${verb}_scan`),
  ...['get', 'update'].map((verb) => `${verb}_finding`),
]

/** Every path of the specification's endpoints, and who answers there. */
const specified: Readonly<Record<string, string>> = {
  'GET /semantic/glossary': 'list_glossary_terms',
  'GET /semantic/glossary/{slug}': 'get_glossary_term',
  'POST /semantic/glossary': 'create_glossary_term',
  'PUT /semantic/glossary/{slug}': 'update_glossary_term',
  'DELETE /semantic/glossary/{slug}': 'delete_glossary_term',
  'POST /semantic/glossary/{slug}/preview': 'preview_glossary_term',
  'GET /semantic/metrics': 'list_metrics',
  'GET /semantic/metrics/{slug}': 'get_metric',
  'POST /semantic/metrics': 'create_metric',
  'PUT /semantic/metrics/{slug}': 'update_metric',
  'DELETE /semantic/metrics/{slug}': 'delete_metric',
  'POST /semantic/metrics/{slug}/certify': 'certify_metric',
  'POST /semantic/metrics/{slug}/deprecate': 'deprecate_metric',
  'GET /semantic/metrics/{slug}/versions': 'list_metric_versions',
  'GET /semantic/audit': 'list_audit',
  'POST /semantic/query': 'query_metric',
  'POST /semantic/query/timeseries': 'query_metric_timeseries',
  'POST /semantic/query/dashboard': 'query_dashboard',
  'POST /semantic/query/explore': 'explore_metric',
  'GET /semantic/dashboards': 'list_dashboards',
  'GET /semantic/dashboards/{dashboard}': 'get_dashboard',
  'PUT /semantic/dashboards/{dashboard}/metrics/{slug}': 'set_placement',
  'DELETE /semantic/dashboards/{dashboard}/metrics/{slug}': 'remove_placement',
  'POST /sources': 'create_source',
  'GET /sources': 'list_sources',
  'GET /sources/{id}': 'get_source',
  'PUT /sources/{id}': 'update_source',
  'DELETE /sources/{id}': 'delete_source',
  'POST /sources/{id}/test': 'test_source',
  'POST /sources/{id}/scans': 'start_scan',
  'GET /scans': 'list_scans',
  'GET /scans/{id}': 'get_scan',
  'POST /scans/{id}/cancel': 'cancel_scan',
  'GET /findings': 'search_findings',
  'GET /findings/{id}': 'get_finding',
  'PATCH /findings/{id}': 'update_finding',
  'GET /assets': 'list_assets',
}

/** Operations that reach beyond this machine. */
const asksTenants = ['test_source', 'start_scan', 'preview_custom_detector']

const inputs = new Map(
  operations.map(({ name, input }) => [name, z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Schema]),
)
const inputOf = ({ name }: Operation) => inputs.get(name) ?? {}
const outputOf = ({ output }: Operation) => z.toJSONSchema(output, { io: 'output', unrepresentable: 'any' }) as Schema
const membersOf = (schema: Schema) => (schema.properties ?? {}) as Record<string, Schema>
const parametersOf = ({ route = '' }: Operation) => [...route.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
const each = operations.map((operation) => ({ name: operation.name, operation }))

/** The paths of the members, at any depth, that do not say what they mean. */
function listUndescribed(schema: Schema, path = ''): string[] {
  const branches = (schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []) as Schema[]
  const below = [schema.items, schema.additionalProperties].filter((node) => typeof node === 'object') as Schema[]
  return [
    ...Object.entries(membersOf(schema)).flatMap(([name, member]) => {
      const own = `${path}.${name}`
      return [...(isDescribed(member) ? [] : [own]), ...listUndescribed(member, own)]
    }),
    ...branches.flatMap((branch) => listUndescribed(branch, path)),
    ...below.flatMap((node) => listUndescribed(node, `${path}[]`)),
  ]
}

function isDescribed({ description, anyOf }: Schema): boolean {
  if (typeof description === 'string') return description.trim().length > 2
  return Array.isArray(anyOf) && anyOf.some((branch: Schema) => branch.type !== 'null' && isDescribed(branch))
}

describe('the list of operations', () => {
  it('has unique names', () => {
    const names = operations.map(({ name }) => name)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })

  it('has unique routes', () => {
    const shapes = operations.flatMap(({ route }) => (route === undefined ? [] : [route.replaceAll(/\{\w+\}/g, '{}')]))
    expect(shapes.filter((shape, index) => shapes.indexOf(shape) !== index)).toEqual([])
  })

  it('offers the six agent tools', () => {
    expect(namesOf('agent')).toEqual(agentTools)
  })

  it('offers every admin tool', () => {
    expect(namesOf('admin')).toEqual(adminTools.toSorted())
  })

  it('answers at every specified path', () => {
    const known = Object.fromEntries(operations.map(({ route, name }) => [route, name]))
    expect(Object.fromEntries(Object.keys(specified).map((route) => [route, known[route]]))).toEqual(specified)
  })

  it('offers at least two fifths of the operations through every interface', () => {
    const single = operations.filter(({ route, toolset }) => route === undefined || toolset === undefined)
    expect(single.length / operations.length).toBeLessThanOrEqual(0.6)
  })

  it('has an example of every operation', () => {
    expect(Object.keys(examples).sort()).toEqual(operations.map(({ name }) => name).sort())
  })
})

function namesOf(toolset: Operation['toolset']): string[] {
  return operations.flatMap((operation) => (operation.toolset === toolset ? [operation.name] : [])).sort()
}

describe.each(each)('$name', ({ name, operation }) => {
  it('is named by a verb and a noun and has a title and a summary', () => {
    expect(name).toMatch(/^[a-z]+(?:_[a-z]+)+$/)
    expect(operation.title).toMatch(/^[A-Z]/)
    expect(operation.summary).toMatch(/^[A-Z].*\.$/)
  })

  it('has plain objects as input and output, with every member described', () => {
    const [input, output] = [inputOf(operation), outputOf(operation)]
    expect([input.type, output.type]).toEqual(['object', 'object'])
    expect(listUndescribed(input)).toEqual([])
    expect(listUndescribed(output)).toEqual([])
  })

  it('refuses keys that it does not know', () => {
    expect(inputOf(operation).additionalProperties).toBe(false)
  })

  it('has each path parameter as a required string of its input', () => {
    const { required = [] } = inputOf(operation)
    for (const parameter of parametersOf(operation)) {
      // Over MCP, filters may stand in its place.
      if (name === 'update_finding') continue
      expect(required).toContain(parameter)
      expect(membersOf(inputOf(operation))[parameter]).toMatchObject({ type: 'string' })
    }
  })

  it('has an HTTP method that fits its effect', () => {
    const [method = ''] = (operation.route ?? 'GET').split(' ')
    const verb = name.split('_')[0] ?? ''
    const wanted: Readonly<Record<string, string>> = { delete: 'DELETE', remove: 'DELETE', create: 'POST', list: 'GET' }
    expect(method).toBe(wanted[verb] ?? method)
    if (['GET', 'DELETE', 'PUT', 'PATCH'].includes(method)) expect(operation.effect === 'read').toBe(method === 'GET')
    expect(operation.status).toBe(method === 'POST' && /^(?:create|start)_/.test(name) ? 201 : 200)
    expect(operation.location !== undefined).toBe(operation.status === 201)
  })

  it('has an input that a query string can express, if its method has no body', () => {
    const [method = 'POST'] = (operation.route ?? 'POST').split(' ')
    if (method !== 'GET' && method !== 'DELETE') return
    const scalar = new Set(['string', 'number', 'integer', 'boolean'])
    const isFlat = ({ type, items }: Schema) =>
      scalar.has(String(type)) || (type === 'array' && scalar.has(String((items as Schema).type)))
    const members = listQueryMembers(inputOf(operation) as never)
    expect(members.filter(({ schema }) => !isFlat(schema as Schema))).toEqual([])
    const names = members.map((member) => member.name)
    expect(new Set(names).size).toBe(names.length)
  })

  it('declares correctly whether it is destructive and idempotent', () => {
    expect(operation.destructive).toBe(/^(?:delete|remove)_/.test(name))
    if (operation.effect === 'read') expect(operation.idempotent).toBe(true)
    if (/^(?:create|start)_/.test(name)) expect(operation.idempotent).toBe(false)
    expect(operation.openWorld).toBe(asksTenants.includes(name))
  })

  it('requires consent before an assistant deletes, certifies or triages', () => {
    expect(operation.consent).toBe(consentOf(operation))
  })
})

/** They hide findings from everybody, or change who may do what, or with which credentials and where a tenant is read. */
const changesAccess = new Set([
  ...['create_suppression', 'create_source', 'update_source', 'approve_proposal', 'create_token', 'revoke_token'],
])

function consentOf({ name, effect, destructive, scope }: Operation): Operation['consent'] {
  // What find_value writes is only that it was asked.
  if (effect === 'read' || name === 'find_value') return 'none'
  if (destructive || scope === 'certify' || changesAccess.has(name)) return 'always'
  return scope === 'triage' ? 'by_extent' : 'none'
}

describe('over a filled database', () => {
  let template: Template
  let estate: OpenEstate | undefined
  beforeAll(async () => {
    template = await makeTemplate()
  })
  afterAll(() => {
    estate?.close()
    template.remove()
  })
  let made: number
  /** The database as it was made. */
  const open = () => {
    if (estate !== undefined && estate.version() === made) return estate
    estate?.close()
    estate = openEstate(template)
    made = estate.version()
    return estate
  }
  const listExamples = (name: string, ids: EstateIds) => examples[name]?.(ids) ?? []

  it.each(each)('$name answers its examples and marks text from tenants', async ({ name, operation }) => {
    const answers: string[] = []
    for (const input of listExamples(name, template.ids)) {
      const { context } = open()
      expect(JSON.stringify(input)).not.toContain(tenantMark)
      answers.push(JSON.stringify(await call(operation, input, context)))
    }
    const quotes = answers.some((answer) => answer.includes(tenantMark))
    // What these quote they have just been told: no tenant answers here.
    // A dashboard is marked for the names that people pin on it.
    if (!['test_source', 'preview_custom_detector', 'query_dashboard'].includes(name))
      expect(operation.untrusted ?? false).toBe(quotes)
  })

  it.each(each.filter(({ operation: { effect } }) => effect === 'read'))(
    '$name writes nothing',
    async ({ name, operation }) => {
      const { context, version } = open()
      const before = version()
      for (const input of listExamples(name, template.ids)) await call(operation, input, context)
      expect(version()).toBe(before)
    },
  )

  it.each(each.filter(({ operation: { effect } }) => effect === 'write'))(
    '$name writes',
    async ({ name, operation }) => {
      for (const input of listExamples(name, template.ids)) {
        const { context, version } = open()
        const before = version()
        await call(operation, input, context)
        expect(version(), JSON.stringify(input)).not.toBe(before)
      }
    },
  )

  it.each(each.filter(({ operation: { effect, idempotent } }) => effect === 'write' && idempotent))(
    '$name changes nothing when it is repeated',
    async ({ name, operation }) => {
      const { context, digest } = open()
      const [input = {}] = listExamples(name, template.ids)
      const first = await call(operation, input, context)
      const before = digest()
      expect(await call(operation, input, context)).toEqual(first)
      expect(digest()).toBe(before)
    },
  )
})
