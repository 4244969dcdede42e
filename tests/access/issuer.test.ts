import { createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toChallenge } from '../../src/access/challenge.ts'
import type { ForeignTokens } from '../../src/access/gatekeeper.ts'
import { createGatekeeper } from '../../src/access/gatekeeper.ts'
import { createIssuer } from '../../src/access/issuer.ts'
import { IssuerSettings } from '../../src/access/issuer-settings.ts'
import { createHttpApp } from '../../src/http/server.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { silentLog } from '../../src/kernel/log.ts'
import type { WriteContext } from '../../src/operation/context.ts'
import { errorOf, localPerson, openStore } from '../support/context.ts'

const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const good = { id: 'first', ...rsa() }
const next = { id: 'second', ...rsa() }
const stranger = rsa()
const curve = { id: 'curve', ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) }
const audience = 'https://assay.example.com/mcp'

interface Issuer {
  server: Server
  address: string
  keys: { id: string; publicKey: KeyObject; alg?: string }[]
  /** How often its keys were asked for. */
  asked: number
  metadata?: Record<string, unknown>
}

/** An issuer that listens on loopback, as real ones do on the net. */
async function openIssuer(keys: Issuer['keys']): Promise<Issuer> {
  const issuer: Issuer = { server: createServer(), address: '', keys, asked: 0 }
  issuer.server.on('request', async ({ url }, response) => {
    response.setHeader('content-type', 'application/json')
    if (url === '/.well-known/openid-configuration') {
      return response.end(
        JSON.stringify(issuer.metadata ?? { issuer: issuer.address, jwks_uri: `${issuer.address}/keys` }),
      )
    }
    if (url !== '/keys') return response.writeHead(404).end('{}')
    issuer.asked += 1
    const jwks = await Promise.all(
      issuer.keys.map(async ({ id, publicKey, alg }) => ({
        ...(await exportJWK(publicKey)),
        kid: id,
        ...(alg ? { alg } : {}),
      })),
    )
    response.end(JSON.stringify({ keys: jwks }))
  })
  await new Promise<void>((resolve) => issuer.server.listen(0, '127.0.0.1', resolve))
  issuer.address = `http://127.0.0.1:${(issuer.server.address() as AddressInfo).port}`
  return issuer
}

let issuer: Issuer
let other: Issuer
let verify: ForeignTokens
const ending = new AbortController()
const settingsOf = (changes: object = {}) =>
  IssuerSettings.parse({ issuer: issuer.address, audience: [audience], ...changes })
const open = (changes: object = {}) =>
  createIssuer({ settings: settingsOf(changes), signal: ending.signal, log: silentLog, now: () => Date.now() })

beforeAll(async () => {
  issuer = await openIssuer([good, curve])
  other = await openIssuer([{ ...stranger, id: 'first' }])
  verify = open()
})
afterAll(() => {
  ending.abort()
  issuer.server.close()
  other.server.close()
})

const seconds = (from = 0) => Math.floor(Date.now() / 1000) + from
interface Written {
  header?: object
  claims?: JWTPayload
  key?: KeyObject
}
const write = ({ header = {}, claims = {}, key = good.privateKey }: Written = {}) =>
  new SignJWT({
    iss: issuer.address,
    aud: audience,
    sub: 'ada',
    scope: 'read triage',
    iat: seconds(),
    exp: seconds(300),
    ...claims,
  } as JWTPayload)
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: good.id, ...header } as JWTHeaderParameters)
    .sign(key)

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const claimsOf = (changes: object = {}) => ({
  ...{ iss: issuer.address, aud: audience, sub: 'ada', scope: 'admin', exp: seconds(300) },
  ...changes,
})
const unsigned = (header: object, signature = '') => `${encode(header)}.${encode(claimsOf())}.${signature}`
const withMac = (secret: string | Buffer, alg = 'HS256') => {
  const text = `${encode({ alg, typ: 'at+jwt', kid: good.id })}.${encode(claimsOf())}`
  return `${text}.${createHmac(`sha${alg.slice(2)}`, secret)
    .update(text)
    .digest('base64url')}`
}
const pem = () => good.publicKey.export({ type: 'spki', format: 'pem' })
const publicJwk = () => stranger.publicKey.export({ format: 'jwk' })
const tamper = async (change: (claims: Record<string, unknown>) => void) => {
  const [header = '', payload = '', signature = ''] = (await write()).split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
  change(claims)
  return [header, encode(claims), signature].join('.')
}

