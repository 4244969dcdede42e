import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { operations } from '../../src/catalogue.ts'
import { forms } from '../../src/http/forms.ts'
import type { ExportFormat } from '../../src/operation/operation.ts'
import type { MarkedPlantings } from '../support/marked-plantings.ts'
import { repeatInParallel } from '../support/parallel.ts'
import { ask } from './estate.ts'

type Json = Record<string, unknown>

export interface Doors {
  url: string
  client: Client
  note(where: string, text: string): void
}

const tools = new Set(operations.filter(({ toolset }) => toolset !== undefined).map(({ name }) => name))
const dimensions = ['detectorType', 'findingType', 'category', 'customDetectorKey', 'assetKind', 'container', 'source']

/** Asks an operation through REST and, where it is a tool, over MCP; gives the answer of REST. */
async function askBoth({ url, client, note }: Doors, name: string, input: Json): Promise<Json> {
  const { route = '' } = operations.find((each) => each.name === name) ?? {}
  const [method = 'GET', template = '/'] = route.split(' ')
  const rest = { ...input }
  const path = template.replaceAll(/\{(\w+)\}/g, (_whole, parameter: string) => {
    const value = encodeURIComponent(String(rest[parameter] ?? ''))
    delete rest[parameter]
    return value
  })
  const query = method === 'GET' ? `?${new URLSearchParams(rest as Record<string, string>)}` : ''
  const { body, headers } = await ask(url, method, path + query, method === 'GET' ? undefined : rest)
  note(`REST ${name}`, `${JSON.stringify([...headers])} ${JSON.stringify(body)}`)
  if (tools.has(name)) note(`MCP ${name}`, JSON.stringify(await client.callTool({ name, arguments: input })))
  return body
}

