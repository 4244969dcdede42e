import { request as rawRequest } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { FollowToken } from '../../src/access/token-watch.ts'
import { createMcpHttpHandler, type McpHttpHandler } from '../../src/mcp/http/http.ts'
import { createMcpSurface } from '../../src/mcp/surface.ts'
import type { Caller } from '../../src/operation/context.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { contextFor, createLibrary, type Library, localPerson, manifest, toolsets } from './library.ts'
import { serveHttp } from './serve-http.ts'

/** More than one caller may have. */
const MAX_SESSIONS = 60

let library: Library
let handler: McpHttpHandler
let http: Awaited<ReturnType<typeof serveHttp>>
let caller: Caller
/** Ends the tokens of this time and before. */
let expireTokens: (at: number) => void

beforeAll(async () => {
  http = await serveHttp((request) => handler(request, caller))
})
afterAll(async () => http.close())

beforeEach(async () => {
  await handler?.close()
  caller = { ...localPerson, via: 'http' }
  library = createLibrary()
  const { operations } = library
  const surface = createMcpSurface({
    operations,
    toolsets,
    contextFor,
    version: '1',
    log: silentLog,
    manifest,
  })
  const followed = new Map<() => void, number>()
  expireTokens = (at) => {
    for (const [end, expiresAt] of followed) if (expiresAt <= at && followed.delete(end)) end()
  }
  const follow: FollowToken = ({ expiresAt = Number.POSITIVE_INFINITY }, end) => {
    followed.set(end, expiresAt)
    return () => followed.delete(end)
  }
  handler = createMcpHttpHandler({ surface, log: silentLog, follow, maxSessions: MAX_SESSIONS })
})

const accept = 'application/json, text/event-stream'
const json = { 'content-type': 'application/json', accept }

const post = (body: unknown, headers: Record<string, string> = {}) =>
  fetch(http.url, {
    method: 'POST',
    headers: { ...json, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

interface Message {
  id?: number
  method?: string
  params?: Record<string, unknown>
  result?: Record<string, unknown>
  error?: { code: number; message: string }
}

async function messagesOf(response: Response): Promise<Message[]> {
  const text = await response.text()
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return [JSON.parse(text)]
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)))
}

const toRequest = (id: number, method: string, params: Record<string, unknown> = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
const toCall = (id: number, name: string, input: object) => toRequest(id, 'tools/call', { name, arguments: input })
const toGreeting = (capabilities: object) =>
  toRequest(0, 'initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 't', version: '1' } })

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const modern = (id: number, method: string, params: Record<string, unknown> = {}) =>
  post(toRequest(id, method, { ...params, _meta: envelope }), {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof params.name === 'string' ? { 'mcp-name': params.name } : {}),
  })

describe('invalid requests', () => {
  const cases: { name: string; send: () => Promise<Response>; status: number; code: number }[] = [
    {
      name: 'PUT',
      send: () => fetch(http.url, { method: 'PUT', headers: json, body: '{}' }),
      status: 405,
      code: -32000,
    },
    { name: 'GET without a session', send: () => fetch(http.url, { headers: { accept } }), status: 405, code: -32000 },
    { name: 'DELETE without a session', send: () => fetch(http.url, { method: 'DELETE' }), status: 405, code: -32000 },
    {
      name: 'a call as text',
      send: () => post(toCall(1, 'list_metrics', {}), { 'content-type': 'text/plain' }),
      ...{ status: 415, code: -32000 },
    },
    { name: 'text', send: () => post('{}', { 'content-type': 'text/plain' }), status: 415, code: -32000 },
    { name: 'broken JSON', send: () => post('{"jsonrpc":'), status: 400, code: -32700 },
    { name: 'nothing', send: () => post(''), status: 400, code: -32700 },
    { name: 'a batch', send: () => post([toRequest(1, 'ping')]), status: 400, code: -32600 },
    { name: 'more than 1 MiB', send: () => post(`"${'x'.repeat(1_048_600)}"`), status: 413, code: -32000 },
    {
      name: 'only JSON accepted',
      send: () => post(toRequest(1, 'tools/list'), { accept: 'application/json' }),
      status: 406,
      code: -32000,
    },
  ]
  test.each(cases)('$name', async ({ send, status, code }) => {
    const response = await send()
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code }, id: null })
  })
  test('are answered with the allowed methods', async () => {
    expect((await fetch(http.url, { method: 'PATCH' })).headers.get('allow')).toBe('POST')
  })
})

