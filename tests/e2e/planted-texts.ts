import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { operations } from '../../src/catalogue.ts'
import * as wikiWire from '../../src/connectors/wiki/wire.ts'
import { ImportLine } from '../../src/imports/read/import-line.ts'
import { SarifResult, SarifRun } from '../../src/imports/read/sarif.ts'
import type { SampleReply } from '../../src/sample/exchange.ts'
import type { SampleFault } from '../../src/sample/fault.ts'
import { type PlatformCase, startPlatform } from '../scans/withheld-run.ts'
import { makeHome, runAssay, serveAssay } from '../support/assay.ts'
import { findPlanted, type Planting, plantedCredentials, plantings } from '../support/plantings.ts'
import { ask, connectHttp } from './estate.ts'

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** Members by which a connector finds its way: with another text there is nothing to read. */
const steering =
  /id$|^(?:key|next|base|nextLink|@odata\.nextLink|code)$|status|state$|type$|right$|mode$|token|prefix|date|created|modified|expires/i
/** Members of which keys and addresses are made: in these only credentials are hidden. */
const addressing = /url|uri|link|webui|path|server|database|connection|fingerprint|^key$|identifier|email/i

/** Gives one planting after the other, for each member a fitting one. */
export function createPlanter(start: number) {
  let next = start
  return (member: string): Planting => {
    const fitting = addressing.test(member) ? plantedCredentials : plantings
    return fitting[next++ % fitting.length] as Planting
  }
}
type Planter = ReturnType<typeof createPlanter>

/** The names of all texts that a schema declares. */
function listNames(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(listNames)
  if (!isObject(schema)) return []
  const { properties = {}, ...rest } = schema
  const named = Object.entries(properties as Json).flatMap(([name, member]) =>
    /"type":"string"/.test(JSON.stringify(member)) ? [name, ...listNames(member)] : listNames(member),
  )
  return [...named, ...listNames(Object.values(rest))]
}
const toJsonSchema = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json

