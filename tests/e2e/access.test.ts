import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createToken } from '../../src/access/tokens.ts'
import { openApp } from '../../src/app.ts'
import { startServer } from '../../src/commands/serve.ts'
import { loadConfig } from '../../src/config.ts'
import { openLastingCommandLine } from '../cli/command-line.ts'
import { makeHome, serveAssay } from '../support/assay.ts'

let kept: ReturnType<typeof makeHome>
let server: Awaited<ReturnType<typeof serveAssay>>
beforeAll(async () => {
  kept = makeHome()
  server = await serveAssay(kept.home, ['--no-background'])
}, 60_000)
afterAll(async () => {
  await server.stop()
  kept.remove()
})

/** Commands run in this process; the server is another one. */
const assay = (...args: string[]) => openLastingCommandLine({}, kept).run(args)
const statusOf = async (path: string, token?: string, init: RequestInit = {}) => {
  const headers = { ...init.headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
  const reply = await fetch(`${server.url}${path}`, { ...init, headers })
  return [reply.status, reply.headers.get('www-authenticate')]
}
const certify = { method: 'POST', body: '{"certifiedBy":"Grace"}', headers: { 'content-type': 'application/json' } }

async function listTools(token: string): Promise<string[]> {
  const client = new Client({ name: 'test', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }))
  const { tools } = await client.listTools()
  await client.close()
  return tools.map(({ name }) => name)
}

test('once a token exists, a running server requires one and allows exactly its scopes until it is revoked', async () => {
  expect(await statusOf('/semantic/metrics')).toEqual([200, null])

  const created = await assay('token', 'create', '--scope', 'read', '--name', 'reader')
  expect(created.code).toBe(0)
  const reader = created.stdout.trim()
  expect(reader).toMatch(/^assay_\S+$/)
  expect(created.stderr).not.toContain(reader)
  const certifier = JSON.parse((await assay('token', 'create', '--scope', 'certify', '--json')).stdout) as {
    token: string
  }

  expect(await statusOf('/semantic/metrics')).toEqual([401, expect.stringMatching(/^Bearer/)])
  expect(await statusOf('/mcp', undefined, { method: 'POST', body: '{}' })).toEqual([401, expect.any(String)])
  expect((await statusOf('/health'))[0]).toBe(200)
  expect((await statusOf('/semantic/metrics', reader))[0]).toBe(200)
  expect((await statusOf('/semantic/metrics/open-findings/certify', reader, certify))[0]).toBe(403)
  expect((await statusOf('/semantic/metrics/open-findings/certify', certifier.token, certify))[0]).toBe(200)
  expect(await listTools(reader)).toContain('query_metric')
  expect(await listTools(reader)).not.toContain('certify_metric')
  expect(await listTools(certifier.token)).toContain('certify_metric')

  const listed = await assay('token', 'list', '--json')
  expect(listed.stdout).not.toContain(reader)
  expect(JSON.parse(listed.stdout)).toMatchObject({
    total: 2,
    items: expect.arrayContaining([{ name: 'reader' }].map((each) => expect.objectContaining(each))),
  })

  expect((await assay('token', 'revoke', 'reader')).code).toBe(0)
  expect((await statusOf('/semantic/metrics', reader))[0]).toBe(401)
  expect((await statusOf('/semantic/metrics', certifier.token))[0]).toBe(200)

  expect((await assay('token', 'clear', '--yes')).code).toBe(0)
  expect((await statusOf('/semantic/metrics'))[0]).toBe(200)
}, 120_000)

/** Where others get in: by themselves, or through a proxy on this machine. */
const places = [{ host: '0.0.0.0' }, { publicUrl: 'https://assay.example.com' }, { trustProxy: ['10.0.0.0/8'] }]

test.each(places)('an address that other machines can reach is not served without a token: %j', async (place) => {
  const { home, remove } = makeHome()
  writeFileSync(join(home, 'config.json'), JSON.stringify({ port: 0, logLevel: 'silent', ...place }))
  const app = await openApp(loadConfig({ home }, {}), {})
  onTestFinished(async () => {
    await app.close()
    remove()
  })
  await expect(startServer(app)).rejects.toMatchObject({
    message: expect.stringContaining('assay token create'),
    facts: { reason: 'token_required' },
  })
  createToken({ store: app.store, caller: app.caller, now: Date.now }, { name: 'one', scopes: ['read'] })
  const { url, close } = await startServer(app)
  const reply = await fetch(`${url.replace('0.0.0.0', '127.0.0.1')}/semantic/metrics`)
  await close()
  expect(reply.status).toBe(401)
})

test('a read-only server offers no operation that writes', async () => {
  const { home, remove } = makeHome()
  const app = await openApp(loadConfig({ home, port: 0, logLevel: 'silent', readOnly: true }, {}), {})
  const { url, close } = await startServer(app)
  expect((await fetch(`${url}/sources`)).status).toBe(200)
  const body = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }
  expect((await fetch(`${url}/sources`, body)).status).toBe(405)
  await close()
  await app.close()
  remove()
}, 60_000)

test.each([[[]], [['--scope', 'everything']], [['--scope', 'read', '--expires', 'soon']]])(
  'token create %j is a usage error',
  async (args) => {
    expect((await assay('token', 'create', ...args)).code).toBe(2)
  },
  60_000,
)
