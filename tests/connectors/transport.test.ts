import { describe, expect, it } from 'vitest'
import { clientFor, fail, failureOf } from './http-client.ts'
import { type Handler, sendJson, startLoopback } from './loopback.ts'

describe('refusals', () => {
  it.each([
    [400, {}, 'bad_request'],
    [401, {}, 'auth_failed'],
    [401, { code: 401, message: 'Unauthorized; scope does not match' }, 'forbidden'],
    [403, {}, 'forbidden'],
    [403, { error: { code: 'TokenExpired' } }, 'auth_failed'],
    [404, {}, 'gone'],
    [409, {}, 'bad_request'],
    [410, {}, 'gone'],
    [414, {}, 'bad_request'],
  ])('%i %j is requested once and means %s', async (status, body, reason) => {
    const server = await startLoopback(fail(status, {}, body))
    const { facts } = await failureOf(clientFor(server).json({ path: '/x' }))
    expect(facts.reason).toBe(reason)
    expect(facts.facts).toMatchObject({ status })
    expect(server.seen).toHaveLength(1)
  })

  it('reports auth_expired if requests succeeded before', async () => {
    const server = await startLoopback((_request, response, count) => sendJson(response, {}, count === 1 ? 200 : 401))
    const client = clientFor(server)
    await client.json({ path: '/x' })
    expect((await failureOf(client.json({ path: '/x' }))).facts.reason).toBe('auth_expired')
  })

  it('keeps the error code and the request id of the platform, and nothing else of the body', async () => {
    const body = { error: { code: 'PowerBIEntityNotFound', message: 'canary-text' } }
    const server = await startLoopback(fail(404, { requestid: 'r-1' }, body))
    const error = await failureOf(clientFor(server).json({ path: '/x' }))
    expect(error.facts.facts).toMatchObject({ code: 'PowerBIEntityNotFound', requestId: 'r-1' })
    expect(JSON.stringify(error.facts) + error.message).not.toContain('canary-text')
  })

  it('returns responses with a status that the caller accepts', async () => {
    const server = await startLoopback(fail(400, {}, { error: 'invalid_client' }))
    const reply = await clientFor(server).json({ path: '/x', accept: [400] })
    expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_client' } })
  })

  it('follows no redirect of a JSON call', async () => {
    const other = await startLoopback((_request, response) => sendJson(response, {}))
    const server = await startLoopback(fail(302, { location: `${other.origin}/login` }))
    expect((await failureOf(clientFor(server).json({ path: '/x' }))).facts.reason).toBe('protocol_error')
    expect(other.seen).toHaveLength(0)
  })
})

describe('retries', () => {
  it.each([500, 502, 503, 504, 408])('a call that is answered %i twice and then 200 succeeds', async (status) => {
    const server = await startLoopback((_request, response, count) =>
      sendJson(response, { count }, count < 3 ? status : 200),
    )
    expect((await clientFor(server).json({ path: '/x' })).body).toEqual({ count: 3 })
  })

  it('gives up after max_retries', async () => {
    const server = await startLoopback(fail(500))
    expect((await failureOf(clientFor(server, { maxRetries: 2 }).json({ path: '/x' }))).facts.reason).toBe(
      'server_error',
    )
    expect(server.seen).toHaveLength(3)
  })

  it.each([
    ['a server error', fail(503)],
    ['a rate limit', fail(429)],
    ['a reset', ((_request, response) => response.destroy()) as Handler],
    ['a sign-in page', ((_request, response) => response.end('<html>')) as Handler],
  ])('without retries, a request is sent exactly once: %s', async (_name, handler) => {
    const server = await startLoopback(handler)
    await failureOf(clientFor(server, { maxRetries: 0 }).json({ path: '/x' }))
    expect(server.seen).toHaveLength(1)
  })

  it('does not repeat a POST that may have had its effect', async () => {
    const server = await startLoopback(fail(500))
    await failureOf(clientFor(server).json({ method: 'POST', path: '/x', body: {} }))
    expect(server.seen).toHaveLength(1)
  })

  it.each<[string, Handler]>([
    ['a reset', (_request, response) => response.destroy()],
    [
      'an incomplete body',
      (_request, response) => {
        response.writeHead(200, { 'content-length': '100' })
        response.write('{"a":')
        setTimeout(() => response.destroy(), 20)
      },
    ],
    ['cut JSON', (_request, response) => response.end('{"a": [1, 2')],
    ['silence', () => {}],
  ])('%s is retried', async (_name, handler) => {
    const server = await startLoopback((request, response, count) =>
      count === 1 ? handler(request, response, count) : sendJson(response, { ok: true }),
    )
    expect((await clientFor(server, { timeoutMs: 400 }).json({ path: '/x' })).body).toEqual({ ok: true })
    expect(server.seen).toHaveLength(2)
  })

  it('HTML with status 200 is retried once and then a protocol error', async () => {
    const server = await startLoopback((_request, response) => response.end('<html>Sign in</html>'))
    expect((await failureOf(clientFor(server).json({ path: '/x' }))).facts.reason).toBe('protocol_error')
    expect(server.seen).toHaveLength(2)
  })

  it('an unknown host is a network fault', async () => {
    const server = { origin: 'http://127.0.0.1:9', port: 9, seen: [] }
    const error = await failureOf(clientFor(server, { maxRetries: 1 }).json({ path: '/x' }))
    expect(error.facts).toMatchObject({ reason: 'network', facts: { code: 'ECONNREFUSED' } })
  })
})

