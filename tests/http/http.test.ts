import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createHttpApp } from '../../src/http/server.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { type Caller, scopes, type WriteContext } from '../../src/operation/context.ts'
import { operation } from '../../src/operation/operation.ts'
import { silentLog } from '../../src/runtime/log.ts'

const Echo = z.object({ name: z.string(), words: z.array(z.string()), count: z.number() })

const operations = [
  operation({
    name: 'get_echo',
    title: 'Echo',
    summary: 'Says what it heard.',
    effect: 'read',
    scope: 'read',
    route: 'GET /echo/{name}',
    input: z.strictObject({
      name: z.string().describe('Name.'),
      words: z.array(z.string()).optional().describe('Words.'),
      count: z.int().optional().describe('Count.'),
    }),
    output: Echo,
    run: ({ name, words = [], count = 0 }) => ({ name, words, count }),
  }),
  operation({
    name: 'create_echo',
    title: 'Create echo',
    summary: 'Keeps what it heard.',
    effect: 'write',
    consent: 'none',
    scope: 'author',
    route: 'POST /echo',
    status: 201,
    location: ({ name }) => `/echo/${name}`,
    input: z.strictObject({ name: z.string().describe('Name.') }),
    output: Echo,
    run: ({ name }) => ({ name, words: [], count: 1 }),
  }),
  operation({
    name: 'update_echo',
    title: 'Update echo',
    summary: 'Changes what it heard.',
    effect: 'write',
    consent: 'none',
    scope: 'author',
    route: 'PUT /echo/{name}',
    input: z.strictObject({ name: z.string().describe('Name.'), count: z.int().optional().describe('Count.') }),
    output: Echo,
    run: ({ name, count = 0 }) => {
      if (name === 'broken') throw new Error('SELECT secret FROM /home/someone')
      if (name === 'taken') throw new AppError('conflict', 'It is taken.', { reason: 'taken', facts: { id: 'abc' } })
      return { name, words: [], count }
    },
  }),
]

const caller: Caller = { name: 'tester', via: 'http', scopes: new Set(scopes) }
const app = (as: Caller = caller) =>
  createHttpApp({
    operations,
    contextFor: ({ caller, signal }) =>
      ({ caller, signal, log: silentLog, now: () => 0, progress: () => {} }) as unknown as WriteContext,
    callerOf: () => as,
    version: '1.2.3',
    hosts: [],
    log: silentLog,
  })

const ask = (path: string, init: RequestInit = {}, as?: Caller) =>
  app(as).request(`http://127.0.0.1:7411${path}`, { ...init, headers: { host: '127.0.0.1:7411', ...init.headers } })
const post = (path: string, body: string, method = 'POST', headers: Record<string, string> = {}) =>
  ask(path, { method, body, headers: { 'content-type': 'application/json', ...headers } })

describe('routes', () => {
  it('reads lists and numbers from the query string', async () => {
    const reply = await ask('/echo/a%20b?words=x,y&count=3')
    expect(await reply.json()).toEqual({ name: 'a b', words: ['x', 'y'], count: 3 })
  })

  it('reads a repeated key as a list', async () => {
    const reply = await ask('/echo/a?words=x&words=y')
    expect(await reply.json()).toMatchObject({ words: ['x', 'y'] })
  })

  it('answers 201 with a Location', async () => {
    const reply = await post('/echo', '{"name":"n"}')
    expect([reply.status, reply.headers.get('location')]).toEqual([201, '/echo/n'])
  })

  it('accepts a path parameter that the body repeats, and refuses one that differs', async () => {
    expect((await post('/echo/n', '{"name":"n","count":2}', 'PUT')).status).toBe(200)
    const reply = await post('/echo/n', '{"name":"m"}', 'PUT')
    expect(await reply.json()).toMatchObject({ status: 400, code: 'invalid_input', issues: [{ path: 'name' }] })
  })

  it('accepts a request without body and content type where no key is required', async () => {
    expect((await ask('/echo/n', { method: 'PUT' })).status).toBe(200)
  })
})

