import { describe, expect, it } from 'vitest'
import { biConnector } from '../../../src/connectors/bi/index.ts'
import { createSignIn, toUseMs } from '../../../src/connectors/bi/sign-in.ts'
import { createHttpClient } from '../../../src/connectors/http/transport.ts'
import { AppError } from '../../../src/kernel/errors.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { type Handler, sendJson, startLoopback } from '../loopback.ts'
import { crawlAll, payloadFor, refuse, SECRET, startFakeBi, TENANT } from './fake.ts'
import { jwt } from './tokens.ts'

const scope = 'https://analysis.windows.net/powerbi/api/.default'

async function principal(handler: Handler, clock: () => number = () => 0) {
  const server = await startLoopback(handler)
  const authority = createHttpClient({
    origin: server.origin,
    authorize: async () => undefined,
    timeoutMs: 2000,
    maxRetries: 2,
    minGapMs: 0,
    concurrency: 2,
    signal: new AbortController().signal,
    log: silentLog,
    now: Date.now,
    random: () => 0,
  })
  const config = biConnector.payload.parse(payloadFor(server))
  return { server, signIn: createSignIn({ config, authority, scope, now: Date.now, monotonicNow: clock }) }
}

const failureOf = async (work: Promise<unknown>) => {
  const error = await work.catch((thrown: unknown) => thrown)
  if (!(error instanceof AppError)) throw new Error('expected an AppError')
  expect(error.message + JSON.stringify(error.facts)).not.toContain(SECRET)
  return error
}

describe('a service principal', () => {
  it('requests one token from its cloud for all workers', async () => {
    const { server, signIn } = await principal((_request, response) =>
      sendJson(response, { access_token: 'a', expires_in: 3599 }),
    )
    expect(await Promise.all([signIn.authorize(), signIn.authorize(), signIn.authorize()])).toEqual(
      Array(3).fill('Bearer a'),
    )
    await signIn.authorize()
    expect(server.seen).toHaveLength(1)
    expect(server.seen[0]?.url).toBe(`/${TENANT}/oauth2/v2.0/token`)
    expect(Object.fromEntries(new URLSearchParams(server.seen[0]?.body))).toMatchObject({
      grant_type: 'client_credentials',
      client_secret: SECRET,
      scope,
    })
  })

  it.each<[unknown, number]>([
    [3599, 3299_000],
    ['3599', 3299_000],
    [120, 60_000],
    [300, 150_000],
    [undefined, 3300_000],
    ['soon', 3300_000],
    [-5, 3300_000],
    [0, 60_000],
    ['0', 60_000],
  ])('uses a token of %s seconds for %i ms', (expiresIn, expected) => expect(toUseMs(expiresIn)).toBe(expected))

  it('renews the token before it expires', async () => {
    let clock = 0
    let count = 0
    const { signIn } = await principal(
      (_request, response) => sendJson(response, { access_token: `t${++count}`, expires_in: 3600 }),
      () => clock,
    )
    expect(await signIn.authorize()).toBe('Bearer t1')
    clock = 3_299_000
    expect(await signIn.authorize()).toBe('Bearer t1')
    clock = 3_300_000
    expect(await signIn.authorize()).toBe('Bearer t2')
  })

  it.each([
    ['AADSTS7000222: The provided client secret keys are expired.', 'AADSTS7000222', 'has expired'],
    ['AADSTS7000215: Invalid client secret provided.', 'AADSTS7000215', 'is wrong'],
    ['AADSTS700016: Application not found.', 'AADSTS700016', 'does not exist'],
    ['AADSTS99999: Something new.', 'AADSTS99999', 'Something new'],
  ])('states why it is refused: %s', async (error_description, code, words) => {
    const body = {
      error: 'invalid_client',
      error_description: `${error_description} ${SECRET}\r\nTrace ID: x`,
      trace_id: 'abc-1',
    }
    const { signIn, server } = await principal((_request, response) => sendJson(response, body, 401))
    const error = await failureOf(signIn.authorize())
    expect(error.facts).toMatchObject({ reason: 'auth_failed', facts: { code, traceId: 'abc-1' } })
    expect(error.message).toContain(code)
    expect(error.message).toContain('abc-1')
    expect(error.message).toContain(words)
    expect(server.seen).toHaveLength(1)
  })

  it('shows no part of an unexpected response', async () => {
    const body = { error: '<script>', error_description: 'canary-text <b>' }
    const { signIn } = await principal((_request, response) => sendJson(response, body, 400))
    expect((await failureOf(signIn.authorize())).message).not.toMatch(/canary|script/)
  })

  it('waits out a server error of the identity provider', async () => {
    const { signIn } = await principal((_request, response, count) =>
      sendJson(response, { access_token: 'a' }, count === 1 ? 500 : 200),
    )
    expect(await signIn.authorize()).toBe('Bearer a')
  })
})

