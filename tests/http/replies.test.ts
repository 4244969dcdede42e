import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createHttpApp } from '../../src/http/server.ts'
import { type Caller, scopes, type WriteContext } from '../../src/operation/context.ts'
import { operation } from '../../src/operation/operation.ts'
import { silentLog } from '../../src/runtime/log.ts'

let words = ['alpha']
const listWords = operation({
  name: 'list_words',
  title: 'List words',
  summary: 'Lists words.',
  effect: 'read',
  isRevalidated: true,
  scope: 'read',
  route: 'GET /words',
  input: z.strictObject({}),
  output: z.object({ items: z.array(z.string()) }),
  run: () => ({ items: words }),
})
const askWords = operation({
  name: 'ask_words',
  title: 'Ask words',
  summary: 'Repeats words.',
  effect: 'read',
  scope: 'read',
  route: 'POST /words',
  input: z.strictObject({ count: z.int().describe('Count.') }),
  output: z.object({ items: z.array(z.string()) }),
  run: ({ count }) => ({ items: Array.from({ length: count }, () => 'wörd') }),
})

const caller: Caller = { name: 'tester', via: 'http', scopes: new Set(scopes) }
const app = createHttpApp({
  operations: [listWords, askWords],
  contextFor: (about) => ({ ...about, log: silentLog, now: () => 0, progress: () => {} }) as unknown as WriteContext,
  callerOf: () => caller,
  version: '1.2.3',
  hosts: [],
  log: silentLog,
})

const list = (headers: Record<string, string> = {}) =>
  app.request('http://127.0.0.1/words', { headers: { host: '127.0.0.1', ...headers } })
const ask = (count: number, accepted?: string) =>
  app.request('http://127.0.0.1/words', {
    method: 'POST',
    headers: {
      host: '127.0.0.1',
      'content-type': 'application/json',
      ...(accepted === undefined ? {} : { 'accept-encoding': accepted }),
    },
    body: JSON.stringify({ count }),
  })

describe('replies of more than a kilobyte', () => {
  it.each(['gzip', 'br, gzip;q=0.5', 'deflate,gzip', '*', 'GZIP;q=1.0'])(
    'are compressed for a client that accepts %s',
    async (accepted) => {
      const reply = await ask(300, accepted)
      expect(reply.headers.get('content-encoding')).toBe('gzip')
      expect(reply.headers.get('vary')).toContain('accept-encoding')
      const bytes = Buffer.from(await reply.arrayBuffer())
      expect(bytes.length).toBeLessThan(300)
      expect(JSON.parse(gunzipSync(bytes).toString('utf8')).items).toHaveLength(300)
    },
  )

  it.each([undefined, '', 'br', 'identity', 'gzip;q=0', 'gzip;q=0.0, identity', 'xgzip'])(
    'are not compressed for one that accepts %s',
    async (accepted) => {
      const reply = await ask(300, accepted)
      expect(reply.headers.has('content-encoding')).toBe(false)
      expect(((await reply.json()) as { items: string[] }).items).toHaveLength(300)
    },
  )

  it('only are compressed', async () => {
    expect((await ask(3, 'gzip')).headers.has('content-encoding')).toBe(false)
  })
})

describe('a list of definitions', () => {
  it('is sent again only when it has changed', async () => {
    words = ['alpha']
    const first = await list()
    const tag = first.headers.get('etag') ?? ''
    expect(tag).toMatch(/^W\/"[\w-]{22}"$/)
    expect(first.headers.get('cache-control')).toBe('no-store')
    for (const known of [tag, tag.slice(2), `"other", ${tag}`, '*']) {
      const reply = await list({ 'if-none-match': known })
      expect([reply.status, await reply.text(), reply.headers.get('etag')]).toEqual([304, '', tag])
    }
    words = ['alpha', 'beta']
    const changed = await list({ 'if-none-match': tag })
    expect([changed.status, await changed.json()]).toEqual([200, { items: words }])
    expect(changed.headers.get('etag')).not.toBe(tag)
  })

  it('is the only kind of reply with a tag', async () => {
    expect((await ask(1)).headers.has('etag')).toBe(false)
  })
})
