import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { toChallenge } from '../../src/access/challenge.ts'
import { createAuthenticator, type ExternalTokenVerifier } from '../../src/access/gatekeeper.ts'
import { createIssuer } from '../../src/access/issuer.ts'
import { IssuerSettings } from '../../src/access/issuer-settings.ts'
import { openTokenLookup } from '../../src/access/tokens.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { errorOf, localPerson, openStore } from '../support/context.ts'
import {
  audience,
  createAppOf,
  curveKey,
  edwardsKey,
  openIssuer,
  rsaKey,
  type SigningKey,
  secondsFromNow,
  signToken,
  type TestIssuer,
  type TokenChanges,
  toJwk,
} from '../support/issuer.ts'
import { forgedTokens } from './forged-tokens.ts'

const good = rsaKey('first')
const next = rsaKey('second')
const curve = curveKey('curve')
const edwards = edwardsKey('edwards')
const stranger = rsaKey('first')

let issuer: TestIssuer
let other: TestIssuer
let verify: ExternalTokenVerifier
const ending = new AbortController()

const openFor = ({ address }: TestIssuer, changes: object = {}, clock?: () => number) =>
  createIssuer({
    settings: IssuerSettings.parse({ issuer: address, audience: [audience], ...changes }),
    signal: ending.signal,
    log: silentLog,
    now: () => Date.now(),
    ...(clock === undefined ? {} : { clock }),
  })
const write = (changes: TokenChanges = {}) => signToken(issuer, good, changes)

beforeAll(async () => {
  issuer = await openIssuer([good, curve, edwards])
  other = await openIssuer([stranger])
  verify = openFor(issuer)
  // On a slow machine, the first lookup of keys takes longer than a request waits for it.
  await vi.waitFor(async () => expect(await verify(await write())).toBeDefined(), { timeout: 30_000 })
})
afterAll(() => {
  ending.abort()
  issuer.close()
  other.close()
})

describe('forged tokens', () => {
  it.each(forgedTokens)('with %s are refused', async (_what, make) => {
    const about = { issuer, good, stranger: stranger.privateKey, elsewhere: other.address }
    expect(await verify(await make(about))).toBeUndefined()
  })

  it('cause no requests to addresses that they name', () => {
    expect(other.requests).toBe(0)
  })
})

describe('a valid token', () => {
  it('identifies its subject and grants what its scopes allow', async () => {
    const caller = await verify(await write({ claims: { preferred_username: 'ada.lovelace' } }))
    expect(caller).toMatchObject({ id: `${issuer.address}#ada`, token: true })
    expect(caller?.name).toMatch(/^ada\.lovelace \([0-9a-f]{16}\)$/)
    expect([...(caller?.scopes ?? [])].sort()).toEqual(['read', 'triage'])
  })

  it.each([
    ['RS256', good],
    ['PS256', good],
    ['ES256', curve],
    ['EdDSA', edwards],
  ])('may be signed with %s', async (alg, { id, privateKey }) => {
    expect(await verify(await write({ header: { alg, kid: id }, key: privateKey }))).toBeDefined()
  })

  it.each([
    ['ended up to a minute ago', () => ({ exp: secondsFromNow(-50) })],
    ['ends in a year', () => ({ exp: secondsFromNow(365 * 86_400) })],
    ['begins within a minute', () => ({ nbf: secondsFromNow(50) })],
    ['has several audiences, including ours', () => ({ aud: ['x', audience] })],
    ['has a subject of 255 characters', () => ({ sub: 'a'.repeat(255) })],
    ['has times with fractions', () => ({ exp: secondsFromNow(300) + 0.5, iat: secondsFromNow() - 0.5 })],
  ])('%s', async (_what, claimsNow) => {
    expect(await verify(await write({ claims: claimsNow() }))).toBeDefined()
  })

  it('grants nothing when no value of its claim is mapped', async () => {
    const caller = await verify(await write({ claims: { scope: 'openid profile ADMIN constructor __proto__' } }))
    expect([...(caller?.scopes ?? ['?'])]).toEqual([])
  })

  it('may list its permissions in another claim, with other names', async () => {
    const read = openFor(issuer, { scopeClaim: 'roles', scopes: { 'Assay.Reader': 'read', 'Assay.Boss': 'admin' } })
    const caller = await read(await write({ claims: { roles: ['Assay.Reader', 'Other'], scope: 'admin' } }))
    expect([...(caller?.scopes ?? [])]).toEqual(['read'])
  })
})

