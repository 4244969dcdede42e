import { describe, expect, test } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import type { McpRequest, Tool } from '../../src/mcp/protocol.ts'
import { createMcpSurface } from '../../src/mcp/surface.ts'
import { bytesOf, type JsonSchema } from '../../src/mcp/tools/json-schema.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { contextFor, localPerson } from './library.ts'

// Laws over the tools as clients see them.

const open = (readOnly = false) =>
  createMcpSurface({ operations, toolsets: ['agent', 'admin'], readOnly, contextFor, version: '1', log: silentLog })
const surface = open()
const { tools } = surface
const agentNames = [
  'explore_by_glossary_term',
  'get_glossary_term',
  'list_glossary_terms',
  'list_metrics',
  'query_metric',
  'query_metric_timeseries',
]
const scalars = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])

/** Every schema node with its path; the root's path is ''. */
function* walk(schema: JsonSchema, path = ''): Generator<[string, JsonSchema]> {
  yield [path, schema]
  for (const [name, member] of Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)) {
    yield* walk(member, `${path}.${name}`)
  }
  for (const [index, member] of ((schema.anyOf ?? []) as JsonSchema[]).entries())
    yield* walk(member, `${path}|${index}`)
  for (const key of ['items', 'additionalProperties'] as const) {
    const member = schema[key]
    if (member !== undefined && member !== false) yield* walk(member as JsonSchema, `${path}.${key}`)
  }
}

const nodesOf = ({ inputSchema, outputSchema }: Tool) => [
  ...[...walk(inputSchema)].map(([path, node]) => ({ path: `input${path}`, node })),
  ...[...walk(outputSchema ?? {})].map(([path, node]) => ({ path: `output${path}`, node })),
]
const offending = (isWrong: (node: JsonSchema, path: string) => boolean) =>
  tools.flatMap((tool) =>
    nodesOf(tool).flatMap(({ path, node }) => (isWrong(node, path) ? [`${tool.name} ${path}`] : [])),
  )

describe('the tool list', () => {
  test('stays within its byte budgets', () => {
    expect(bytesOf(tools.filter(({ name }) => agentNames.includes(name)))).toBeLessThanOrEqual(12_288)
    expect(bytesOf(tools)).toBeLessThanOrEqual(40_960)
  })
  test('shows the members that every answer has', () => {
    // Of update_finding's members none is in every answer: it answers one finding, or counts.
    const always = tools.filter(({ name }) => name !== 'update_finding')
    for (const { name, outputSchema } of always) {
      expect(Object.keys((outputSchema?.properties ?? {}) as object), name).not.toHaveLength(0)
    }
  })
  test('contains only operations that read in read-only mode', () => {
    const listed = open(true).tools
    expect(listed.map(({ name }) => name)).toEqual(
      operations.flatMap(({ name, toolset, effect }) => (toolset && effect === 'read' ? [name] : [])).sort(),
    )
  })
})

describe('every listed schema', () => {
  test('has a plain object at its root', () => {
    expect(
      offending((node, path) => /^(?:in|out)put$/.test(path) && (node.type !== 'object' || 'anyOf' in node)),
    ).toEqual([])
  })
  test('has a scalar type, an anyOf or a description at each node', () => {
    const isWrong = ({ type, anyOf, description }: JsonSchema) =>
      type === undefined ? anyOf === undefined && description === undefined : !scalars.has(type as string)
    expect(offending(isWrong)).toEqual([])
  })
  test('has no references and no keywords that hosts refuse', () => {
    const refused = ['$schema', '$ref', '$defs', 'oneOf', 'allOf', 'not', 'const', 'prefixItems', 'propertyNames', 'if']
    expect(offending((node) => refused.some((keyword) => keyword in node))).toEqual([])
  })
  test('has no bounds of safe integers', () => {
    const isWrong = ({ minimum, maximum }: JsonSchema) =>
      [minimum, maximum].some((bound) => Math.abs(Number(bound ?? 0)) === Number.MAX_SAFE_INTEGER)
    expect(offending(isWrong)).toEqual([])
  })
})

test('every schema that a description names can be read', async () => {
  const exchange: McpRequest = {
    caller: { ...localPerson, via: 'mcp' },
    signal: new AbortController().signal,
    progress: () => {},
    notice: () => {},
    clientCapabilities: new Set(),
    answers: {},
    state: undefined,
  }
  const named = new Set(JSON.stringify(tools).match(/assay:\/\/schemas\/[\w.-]*\w/g) ?? [])
  expect(named.size).toBeGreaterThan(0)
  for (const uri of named) {
    const [contents] = await surface.readResource(uri, exchange)
    expect(contents, uri).toMatchObject({ mimeType: 'application/schema+json' })
  }
})