describe('waiting', () => {
  it.each<[string, Record<string, string>, number]>([
    ['waits as the platform requests', { 'retry-after': '1' }, 950],
    ['default back-off without a usable request', { 'retry-after': '0' }, 1900],
  ])('after 429: %s', async (_name, headers, leastMs) => {
    const server = await startLoopback((_request, response, count) =>
      count === 1 ? sendJson(response, {}, 429, headers) : sendJson(response, {}),
    )
    await clientFor(server).json({ path: '/x' })
    const waited = (server.seen[1]?.at ?? 0) - (server.seen[0]?.at ?? 0)
    expect(waited).toBeGreaterThanOrEqual(leastMs)
    expect(waited).toBeLessThan(leastMs + 5000)
  })

  it.each([
    [{ 'retry-after': '3392' }, {}],
    [{}, { message: 'Retry in 3392 seconds.' }],
  ] as const)('a requested wait of hours (%j %j) fails at once for all callers', async (headers, body) => {
    const server = await startLoopback(fail(429, headers, body))
    const client = clientFor(server)
    const { facts } = await failureOf(client.json({ path: '/x' }))
    expect(facts).toMatchObject({ reason: 'retry_later', retryAfterSeconds: 3392 })
    const second = await failureOf(client.json({ path: '/y' }))
    expect(second.facts.reason).toBe('retry_later')
    expect(second.facts.retryAfterSeconds).toBeGreaterThan(3300)
    expect(server.seen).toHaveLength(1)
  })

  it('a rate limit that outlasts the retries parks the scan', async () => {
    const server = await startLoopback(fail(429, { 'retry-after': '120' }))
    const { facts } = await failureOf(clientFor(server, { maxRetries: 0 }).json({ path: '/x' }))
    expect(facts).toMatchObject({ reason: 'retry_later', retryAfterSeconds: 120 })
  })

  it('one rate limit pauses every call of the client, and no burst follows', async () => {
    const server = await startLoopback((_request, response, count) =>
      count <= 4 ? sendJson(response, {}, 429, { 'retry-after': '1' }) : sendJson(response, {}),
    )
    const client = clientFor(server)
    await Promise.all(Array.from({ length: 8 }, (_, index) => client.json({ path: `/${index}` })))
    const times = server.seen.map(({ at }) => at)
    const quiet = times.findIndex((at, index) => index > 0 && at - (times[index - 1] ?? 0) > 800)
    expect(quiet).toBeGreaterThan(0)
    expect(quiet).toBeLessThanOrEqual(4)
    const after = times.slice(quiet)
    expect((after[1] ?? 0) - (after[0] ?? 0)).toBeGreaterThan(10)
    expect(server.seen).toHaveLength(8 + quiet)
  })

  it('the starts of requests are at least the minimum gap apart', async () => {
    const server = await startLoopback((_request, response) => sendJson(response, {}))
    const client = clientFor(server, { minGapMs: 60 })
    await Promise.all(Array.from({ length: 5 }, () => client.json({ path: '/x' })))
    const first = server.seen[0]?.at ?? 0
    expect((server.seen[4]?.at ?? 0) - first).toBeGreaterThan(120)
  })

  it('the number of concurrent requests is limited', async () => {
    let running = 0
    let most = 0
    const server = await startLoopback((_request, response) => {
      running++
      most = Math.max(most, running)
      setTimeout(() => {
        running--
        sendJson(response, {})
      }, 20)
    })
    const client = clientFor(server, { concurrency: 3 })
    await Promise.all(Array.from({ length: 12 }, () => client.json({ path: '/x' })))
    expect(most).toBe(3)
  })

  it.each<[string, Handler]>([
    ['a pause', fail(429, { 'retry-after': '60' })],
    ['a request', () => {}],
  ])('an abort ends %s within a second', async (_name, handler) => {
    const server = await startLoopback(handler)
    const controller = new AbortController()
    const client = clientFor(server, { signal: controller.signal, timeoutMs: 30_000, concurrency: 1 })
    const work = Promise.all([failureOf(client.json({ path: '/x' })), failureOf(client.json({ path: '/y' }))])
    setTimeout(() => controller.abort(), 150)
    const start = performance.now()
    const errors = await work
    // A second is promised; what is asserted leaves room for a machine that is busy with other tests.
    expect(performance.now() - start).toBeLessThan(5000)
    expect(errors.map(({ facts }) => facts.reason)).toEqual(['aborted', 'aborted'])
  })
})