/** What the connectors read by name, so that a member that they come to read is planted as well. */
function listReadMembers(platform: PlatformCase['platform']): string[] {
  if (platform === 'WIKI') {
    const schemas = Object.values(wikiWire).filter((each) => each instanceof z.ZodType)
    return schemas.flatMap((schema) => listNames(toJsonSchema(schema)))
  }
  const folder = new URL('../../src/connectors/bi/', import.meta.url)
  const sources = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'))
  return sources.flatMap((text) => [...text.matchAll(/\.text\(\s*'([^']+)'/g)].map(([, name = '']) => name))
}

function plantReply(value: unknown, take: Planter, missing: readonly string[], member = ''): unknown {
  if (typeof value === 'string') return steering.test(member) ? value : `${value} ${take(member).text}`
  if (Array.isArray(value)) return value.map((item) => plantReply(item, take, missing, member))
  if (!isObject(value)) return value
  const known = Object.keys(value).map((name) => name.toLowerCase())
  const added = missing.filter((name) => !known.includes(name.toLowerCase()))
  return Object.fromEntries([
    ...Object.entries(value).map(([name, inner]) => [name, plantReply(inner, take, missing, name)]),
    // A document has texts of its own; an object without an id is none.
    ...('id' in value ? added.map((name) => [name, take(name).text]) : []),
  ])
}

function plantingFault(platform: PlatformCase['platform'], take: Planter): SampleFault {
  const nested = ['value', 'body', 'storage', 'view', 'version', '_links', 'description', 'plain', 'results']
  const names = [...new Set(listReadMembers(platform))].filter((name) => !steering.test(name))
  const missing = platform === 'WIKI' ? names.filter((name) => !nested.includes(name)) : names
  const rewrite = (reply: SampleReply): SampleReply => {
    const body = typeof reply.body === 'string' ? tryParse(reply.body) : reply.body
    if (!isObject(body) || body instanceof Uint8Array || 'access_token' in body) return reply
    return { ...reply, body: plantReply(body, take, missing) }
  }
  return { match: () => true, respond: { rewrite } }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}

/** A value of the schema with a text planted wherever it takes one. */
function plantSchema(schema: Json, take: Planter, member = ''): unknown {
  const { type, format, enum: words, properties, items, additionalProperties: rest, pattern } = schema
  const { anyOf, const: only } = schema
  if (only !== undefined) return only
  if (member === 'security-severity') return '7.5'
  if (Array.isArray(words)) return words[0]
  if (Array.isArray(anyOf)) return plantSchema(anyOf[0] as Json, take, member)
  if (type === 'object' && isObject(rest)) return { [take('name').text]: take('fingerprint').text }
  if (type === 'object') {
    const members = Object.entries((properties ?? {}) as Record<string, Json>)
    return Object.fromEntries(members.map(([name, below]) => [name, plantSchema(below, take, name)]))
  }
  if (type === 'array') return [plantSchema(items as Json, take, member)]
  if (type === 'integer') return 0
  if (type === 'number') return 0.5
  if (type !== 'string') return null
  if (format === 'date-time' || /Utc$/.test(member)) return '2026-06-01T00:00:00Z'
  if (/^(?:level|kind|baselineState|status)$/.test(member)) return undefined
  const text = takeFitting(take, member, Number(schema.maxLength ?? 4000))
  if (pattern !== undefined) return 'PLANTED'
  return member === 'url' ? `https://x.example/${encodeURIComponent(text)}` : text
}

/** What is cut is no credential any more. */
function takeFitting(take: Planter, member: string, maxLength: number): string {
  for (;;) {
    const { text } = take(member)
    if (text.length <= maxLength) return text
  }
}

function makeImports(take: Planter, count: number): { format: string; text: string }[] {
  const line = toJsonSchema(ImportLine)
  const times = <T>(make: () => T) => Array.from({ length: count }, make)
  const lines = times(() => {
    const { resolvedAt: _resolvedAt, ...open } = plantSchema(line, take) as Json
    return JSON.stringify({ ...open, status: 'OPEN' })
  })
  const runs = times(() => ({
    ...(plantSchema(toJsonSchema(SarifRun), take) as Json),
    results: [plantSchema(toJsonSchema(SarifResult), take)],
  }))
  return [
    { format: 'ndjson', text: lines.join('\n') },
    { format: 'sarif', text: JSON.stringify({ version: '2.1.0', runs }) },
    // Refused, each with what is wrong.
    ...lines
      .slice(0, 3)
      .map((each) => ({ format: 'ndjson', text: each.replace('"OPEN"', JSON.stringify(take('x').text)) })),
    { format: 'ndjson', text: JSON.stringify({ [plantedCredentials[0]?.text ?? '']: 1 }) },
    { format: 'sarif', text: JSON.stringify({ version: plantedCredentials[1]?.text, runs }) },
  ]
}

const tools = new Set(operations.filter(({ toolset }) => toolset !== undefined).map(({ name }) => name))
const dimensions = ['detectorType', 'findingType', 'category', 'customDetectorKey', 'assetKind', 'container', 'source']
const reading: readonly (readonly [string, Json])[] = [
  ...dimensions.map(
    (dimension) => ['query_metric', { metricSlug: 'total-findings', dimensions: [dimension], limit: 100 }] as const,
  ),
  ['search_findings', { limit: 500 }],
  ['list_assets', { limit: 500 }],
  ['list_scans', { limit: 100 }],
  ['list_audit', { limit: 500 }],
]

export interface PlantedOutcome {
  leaks: string[]
  findings: number
  assets: number
}

/** Plants texts in all that a tenant of each platform and imports say, and looks for them wherever something comes out. */
export async function findPlantedTexts(start: number, lines = 60): Promise<PlantedOutcome> {
  const take = createPlanter(start)
  const { home, remove } = makeHome()
  const leaks: string[] = []
  const note = (where: string, text: string) => {
    const found = findPlanted(text)
    if (found.length > 0) leaks.push(`${where}: ${found.join(', ')}`)
  }
  const assay = async (...args: string[]) => {
    const { stdout, stderr } = await runAssay(args, { home, env: { ASSAY_LOG_LEVEL: 'debug' } })
    note(`assay ${args.slice(0, 2).join(' ').slice(0, 60)}`, stdout + stderr)
  }
  try {
    for (const platform of ['WIKI', 'BI_PLATFORM'] as const) {
      const { server, config } = await startPlatform({ platform, adminApi: true })
      try {
        await assay('call', 'create_source', JSON.stringify({ name: platform, config }))
        server.faults.push(plantingFault(platform, take))
        await assay('scan', platform)
      } finally {
        await server.close()
      }
    }
    const server = await serveAssay(home, ['--no-background', '--log-level', 'debug'])
    server.child.stderr?.on('data', (text) => note('the log', String(text)))
    const client = await connectHttp(server.url)
    const count = { findings: 0, assets: 0 }
    try {
      for (const [n, { format, text }] of makeImports(take, lines).entries()) {
        const path = `/findings/import?source=import${n}&format=${format}`
        const headers = { 'content-type': 'application/json' }
        note(
          `import ${n} of ${format}`,
          await (await fetch(server.url + path, { method: 'POST', headers, body: text })).text(),
        )
      }
      for (const { text } of plantedCredentials.slice(0, 30)) {
        const path = encodeURIComponent(text)
        for (const asked of [
          `/${path}`,
          `/sources/${path}`,
          `/findings?${path}=1`,
          `/findings/import?${path}=${path}`,
        ]) {
          for (const method of ['GET', 'POST'])
            note(`${method} a planted path`, await (await fetch(server.url + asked, { method })).text())
        }
      }
      const named = operations.filter(
        ({ effect, route }) => effect === 'read' && route?.startsWith('GET') && !route.includes('{'),
      )
      for (const { route = '' } of named) {
        const reply = await ask(server.url, 'GET', route.replace('GET ', ''))
        note(route, JSON.stringify(reply.body))
      }
      for (const path of ['/metrics', '/ready', '/openapi.json'])
        note(path, await (await fetch(server.url + path)).text())
      for (const [name, input] of reading.filter(([name]) => tools.has(name)))
        note(`MCP ${name}`, JSON.stringify(await client.callTool({ name, arguments: input })))
      for (const what of ['findings', 'assets', 'scans'] as const) {
        for (let offset = 0, cursor = ''; offset < 5; offset++) {
          const { body } = await ask(server.url, 'GET', `/${what}?limit=500${cursor}`)
          note(`GET /${what}`, JSON.stringify(body))
          const items = (body.items ?? []) as Json[]
          if (what !== 'scans') count[what] += items.length
          for (const { id } of items.slice(0, 30))
            note(`GET /${what}/${id}`, JSON.stringify((await ask(server.url, 'GET', `/${what}/${id}`)).body))
          if (typeof body.nextCursor !== 'string') break
          cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`
        }
      }
    } finally {
      await client.close()
      await server.stop()
    }
    for (const command of ['findings', 'sources', 'doctor']) await assay(command)
    await assay('query', 'total-findings', '--by', 'container,findingType')
    await assay('backup', join(home, 'copy.db'))
    await assay('export', '--dir', join(home, 'exported'))
    for (const text of plantedCredentials.slice(0, 3).map((each) => each.text)) {
      await assay('query', text)
      await assay(text)
      await assay('import', join(home, text.replaceAll('/', '')), '--source', text)
      await assay('findings', `--${text}`)
      await assay('findings', '--search', text)
    }
    for (const name of readdirSync(home, { recursive: true, withFileTypes: true })) {
      if (name.isFile()) note(name.name, readFileSync(join(name.parentPath, name.name)).toString())
    }
    return { leaks, ...count }
  } finally {
    remove()
  }
}