describe('without a session', () => {
  test('a 2025 client can list and call without initialize', async () => {
    const [listed] = await messagesOf(await post(toRequest(1, 'tools/list')))
    expect(listed?.result).toMatchObject({
      tools: expect.arrayContaining([expect.objectContaining({ name: 'get_metric' })]),
    })
    const withNull = { ...toCall(3, 'list_metrics', {}), params: { name: 'list_metrics', arguments: null } }
    const [read] = await messagesOf(await post(withNull))
    expect(read?.error).toBeUndefined()
    const [called] = await messagesOf(await post(toCall(2, 'get_metric', { slug: 'emma' })))
    expect(called?.result).toMatchObject({ structuredContent: { slug: 'emma' } })
  })
  test('initialize by a client without elicitation opens no session', async () => {
    const response = await post(toGreeting({ roots: {} }))
    expect(response.headers.get('mcp-session-id')).toBeNull()
    expect((await messagesOf(response))[0]?.result).toMatchObject({ protocolVersion: '2025-11-25' })
  })
  test('an id from before a restart is tolerated', async () => {
    const response = await post(toCall(1, 'get_metric', { slug: 'emma' }), { 'mcp-session-id': crypto.randomUUID() })
    expect((await messagesOf(response))[0]?.result).toMatchObject({ structuredContent: { slug: 'emma' } })
  })
  test('a 2026 request is answered by one JSON object, with cache hints', async () => {
    const response = await modern(1, 'tools/list')
    expect(response.headers.get('content-type')).toContain('application/json')
    expect((await messagesOf(response))[0]?.result).toMatchObject({
      resultType: 'complete',
      ttlMs: 300_000,
      cacheScope: 'private',
    })
  })
  test('progress is sent while the tool runs', async () => {
    const call = { ...toCall(7, 'wait_for_scan', { steps: 3 }) }
    const messages = await messagesOf(
      await post({ ...call, params: { ...call.params, _meta: { progressToken: 'p' } } }),
    )
    expect(messages.map(({ method, params }) => method && params?.progress)).toEqual([1, 2, 3, undefined])
  })
  test.each([
    { name: '2025', send: () => toCall(1, 'wait_for_scan', { steps: 1000, pauseMs: 20 }), headers: {} },
    {
      name: '2026',
      send: () =>
        toRequest(1, 'tools/call', { name: 'wait_for_scan', arguments: { steps: 1000, pauseMs: 20 }, _meta: envelope }),
      headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'wait_for_scan' },
    },
  ])('a $name client that disconnects stops its tool', async ({ send, headers }) => {
    const body = JSON.stringify(send())
    const request = rawRequest(http.url, { method: 'POST', headers: { ...json, ...headers } })
    request.on('error', () => {})
    request.end(body)
    await pause(100)
    request.destroy()
    for (let waited = 0; waited < 2000 && library.aborted.length === 0; waited += 20) await pause(20)
    expect(library.aborted).toEqual(['wait_for_scan'])
  })
  test('the caller is authenticated for each request', async () => {
    caller = { name: 'reader', via: 'http', scopes: new Set(['read']) }
    const [refused] = await messagesOf(await post(toCall(1, 'delete_metric', { slug: 'emma' })))
    expect(refused?.result).toMatchObject({ isError: true })
    caller = { ...localPerson, via: 'http', token: true }
    const [done] = await messagesOf(await post(toCall(1, 'delete_metric', { slug: 'emma' })))
    expect(done?.result).not.toHaveProperty('isError')
  })
})