const stranger = { ...caller, scopes: new Set(['read' as const]) }
const tooLarge = JSON.stringify({ name: 'n'.repeat(1024 * 1024) })
const inText = { 'content-type': 'text/plain' }
const unknownKey = { code: 'invalid_input', issues: [{ path: 'nome' }] }
const problems: [name: string, status: number, reply: () => Response | Promise<Response>, facts: object][] = [
  ['an unknown path', 404, () => ask('/nothing'), { code: 'not_found' }],
  ['an unknown key', 400, () => post('/echo', '{"name":"n","nome":1}'), unknownKey],
  ['a missing key', 400, () => post('/echo', '{}'), { issues: [{ path: 'name' }] }],
  ['another method', 405, () => ask('/echo', { method: 'DELETE' }), { code: 'method_not_allowed', allow: 'POST' }],
  ['invalid JSON', 400, () => post('/echo', '{"name":'), { code: 'invalid_input' }],
  ['JSON that is not an object', 400, () => post('/echo', '[1]'), { code: 'invalid_input' }],
  ['another media type', 415, () => post('/echo', 'name=n', 'POST', inText), { code: 'unsupported_media_type' }],
  ['a body over 1 MiB', 413, () => post('/echo', tooLarge), { code: 'too_large' }],
  ['a query string beside a body', 400, () => post('/echo?name=n', '{}'), { issues: [{ path: 'name' }] }],
  ['a conflict with its facts', 409, () => ask('/echo/taken', { method: 'PUT' }), { reason: 'taken', id: 'abc' }],
  ['a caller without the scope', 403, () => ask('/echo/n', { method: 'PUT' }, stranger), { code: 'forbidden' }],
]

describe('problems', () => {
  it.each(problems)('%s is %i', async (_name, status, reply, facts) => {
    const answer = await reply()
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    const body = await answer.json()
    const text = expect.any(String)
    expect(body).toMatchObject({ status, type: text, title: text, detail: text, ...facts })
  })

  it.each([
    '{"name": hunter2hunter2hunter2}',
    '{"name": "x", "password": "hunter2hunter2hunter2" "y"}',
    '[1, hunter2hunter2hunter2, 3, 4, 5, 6, 7, 8, 9]',
    'hunter2',
    '{hunter2: 1}',
    '{"name": "hunter2\u0001"}',
    '"in JSON at position 4111111111111111" hunter2',
  ])('does not repeat any of the body %j that is not JSON', async (body) => {
    const reply = await post('/echo', body)
    expect(reply.status).toBe(400)
    const text = await reply.text()
    expect(text).toContain('The body is not valid JSON')
    expect(text).not.toMatch(/hunter|4111/)
  })

  it('shows only an id for an unexpected error', async () => {
    const reply = await ask('/echo/broken', { method: 'PUT' })
    const text = await reply.text()
    expect(reply.status).toBe(500)
    expect(text).not.toMatch(/SELECT|home|at /)
    expect(JSON.parse(text)).toMatchObject({ code: 'internal', id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  })
})

describe('API documentation', () => {
  it('describes every route in OpenAPI 3.1', async () => {
    const words = expect.objectContaining({ name: 'words', in: 'query', explode: false })
    expect(await (await ask('/openapi.json')).json()).toMatchObject({
      openapi: '3.1.0',
      paths: {
        '/echo': { post: { operationId: 'create_echo' } },
        '/echo/{name}': { get: { parameters: expect.arrayContaining([words]) } },
        '/health': {},
      },
    })
  })

  it('lists the operations on a page that loads nothing from elsewhere', async () => {
    const page = await (await ask('/docs')).text()
    expect(page).toContain('get_echo')
    const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address)
    expect(addresses.filter((address) => !/^(?:\/(?:docs\/|openapi\.json)|#|data:,)/.test(address))).toEqual([])
    expect(page).toMatch(/curl (?:-X GET )?&#39;http/)
  })
})
