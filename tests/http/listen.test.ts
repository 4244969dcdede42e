import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { type HttpServer, listen } from '../../src/http/listen.ts'
import { createHttpApp } from '../../src/http/server.ts'
import { scopes } from '../../src/operation/context.ts'
import { operation } from '../../src/operation/operation.ts'
import { createLog } from '../../src/runtime/log.ts'
import { contextOf, errorOf, openStore } from '../support/context.ts'

const operations = [
  operation({
    name: 'create_echo',
    title: 'Echo',
    summary: 'Says how much it heard.',
    effect: 'write',
    consent: 'none',
    scope: 'read',
    route: 'POST /echo',
    input: z.strictObject({
      text: z.string().describe('Text.').optional(),
      deep: z.unknown().describe('Any.').optional(),
    }),
    output: z.object({ length: z.number() }),
    run: ({ text = '' }) => ({ length: text.length }),
  }),
]
const logged: object[] = []
const statuses: number[] = []
const log = createLog({ level: 'info', write: (line) => logged.push(JSON.parse(line)), now: () => Date.now() })
const { store, remove } = openStore()
afterAll(remove)
const app = createHttpApp({
  operations,
  contextFor: ({ caller, signal }) => ({ ...contextOf({ store, caller, now: () => Date.now() }), signal }),
  callerOf: () => ({ name: 'local', via: 'http', scopes: new Set(scopes) }),
  version: '1',
  hosts: [],
  telemetry: { countRequest: (_route, status) => statuses.push(status), read: async () => '', contentType: '' },
  log,
})

let server: HttpServer
let folder: string
const sockets: Socket[] = []
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-listen-'))
  server = await listen(app, { host: '127.0.0.1', port: 0 })
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A connection that begins a request and never ends it. */
const dawdle = async (text: string): Promise<Socket> => {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  sockets.push(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  // A socket that is not read does not learn of its end.
  socket.resume()
  return socket
}
const post = (body: string) =>
  fetch(`${server.url}/echo`, { method: 'POST', body, headers: { 'content-type': 'application/json' } })

describe('slow clients', () => {
  it('in hundreds do not exclude others: the oldest idle connection is closed', async () => {
    for (let n = 0; n < 1000; n++) await dawdle('POST /echo HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ')
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await fetch(`${server.url}/health`)).status),
    )
    expect(statuses).toEqual(Array(20).fill(200))
    await sleep(200)
    expect(sockets.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(256)
  }, 60_000)

  it('do not close a connection with a running request', async () => {
    const busy = await dawdle(
      'POST /echo HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{"text"',
    )
    await sleep(100)
    for (let n = 0; n < 400; n++) await dawdle('GET /health HTTP/1.1\r\n')
    const answer = new Promise<string>((resolve) => busy.once('data', (bytes) => resolve(bytes.toString())))
    busy.write(':"abc"')
    expect(await answer).toMatch(/^HTTP\/1\.1 \d{3}/)
  }, 60_000)

  it('are disconnected at the time limit, whether they send endless headers or nothing', async () => {
    await server.close()
    server = await listen(app, { host: '127.0.0.1', port: 0 }, 1000)
    const begun = performance.now()
    const dawdleUntilCut = async (text: string) => {
      const socket = await dawdle(text)
      const drip = text === '' ? undefined : setInterval(() => socket.write('X-Slow: 1\r\n'), 100)
      if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve))
      clearInterval(drip)
      return performance.now() - begun
    }
    const texts = ['GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n', '']
    const times = await Promise.all(texts.map(dawdleUntilCut))
    for (const ms of times) {
      expect(ms).toBeGreaterThan(900)
      expect(ms).toBeLessThan(10_000)
    }
  })

  it('do not slow down others when 300 of them are idle', async () => {
    for (let n = 0; n < 300; n++) await dawdle('')
    const times: number[] = []
    for (let n = 0; n < 40; n++) {
      const begun = performance.now()
      await (await fetch(`${server.url}/health`, { headers: { connection: 'close' } })).text()
      times.push(performance.now() - begun)
    }
    expect(times.sort((a, b) => a - b)[times.length / 2]).toBeLessThan(250)
  })
})