/** Tokens that somebody else made up, or that were made for somebody else. */
const forged: readonly [string, () => string | Promise<string>][] = [
  ['another issuer', () => write({ claims: { iss: 'https://evil.example' } })],
  ['our issuer with a slash behind', () => write({ claims: { iss: `${issuer.address}/` } })],
  [
    'another issuer that signs with its own key',
    () => write({ claims: { iss: other.address }, key: stranger.privateKey }),
  ],
  ['no issuer', () => write({ claims: { iss: undefined as never } })],
  ['another audience', () => write({ claims: { aud: 'https://other.example' } })],
  ['an audience that begins like ours', () => write({ claims: { aud: `${audience}.evil.example` } })],
  ['a list of other audiences', () => write({ claims: { aud: ['a', 'b'] } })],
  ['no audience', () => write({ claims: { aud: undefined as never } })],
  ['an end in the past', () => write({ claims: { exp: seconds(-61) } })],
  ['no end', () => write({ claims: { exp: undefined as never } })],
  ['an end that is no number', () => write({ claims: { exp: 'never' as never } })],
  ['a beginning in the future', () => write({ claims: { nbf: seconds(120) } })],
  ['no subject', () => write({ claims: { sub: undefined as never } })],
  ['the key of a stranger under a known name', () => write({ key: stranger.privateKey })],
  ['a key that nobody has', () => write({ header: { kid: 'third' }, key: stranger.privateKey })],
  ['alg none', () => unsigned({ alg: 'none', typ: 'at+jwt' })],
  ['alg None with a signature', () => unsigned({ alg: 'None', typ: 'at+jwt', kid: good.id }, 'AAAA')],
  ['no algorithm', () => unsigned({ typ: 'at+jwt', kid: good.id }, 'AAAA')],
  ['a public key as a shared secret', () => withMac(pem())],
  ['a shared secret of 512 bits', () => withMac('secret', 'HS512')],
  ['an empty shared secret', () => withMac('')],
  ['an algorithm that is not allowed', () => write({ header: { alg: 'RS512' } })],
  ['a key of its own in jwk', () => write({ header: { jwk: publicJwk() }, key: stranger.privateKey })],
  [
    'the address of its keys in jku',
    () => write({ header: { jku: `${other.address}/keys` }, key: stranger.privateKey }),
  ],
  [
    'the address of a certificate in x5u',
    () => write({ header: { x5u: `${other.address}/keys` }, key: stranger.privateKey }),
  ],
  ['a certificate in x5c', () => write({ header: { x5c: ['AAAA'] }, key: stranger.privateKey })],
  ['jku beside a good signature', () => write({ header: { jku: `${other.address}/keys` } })],
  ['the type of a logout token', () => write({ header: { typ: 'logout+jwt' } })],
  ['no type', () => write({ header: { typ: undefined } })],
  [
    'a critical header that nobody knows',
    () => {
      const text = `${encode({ alg: 'RS256', typ: 'at+jwt', kid: good.id, crit: ['x'], x: 1 })}.${encode(claimsOf())}`
      return `${text}.${sign('sha256', Buffer.from(text), good.privateKey).toString('base64url')}`
    },
  ],
  ['more scopes than were signed', () => tamper((claims) => Object.assign(claims, { scope: 'admin' }))],
  ['a later end than was signed', () => tamper((claims) => Object.assign(claims, { exp: seconds(9999) }))],
  ['the signature cut off', async () => (await write()).replace(/\.[^.]+$/, '.')],
  ['five parts', () => `${unsigned({ alg: 'dir', enc: 'A256GCM', typ: 'at+jwt' }, 'AAAA')}.AAAA.AAAA`],
  ['no token at all', () => randomUUID()],
]

