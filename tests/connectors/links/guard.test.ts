import { isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ExchangeError } from '../../../src/connectors/http/exchange.ts'
import { isListedHost, isPublicAddress } from '../../../src/connectors/links/address.ts'
import { createLinkChecker } from '../../../src/connectors/links/checker.ts'
import { createGuard, NOT_PUBLIC, type Resolve } from '../../../src/connectors/links/guard.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { startLoopback } from '../loopback.ts'

const forbidden = [
  ...(
    '0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 127.0.0.1 127.1.2.3 ' +
    '168.63.129.16 169.254.0.1 169.254.169.254 172.16.0.1 172.31.255.254 192.0.0.192 192.0.2.1 ' +
    '192.88.99.1 192.168.0.1 198.18.0.1 198.51.100.7 203.0.113.9 224.0.0.1 240.0.0.1 255.255.255.255 :: ' +
    '::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 ' +
    '64:ff9b:1::7f00:1 100::1 2001::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1:: 3fff::1 4000::1 ' +
    '5f00::1 fc00::1 fd00:ec2::254 fe80::1 fec0::1 ff02::1'
  ).split(' '),
  'not an address',
  '',
]

const spellings = [
  'http://127.1/',
  'http://127.0.1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.0.0.1/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://017700000001/',
  'http://127.0.0.1./',
  'http://%31%32%37.0.0.1/',
  'http://①②⑦.0.0.1/',
  'http://127。0。0。1/',
  'http:\\\\127.0.0.1\\',
  'http://user:pw@127.0.0.1/',
  'http://127.0.0.1:80/',
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::]/',
  'http://0/',
  'http://localhost/',
  'http://LOCALHOST./',
  'http://foo.localhost/',
  'http://169.254.169.254/latest/meta-data/',
  'http://metadata.google.internal/',
  'http://printer.local/',
  'http://wiki.corp/',
  'http://router/',
  '//127.0.0.1/',
  'http://127.0.0.1/#@shop.com/',
  ' http://127.0.0.1/',
]