describe('subjects', () => {
  it.each([
    ['with the same display name', { sub: 'u1', preferred_username: 'ada' }, { sub: 'u2', preferred_username: 'ada' }],
    ['that differ in letter case', { sub: 'ada' }, { sub: 'Ada' }],
    ['that differ in a space', { sub: 'ada' }, { sub: 'ada ' }],
    ['that differ in composition', { sub: 'Ren\u00e9' }, { sub: 'Rene\u0301' }],
    ["of which one has the other's id as its name", { sub: 'grace' }, { sub: 'ada', preferred_username: 'grace' }],
    ['that differ at their end', { sub: `${'a'.repeat(254)}1` }, { sub: `${'a'.repeat(254)}2` }],
    ['with the same long name', { sub: '1', email: 'e'.repeat(200) }, { sub: '2', email: 'e'.repeat(200) }],
    ['that differ in an invisible character', { sub: '1', email: 'ada' }, { sub: '2', email: 'ad\u200ba' }],
  ])('%s are recorded as two people', async (_what, first, second) => {
    const [one, two] = await Promise.all([first, second].map(async (claims) => verify(await write({ claims }))))
    expect(one?.name).toBeTruthy()
    expect(one?.name).not.toBe(two?.name)
    expect(one?.id).not.toBe(two?.id)
  })

  it('are named on one line of at most 120 characters, regardless of their token', async () => {
    const labels = ['a\nb', '\u202eabc', '\u2028', 'x'.repeat(5000), '\ud83d\ude00'.repeat(300), '   ', '\u001b[31mred']
    for (const label of labels) {
      const caller = await verify(await write({ claims: { preferred_username: label } }))
      expect(caller?.name).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]{1,120}$/u)
    }
  })
})

describe('the keys of the issuer', () => {
  const tokenOf = (from: TestIssuer, key: SigningKey, id = key.id) => signToken(from, key, { header: { kid: id } })

  it('are fetched once, not again for each unknown key id', async () => {
    const moving = await openIssuer([good])
    let ms = 0
    const judge = openFor(moving, {}, () => ms)
    expect(await judge(await tokenOf(moving, good))).toBeDefined()
    expect(await judge(await tokenOf(moving, good))).toBeDefined()
    for (let n = 0; n < 20; n++) expect(await judge(await tokenOf(moving, next, `unknown-${n}`))).toBeUndefined()
    expect(moving.asked).toBe(1)
    ms = 30_000
    await Promise.all(Array.from({ length: 20 }, async (_, n) => judge(await tokenOf(moving, next, `more-${n}`))))
    expect(moving.asked).toBe(2)
    moving.close()
  })

  it('delay only a few tokens at a time when the issuer is slow', async () => {
    const slow = await openIssuer([good])
    let ms = 0
    const judge = openFor(slow, {}, () => ms)
    expect(await judge(await tokenOf(slow, good))).toBeDefined()
    slow.answer = () => {}
    ms = 30_000
    const tokens = await Promise.all(Array.from({ length: 100 }, (_, n) => tokenOf(slow, next, `unknown-${n}`)))
    const begun = performance.now()
    const times = await Promise.all(tokens.map((token) => judge(token).then(() => performance.now() - begun)))
    expect(times.filter((time) => time > 500).length).toBe(32)
    slow.close()
  })

  it('are fetched again when a token names a new key', async () => {
    const moving = await openIssuer([good])
    let ms = 0
    const judge = openFor(moving, {}, () => ms)
    expect(await judge(await tokenOf(moving, good))).toBeDefined()
    moving.keys = [await toJwk(next)]
    ms = 30_000
    expect(await judge(await tokenOf(moving, next))).toBeDefined()
    expect(await judge(await tokenOf(moving, good))).toBeUndefined()
    moving.close()
  })

  it('are not fetched again for a key id that was just looked up', async () => {
    const moving = await openIssuer([good])
    let ms = 0
    const judge = openFor(moving, {}, () => ms)
    expect(await judge(await tokenOf(moving, good))).toBeDefined()
    const junk = await tokenOf(moving, next)
    for (const [at, asked] of [
      [30_000, 2],
      [60_001, 2],
      [149_000, 2],
      [151_000, 3],
    ] as const) {
      ms = at
      expect(await judge(junk)).toBeUndefined()
      expect(moving.asked).toBe(asked)
    }
    moving.close()
  })

  it('cause the error unavailable when they cannot be fetched, and no token is accepted', async () => {
    const gone = await openIssuer([good])
    gone.close()
    const error = await errorOf(openFor(gone)(await signToken(gone, good)))
    expect([error.code, error.facts.reason]).toEqual(['unavailable', 'issuer_unreachable'])
  })

  it('are fetched again soon when none are cached', async () => {
    const late = await openIssuer([good])
    let ms = 0
    late.answer = (_request, response) => void response.writeHead(503).end()
    const judge = openFor(late, {}, () => ms)
    const token = await signToken(late, good)
    expect((await errorOf(judge(token))).code).toBe('unavailable')
    late.answer = undefined
    ms = 2000
    expect(await judge(token)).toBeDefined()
    late.close()
  })

  it('are used for a day while the issuer is unreachable, and no longer', async () => {
    const silent = await openIssuer([good])
    let ms = 0
    const judge = openFor(silent, {}, () => ms)
    const token = await signToken(silent, good)
    expect(await judge(token)).toBeDefined()
    silent.close()
    ms = 86_400_000
    expect(await judge(token)).toBeDefined()
    ms += 1
    expect((await errorOf(judge(token))).facts.reason).toBe('issuer_unreachable')
  })

  it.each(['http://login.example.com', 'https://ada:secret@login.example.com', 'ftp://127.0.0.1', 'login'])(
    'are not accepted from %s',
    (address) => {
      expect(IssuerSettings.safeParse({ issuer: address, audience: ['a'] }).success).toBe(false)
    },
  )

  it('are fetched over https, and shared secrets are never accepted as keys', () => {
    const settings = { issuer: 'https://login.example.com', audience: ['a'] }
    expect(IssuerSettings.safeParse(settings).success).toBe(true)
    expect(IssuerSettings.safeParse({ ...settings, algorithms: ['HS256'] }).success).toBe(false)
  })
})