describe('forged tokens', () => {
  it('are more than thirty', () => {
    expect(forged.length).toBeGreaterThanOrEqual(30)
  })

  it.each(forged)('with %s are refused', async (_what, make) => {
    expect(await verify(await make())).toBeUndefined()
  })

  it('make nobody ask their own addresses', () => {
    expect(other.asked).toBe(0)
  })
})

describe('a good token', () => {
  it('names its subject and what its scopes allow', async () => {
    const caller = await verify(await write({ claims: { preferred_username: 'ada.lovelace' } }))
    expect(caller).toMatchObject({ name: 'ada.lovelace', id: `${issuer.address}#ada`, token: true })
    expect([...(caller?.scopes ?? [])].sort()).toEqual(['read', 'triage'])
  })

  it.each([
    ['RS256', good],
    ['PS256', good],
    ['ES256', curve],
  ])('may be signed with %s', async (alg, { id, privateKey }) => {
    expect(await verify(await write({ header: { alg, kid: id }, key: privateKey }))).toBeDefined()
  })

  it.each([
    ['ended up to a minute ago', { exp: seconds(-50) }],
    ['begins within a minute', { nbf: seconds(50) }],
    ['is for us among others', { aud: ['x', audience] }],
  ])('%s', async (_what, claims) => {
    expect(await verify(await write({ claims }))).toBeDefined()
  })

  it('of which no value is known here allows nothing', async () => {
    const caller = await verify(await write({ claims: { scope: 'openid profile ADMIN constructor __proto__' } }))
    expect([...(caller?.scopes ?? ['?'])]).toEqual([])
  })

  it('may list what is allowed in another claim, under other names', async () => {
    const read = open({ scopeClaim: 'roles', scopes: { 'Assay.Reader': 'read', 'Assay.Boss': 'admin' } })
    const caller = await read(await write({ claims: { roles: ['Assay.Reader', 'Other'], scope: 'admin' } }))
    expect([...(caller?.scopes ?? [])]).toEqual(['read'])
  })
})

describe('the keys of the issuer', () => {
  it('are asked for once, and again when a token names a new one, but not for each wrong name', async () => {
    const moving = await openIssuer([good])
    const settings = IssuerSettings.parse({ issuer: moving.address, audience: [audience] })
    const judge = createIssuer({ settings, signal: ending.signal, log: silentLog, now: () => Date.now() })
    const token = (id: string, key: KeyObject) => write({ header: { kid: id }, claims: { iss: moving.address }, key })
    expect(await judge(await token(good.id, good.privateKey))).toBeDefined()
    expect(await judge(await token(good.id, good.privateKey))).toBeDefined()
    expect(moving.asked).toBe(1)
    for (let n = 0; n < 5; n++) expect(await judge(await token(`unknown-${n}`, next.privateKey))).toBeUndefined()
    expect(moving.asked).toBeLessThanOrEqual(2)
    moving.server.close()
  })

  it('that cannot be had are told as such, and let nobody in', async () => {
    const gone = await openIssuer([good])
    gone.server.close()
    gone.server.closeAllConnections()
    const settings = IssuerSettings.parse({ issuer: gone.address, audience: [audience] })
    const judge = createIssuer({ settings, signal: ending.signal, log: silentLog, now: () => Date.now() })
    const error = await errorOf(judge(await write({ claims: { iss: gone.address } })))
    expect([error.code, error.facts.reason]).toEqual(['unavailable', 'issuer_unreachable'])
  })

  it('count for a day while it cannot be reached, and no longer', async () => {
    const silent = await openIssuer([good])
    let ms = 0
    const settings = IssuerSettings.parse({ issuer: silent.address, audience: [audience] })
    const judge = createIssuer({
      ...{ settings, signal: ending.signal, log: silentLog, now: () => Date.now(), clock: () => ms },
    })
    const token = await write({ claims: { iss: silent.address } })
    expect(await judge(token)).toBeDefined()
    silent.server.close()
    silent.server.closeAllConnections()
    ms = 86_400_000
    expect(await judge(token)).toBeDefined()
    ms += 1
    expect((await errorOf(judge(token))).facts.reason).toBe('issuer_unreachable')
  })

  it('are not taken from metadata of another issuer, nor from an address that anyone could read along', async () => {
    for (const metadata of [{ issuer: 'https://evil.example' }, { jwks_uri: 'http://keys.evil.example/' }]) {
      const odd = await openIssuer([good])
      odd.metadata = { issuer: odd.address, jwks_uri: `${odd.address}/keys`, ...metadata }
      const settings = IssuerSettings.parse({ issuer: odd.address, audience: [audience] })
      const judge = createIssuer({ settings, signal: ending.signal, log: silentLog, now: () => Date.now() })
      expect((await errorOf(judge(await write({ claims: { iss: odd.address } })))).code).toBe('unavailable')
      odd.server.close()
    }
  })

  it('come over https, or from this machine', () => {
    expect(IssuerSettings.safeParse({ issuer: 'http://login.example.com', audience: ['a'] }).success).toBe(false)
    expect(IssuerSettings.safeParse({ issuer: 'https://login.example.com', audience: ['a'] }).success).toBe(true)
    const mac = { issuer: 'https://login.example.com', audience: ['a'], algorithms: ['HS256'] }
    expect(IssuerSettings.safeParse(mac).success).toBe(false)
  })
})

