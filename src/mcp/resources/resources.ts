import { AppError } from '../../kernel/errors.ts'
import { MAX_NAME, showJson, showSentence } from '../../kernel/shown.ts'
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
import { listNamed, type Named, type Readers, type ResourceKind, rankNamed, resourceKinds } from './reading.ts'

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
export const WATCHES_URI = 'assay://watches'
const WATCHES = 'list_watches'

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
      const watches = { uri: WATCHES_URI, name: 'watches', title: 'Watches and their states', mimeType: json }
      const view = { uri: VIEW_URI, name: 'answer', title: 'View of an answer', mimeType: VIEW_TYPE }
      const hasView = readBuilt(VIEW_FILE) !== undefined
      return [
        ...named.flat(),
        ...(hasView ? [view] : []),
        ...(readers.find(WATCHES) === undefined ? [] : [watches]),
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
  if (uri === WATCHES_URI && catalog.readers.find(WATCHES) !== undefined) {
    return [{ uri, mimeType: json, text: showJson(await catalog.readers.run(WATCHES, {}, exchange)) }]
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
