import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { HttpClientOptions } from '../../src/connectors/http/transport.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { clientFor, SECRET } from './http-client.ts'
import { type Handler, sendJson, startLoopback } from './loopback.ts'

const RETRIES = 2
/** How long a client waits for a reply that never ends; enough for one that does on a busy machine. */
const STALL_MS = 500

function openClient(origin: string, options: Partial<HttpClientOptions> = {}) {
  const attempts = { count: 0 }
  const authorize = async () => {
    attempts.count++
    return SECRET
  }
  const client = clientFor({ origin }, { authorize, timeoutMs: 20_000, maxRetries: RETRIES, ...options })
  return { client, attempts }
}

const outcomeOf = (work: Promise<{ body: unknown }>) =>
  work.then(
    ({ body }) => JSON.stringify(body),
    (error: unknown) => {
      if (!(error instanceof AppError)) throw error
      return error.facts.reason
    },
  )

/** A server that says exactly these bytes to each connection, by its number. */
async function startRaw(speak: (socket: Socket, count: number) => void) {
  let count = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    const number = ++count
    socket.once('data', () => speak(socket, number))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connections: () => count }
}

const head = (length: number | string, more = '') =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\nconnection: close\r\n${more}\r\n`
const good = (socket: Socket) => socket.end(`${head(11)}{"ok":true}`)

describe('a malformed HTTP reply', () => {
  it.each<[string, (socket: Socket) => void, timeoutMs?: number]>([
    ['a length beyond the end of the body', (socket) => socket.end(`${head(500)}{"ok":true}`)],
    ['a length that cuts the body', (socket) => socket.end(`${head(6)}{"ok":true}`)],
    ['a length that is not a number', (socket) => socket.end(`${head('many')}{"ok":true}`)],
    ['two lengths', (socket) => socket.end(`${head(11, 'content-length: 12\r\n')}{"ok":true}`)],
    [
      'chunks that end early',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nb\r\n{"ok"'),
    ],
    ['a reset in the body', (socket) => socket.write(`${head(500)}{"ok"`, () => socket.resetAndDestroy())],
    ['a reset before the reply', (socket) => socket.resetAndDestroy()],
    ['an end before the reply', (socket) => socket.end()],
    ['a stall in the body', (socket) => socket.write(`${head(11)}{"ok"`), STALL_MS],
    ['something that is not HTTP', (socket) => socket.end('220 mail.example ESMTP\r\n')],
    ['invalid gzip', (socket) => socket.end(`${head(11, 'content-encoding: gzip\r\n')}{"ok":true}`)],
  ])('(%s) is requested again, up to max_retries times', async (_name, speak, timeoutMs = 20_000) => {
    const once = await startRaw((socket, count) => (count === 1 ? speak(socket) : good(socket)))
    expect(await outcomeOf(openClient(once.origin, { timeoutMs }).client.json({ path: '/x' }))).toBe('{"ok":true}')
    expect(once.connections()).toBe(2)
    const always = await startRaw(speak)
    const { client, attempts } = openClient(always.origin, { timeoutMs })
    expect(await outcomeOf(client.json({ path: '/x' }))).toMatch(/^(?:network|protocol_error)$/)
    expect(attempts.count).toBe(RETRIES + 1)
  })

  it('that decompresses without end is stopped at the limit, and not requested again', async () => {
    const bomb = gzipSync(Buffer.alloc(30_000_000, 32))
    const server = await startLoopback((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.end(bomb)
    })
    const { client, attempts } = openClient(server.origin)
    expect(await outcomeOf(client.json({ path: '/x', maxBytes: 100_000 }))).toBe('too_large')
    expect(attempts.count).toBe(1)
  })
})

it('a name that does not resolve is a network fault after all retries', async () => {
  const { client, attempts } = openClient('http://no-such-tenant.invalid')
  const error = await client.json({ path: '/x' }).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ facts: { reason: 'network' } })
  const { facts } = error as AppError
  expect(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL']).toContain(facts.facts?.code)
  expect(attempts.count).toBe(RETRIES + 1)
})

it('an abort during a wait leaves no timer running', async () => {
  const server = await startLoopback((_request, response) => sendJson(response, {}, 429, { 'retry-after': '200' }))
  const controller = new AbortController()
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
  const before = timers()
  const { client } = openClient(server.origin, { signal: controller.signal, timeoutMs: 30_000 })
  const work = Promise.all(['/a', '/b', '/c'].map((path) => outcomeOf(client.json({ path }))))
  await expect.poll(() => server.seen.length, { timeout: 20_000 }).toBeGreaterThan(0)
  await sleep(50)
  controller.abort()
  expect(await work).toEqual(['aborted', 'aborted', 'aborted'])
  await expect.poll(timers, { timeout: 20_000 }).toBeLessThanOrEqual(before)
})

describe('faulty replies of platforms', () => {
  const always =
    (status: number, headers: Record<string, string> = {}, body: unknown = {}): Handler =>
    (_request, response) =>
      sendJson(response, body, status, headers)
  const drip: Handler = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const timer = setInterval(() => response.write(' '), 50)
    response.on('close', () => clearInterval(timer))
  }
  it.each<[string, Handler, string, number]>([
    ['503 for an hour', always(503, { 'retry-after': '3600' }), 'retry_later', 1],
    ['a slow drip that never ends', drip, 'network', RETRIES + 1],
    ['JSON of another kind', (_request, response) => response.end('nothing'), 'protocol_error', 2],
    ['a sign-in page', (_request, response) => response.end('<html>Sign in</html>'), 'protocol_error', 2],
  ])('lead to few requests: %s', async (_name, handler, reason, calls) => {
    const server = await startLoopback(handler)
    expect(
      await outcomeOf(
        openClient(server.origin, { timeoutMs: handler === drip ? STALL_MS : 20_000 }).client.json({ path: '/x' }),
      ),
    ).toBe(reason)
    expect(server.seen).toHaveLength(calls)
    expect(calls).toBeLessThanOrEqual(RETRIES + 1)
  })
})