describe('an incomplete body', () => {
  const headers = `Host: 127.0.0.1\r\nContent-Type: application/json`
  it.each([
    ['a declared length', `POST /echo HTTP/1.1\r\n${headers}\r\nContent-Length: 100\r\n\r\n{"text":"a`],
    ['chunks', `POST /echo HTTP/1.1\r\n${headers}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"tex\r\n`],
    ['a chunk of no length', `POST /echo HTTP/1.1\r\n${headers}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`],
    [
      'an import',
      `POST /findings/import HTTP/1.1\r\n${headers.replace('json', 'x-ndjson')}\r\nContent-Length: 100\r\n\r\n{"a`,
    ],
  ])('with %s is an error of the client, in the log too', async (_what, text) => {
    logged.length = 0
    statuses.length = 0
    const socket = await dawdle(text)
    await sleep(100)
    socket.destroy()
    await vi.waitFor(() => expect(logged).toHaveLength(1), 10_000)
    expect(logged).toEqual([expect.objectContaining({ level: 'info', code: 'invalid_input' })])
    expect(statuses).toEqual([400])
  })
})

describe('size limits', () => {
  it('refuse a body with a declared length before it is read', async () => {
    const status = await new Promise((resolve) => {
      const sent = request(`${server.url}/echo`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': String(10 * 1024 ** 3) },
      })
      sent.on('response', ({ statusCode }) => resolve(statusCode))
      sent.on('error', () => resolve(undefined))
      sent.write('{')
    })
    expect(status).toBe(413)
  })

  it('refuse a body without a declared length as soon as it exceeds the limit', async () => {
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536
        if (sent > 64 * 1024 * 1024) controller.close()
        else controller.enqueue(new Uint8Array(65_536).fill(32))
      },
    })
    const init = { method: 'POST', body, duplex: 'half', headers: { 'content-type': 'application/json' } }
    const status = await fetch(`${server.url}/echo`, init as RequestInit).then(
      (reply) => reply.status,
      () => 'cut off',
    )
    expect([413, 'cut off']).toContain(status)
    expect(sent).toBeLessThan(16 * 1024 * 1024)
  })

  it('refuse headers of more than 16 KB', async () => {
    const reply = await fetch(`${server.url}/health`, { headers: { 'x-large': 'a'.repeat(17_000) } })
    expect(reply.status).toBe(431)
  })

  it.each([
    ['64 levels and more', `{"deep":${'['.repeat(100)}${']'.repeat(100)}}`],
    ['200,000 levels', `{"deep":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
    ['a list of 10,001', `{"deep":[${'0,'.repeat(10_000)}0]}`],
  ])('refuse %s', async (_what, body) => {
    expect((await post(body)).status).toBe(400)
  })

  it('accept input within the limits', async () => {
    expect(await (await post(JSON.stringify({ text: 'a'.repeat(1_000_000) }))).json()).toEqual({ length: 1_000_000 })
  })
})

describe('a unix socket', () => {
  const askSocket = (path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      request({ socketPath: path, path: '/health', headers: { host: 'localhost' } }, ({ statusCode }) =>
        resolve(statusCode),
      )
        .on('error', reject)
        .end()
    })

  it('answers its owner, and no other user can open it', async () => {
    const path = join(folder, 'assay.sock')
    const own = await listen(app, { socket: path })
    expect(own.url).toBe(`unix:${path}`)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(await askSocket(path)).toBe(200)
    await own.close()
  })

  it.skipIf(process.platform === 'win32')(
    'with a path longer than the system allows is refused with the limit',
    async () => {
      const limit = process.platform === 'linux' ? 107 : 103
      const toPath = (bytes: number) => join(folder, 'é'.padEnd(bytes - folder.length - 2, 'x'))
      const own = await listen(app, { socket: toPath(limit) })
      expect(await askSocket(toPath(limit))).toBe(200)
      await own.close()
      const refused = await errorOf(listen(app, { socket: toPath(limit + 1) }))
      expect([refused.code, refused.message]).toEqual([
        'invalid_input',
        `The path of the socket has ${limit + 1} bytes, and this system allows at most ${limit}; choose a shorter one with --socket.`,
      ])
    },
  )

  it('of a killed process is replaced, but not one that is in use nor any other file', async () => {
    const path = join(folder, 'assay.sock')
    const own = await listen(app, { socket: path })
    expect((await errorOf(listen(app, { socket: path }))).code).toBe('unavailable')
    expect(await askSocket(path)).toBe(200)
    await own.close()
    const file = join(folder, 'notes.txt')
    writeFileSync(file, 'keep me')
    expect((await errorOf(listen(app, { socket: file }))).code).toBe('unavailable')
    expect(statSync(file).size).toBe(7)
  })
})

it('a port in use is reported', async () => {
  const { port } = new URL(server.url)
  const error = await errorOf(listen(app, { host: '127.0.0.1', port: Number(port) }))
  expect([error.code, error.facts.reason]).toEqual(['unavailable', 'port_taken'])
})
