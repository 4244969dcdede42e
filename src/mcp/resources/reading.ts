import { closest } from '../../kernel/suggest.ts'
import type { WriteContext } from '../../operation/context.ts'
import { call, type DefinitionEffect, type Operation } from '../../operation/operation.ts'
import type { McpRequest } from '../protocol.ts'

/** Looks up operations by name, and runs one in the context of a request. */
export interface Readers {
  find(name: string): Operation | undefined
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
