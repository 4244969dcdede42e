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

  it('does not repeat a POST that may have had its effect', async () => {
    const server = await startLoopback(fail(500))
    await failureOf(clientFor(server).json({ method: 'POST', path: '/x', body: {} }))
    expect(server.seen).toHaveLength(1)
  })
})

describe('waiting', () => {
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