describe('over HTTP', () => {
  const { store, remove } = openStore()
  afterAll(remove)
  const build = () => {
    const keeper = createAuthenticator({
      tokens: openTokenLookup(store, () => Date.now()),
      local: localPerson,
      always: false,
      foreign: verify,
    })
    return createAppOf(keeper, { issuer: issuer.address, publicUrl: 'https://assay.example.com' })
  }
  const ask = (path: string, authorization?: string) =>
    build().request(`http://127.0.0.1${path}`, {
      headers: { host: '127.0.0.1', ...(authorization === undefined ? {} : { authorization }) },
    })

  it.each([
    ['/.well-known/oauth-protected-resource', 'https://assay.example.com'],
    ['/.well-known/oauth-protected-resource/mcp', 'https://assay.example.com/mcp'],
  ])('%s names the authorization server', async (path, resource) => {
    expect(await (await ask(path)).json()).toMatchObject({
      resource,
      authorization_servers: [issuer.address],
      scopes_supported: ['read', 'propose', 'triage', 'author', 'certify', 'admin'],
      bearer_methods_supported: ['header'],
    })
  })

  it('a request without a token is pointed to the protected resource metadata', async () => {
    const reply = await ask('/mcp')
    expect(reply.status).toBe(401)
    expect(reply.headers.get('www-authenticate')).toBe(
      'Bearer realm="assay", scope="read", resource_metadata="https://assay.example.com/.well-known/oauth-protected-resource/mcp"',
    )
  })

  it('a valid token is accepted, and a forged one is answered invalid_token', async () => {
    expect(await (await ask('/mcp', `Bearer ${await write()}`)).json()).toEqual({
      name: expect.stringMatching(/^ada \(/),
    })
    const reply = await ask('/mcp', `Bearer ${await write({ key: stranger.privateKey })}`)
    expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('error="invalid_token"'),
    ])
  })

  it.each(['/mcp', '/semantic/metrics', '/findings/import', '/metrics', '/nowhere'])(
    'a token without a scope of this server is refused at %s',
    async (path) => {
      for (const scope of ['', 'openid profile', 7, { read: true }, [['admin']], ' READ', undefined]) {
        const reply = await ask(path, `Bearer ${await write({ claims: { scope } })}`)
        expect([reply.status, ((await reply.json()) as { reason?: string }).reason]).toEqual([
          403,
          'insufficient_scope',
        ])
      }
    },
  )

  it('the response names a missing scope', () => {
    const error = new AppError('forbidden', 'x', { reason: 'insufficient_scope', facts: { scope: 'certify' } })
    expect(toChallenge(error, undefined)).toBe('Bearer realm="assay", error="insufficient_scope", scope="certify"')
  })
})
