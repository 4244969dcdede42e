import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { onPath, type SampleFault } from '../../src/sample/fault.ts'
import { openBi, openWiki } from './support.ts'

const spaces = onPath(/\/spaces$/)

/** One request at the level of the socket: what came, and how it ended. */
function raw(
  address: string,
  headers: Record<string, string>,
  patienceMs = 400,
): Promise<{ ended: string; text: string }> {
  return new Promise((resolve) => {
    let text = ''
    const sent = request(address, { headers }, (reply) => {
      reply.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      reply.once('end', () => resolve({ ended: 'end', text }))
      reply.once('error', () => resolve({ ended: 'cut', text }))
    })
    sent.once('error', () => resolve({ ended: 'reset', text }))
    setTimeout(() => {
      resolve({ ended: 'silent', text })
      sent.destroy()
    }, patienceMs).unref()
    sent.end()
  })
}

async function openWith(respond: SampleFault['respond'], more: Partial<SampleFault> = {}) {
  return openWiki({ faults: [{ match: spaces, respond, ...more }] })
}

describe('a fault', () => {
  test.each([
    ['reset', 'reset', 0],
    ['hang', 'silent', 0],
    ['truncate', 'cut', 1],
    ['stall', 'silent', 1],
  ] as const)('%s ends as %s', async (respond, ended, leastChars) => {
    const wiki = await openWith(respond)
    const answer = await raw(`${wiki.url}/wiki/api/v2/spaces`, { authorization: wiki.authorization })
    expect(answer.ended).toBe(ended)
    expect(Math.min(1, answer.text.length)).toBe(leastChars)
  })

  test('html is a sign-in page with success', async () => {
    const { status, headers, body } = await (await openWith('html')).get('/spaces')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(body).toContain('<form action="/login">')
  })

  test('cut is half a reply with a matching length', async () => {
    const wiki = await openWith('cut')
    const { ended, text } = await raw(`${wiki.url}/wiki/api/v2/spaces`, { authorization: wiki.authorization })
    expect(ended).toBe('end')
    expect(() => JSON.parse(text)).toThrow()
  })

  test('empty has no body', async () => {
    expect((await (await openWith('empty')).get('/spaces')).body).toBe('')
  })

  test('slow sends the whole reply slowly', async () => {
    const wiki = await openWith('slow')
    const started = performance.now()
    const { body } = await wiki.get('/spaces?limit=1')
    expect(body.results).toHaveLength(1)
    expect(performance.now() - started).toBeGreaterThan(100)
  })

  test('anonymous answers as to a client without a credential', async () => {
    const wiki = await openWiki({ faults: [{ match: () => true, respond: 'anonymous' }] })
    expect((await wiki.get('/spaces')).body.results).toEqual([])
    const { body, headers } = await wiki.get('/wiki/rest/api/user/current')
    expect(body.type).toBe('anonymous')
    expect(headers.get('x-seraph-loginreason')).toBe('AUTHENTICATED_FAILED')
  })

  test('gzip_bomb is small when compressed and large when decompressed', async () => {
    const wiki = await openWith('gzip_bomb')
    const reply = await fetch(`${wiki.url}/wiki/api/v2/spaces`, { headers: { authorization: wiki.authorization } })
    expect(Number(reply.headers.get('content-length'))).toBeLessThan(1_000_000)
    expect(reply.headers.get('content-encoding')).toBe('gzip')
    let bytes = 0
    for await (const chunk of reply.body ?? []) {
      bytes += chunk.length
      if (bytes > 20_000_000) break
    }
    expect(bytes).toBeGreaterThan(20_000_000)
  })

  test('endless continues until the client disconnects', async () => {
    const wiki = await openWith('endless')
    const reply = await fetch(`${wiki.url}/wiki/api/v2/spaces`, { headers: { authorization: wiki.authorization } })
    let bytes = 0
    for await (const chunk of reply.body ?? []) {
      bytes += chunk.length
      if (bytes > 5_000_000) break
    }
    expect(bytes).toBeGreaterThan(5_000_000)
  })

  test('may be any status with any headers', async () => {
    const wiki = await openWith({ status: 429, headers: { 'retry-after': '2' }, body: { message: 'slow down' } })
    const { status, headers, body } = await wiki.get('/spaces')
    expect([status, headers.get('retry-after'), body.message]).toEqual([429, '2', 'slow down'])
  })

  test('may delay the reply', async () => {
    const wiki = await openWith({ delayMs: 150 })
    const started = performance.now()
    expect((await wiki.get('/spaces')).status).toBe(200)
    expect(performance.now() - started).toBeGreaterThan(140)
  })

  test('may change the reply, and only the reply', async () => {
    const wiki = await openWith({
      rewrite: (reply) => {
        const body = reply.body as { _links: Record<string, string> }
        body._links.next = '/wiki/api/v2/spaces?cursor=same'
        return reply
      },
    })
    expect((await wiki.get('/spaces')).body._links.next).toBe('/wiki/api/v2/spaces?cursor=same')
    wiki.faults.length = 0
    expect((await wiki.get('/spaces')).body._links.next).toBeUndefined()
  })
})

describe('faults', () => {
  test('fail the stated number of requests, after the stated number of successes', async () => {
    const wiki = await openWith({ status: 503 }, { times: 2, after: 1 })
    const statuses: number[] = []
    for (let call = 0; call < 5; call++) statuses.push((await wiki.get('/spaces')).status)
    expect(statuses).toEqual([200, 503, 503, 200, 200])
  })

  test('are applied in order, each to the requests that it matches', async () => {
    const wiki = await openWiki()
    wiki.faults.push(
      { match: spaces, times: 1, respond: { status: 500 } },
      { match: onPath(/./), respond: { status: 502 } },
    )
    expect((await wiki.get('/pages')).status).toBe(502)
    expect((await wiki.get('/spaces')).status).toBe(500)
    expect((await wiki.get('/spaces')).status).toBe(502)
  })

  test('can be used on any server of a tenant', async () => {
    const bi = await openBi({ faults: [{ match: ({ server }) => server === 'authority', respond: { status: 503 } }] })
    expect((await fetch(`${bi.authorityUrl}/x/oauth2/v2.0/token`, { method: 'POST' })).status).toBe(503)
    expect((await bi.get('/groups')).status).toBe(200)
  })
})

test('include a latency for every request', async () => {
  const wiki = await openWiki({ latencyMs: 60 })
  const started = performance.now()
  await wiki.get('/spaces')
  expect(performance.now() - started).toBeGreaterThan(55)
})