describe('a token of a person', () => {
  const given = (access_token: string, now = 1_000_000) => {
    const payload = { type: 'BI_PLATFORM', required: { auth_mode: 'ACCESS_TOKEN' }, masked: { access_token } }
    const unused = {
      json: () => Promise.reject(new Error('asked')),
      download: () => Promise.reject(new Error('asked')),
      held: { bytes: 0 },
    }
    return createSignIn({ config: biConnector.payload.parse(payload), authority: unused, scope, now: () => now })
  }

  it.each(['abc', 'Bearer abc', 'bearer  abc\n', ' abc\r\n', 'a\nbc'])('is recognized in %j', async (text) => {
    expect(await given(text).authorize()).toBe('Bearer abc')
  })

  it('is not sent when it has expired', async () => {
    const error = await failureOf(given(jwt({ exp: 999 })).authorize())
    expect(error.facts.reason).toBe('auth_expired')
  })

  it('identifies its owner', async () => {
    const claims = await given(jwt({ exp: 2000, tid: TENANT.toUpperCase(), oid: 'O1', upn: 'ana', aud: 'x' })).claims()
    expect(claims).toEqual({ tenantId: TENANT, objectId: 'o1', name: 'ana', audience: 'x', expiresAt: 2_000_000 })
  })

  it.each(['abc', 'a.b.c', 'a.e30.c', '..'])('is used unchanged when it has no claims: %s', async (token) => {
    expect(await given(token).claims()).toEqual({})
    expect(await given(token).authorize()).toBe(`Bearer ${token}`)
  })
})

describe('during a scan', () => {
  const workspace = 'a0000000-0000-4000-8000-000000000001'
  const routes = (valid: (header: string | undefined) => boolean, status: number, body: unknown = {}) => {
    const guarded =
      (value: unknown) =>
      ({ headers }: { headers: { authorization?: string } }) =>
        valid(headers.authorization) ? value : refuse(status, body)
    return {
      'GET /groups': [{ id: workspace, name: 'Finance' }],
      'GET /groups/*/datasets': guarded([]),
      'GET /groups/*/reports': guarded([]),
      'GET /groups/*/dashboards': guarded([]),
      'POST /admin/workspaces/getInfo': refuse(403),
    }
  }

  it.each([
    [401, {}],
    [403, { error: { code: 'TokenExpired' } }],
  ])('an expired token (%i) is renewed once for all calls', async (status, body) => {
    const fake = await startFakeBi(routes((header) => header === 'Bearer token-2', status, body))
    const { failed, assets } = await crawlAll(payloadFor(fake))
    expect([failed, assets.length, fake.tokens]).toEqual([{}, 1, 2])
  })

  it('a second refusal ends the scan without deletions', async () => {
    const fake = await startFakeBi(routes(() => false, 401))
    const { failed } = await crawlAll(payloadFor(fake))
    expect(failed).toEqual({ Finance: 'auth_expired' })
    expect(fake.tokens).toBe(2)
  })

  it('a refused sign-in fails before anything is listed', async () => {
    const fake = await startFakeBi({ 'POST token': refuse(401, { error: 'invalid_client' }) })
    await expect(crawlAll(payloadFor(fake))).rejects.toMatchObject({ facts: { reason: 'auth_failed' } })
  })
})
