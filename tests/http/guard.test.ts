import { describe, expect, it } from 'vitest'
import { clientAddress, toNetwork } from '../../src/http/address.ts'
import { createHttpApp } from '../../src/http/server.ts'
import { scopes, type WriteContext } from '../../src/operation/context.ts'
import { silentLog } from '../../src/runtime/log.ts'

const app = createHttpApp({
  operations: [],
  contextFor: (asked) => asked as WriteContext,
  callerOf: () => ({ name: 'local', via: 'http', scopes: new Set(scopes) }),
  mcp: async () => Response.json({}),
  version: '1',
  hosts: ['192.168.1.5'],
  publicUrl: 'https://assay.example.com',
  log: silentLog,
})
const ask = async (headers: Record<string, string>, path = '/mcp', method = 'POST') => {
  const reply = await app.request(`http://127.0.0.1:7411${path}`, { method, headers })
  return reply.status
}

const ourHosts = ['127.0.0.1:7411', 'localhost:7411', '[::1]:7411', 'LOCALHOST', '192.168.1.5:80', 'assay.example.com']
const foreignHosts = [
  ...['evil.example', 'evil.example:7411', 'localhost.evil.example:7411', '127.0.0.1.evil.example', 'localhost.', ''],
  ...['127.0.0.1@evil.example', 'evil.example#127.0.0.1', 'evil.example/localhost', 'localhost, evil.example'],
  ...['127.0.0.1.nip.io', '0.0.0.0:7411', '[::]:7411', '169.254.169.254', '10.0.0.1', 'assay.example.com.evil.example'],
  ...['localhost\\evil.example', 'local host', '[::ffff:7f00:1]:7411', 'xn--lcalhost-54a'],
]
const ourOrigins = ['http://127.0.0.1:7411', 'http://localhost:7411', 'http://[::1]:7411', 'https://assay.example.com']
const foreignOrigins = [
  ...['https://evil.example', 'http://evil.example:7411', 'null', 'file://', 'chrome-extension://abcdef', ''],
  ...['http://127.0.0.1.evil.example', 'http://localhost.evil.example:7411', 'http://localhost@evil.example'],
  ...['http://evil.example#localhost', 'http://user:pass@localhost:7411', 'https://localhost:7411', 'ftp://localhost'],
  ...['http://localhost.:7411', 'http://0.0.0.0:7411', 'https://assay.example.com.evil.example', 'javascript:alert(1)'],
  ...['http://assay.example.org', 'http://10.0.0.1', '*', 'http://127.0.0.1:7411, https://evil.example'],
]
const [host = ''] = ourHosts

describe('hosts and origins', () => {
  it.each(ourHosts)('of this server are accepted: %j', async (ours) => {
    expect(await ask({ host: ours })).toBe(200)
    for (const origin of ourOrigins) expect(await ask({ host: ours, origin }), origin).toBe(200)
  })

  it.each(foreignHosts)('with a foreign Host are refused with any Origin: %j', async (foreign) => {
    expect(await ask({ host: foreign })).toBe(403)
    for (const origin of ourOrigins) expect(await ask({ host: foreign, origin }), origin).toBe(403)
  })

  it.each(foreignOrigins)('with a foreign Origin are refused: %j', async (origin) => {
    for (const ours of ourHosts) expect(await ask({ host: ours, origin }), ours).toBe(403)
  })

  it.each(['/', '/health', '/docs', '/openapi.json', '/mcp', '/semantic/metrics', '/nothing', '/.well-known/x'])(
    'are checked on every path: %s',
    async (path) => {
      for (const method of ['GET', 'POST', 'OPTIONS', 'HEAD']) {
        expect(await ask({ host: 'evil.example' }, path, method), method).toBe(403)
        expect(await ask({ host, origin: 'https://evil.example' }, path, method), method).toBe(403)
      }
    },
  )

  it.each([
    ['same-origin', 200],
    ['none', 200],
    ['same-site', 403],
    ['cross-site', 403],
    ['whatever', 403],
  ])('are checked together with Sec-Fetch headers: %s', async (site, status) => {
    expect(await ask({ host, 'sec-fetch-site': site })).toBe(status)
    expect(await ask({ host, origin: 'http://localhost:7411', 'sec-fetch-site': site })).toBe(status)
  })

  it('are not taken from X-Forwarded headers', async () => {
    const claims = { 'x-forwarded-host': '127.0.0.1', 'x-forwarded-proto': 'https', forwarded: 'host=localhost' }
    expect(await ask({ host: 'evil.example', ...claims })).toBe(403)
    expect(await ask({ host, 'x-forwarded-host': 'evil.example' })).toBe(200)
  })
})

describe('pages of other sites', () => {
  it('get no CORS permission', async () => {
    for (const method of ['GET', 'OPTIONS', 'POST']) {
      const reply = await app.request('http://127.0.0.1:7411/health', {
        method,
        headers: { host, origin: 'http://localhost:3000', 'access-control-request-method': 'POST' },
      })
      expect([...reply.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })

  it('cannot frame, cache or sniff a response', async () => {
    const reply = await app.request('http://127.0.0.1:7411/nothing', { headers: { host } })
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
    })
  })
})

describe('the address of a client', () => {
  const trusted = ['10.0.0.0/8', '2001:db8::/32', '127.0.0.1'].map(toNetwork)
  it.each([
    ['an untrusted peer', '203.0.113.9', '1.2.3.4', '203.0.113.9'],
    ['a trusted proxy', '10.1.2.3', '198.51.100.7', '198.51.100.7'],
    ['two trusted proxies', '10.1.2.3', '198.51.100.7, 10.9.9.9', '198.51.100.7'],
    ['a client that sends forged addresses through a proxy', '10.1.2.3', '1.1.1.1, 198.51.100.7', '198.51.100.7'],
    ['a trusted proxy with an IPv4-mapped IPv6 address', '::ffff:10.1.2.3', '198.51.100.7', '198.51.100.7'],
    ['a trusted proxy that sends an invalid address', '10.1.2.3', 'unknown', '10.1.2.3'],
    ['proxies only', '10.1.2.3', '10.4.5.6', '10.1.2.3'],
    ['a loopback proxy', '127.0.0.1', '2001:db9::1', '2001:db9::1'],
  ])('is correct behind %s', (_what, peer, forwarded, address) => {
    expect(clientAddress(peer, forwarded, trusted)).toBe(address)
  })

  it('is the peer when no proxy is trusted or named', () => {
    expect(clientAddress('10.1.2.3', '1.2.3.4', [])).toBe('10.1.2.3')
    expect(clientAddress('10.1.2.3', null, trusted)).toBe('10.1.2.3')
    expect(clientAddress(undefined, '1.2.3.4', trusted)).toBeUndefined()
  })
})