/** Writes the answer of an operation as a file of every format that it has. */
async function exportAll({ url, note }: Doors, name: string, input: Json): Promise<void> {
  const { route = '', files = {} } = operations.find((each) => each.name === name) ?? {}
  const [method = 'GET', path = '/'] = route.split(' ')
  for (const format of Object.keys(files) as ExportFormat[]) {
    const headers = { accept: forms[format].mediaType, 'content-type': 'application/json', connection: 'close' }
    const body = method === 'GET' ? {} : { body: JSON.stringify(input) }
    const reply = await fetch(url + path, { method, headers, ...body })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${name} was not written as ${format}: ${text}`)
    note(`${format} of ${name}`, text)
  }
}

async function listAll(doors: Doors, name: string, limit: number): Promise<Json[]> {
  const all: Json[] = []
  for (let cursor: object = {}; ; ) {
    const body = await askBoth(doors, name, { limit, ...cursor })
    all.push(...((body.items ?? []) as Json[]))
    if (typeof body.nextCursor !== 'string') return all
    cursor = { cursor: body.nextCursor }
  }
}

/** Reads all that is stored through every reading operation; of assets and findings that are alike each `every`th alone. */
export async function readEverything(doors: Doors, every = 1): Promise<{ findings: number; assets: number }> {
  const named = operations.filter(
    ({ effect, route }) => effect === 'read' && route?.startsWith('GET') && !route.includes('{'),
  )
  for (const { name } of named) await askBoth(doors, name, {})
  for (const dimension of dimensions) {
    const total = { metricSlug: 'total-findings', dimensions: [dimension] }
    const series = { metricSlug: 'new-findings', granularity: 'month', dimension }
    const term = { glossaryTermSlug: 'security-threats', dimensions: [dimension] }
    const questions = [
      () => askBoth(doors, 'query_metric', { ...total, limit: 100 }),
      () => exportAll(doors, 'query_metric', total),
      () => exportAll(doors, 'query_metric_timeseries', series),
      () => askBoth(doors, 'explore_metric', { ...total, metricSlug: 'open-findings' }),
      () => askBoth(doors, 'query_metric_timeseries', series),
      () => askBoth(doors, 'explore_by_glossary_term', term),
    ]
    for (const ask of questions) await ask()
  }
  await exportAll(doors, 'search_findings', {})
  const findings = await listAll(doors, 'search_findings', 500)
  const assets = await listAll(doors, 'list_assets', 500)
  const scans = await listAll(doors, 'list_scans', 100)
  const audit = await listAll(doors, 'list_audit', 500)
  for (const [name, items] of [
    ['get_finding', findings],
    ['get_asset', assets],
  ] as const) {
    for (const [at, { id }] of items.entries()) if (at % every === 0) await askBoth(doors, name, { id })
  }
  for (const { id } of scans) await askBoth(doors, 'get_scan', { id })
  const { items: sources = [] } = (await askBoth(doors, 'list_sources', {})) as { items?: Json[] }
  for (const { id } of sources.slice(-every * 5)) await askBoth(doors, 'get_source', { id })
  const names = (name: string, member: string) =>
    askBoth(doors, name, {}).then(({ items = [] }) => (items as Json[]).map((item) => item[member]))
  for (const slug of await names('list_glossary_terms', 'slug')) {
    await askBoth(doors, 'get_glossary_term', { slug })
    await askBoth(doors, 'preview_glossary_term', { slug })
  }
  for (const slug of await names('list_metrics', 'slug')) {
    await askBoth(doors, 'get_metric', { slug })
    await askBoth(doors, 'list_metric_versions', { slug })
  }
  for (const key of await names('list_custom_detectors', 'key')) await askBoth(doors, 'get_custom_detector', { key })
  for (const dashboard of await names('list_dashboards', 'name')) {
    await askBoth(doors, 'get_dashboard', { dashboard })
    await askBoth(doors, 'query_dashboard', { dashboard })
  }
  if (audit.length === 0) throw new Error('nothing is in the audit')
  return { findings: findings.length, assets: assets.length }
}

/** Lists and reads what MCP offers beside tools, and types what is planted wherever a client may. */
export async function useProtocol({ client, note }: Doors, plantings: MarkedPlantings, count: number): Promise<void> {
  const take = (field: string) => plantings.take(`MCP ${field}`, { credentialsOnly: true })
  const say = async (where: string, work: () => Promise<unknown>) => {
    const answer = await work().catch((error: unknown) => ({ error: String(error), ...(error as object) }))
    note(`MCP ${where}`, JSON.stringify(answer))
  }
  const { resources } = await client.listResources()
  const { resourceTemplates } = await client.listResourceTemplates()
  const { prompts } = await client.listPrompts()
  note('MCP lists', JSON.stringify([resources, resourceTemplates, prompts]))
  for (const { uri } of resources) await say('resource', () => client.readResource({ uri }))
  await repeatInParallel(count, async (n) => {
    for (const { uriTemplate } of resourceTemplates) {
      const typed = take(`resource ${uriTemplate}`)
      const uri = uriTemplate.replace(/\{\w+\}/, encodeURIComponent(typed))
      await say(`resource ${uriTemplate}`, () => client.readResource({ uri }))
      await say(`resource ${uriTemplate}, raw`, () => client.readResource({ uri: `assay://${typed}` }))
      const argument = { name: uriTemplate.match(/\{(\w+)\}/)?.[1] ?? '', value: n === 0 ? '' : typed }
      await say(`completion of ${uriTemplate}`, () =>
        client.complete({ ref: { type: 'ref/resource', uri: uriTemplate }, argument }),
      )
    }
    for (const { name, arguments: wanted = [] } of prompts) {
      const typed = Object.fromEntries(wanted.map((each) => [each.name, take(`prompt ${name}.${each.name}`)]))
      await say(`prompt ${name}`, () => client.getPrompt({ name, arguments: typed }))
      for (const each of wanted) {
        const value = typed[each.name] ?? ''
        // Each alone, so that one that is refused keeps no other from being used.
        const others = Object.fromEntries(wanted.map((other) => [other.name, 'open-findings']))
        await say(`prompt ${name}`, () => client.getPrompt({ name, arguments: { ...others, [each.name]: value } }))
        const argument = { name: each.name, value: n === 0 ? '' : value }
        await say(`completion of ${name}`, () => client.complete({ ref: { type: 'ref/prompt', name }, argument }))
      }
    }
    await say('a prompt', () => client.getPrompt({ name: take('name of a prompt'), arguments: {} }))
    await say('a member of a prompt', () =>
      client.getPrompt({ name: 'explain_metric', arguments: { metric: 'x', [take('member of a prompt')]: 'x' } }),
    )
    await say('a tool', () => client.callTool({ name: take('name of a tool'), arguments: {} }))
    await say('a subscription', () => client.subscribeResource({ uri: `assay://metrics/${take('subscription')}` }))
    await say('a completion', () =>
      client.complete({
        ref: { type: 'ref/prompt', name: take('prompt to complete') },
        argument: { name: take('argument to complete'), value: take('value to complete') },
      }),
    )
  })
}

/** Changes something under names of clients that are planted. */
export async function introduceClients({ url, note }: Doors, plantings: MarkedPlantings, count: number): Promise<void> {
  const take = (field: string) => plantings.take(field, { credentialsOnly: true })
  for (let n = 0; n < count; n++) {
    const client = new Client({ name: take('name of a client'), version: take('version of a client') })
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', url))
    await client.connect(transport as Parameters<Client['connect']>[0])
    const input = { slug: 'pii-exposure', description: `described ${n} times` }
    note(
      'MCP update_glossary_term',
      JSON.stringify(await client.callTool({ name: 'update_glossary_term', arguments: input })),
    )
    await client.close()
    // A header takes no other characters.
    const agent = take('user-agent').replaceAll(/[^ -~]/g, '')
    const headers = { 'user-agent': agent, 'content-type': 'application/json' }
    const body = JSON.stringify({ description: `described ${n} times over` })
    note(
      'PUT a term',
      await (await fetch(`${url}/semantic/glossary/pii-exposure`, { method: 'PUT', headers, body })).text(),
    )
  }
}
