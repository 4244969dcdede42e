import dns from 'node:dns'
import { mkdtempSync, rmSync } from 'node:fs'
import http, { type ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { findProxy, listUnclear, readProxyVariables, toProxy, useProxies } from '../../src/connectors/http/proxy.ts'
import { createLinkChecker } from '../../src/connectors/links/checker.ts'
import { createWebhookSender } from '../../src/connectors/webhooks.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { hasOpenssl, makeCertificate } from '../support/certificates.ts'
import { startForwardProxy } from '../support/forward-proxy.ts'
import { clientFor } from './http-client.ts'

const { signal } = new AbortController()
let looked: string[]
beforeEach(() => {
  looked = []
  const lookup = dns.lookup as (...args: unknown[]) => void
  vi.spyOn(dns, 'lookup').mockImplementation(((host: string, ...rest: unknown[]) => {
    if (isIP(host) !== 0) return lookup(host, ...rest)
    looked.push(host)
    const answer = rest.at(-1) as (error: Error) => void
    answer(Object.assign(new Error('no names are resolved here'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' }))
  }) as never)
})
afterEach(() => {
  vi.restoreAllMocks()
  useProxies({})
})

async function startProxy(options: Parameters<typeof startForwardProxy>[0]) {
  const proxy = await startForwardProxy(options)
  onTestFinished(proxy.close)
  return proxy
}

describe('the proxy of a URL', () => {
  it.each([
    ['http://proxy.corp:3128', 'proxy.corp:3128'],
    ['http://proxy.corp:3128/', 'proxy.corp:3128'],
    ['  http://proxy.corp:3128\n', 'proxy.corp:3128'],
    ['HTTP://PROXY.corp:3128', 'proxy.corp:3128'],
    ['proxy.corp:3128', 'proxy.corp:3128'],
    ['10.0.0.1:3128', '10.0.0.1:3128'],
    ['ana:pw@proxy.corp:3128', 'proxy.corp:3128'],
    ['http://ana:p%40ss@proxy.corp:3128', 'proxy.corp:3128'],
    ['http://ana:p@ss@proxy.corp:3128', 'proxy.corp:3128'],
    ['http://proxy.corp', 'proxy.corp:80'],
    ['https://proxy.corp', 'proxy.corp:443'],
    ['http://[2001:db8::1]:3128', '[2001:db8::1]:3128'],
  ])('is read from %j', (written, place) => {
    expect(toProxy(written)).toMatchObject({ place })
  })

  it.each([
    ['socks5://proxy.corp:1080', /SOCKS, are not supported/],
    ['ftp://proxy.corp', /must begin with http/],
    ['http://', /must be an address/],
    ['http://proxy.corp:99999', /must be an address/],
    ['http://proxy corp:3128', /must be an address/],
    ['http://proxy.corp/proxy.pac', /must be an address/],
    ['http://ana:topsecret#1@proxy.corp:3128', /percent-encoded/],
    ['http://ana:12#topsecret@proxy.corp:3128', /percent-encoded/],
    ['http://ana:topsecret%@proxy.corp:3128', /percent-encoded/],
  ])('cannot be read from %j, which is said without its password', (written, problem) => {
    expect(toProxy(written)).toMatch(problem)
    expect(toProxy(written)).not.toMatch(/topsecret|ana/)
  })

  it.each<[Record<string, string>, object]>([
    [{ HTTPS_PROXY: 'upper:1', https_proxy: 'lower:1' }, { https: 'lower:1' }],
    [{ HTTPS_PROXY: 'upper:1', https_proxy: '' }, { https: 'upper:1' }],
    [{ HTTPS_PROXY: ' ', HTTP_PROXY: '' }, {}],
    [
      { HTTP_PROXY: 'p:1', no_proxy: 'a b' },
      { http: 'p:1', no: 'a b' },
    ],
    [{ ALL_PROXY: 'socks5://p:1' }, {}],
  ])('comes from the variables %j', (env, settings) => {
    expect(readProxyVariables(env)).toEqual(settings)
  })

  const proxied = (url: string) => findProxy(new URL(url)) !== undefined

  it.each<[no: string, direct: string[], proxied: string[]]>([
    ['corp.com', ['https://corp.com', 'https://wiki.corp.com:8443', 'https://WIKI.corp.com.'], ['https://xcorp.com']],
    ['.corp.com', ['https://corp.com', 'https://wiki.corp.com'], ['https://xcorp.com']],
    ['*.corp.com', ['https://wiki.corp.com'], ['https://xcorp.com', 'https://corp.com.evil.com']],
    ['a.com, b.com', ['https://a.com', 'https://b.com'], ['https://c.com']],
    ['a.com b.com\tc.com,,', ['https://a.com', 'https://b.com', 'https://c.com'], ['https://d.com']],
    ['corp.com:8443', ['https://corp.com:8443'], ['https://corp.com']],
    ['corp.com:443', ['https://corp.com', 'https://wiki.corp.com'], ['http://corp.com', 'https://corp.com:444']],
    ['Bücher.de', ['https://xn--bcher-kva.de'], ['https://bucher.de']],
    ['https://corp.com/', ['https://corp.com'], ['https://xcorp.com']],
    ['*', ['https://corp.com', 'http://10.0.0.1'], []],
    ['10.1.2.3', ['https://10.1.2.3', 'https://0x0a.1.2.3'], ['https://110.1.2.3']],
    ['10.0.0.0/8', ['https://10.1.2.3'], ['https://11.1.2.3', 'https://10.com']],
    ['[2001:db8::1]', ['https://[2001:db8:0::1]'], ['https://[2001:db8::2]']],
    ['2001:db8::1', ['https://[2001:db8::1]:8443'], ['https://[2001:db8::2]']],
    ['[2001:db8::1]:8443', ['https://[2001:db8::1]:8443'], ['https://[2001:db8::1]']],
    ['2001:db8::/32', ['https://[2001:db8:1::1]'], ['https://[2001:db9::1]']],
    ['', ['https://127.0.0.1', 'http://localhost:8080', 'https://[::1]', 'https://a.localhost.'], ['https://a.com']],
  ])('is none for hosts of NO_PROXY=%j', (no, directly, through) => {
    useProxies({ https: 'http://proxy.corp:3128', http: 'http://proxy.corp:3128', no })
    expect(directly.filter(proxied)).toEqual([])
    expect(through.filter((url) => !proxied(url))).toEqual([])
  })

  it('of an entry that means nothing is known', () => {
    expect(listUnclear('a.com, 10.0.0.0/33 192.168.* <local> [::1 a.com:99999 *.b.com * ::1/128')).toEqual([
      '10.0.0.0/33',
      '192.168.*',
      '<local>',
      '[::1',
      'a.com:99999',
    ])
  })

  it('is that of its scheme', () => {
    useProxies({ https: 'one:1' })
    expect([proxied('https://a.com'), proxied('http://a.com')]).toEqual([true, false])
  })
})

const client = (timeoutMs = 5_000) => clientFor({ origin: 'https://wiki.corp.com' }, { timeoutMs, maxRetries: 0 })

async function failThrough(address: string, timeoutMs?: number): Promise<{ message: string; code: unknown }> {
  useProxies({ https: address, http: address })
  const error = await client(timeoutMs)
    .json({ path: '/x' })
    .then(
      () => new Error('it was answered'),
      (error: Error & { facts: { facts: Record<string, unknown> } }) => error,
    )
  const { message } = error
  expect(JSON.stringify(error) + message).not.toMatch(/topsecret|top-secret/)
  expect(looked.filter((host) => host !== 'proxy.nowhere')).toEqual([])
  return { message, code: 'facts' in error ? error.facts.facts.code : undefined }
}

describe('a proxy', () => {
  const write = (text: string) => (socket: Duplex) => {
    socket.end(text)
  }
  it.each<[string, (socket: Duplex) => void, string, RegExp]>([
    ['is silent', () => {}, 'ETIMEDOUT', /no reply came through the proxy 127\S+ in time; try again/],
    ['closes the connection', (socket) => socket.end(), 'ECONNRESET', /the proxy 127\S+ closed the connection; check/],
    [
      'resets the connection',
      (socket) => socket.destroy(),
      'ECONNRESET',
      /the proxy 127\S+ closed the connection; check/,
    ],
    ['cuts its answer', write('HTTP/1.1 200 OK\r\n'), 'ECONNRESET', /the proxy 127\S+ closed the connection; check/],
    [
      'closes an open tunnel, as the host may have done,',
      write('HTTP/1.1 200 OK\r\n\r\n'),
      'ECONNRESET',
      /the connection to this host through the proxy 127\S+ was closed; try again/,
    ],
    [
      'forbids it',
      write('HTTP/1.1 403 No\r\n\r\n'),
      'HTTP_403',
      /127\S+ does not allow connections to this host \(403\)/,
    ],
    ['cannot reach it', write('HTTP/1.1 502 Bad\r\n\r\n'), 'HTTP_502', /127\S+ could not connect to this host \(502\)/],
    [
      'redirects',
      write('HTTP/1.1 302 Login\r\nlocation: http://x\r\n\r\n'),
      'HTTP_302',
      /did not answer as a proxy does \(302\)/,
    ],
    ['is none', write('SSH-2.0-OpenSSH\r\n\r\n'), 'EPROTO', /the proxy 127\S+ did not answer as a proxy does; check/],
    [
      'sends a page',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n')
        setTimeout(() => socket.end('<html>Sign in here</html>'), 20)
      },
      'EPROTO',
      /something other than TLS came through the proxy 127\S+; check/,
    ],
  ])('that %s is named', async (what, connect, code, message) => {
    const proxy = await startProxy({ connect })
    const failed = await failThrough(proxy.address, what === 'is silent' ? 300 : undefined)
    expect(failed).toEqual({ code, message: expect.stringMatching(message) })
    expect(failed.message).toMatch(/^wiki\.corp\.com could not be reached: .*[^.]\.$/)
    expect(proxy.asked).toEqual(['CONNECT wiki.corp.com:443'])
  })

  it.each(['', 'HTTP/1.1 200 OK\r\n\r\n'])('that only answers %j keeps no connection', async (answer) => {
    const closed = Promise.withResolvers<void>()
    const connect = (socket: Duplex) => {
      socket.on('end', () => socket.destroy()).on('close', closed.resolve)
      socket.resume().write(answer)
    }
    const { address } = await startProxy({ connect })
    expect((await failThrough(address, 300)).code).toBe('ETIMEDOUT')
    await closed.promise
  })

  it('of Node itself is not used', async () => {
    const [proxy, tenant] = [await startProxy({}), await startProxy({ answer: (response) => response.end('{}') })]
    const { globalAgent } = http
    onTestFinished(() => {
      http.globalAgent = globalAgent
    })
    const options = { keepAlive: false, proxyEnv: { http_proxy: proxy.address } }
    http.globalAgent = new http.Agent(options)
    expect(await clientFor({ origin: tenant.address }).json({ path: '/x' })).toMatchObject({})
    expect([proxy.asked, tenant.asked]).toEqual([[], ['GET /x']])
  })

  it('that refuses the connection is named, unlike a tenant that does', async () => {
    const proxy = await startProxy({})
    await proxy.close()
    const refused = await failThrough(`http://ana:topsecret@${proxy.place}`)
    const message = `wiki.corp.com could not be reached: the proxy ${proxy.place} refused the connection (ECONNREFUSED); check its address and that it runs.`
    expect(refused).toEqual({ code: 'ECONNREFUSED', message })
    const tenant = clientFor({ origin: `http://${proxy.place}` }, { maxRetries: 0 })
    await expect(tenant.json({ path: '/x' })).rejects.toThrow(
      `${proxy.place} could not be reached (ECONNREFUSED); check the`,
    )
  })

  it('whose name is not known is named', async () => {
    expect((await failThrough('proxy.nowhere:3128')).message).toMatch(
      /the proxy proxy\.nowhere:3128 could not be reached \(ENOTFOUND\)/,
    )
    expect(looked).toContain('proxy.nowhere')
  })

  it.each([
    ['', /requires a user name and password \(407\)/],
    ['ana:topsecret-wrong@', /does not accept the user name and password in its address \(407\)/],
  ])('refuses the credentials %j', async (credentials, message) => {
    const proxy = await startProxy({ credentials: 'ana:topsecret' })
    const failed = await failThrough(proxy.address.replace('//', `//${credentials}`))
    expect(failed).toEqual({ code: 'HTTP_407', message: expect.stringMatching(message) })
    expect(await linkState('http://shop.corp.com/')).toEqual({ state: 'unsure', reason: 'proxy' })
  })

  it('that cannot be used is an error, and nothing is requested directly', async () => {
    expect(await failThrough('socks5://ana:topsecret@proxy.corp:1080')).toEqual({
      code: 'EINVAL',
      message: expect.stringMatching(
        /could not be reached: HTTPS_PROXY must begin with http:\/\/ or https:\/\/; .*[^.]\.$/,
      ),
    })
    expect(looked).toEqual([])
  })

  it('with an address that begins with https:// must speak TLS', async () => {
    const { place } = await startProxy({})
    const failed = await failThrough(`https://${place}`)
    const message = `wiki.corp.com could not be reached: the proxy ${place} answered with something other than TLS; check its address, and whether that begins with http:// or https://.`
    expect(failed).toEqual({ code: 'EPROTO', message })
    for (const scheme of ['http', 'https']) expect(await linkState(`${scheme}://shop.corp.com/`)).toEqual(unsure)
  })

  it.skipIf(!hasOpenssl).each([
    ['a certificate of another host', 'own', true, /the certificate of the proxy 127\S+ is not valid \(ERR_TLS\w+\)/],
    ['an unknown authority', 'own', false, /the certificate of the proxy 127\S+ is not trusted \(\w+\); .*CA_CERTS/],
    ['a tunnel to another host', 'certificate', true, /that came through the proxy 127\S+ is not valid \(ERR_TLS\w+\)/],
  ] as const)('with %s is named, and says nothing about links', async (_what, place, isTrusted, message) => {
    const certificate = makeOwn(['DNS:other.corp.com'])
    const known = getCACertificates('default')
    onTestFinished(() => setDefaultCACertificates(known))
    setDefaultCACertificates(isTrusted ? [...known, certificate.cert] : known)
    const proxy = await startProxy({ [place]: certificate, hosts: { 'wiki.corp.com': 9, 'shop.corp.com': 9 } })
    expect((await failThrough(proxy.address)).message).toMatch(message)
    expect(await linkState('https://shop.corp.com/')).toEqual(unsure)
    if (place === 'own') expect(await linkState('http://shop.corp.com/')).toEqual(unsure)
    expect(proxy.passed).toEqual([])
  })

  it.skipIf(!hasOpenssl)('with an authority of its own is trusted only where that is', async () => {
    const certificate = makeOwn(['DNS:wiki.corp.com'])
    const proxy = await startProxy({ certificate, hosts: { 'wiki.corp.com': 9 } })
    const failed = await failThrough(proxy.address)
    expect(failed.message).toMatch(
      /the certificate that came through the proxy 127\S+ is not trusted \(\w+\); if a proxy opens TLS, .* NODE_EXTRA_CA_CERTS\.$/,
    )
    expect(proxy.passed).toEqual([])
    useProxies({ https: proxy.address })
    expect(await linkState('https://wiki.corp.com/')).toEqual({ state: 'unsure', reason: 'proxy' })
  })
})

function makeOwn(names: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'assay-proxy-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return makeCertificate(join(folder, 'own'), names)
}

const unsure = { state: 'unsure', reason: 'proxy' }
const linkState = (url: string, allowHosts: string[] = [], ms = 2_000) =>
  createLinkChecker({
    ...{ allowHosts, signal, log: silentLog, now: Date.now },
    cache: { find: () => undefined, save: () => {} },
    timing: { headMs: ms, getMs: ms, urlMs: 2 * ms, retryDelaysMs: [] },
  }).check(url)

describe('addresses that were found in content', () => {
  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://127.0.0.1./',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://10.0.0.5/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/',
    'http://localhost/',
    'http://a.localhost./',
    'http://metadata.google.internal/',
    'http://router/',
    'https://router./',
  ])('%s is not requested through a proxy either', async (url) => {
    const proxy = await startProxy({})
    useProxies({ https: proxy.address, http: proxy.address })
    expect(await linkState(url)).toEqual({ state: 'skipped', reason: 'private_address' })
    const sender = createWebhookSender({ hosts: [] })
    const message = { address: url.replace(/^http:/, 'https:'), body: '{}', headers: {} }
    expect(await sender.post(message, signal)).toMatch(/^is private/)
    expect([proxy.asked, looked]).toEqual([[], []])
  })

  it('are requested through it where the operator lists them, and are resolved by it alone', async () => {
    const proxy = await startProxy({})
    useProxies({ https: proxy.address, http: proxy.address })
    expect(await linkState('http://wiki.lan:8090/x', ['wiki.lan'])).toEqual({ ...unsure, status: 502 })
    expect(new Set(proxy.passed)).toEqual(new Set(['HEAD http://wiki.lan:8090/x', 'GET http://wiki.lan:8090/x']))
    expect(await linkState('https://shop.com/')).toEqual({ state: 'unsure', reason: 'proxy' })
    expect(looked).toEqual([])
  })

  const status = (code: number) => (response: ServerResponse) => void response.writeHead(code).end()
  it.each<[string, (response: ServerResponse) => void, object]>([
    ['404', status(404), { state: 'broken', findingType: 'HTTP_404' }],
    ['500', status(500), { state: 'broken', findingType: 'HTTP_5XX' }],
    ['502', status(502), unsure],
    ['503', status(503), unsure],
    ['504', status(504), unsure],
    ['a reset', (response) => void response.destroy(), unsure],
    ['something else', (response) => void response.socket?.end('SSH-2.0-OpenSSH\r\n\r\n'), unsure],
    ['nothing', () => {}, unsure],
  ])('are judged by %s over plain http only if that is of the host', async (what, answer, verdict) => {
    const proxy = await startProxy({ answer })
    useProxies({ http: proxy.address })
    const ms = what === 'nothing' ? 200 : undefined
    expect(await linkState('http://shop.corp.com/', [], ms)).toMatchObject(verdict)
  })

  it('are guarded as ever where no proxy is used', async () => {
    const proxy = await startProxy({})
    useProxies({ https: proxy.address, http: proxy.address, no: 'shop.com' })
    const sender = createWebhookSender({ hosts: [], resolve: async () => [{ address: '10.0.0.1', family: 4 }] })
    expect(await sender.post({ address: 'https://shop.com/', body: '{}', headers: {} }, signal)).toMatch(/^is private/)
    expect(proxy.asked).toEqual([])
  })
})
