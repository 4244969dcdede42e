import { AppError } from '../../kernel/errors.ts'
import { MAX_NAME, showJson, showSentence } from '../../kernel/shown.ts'
import { closest } from '../../kernel/suggest.ts'
import type { WriteContext } from '../../operation/context.ts'
import { call, type DefinitionEffect, type Operation } from '../../operation/operation.ts'
import { readBuilt } from '../../runtime/package-files.ts'
import {
  type Completion,
  INVALID_PARAMS,
  type McpRequest,
  ProtocolFault,
  type Resource,
  type ResourceContents,
  type ResourceTemplate,
  VIEW_URI,
} from '../protocol.ts'
import type { JsonSchema } from '../tools/json-schema.ts'

/** Looks up operations by name, and runs one in the context of a request. */
export interface Readers {
  find(name: string): Operation | undefined
  contextFor: ContextFor
  run(name: string, input: Record<string, unknown>, exchange: McpRequest): Promise<unknown>
}

export type ContextFor = (options: {
  caller: McpRequest['caller']
  signal: AbortSignal
  progress?: McpRequest['progress']
}) => WriteContext

export function createReaders(operations: readonly Operation[], contextFor: ContextFor): Readers {
  const byName = new Map(operations.map((operation) => [operation.name, operation]))
  return {
    find: (name) => byName.get(name),
    contextFor,
    run: async (name, input, { caller, signal, progress }) => {
      const operation = byName.get(name)
      if (operation === undefined) throw new Error(`there is no operation ${name}`)
      return call(operation, input, contextFor({ caller, signal, progress }))
    },
  }
}

/** A kind of named definition exposed through resources, prompts and completions. */
export interface ResourceKind {
  /** First path segment of its URIs: `assay://metrics/{slug}`. */
  pathSegment: DefinitionEffect['kind']
  title: string
  description: string
  parameter: string
  list: string
  get: string
  /** Accessors for the name and title of a list item. */
  nameOf(item: Record<string, unknown>): unknown
  titleOf(item: Record<string, unknown>): unknown
}

export const resourceKinds: readonly ResourceKind[] = [
  {
    pathSegment: 'terms',
    title: 'Glossary term',
    description: 'A business term: its meaning, the findings it covers, and its metrics.',
    parameter: 'slug',
    list: 'list_glossary_terms',
    get: 'get_glossary_term',
    nameOf: ({ slug }) => slug,
    titleOf: ({ displayName }) => displayName,
  },
  {
    pathSegment: 'metrics',
    title: 'Metric',
    description: 'A metric definition with its status, certification, term and dependents.',
    parameter: 'slug',
    list: 'list_metrics',
    get: 'get_metric',
    nameOf: ({ slug }) => slug,
    titleOf: ({ displayName }) => displayName,
  },
  {
    pathSegment: 'dashboards',
    title: 'Dashboard',
    description: 'The metrics placed on a dashboard, with their pinned filters.',
    parameter: 'dashboard',
    list: 'list_dashboards',
    get: 'get_dashboard',
    nameOf: ({ dashboard, name }) => dashboard ?? name,
    titleOf: ({ title, dashboard, name }) => title ?? dashboard ?? name,
  },
]

export interface Named {
  name: string
  title: string
}

const MAX_LISTED = 500

/** All definitions of a kind, up to 500, in list order. */
export async function listNamed(kind: ResourceKind, readers: Readers, exchange: McpRequest): Promise<Named[]> {
  const operation = readers.find(kind.list)
  if (operation === undefined) return []
  const input = acceptsLimit(operation) ? { limit: MAX_LISTED } : {}
  const answer = await readers.run(kind.list, input, exchange)
  const { items } = answer as { items?: unknown }
  if (!Array.isArray(items)) return []
  return items.flatMap((item: unknown) => {
    if (typeof item === 'string') return [{ name: item, title: item }]
    if (typeof item !== 'object' || item === null) return []
    const name = kind.nameOf(item as Record<string, unknown>)
    const title = kind.titleOf(item as Record<string, unknown>)
    return typeof name === 'string' ? [{ name, title: typeof title === 'string' ? title : name }] : []
  })
}

const acceptsLimit = (operation: Operation) => operation.input.safeParse({ limit: MAX_LISTED }).success

/** Completions of a prefix: names that start with it, then texts that contain it, then similar names. */
export function rankNamed(named: readonly Named[], typed: string): string[] {
  const wanted = typed.trim().toLowerCase()
  const texts = named.map(({ name, title }) => ({ name, text: `${name} ${title}`.toLowerCase() }))
  const starting = texts.filter(({ name }) => name.toLowerCase().startsWith(wanted))
  const containing = texts.filter(({ text }) => text.includes(wanted))
  const alike = wanted === '' ? [] : closest(wanted, texts, ({ name }) => name)
  return [...new Set([...starting, ...containing, ...alike].map(({ name }) => name))]
}

export interface Resources {
  templates: readonly ResourceTemplate[]
  list(exchange: McpRequest): Promise<Resource[]>
  read(uri: string, exchange: McpRequest): Promise<ResourceContents[]>
  complete(template: string, typed: string, exchange: McpRequest): Promise<Completion>
}