describe('over HTTP', () => {
  const { store, remove } = openStore()
  afterAll(remove)
  const build = () => {
    const keeper = createGatekeeper({
      store,
      now: () => Date.now(),
      local: localPerson,
      always: false,
      foreign: verify,
    })
    return createHttpApp({
      operations: [],
      contextFor: (asked) => asked as WriteContext,
      callerOf: ({ headers }, address) =>
        keeper.callerOf({ authorization: headers.get('authorization') ?? undefined, address }),
      mcp: async (_request, caller) => Response.json({ name: caller.name }),
      version: '1',
      hosts: [],
      publicUrl: 'https://assay.example.com',
      issuer: issuer.address,
      log: silentLog,
    })
  }
  const ask = (path: string, authorization?: string) =>
    build().request(`http://127.0.0.1${path}`, {
      headers: { host: '127.0.0.1', ...(authorization === undefined ? {} : { authorization }) },
    })

  it.each([
    ['/.well-known/oauth-protected-resource', 'https://assay.example.com'],
    ['/.well-known/oauth-protected-resource/mcp', 'https://assay.example.com/mcp'],
  ])('%s says whom to ask for a token', async (path, resource) => {
    expect(await (await ask(path)).json()).toMatchObject({
      resource,
      authorization_servers: [issuer.address],
      scopes_supported: ['read', 'triage', 'author', 'certify', 'admin'],
      bearer_methods_supported: ['header'],
    })
  })

  it('a request without a token hears where that stands', async () => {
    const reply = await ask('/mcp')
    expect(reply.status).toBe(401)
    expect(reply.headers.get('www-authenticate')).toBe(
      'Bearer realm="assay", scope="read", resource_metadata="https://assay.example.com/.well-known/oauth-protected-resource/mcp"',
    )
  })

  it('a good token is let in, a forged one hears that it is not good', async () => {
    expect(await (await ask('/mcp', `Bearer ${await write()}`)).json()).toEqual({ name: 'ada' })
    const reply = await ask('/mcp', `Bearer ${await write({ key: stranger.privateKey })}`)
    expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('error="invalid_token"'),
    ])
  })

  it('a scope that is lacking is named', () => {
    const error = new AppError('forbidden', 'x', { reason: 'insufficient_scope', facts: { scope: 'certify' } })
    expect(toChallenge(error, undefined)).toBe('Bearer realm="assay", error="insufficient_scope", scope="certify"')
  })
})
