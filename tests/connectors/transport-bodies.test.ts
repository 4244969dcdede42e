import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { AppError } from '../../src/kernel/errors.ts'
import { clientFor, fail, failureOf, SECRET } from './http-client.ts'
import { sendJson, startLoopback } from './loopback.ts'

describe('credentials', () => {
  it('are refreshed once for all calls that were refused with the old one', async () => {
    let current = 'old'
    let refreshes = 0
    const server = await startLoopback((request, response) =>
      request.headers.authorization === 'new' ? sendJson(response, {}) : sendJson(response, {}, 401),
    )
    const client = clientFor(server, {
      authorize: async () => current,
      refresh: async () => {
        refreshes++
        await sleep(50)
        current = 'new'
        return true
      },
    })
    await Promise.all(Array.from({ length: 10 }, () => client.json({ path: '/x' })))
    expect(refreshes).toBe(1)
  })

  it('are not refreshed again by a late refusal of the replaced one', async () => {
    let current = 'old'
    let refreshes = 0
    const server = await startLoopback((request, response) => {
      const old = request.headers.authorization === 'old'
      setTimeout(() => sendJson(response, {}, old ? 401 : 200), old && request.url === '/late' ? 200 : 0)
    })
    const client = clientFor(server, {
      authorize: async () => current,
      refresh: async () => {
        refreshes++
        current = 'new'
        return true
      },
    })
    await Promise.all([client.json({ path: '/late' }), client.json({ path: '/early' })])
    expect(refreshes).toBe(1)
  })

  it.each([
    [401, {}],
    [403, { error: { code: 'TokenExpired' } }],
  ])('are not refreshed again when the new one is refused (%i)', async (status, body) => {
    let refreshes = 0
    const server = await startLoopback(fail(status, {}, body))
    const refresh = async () => {
      refreshes++
      return true
    }
    const { facts } = await failureOf(clientFor(server, { refresh }).json({ path: '/x' }))
    expect(facts.reason).toBe('auth_failed')
    expect([refreshes, server.seen.length]).toEqual([1, 2])
  })

  it.each(['//evil.example/x', 'x', '@evil.example/', '/../x', '/a/../../x'])(
    'are not sent to the path %s',
    async (path) => {
      const server = await startLoopback((_request, response) => sendJson(response, {}))
      const result = await clientFor(server, { basePath: '/api' })
        .json({ path })
        .catch((error: unknown) => error)
      const inside = server.seen.every(({ url }) => url.startsWith('/api/'))
      expect(inside && (server.seen.length === 1 || result instanceof AppError)).toBe(true)
    },
  )
})

describe('bodies', () => {
  it('may be empty or begin with a byte-order mark', async () => {
    const server = await startLoopback((request, response) => {
      if (request.url === '/bom') return response.end('\uFEFF{"a":1}')
      response.writeHead(204)
      return response.end()
    })
    const client = clientFor(server)
    expect((await client.json({ path: '/bom' })).body).toEqual({ a: 1 })
    expect((await client.json({ path: '/none' })).body).toBeUndefined()
  })

  it('are sent as given, like forms and query parameters', async () => {
    const server = await startLoopback((_request, response) => sendJson(response, {}))
    const client = clientFor(server, { basePath: '/v1/' })
    await client.json({ path: '/a', query: { $top: 5, name: 'a b+c', none: undefined } })
    await client.json({ method: 'POST', path: '/b', form: { scope: 'x/.default' } })
    await client.json({ method: 'POST', path: '/c', body: { a: 1 } })
    expect(server.seen.map(({ url, body }) => [url, body])).toEqual([
      ['/v1/a?$top=5&name=a%20b%2Bc', ''],
      ['/v1/b', 'scope=x%2F.default'],
      ['/v1/c', '{"a":1}'],
    ])
    expect(server.seen[0]?.headers.authorization).toBe(SECRET)
  })
})

describe('downloads', () => {
  const bytes = Buffer.from('file content')
  const media = () =>
    startLoopback((request, response) => {
      if (request.headers.authorization !== undefined) return sendJson(response, {}, 400)
      response.writeHead(200, { 'content-type': 'text/plain' })
      return response.end(bytes)
    })

  it('follow one redirect without the credential', async () => {
    const other = await media()
    const server = await startLoopback(fail(302, { location: `${other.origin}/file?token=abc` }))
    const file = await clientFor(server).download({ path: '/f', maxBytes: 1000, allowRedirect: () => true })
    expect(Buffer.from(file.bytes)).toEqual(bytes)
    expect(file).toMatchObject({ contentType: 'text/plain', finalUrl: `${other.origin}/file` })
    expect(server.seen[0]?.headers.authorization).toBe(SECRET)
  })

  it('carry no credential to a redirect on the same origin either', async () => {
    const server = await startLoopback((request, response) =>
      request.url === '/f' ? sendJson(response, {}, 302, { location: '/g' }) : response.end('x'),
    )
    await clientFor(server).download({ path: '/f', maxBytes: 1000, allowRedirect: () => true })
    expect(server.seen[1]?.headers.authorization).toBeUndefined()
  })

  it('go only to hosts that the caller allows, and follow no second redirect', async () => {
    const other = await startLoopback(fail(302, { location: '/again' }))
    const server = await startLoopback(fail(302, { location: `${other.origin}/file` }))
    const refuse = { path: '/f', maxBytes: 1000, allowRedirect: () => false }
    expect((await failureOf(clientFor(server).download(refuse))).facts.reason).toBe('protocol_error')
    expect(other.seen).toHaveLength(0)
    const allow = { ...refuse, allowRedirect: () => true }
    expect((await failureOf(clientFor(server).download(allow))).facts.reason).toBe('protocol_error')
    expect(other.seen).toHaveLength(1)
  })

  it('request a new redirect when the media token has expired', async () => {
    const other = await startLoopback((_request, response, count) => {
      response.writeHead(count === 1 ? 403 : 200)
      response.end('x')
    })
    const server = await startLoopback(fail(302, { location: `${other.origin}/file` }))
    await clientFor(server).download({ path: '/f', maxBytes: 1000, allowRedirect: () => true })
    expect(server.seen).toHaveLength(2)
  })

  it('stop at the limit regardless of the declared length', async () => {
    const server = await startLoopback((_request, response) => response.end(Buffer.alloc(5000)))
    const request = { path: '/f', maxBytes: 1000, allowRedirect: () => true }
    const { bytes, isCut } = await clientFor(server).download(request)
    expect([bytes.length, isCut]).toEqual([1000, true])
    expect((await clientFor(server).download({ ...request, maxBytes: 5000 })).isCut).toBe(false)
  })
})
