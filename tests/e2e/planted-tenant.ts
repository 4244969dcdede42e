import { readdirSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import * as wikiWire from '../../src/connectors/wiki/wire.ts'
import type { RequestRecord, SampleReply } from '../../src/sample/exchange.ts'
import type { SampleFault } from '../sample/fault.ts'
import type { PlatformCase } from '../scans/planted-platform.ts'
import type { MarkedPlantings } from '../support/marked-plantings.ts'

type Platform = PlatformCase['platform']
type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** Members by which a connector finds its way: with another text there is nothing to read. */
const steering =
  /id$|^(?:key|next|base|nextLink|@odata\.nextLink|code)$|status|state$|type$|right$|mode$|token|prefix|date|created|modified|expires/i
/** Members of which keys and addresses are made: in these only credentials are hidden. */
export const addressing = /url|uri|link|webui|path|server|database|connection|fingerprint|^key$|identifier|email/i

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
export const toJsonSchema = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json

/** What the connectors read by name, so that a member that they come to read is planted as well. */
function listReadMembers(platform: Platform): string[] {
  if (platform === 'WIKI') {
    const schemas = Object.values(wikiWire).filter((each) => each instanceof z.ZodType)
    return schemas.flatMap((schema) => listNames(toJsonSchema(schema)))
  }
  const folder = new URL('../../src/connectors/bi/', import.meta.url)
  const sources = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'))
  return sources.flatMap((text) => [...text.matchAll(/\.text\(\s*'([^']+)'/g)].map(([, name = '']) => name))
}

const objects = ['value', 'body', 'storage', 'view', 'version', '_links', 'description', 'plain', 'results']
const id = /^(?:[0-9a-f]{8}-[0-9a-f-]{27}|att\d+|\d+)$/i
const toEndpoint = ({ path }: RequestRecord) =>
  path
    .split('/')
    .map((step) => (id.test(step) ? '*' : step))
    .join('/')

type Change = (value: string, member: string, path: string) => string

function changeTexts(value: unknown, change: Change, added: readonly string[], member = '', path = ''): unknown {
  if (typeof value === 'string') return change(value, member, path)
  if (Array.isArray(value)) return value.map((item) => changeTexts(item, change, added, member, path))
  if (!isObject(value)) return value
  const known = Object.keys(value).map((name) => name.toLowerCase())
  const below = (inner: unknown, name: string) => changeTexts(inner, change, added, name, `${path}.${name}`)
  // A document has texts of its own; an object without an id is none.
  const missing = 'id' in value ? added.filter((name) => !known.includes(name.toLowerCase())) : []
  return Object.fromEntries([
    ...Object.entries(value).map(([name, inner]) => [name, below(inner, name)]),
    ...missing.map((name) => [name, below('', name)]),
  ])
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}

function rewriteJson(reply: SampleReply, change: Change, added: readonly string[]): SampleReply {
  const body = typeof reply.body === 'string' ? tryParse(reply.body) : reply.body
  if (!isObject(body) || body instanceof Uint8Array || 'access_token' in body) return reply
  return { ...reply, body: changeTexts(body, change, added) }
}

/** Plants into every text of a tenant's replies but those that steer. */
export function plantContent(platform: Platform, plantings: MarkedPlantings): SampleFault {
  const names = [...new Set(listReadMembers(platform))].filter((name) => !steering.test(name))
  const added = platform === 'WIKI' ? names.filter((name) => !objects.includes(name)) : names
  const rewrite = (reply: SampleReply, request: RequestRecord): SampleReply => {
    const endpoint = toEndpoint(request)
    const change: Change = (value, member, path) => {
      if (steering.test(member)) return value
      const planted = plantings.take(`${platform} ${endpoint} ${path}`, { credentialsOnly: addressing.test(member) })
      return value === '' ? planted : `${value} ${planted}`
    }
    return rewriteJson(reply, change, added)
  }
  return { match: () => true, respond: { rewrite } }
}