describe('a session', () => {
  const greet = async () => {
    const response = await post(toGreeting({ elicitation: { form: {} } }))
    const id = response.headers.get('mcp-session-id') ?? ''
    await response.text()
    return { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' }
  }

  test('is opened for a client with elicitation', async () => {
    expect((await greet())['mcp-session-id']).toMatch(/^[0-9a-f-]{36}$/)
  })
  test('is opened again by initialize with an old session id', async () => {
    const response = await post(toGreeting({ elicitation: {} }), { 'mcp-session-id': 'from-before' })
    expect(response.headers.get('mcp-session-id')).not.toBe('from-before')
    expect(response.status).toBe(200)
  })
  test('ends when its client deletes it, and remains ended', async () => {
    const session = await greet()
    expect((await fetch(http.url, { method: 'DELETE', headers: session })).status).toBe(200)
    for (const response of [
      await post(toRequest(1, 'tools/list'), session),
      await fetch(http.url, { headers: { ...session, accept } }),
      await fetch(http.url, { method: 'DELETE', headers: session }),
    ]) {
      expect(response.status).toBe(404)
    }
  })
  test('cannot be used by another caller', async () => {
    const session = await greet()
    caller = { name: 'other', via: 'http', scopes: new Set(['read']) }
    expect((await fetch(http.url, { headers: { ...session, accept } })).status).toBe(405)
    expect((await fetch(http.url, { method: 'DELETE', headers: session })).status).toBe(405)
    caller = { ...localPerson, via: 'http' }
    expect((await fetch(http.url, { method: 'DELETE', headers: session })).status).toBe(200)
  })
  test('notifies of resources that its client subscribed to', async () => {
    const session = await greet()
    await (await post(toRequest(1, 'resources/subscribe', { uri: 'assay://metrics/emma' }), session)).text()
    const stream = await fetch(http.url, { headers: { ...session, accept } })
    const reader = stream.body?.getReader()
    await (await post(toCall(2, 'update_metric', { slug: 'walden', pages: 1 }), session)).text()
    await (await post(toCall(3, 'update_metric', { slug: 'emma', pages: 1 }), session)).text()
    let heard = ''
    while (!heard.includes('updated')) heard += new TextDecoder().decode((await reader?.read())?.value)
    expect(heard).toContain('assay://metrics/emma')
    expect(heard).not.toContain('walden')
    await reader?.cancel()
  })
  const isOpen = async (session: Record<string, string>) => {
    const response = await fetch(http.url, { headers: { ...session, accept } })
    await response.body?.cancel()
    return response.status !== 405
  }
  test('is closed when its caller has too many, which only disables elicitation', async () => {
    const first = await greet()
    for (let index = 0; index < 50; index++) await greet()
    expect(await isOpen(first)).toBe(false)
    const [called] = await messagesOf(await post(toCall(1, 'get_metric', { slug: 'emma' }), first))
    expect(called?.result).toMatchObject({ structuredContent: { slug: 'emma' } })
  })
  test('of one caller survives any number of sessions of another', async () => {
    const first = await greet()
    caller = { name: 'other', id: 'token/other', via: 'http', scopes: new Set(['read']) }
    for (let index = 0; index < MAX_SESSIONS; index++) await greet()
    caller = { ...localPerson, via: 'http' }
    expect(await isOpen(first)).toBe(true)
  })
  test('is not opened at the total limit; its client continues without one', async () => {
    for (let index = 0; index < MAX_SESSIONS; index++) {
      caller = { name: 'reader', id: `token/${index}`, via: 'http', scopes: new Set(['read']) }
      await greet()
    }
    caller = { ...localPerson, via: 'http' }
    const response = await post(toGreeting({ elicitation: { form: {} } }))
    expect(response.headers.get('mcp-session-id')).toBeNull()
    expect((await messagesOf(response))[0]?.result).toMatchObject({ protocolVersion: '2025-11-25' })
  })
  test('ends with the token that opened it, and continues with a newer token of the same caller', async () => {
    const holder = (expiresAt: number): Caller => ({ ...localPerson, via: 'http', token: true, expiresAt })
    caller = holder(1000)
    const [short, long] = [await greet(), await greet()]
    caller = holder(2000)
    await (await post(toRequest(1, 'tools/list'), long)).text()
    expireTokens(1000)
    expect([await isOpen(short), await isOpen(long)]).toEqual([false, true])
    expireTokens(2000)
    expect(await isOpen(long)).toBe(false)
  })
  test('cancels its waiting call when it ends', async () => {
    caller = { ...localPerson, via: 'http', token: true, expiresAt: 1000 }
    const session = await greet()
    const response = await post(toCall(1, 'wait_for_scan', { steps: 1000, pauseMs: 20 }), session)
    await pause(100)
    expireTokens(1000)
    await vi.waitFor(() => expect(library.aborted).toEqual(['wait_for_scan']), 10_000)
    await response.body?.cancel()
  })
})

test('a listening 2026 client receives notifications of changes', async () => {
  const listening = post(
    toRequest(1, 'subscriptions/listen', {
      notifications: { resourceSubscriptions: ['assay://metrics/emma'], resourcesListChanged: true },
      _meta: envelope,
    }),
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' },
  )
  const reader = (await listening).body?.getReader()
  const read = async () => new TextDecoder().decode((await reader?.read())?.value)
  let heard = await read()
  await (await modern(2, 'tools/call', { name: 'update_metric', arguments: { slug: 'emma', pages: 1 } })).text()
  while (!heard.includes('resources/updated')) heard += await read()
  expect(heard).toContain('assay://metrics/emma')
  await reader?.cancel()
})