const json = 'application/json'
const VIEW_TYPE = 'text/html;profile=mcp-app'
const VIEW_FILE = 'view/answer.html'
const schemaPrefix = 'assay://schemas/'
/** Lists that are resources of their own, whose subscribers learn of changes by any process. */
const lists = [
  { uri: 'assay://watches', name: 'watches', title: 'Watches and their states', operation: 'list_watches' },
  {
    uri: 'assay://proposals',
    name: 'proposals',
    title: 'Changes that wait for approval, and the last ones decided',
    operation: 'list_proposals',
  },
] as const
export const followedUris: readonly string[] = lists.map(({ uri }) => uri)

export const uriOf = ({ pathSegment }: ResourceKind, name: string): string =>
  `assay://${pathSegment}/${encodeURIComponent(name)}`

const templateOf = (kind: ResourceKind) => `assay://${kind.pathSegment}/{${kind.parameter}}`

/** Terms, metrics and dashboards as resources, read through their operations, and the schemas that tools refer to. */
export function createResources(readers: Readers, schemas: ReadonlyMap<string, JsonSchema>): Resources {
  const offered = resourceKinds.filter(({ get }) => readers.find(get) !== undefined)
  const templates = offered.map((kind) => ({
    uriTemplate: templateOf(kind),
    name: kind.pathSegment,
    title: kind.title,
    description: kind.description,
    mimeType: json,
  }))
  return {
    templates: Object.freeze([
      ...templates,
      {
        uriTemplate: `${schemaPrefix}{name}`,
        name: 'schemas',
        title: 'Input schema',
        description: 'The full JSON Schema of a tool field that tools/list shows as an open object.',
        mimeType: 'application/schema+json',
      },
    ]),
    list: async (exchange) => {
      const named = await Promise.all(
        offered.map(async (kind) => {
          const items = await listNamed(kind, readers, exchange)
          return items.map(({ name, title }) => ({
            uri: uriOf(kind, name),
            name,
            title: showSentence(title, MAX_NAME),
            mimeType: json,
          }))
        }),
      )
      const schemaResources = [...schemas.keys()].map((name) => ({
        uri: `${schemaPrefix}${name}`,
        name,
        title: `Schema of ${name}`,
        mimeType: 'application/schema+json',
      }))
      const view = { uri: VIEW_URI, name: 'answer', title: 'View of an answer', mimeType: VIEW_TYPE }
      const hasView = readBuilt(VIEW_FILE) !== undefined
      return [
        ...named.flat(),
        ...(hasView ? [view] : []),
        ...lists
          .filter(({ operation }) => readers.find(operation) !== undefined)
          .map(({ uri, name, title }) => ({ uri, name, title, mimeType: json })),
        ...schemaResources,
      ]
    },
    read: (uri, exchange) => read(uri, { offered, readers, schemas }, exchange),
    complete: async (template, typed, exchange) => {
      if (template === `${schemaPrefix}{name}`) return toCompletion(rankNamed([...schemas.keys()].map(toNamed), typed))
      const kind = offered.find((each) => templateOf(each) === template)
      if (kind === undefined) throw new ProtocolFault(INVALID_PARAMS, 'There is no such resource template.')
      return toCompletion(rankNamed(await listNamed(kind, readers, exchange), typed))
    },
  }
}

const toNamed = (name: string): Named => ({ name, title: name })

/** MCP limits a completion to 100 values. */
export function toCompletion(values: readonly string[]): Completion {
  return { values: values.slice(0, 100), total: values.length, hasMore: values.length > 100 }
}

interface ResourceCatalog {
  offered: readonly ResourceKind[]
  readers: Readers
  schemas: ReadonlyMap<string, JsonSchema>
}

async function read(uri: string, catalog: ResourceCatalog, exchange: McpRequest): Promise<ResourceContents[]> {
  const list = lists.find((each) => each.uri === uri && catalog.readers.find(each.operation) !== undefined)
  if (list !== undefined) {
    return [{ uri, mimeType: json, text: showJson(await catalog.readers.run(list.operation, {}, exchange)) }]
  }
  if (uri === VIEW_URI) {
    const text = readBuilt(VIEW_FILE)
    if (text === undefined) throw notThere(uri)
    return [{ uri, mimeType: VIEW_TYPE, text, _meta: { ui: { csp: {}, prefersBorder: true } } }]
  }
  const [, pathSegment = '', encoded = ''] = /^assay:\/\/([a-z]+)\/([^/?#]+)$/.exec(uri) ?? []
  const name = decode(encoded)
  if (pathSegment === 'schemas') {
    const schema = catalog.schemas.get(name)
    if (schema === undefined) throw notThere(uri)
    const whole = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema }
    return [{ uri, mimeType: 'application/schema+json', text: JSON.stringify(whole) }]
  }
  const kind = catalog.offered.find((each) => each.pathSegment === pathSegment)
  if (kind === undefined || name === '') throw notThere(uri)
  try {
    const answer = await catalog.readers.run(kind.get, { [kind.parameter]: name }, exchange)
    return [{ uri, mimeType: json, text: showJson(answer) }]
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') throw notThere(uri)
    if (error instanceof AppError && error.code !== 'internal') throw new ProtocolFault(INVALID_PARAMS, error.message)
    throw error
  }
}

const notThere = (uri: string) =>
  new ProtocolFault(INVALID_PARAMS, 'There is no such resource; list them to see what there is.', { uri })

function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return ''
  }
}
