import { z } from 'zod'
import { biConnector } from '../../../src/connectors/bi/index.ts'
import type { AssetDraft, Sampling, ScanWarning } from '../../../src/connectors/connector.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { type Loopback, type Seen, sendJson, startLoopback } from '../loopback.ts'

export const TENANT = '11111111-aaaa-4bbb-8ccc-000000000001'
const CLIENT = '11111111-aaaa-4bbb-8ccc-000000000002'
export const SECRET = 'planted-client-secret'
export const guid = (kind: string, number: number) =>
  `${kind.padEnd(8, '0')}-0000-4000-8000-${String(number).padStart(12, '0')}`

interface Refusal {
  status: number
  body?: unknown
  headers?: Record<string, string>
}

export const refuse = (status: number, body: unknown = {}, headers: Record<string, string> = {}): Refusal => ({
  status,
  body,
  headers,
})

const isRefusal = (reply: unknown): reply is Refusal =>
  typeof reply === 'object' && reply !== null && typeof (reply as Refusal).status === 'number' && 'headers' in reply

/** Answers by `METHOD path`; `*` in a key stands for one segment. A function sees the request. */
export type Routes = Record<string, unknown | ((request: Seen, query: URLSearchParams) => unknown)>

export interface FakeBi extends Loopback {
  routes: Routes
  tokens: number
  paths: () => string[]
}

function find(routes: Routes, method: string, path: string): unknown {
  const exact = routes[`${method} ${path}`]
  if (exact !== undefined) return exact
  const parts = path.split('/')
  for (const [key, reply] of Object.entries(routes)) {
    const [verb, pattern = ''] = key.split(' ')
    const wanted = pattern.split('/')
    if (verb !== method || wanted.length !== parts.length) continue
    if (wanted.every((part, index) => part === '*' || part === parts[index])) return reply
  }
  return undefined
}

/** A BI platform with the given replies; a token is asked of it as well, and what has no reply is 404. */
export async function startFakeBi(routes: Routes): Promise<FakeBi> {
  const fake = { routes, tokens: 0 } as FakeBi
  const server = await startLoopback((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://fake')
    if (pathname.endsWith('/oauth2/v2.0/token') && fake.routes['POST token'] === undefined) {
      fake.tokens++
      return sendJson(response, { access_token: `token-${fake.tokens}`, expires_in: 3599, token_type: 'Bearer' })
    }
    const path = pathname.endsWith('/oauth2/v2.0/token') ? 'token' : pathname.replace('/v1.0/myorg', '')
    const reply = find(fake.routes, request.method, path)
    const body = typeof reply === 'function' ? reply(request, searchParams) : reply
    if (body === undefined) return sendJson(response, { error: { code: 'ItemNotFound' } }, 404)
    if (isRefusal(body)) return sendJson(response, body.body, body.status, body.headers)
    return sendJson(response, Array.isArray(body) ? { '@odata.context': 'x', value: body } : body)
  })
  fake.paths = () => server.seen.map(({ method, url }) => `${method} ${url.replace('/v1.0/myorg', '').split('?')[0]}`)
  return Object.assign(fake, server)
}

export function payloadFor(fake: { origin: string }, optional: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    type: 'BI_PLATFORM',
    required: { auth_mode: 'SERVICE_PRINCIPAL', tenant_id: TENANT, client_id: CLIENT },
    masked: { client_secret: SECRET },
    optional: {
      connection: { api_base_url: `${fake.origin}/v1.0/myorg`, authority_url: fake.origin },
      ...optional,
    },
  }
}

export interface Crawled {
  assets: AssetDraft[]
  warnings: ScanWarning[]
  /** Reason by scope that failed. */
  failed: Record<string, string>
  cursors: (string | null)[]
}

const all: Sampling = { strategy: 'ALL', limit: 100, seed: 1 }

export function openBi(
  payload: unknown,
  options: { sampling?: Sampling; signal?: AbortSignal; tenantId?: string; now?: () => number } = {},
) {
  const remembered: string[] = []
  const session = biConnector.open({
    config: biConnector.payload.parse(payload),
    sampling: options.sampling ?? all,
    signal: options.signal ?? new AbortController().signal,
    log: silentLog,
    now: options.now ?? Date.now,
    rememberTenantId: (id) => remembered.push(id),
    ...(options.tenantId === undefined ? {} : { tenantId: options.tenantId }),
  })
  return { session, remembered }
}

/** One whole scan, as the scan loop drives it. */
export async function crawlAll(
  payload: unknown,
  options: Parameters<typeof openBi>[1] & { known?: ReadonlyMap<string, string> } = {},
): Promise<Crawled> {
  const { session } = openBi(payload, options)
  const crawled: Crawled = { assets: [], warnings: [], failed: {}, cursors: [] }
  const known = options.known ?? new Map<string, string>()
  const { scopes, warnings } = await session.scopes()
  crawled.warnings.push(...warnings)
  for (const scope of scopes) {
    try {
      const pick = (keys: readonly string[]) => new Map([...known].filter(([key]) => keys.includes(key)))
      for await (const batch of session.crawl({ scope, known: pick })) {
        crawled.assets.push(...batch.assets)
        crawled.warnings.push(...batch.warnings)
        crawled.cursors.push(batch.cursor)
      }
    } catch (error) {
      crawled.failed[scope.name] = z.object({ facts: z.object({ reason: z.string() }) }).parse(error).facts.reason
    }
  }
  await session.close()
  return crawled
}