describe('addresses', () => {
  it.each(forbidden)('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false))

  it.each(['1.1.1.1', '8.8.8.8', '93.184.216.34', '2606:4700:4700::1111', '2a00:1450:4001:80e::200e'])(
    '%s is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  )

  it('no spelling of a private IPv4 address is public', () => {
    const octet = fc.integer({ min: 0, max: 255 })
    const start = fc.constantFrom([10], [127], [192, 168], [169, 254], [172, 20])
    fc.assert(
      fc.property(start, fc.tuple(octet, octet, octet), fc.nat(3), (head, tail, form) => {
        const [a = 0, b = 0, c = 0, d = 0] = [...head, ...tail].slice(0, 4)
        const number = ((a * 256 + b) * 256 + c) * 256 + d
        const host = [
          `${a}.${b}.${c}.${d}`,
          `${number}`,
          `0x${number.toString(16)}`,
          `${a}.${(b * 256 + c) * 256 + d}`,
        ][form]
        const admission = createGuard({ allowHosts: [] }).admit(`http://${host}/`)
        return !admission.admitted && admission.reason === 'private_address'
      }),
    )
  })
})

describe('admission', () => {
  it.each(spellings)('%s is not admitted', (url) => {
    const admission = createGuard({ allowHosts: [] }).admit(url)
    expect(admission).toEqual({ admitted: false, reason: 'private_address' })
  })

  it.each(['http://shop.com/', 'https://shop.com:8443/x', 'http://8.8.8.8:8080/', 'https://[2606:4700::1111]/'])(
    '%s is admitted',
    (url) => expect(createGuard({ allowHosts: [] }).admit(url).admitted).toBe(true),
  )

  it.each(['http://shop.com:22/', 'http://shop.com:3306/', 'https://shop.com:9200/'])(
    '%s is not admitted because of its port',
    (url) => {
      expect(createGuard({ allowHosts: [] }).admit(url)).toEqual({ admitted: false, reason: 'port' })
    },
  )

  it('removes user name and password from an address', () => {
    const admission = createGuard({ allowHosts: [] }).admit('https://ana:secret@shop.com/x')
    expect(admission).toMatchObject({ admitted: true, url: { href: 'https://shop.com/x' } })
  })
})

describe('listed hosts', () => {
  it.each<[string, string[], boolean]>([
    ['http://wiki.corp:8090/x', ['wiki.corp'], true],
    ['http://WIKI.corp/x', ['wiki.Corp'], true],
    ['http://10.0.0.5:9/x', ['10.0.0.5'], true],
    ['http://[::1]:9/x', ['::1'], true],
    ['http://[::1]:9/x', ['[::1]'], true],
    ['http://u:p@wiki.corp/x', ['wiki.corp'], true],
    ['http://localhost/x', ['127.0.0.1'], false],
    ['http://127.1/x', ['127.0.0.1'], false],
    ['http://2130706433/x', ['127.0.0.1'], false],
    ['http://evil.wiki.corp/x', ['wiki.corp'], false],
    ['http://wiki.corp.evil.com/x', ['wiki.corp'], false],
    ['http://wiki.corp@evil.com/x', ['wiki.corp'], false],
    ['http://evil.com\\@wiki.corp/x', ['wiki.corp'], false],
    ['http://evil.com#@wiki.corp/x', ['wiki.corp'], false],
    ['http://wiki.corp\\.evil.com/x', ['wiki.corp'], false],
    ['http://a@wiki.corp@evil.com/x', ['wiki.corp'], false],
  ])('%s with %j: %s', (url, hosts, expected) => {
    expect(isListedHost(url, new URL(url), hosts)).toBe(expected)
  })
})

it('a listed name under localhost is this computer, regardless of the resolver', async () => {
  const server = await startLoopback((_request, response) => response.end())
  const checker = createLinkChecker({
    allowHosts: ['links.shop.localhost'],
    signal: new AbortController().signal,
    now: Date.now,
    log: silentLog,
    cache: { find: () => undefined, save: () => {} },
  })
  expect((await checker.check(`http://links.shop.localhost:${server.port}/`)).state).toBe('ok')
  const refused = await checker.check('http://links.shop.localhost:9/')
  expect(refused.findingType).toBe('CONNECTION_REFUSED')
})

describe('connections of the guard', () => {
  const canary = async () => {
    let connections = 0
    const server = await startLoopback((_request, response) => {
      connections++
      response.end()
    })
    return { ...server, connections: () => connections }
  }
  const request = {
    method: 'GET' as const,
    headers: {},
    totalMs: 1000,
    maxBytes: 1000,
    signal: new AbortController().signal,
  }
  const faultOf = async (url: string, resolve?: Resolve) => {
    const guard = createGuard({ allowHosts: [], ...(resolve === undefined ? {} : { resolve }) })
    const sent = guard.send({ admitted: true, url: new URL(url), listed: false }, request)
    return sent.then(
      () => 'reached',
      (error: unknown) => (error instanceof ExchangeError ? error.code : String(error)),
    )
  }
  const hosts = ['127.0.0.1', '127.1', '0x7f.1', '2130706433', '[::ffff:127.0.0.1]', 'localhost', '0.0.0.0', '[::]']

  it.each(hosts)('are not opened to %s, even if it is admitted', async (host) => {
    const server = await canary()
    expect(await faultOf(`http://${host}:${server.port}/`)).not.toBe('reached')
    expect(server.connections()).toBe(0)
  })

  it.each([
    ['a private one', ['127.0.0.1']],
    ['a public and a private one', ['93.184.216.34', '127.0.0.1']],
    ['a private and a public one', ['127.0.0.1', '93.184.216.34']],
    ['a mapped one', ['::ffff:127.0.0.1']],
    ['the metadata service', ['169.254.169.254']],
    ['a unique local one', ['fd00::1']],
    ['an embedded one', ['64:ff9b::7f00:1']],
    ['the unspecified one', ['0.0.0.0']],
    ['one of a shared network', ['100.64.0.1']],
    ['a link-local one', ['fe80::1']],
    ['a documentation one', ['203.0.113.1']],
    ['a public one and a private one of the other family', ['2606:4700::1111', '127.0.0.1']],
  ])('are not opened to a name whose address is: %s', async (_name, answers) => {
    const server = await canary()
    const resolve: Resolve = async () => answers.map((address) => ({ address, family: isIP(address) }))
    expect(await faultOf(`http://shop.com:${server.port}/`, resolve)).toBe(NOT_PUBLIC)
    expect(server.connections()).toBe(0)
  })

  it('use the first answer of the resolver, so that a second one cannot differ', async () => {
    const server = await canary()
    let lookups = 0
    const resolve: Resolve = async () => {
      lookups++
      return [{ address: lookups === 1 ? '203.0.113.1' : '127.0.0.1', family: 4 }]
    }
    expect(await faultOf(`http://shop.com:${server.port}/`, resolve)).toBe(NOT_PUBLIC)
    expect([lookups, server.connections()]).toEqual([1, 0])
  })

  it.each([
    (port: number) => `http://127.0.0.1:${port}/`,
    (port: number) => `//127.0.0.1:${port}/`,
    (port: number) => `http://2130706433:${port}/`,
    (port: number) => `http://[::1]:${port}/`,
    (port: number) => `http://localhost:${port}/`,
    (port: number) => `http://user@localhost:${port}/`,
    (port: number) => `http:\\\\127.0.0.1:${port}\\`,
    (port: number) => `http://shop.com:${port}/`,
    (port: number) => `http://[::ffff:127.0.0.1]:${port}/`,
    (port: number) => `http://0.0.0.0:${port}/`,
    (port: number) => `/again?http://127.0.0.1:${port}/`,
  ])('are not opened by a redirect from a listed host (%#)', async (target) => {
    const server = await canary()
    const lead = await startLoopback((request, response) => {
      const second = request.url.startsWith('/again?') ? request.url.slice('/again?'.length) : undefined
      response.writeHead(302, { location: second ?? target(server.port) })
      response.end()
    })
    const checker = createLinkChecker({
      allowHosts: ['wiki.corp'],
      signal: new AbortController().signal,
      now: Date.now,
      log: silentLog,
      cache: { find: () => undefined, save: () => {} },
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    })
    expect((await checker.check(`http://wiki.corp:${lead.port}/`)).state).toBe('blocked')
    expect(server.connections()).toBe(0)
  })
})
