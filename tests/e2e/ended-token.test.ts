import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createToken } from '../../src/access/tokens.ts'
import { Store } from '../../src/store/store.ts'
import { openLastingCommandLine } from '../cli/command-line.ts'
import { makeHome, serveAssay } from '../support/assay.ts'
import { localPerson } from '../support/context.ts'

type Server = Awaited<ReturnType<typeof serveAssay>>

let kept: ReturnType<typeof makeHome>
let servers: Server[]
let log = ''
beforeAll(async () => {
  kept = makeHome()
  servers = [await serveAssay(kept.home, ['--no-background']), await serveAssay(kept.home, ['--no-background'])]
  for (const { child } of servers) {
    child.stderr?.on('data', (text: string) => {
      log += text
    })
  }
}, 120_000)
afterAll(async () => {
  await Promise.all(servers.map(({ stop }) => stop()))
  kept.remove()
})

interface Open {
  name: string
  /** When the connection ended; undefined while it is open. */
  endedAt?: number
  close(): void
}

const accept = 'application/json, text/event-stream'
const json = { 'content-type': 'application/json', accept }

/** Sends a request whose connection stays open; a body of `undefined` goes on for ever. */
function hold(name: string, url: string, init: { method: string; headers: object; body?: string }): Promise<Open> {
  return new Promise((resolve) => {
    const sent = request(url, { method: init.method, headers: { ...init.headers } })
    const opened: Open = { name, close: () => sent.destroy() }
    const end = () => {
      opened.endedAt ??= performance.now()
    }
    sent.on('error', end)
    sent.on('response', (response: IncomingMessage) => {
      response.resume().on('error', end).on('close', end)
      resolve(opened)
    })
    if (init.body !== undefined || init.method === 'GET') sent.end(init.body)
    else {
      sent.on('close', end)
      sent.write('{"asset":', () => resolve(opened))
    }
  })
}

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const toMessage = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

async function greet({ url }: Server, token: string): Promise<Record<string, string>> {
  const capabilities = { elicitation: { form: {} } }
  const clientInfo = { name: 't', version: '1' }
  const headers = { ...json, authorization: `Bearer ${token}` }
  const body = toMessage('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo })
  const response = await fetch(`${url}/mcp`, { method: 'POST', headers, body })
  await response.text()
  return { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' }
}

/** Everything that can stay open under a token: both kinds of event streams, and an upload. */
async function openAll(server: Server, token: string): Promise<Open[]> {
  const authorization = `Bearer ${token}`
  const listen = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' }
  const notifications = { resourcesListChanged: true }
  return Promise.all([
    hold('session', `${server.url}/mcp`, {
      method: 'GET',
      headers: { accept, authorization, ...(await greet(server, token)) },
    }),
    hold('subscription', `${server.url}/mcp`, {
      method: 'POST',
      headers: { ...json, ...listen, authorization },
      body: toMessage('subscriptions/listen', { notifications, _meta: envelope }),
    }),
    hold('upload', `${server.url}/findings/import?source=cut-${token.slice(6, 12)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', authorization },
    }),
  ])
}

const openEverywhere = async (token: string) =>
  (await Promise.all(servers.map((server) => openAll(server, token)))).flat()
const endings = (opened: readonly Open[]) => opened.map(({ endedAt }) => endedAt !== undefined)
const all = (value: boolean) => Array<boolean>(6).fill(value)

async function create(name: string, expiresInMs = 3_600_000): Promise<string> {
  const store = Store.open(join(kept.home, 'assay.db'), { now: () => Date.now() })
  const context = { store, caller: localPerson, now: () => Date.now() }
  const { token } = createToken(context, { name, scopes: ['admin'], expiresAt: Date.now() + expiresInMs })
  store.close()
  return token
}

test('revoking a token ends its streams, sessions and uploads at once in every process, and so does its expiry', async () => {
  const [lasting, gone] = [await openEverywhere(await create('lasting')), await openEverywhere(await create('gone'))]
  await pause(600)
  expect([endings(lasting), endings(gone)]).toEqual([all(false), all(false)])

  const revoked = await openLastingCommandLine({}, kept).run(['token', 'revoke', 'gone'])
  const at = performance.now()
  expect(revoked.code).toBe(0)
  await vi.waitFor(() => expect(endings(gone)).toEqual(all(true)), { timeout: 5000, interval: 20 })
  for (const { name, endedAt = Number.NaN } of gone) expect(endedAt - at, name).toBeLessThan(3000)

  const expiresAt = performance.now() + 3000
  const short = await openEverywhere(await create('short', 3000))
  await vi.waitFor(() => expect(endings(short)).toEqual(all(true)), { timeout: 8000, interval: 20 })
  for (const { name, endedAt = Number.NaN } of short) {
    expect(endedAt - expiresAt, name).toBeGreaterThan(-100)
    expect(endedAt - expiresAt, name).toBeLessThan(4000)
  }
  expect(endings(lasting)).toEqual(all(false))
  for (const { close } of lasting) close()
}, 120_000)

test('an import that a revoked token aborts stores nothing and logs no error', async () => {
  const [server] = servers as [Server]
  const headers = { authorization: `Bearer ${await create('reader')}` }
  await pause(500)
  const listed = (await (await fetch(`${server.url}/sources`, { headers })).json()) as { items: unknown[] }
  expect(listed.items).toEqual([])
  expect(log).not.toContain('"level":"error"')
  expect(log).not.toContain('"level":"warn"')
}, 60_000)
