import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** One request that a sample server got, as tests look at it. */
export interface RequestRecord {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: string
}

export interface Reply {
  status: number
  headers?: Record<string, string>
  body?: string | Uint8Array
}

/** What goes wrong instead of the ordinary reply. */
export type Misbehaviour =
  | Reply
  /** The connection is cut before, or in the middle of, the reply. */
  | 'reset'
  | 'truncate'
  /** The reply never comes, or comes a byte at a time. */
  | 'hang'
  | 'drip'
  /** A login page with status 200. */
  | 'html'

export interface Fault {
  match: (request: RequestRecord) => boolean
  /** How often it happens before things are well again; absent: always. */
  times?: number
  respond: Misbehaviour | ((request: RequestRecord) => Misbehaviour | undefined)
}

export interface ServerOptions {
  /** 0 or absent: a free one. */
  port?: number
  latencyMs?: number
  faults?: Fault[]
}

export interface RunningServer {
  url: string
  /** Every request so far, oldest first. */
  requests: RequestRecord[]
  /** Faults can be added and taken away while it runs. */
  faults: Fault[]
  close(): Promise<void>
}

export class BadRequest extends Error {}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Reply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
}

const loginPage: Reply = {
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<!doctype html><title>Sign in</title><form action="/login"><input name="user"><input type="password"></form>',
}

const MAX_BODY_BYTES = 8 * 1024 * 1024

/** A real HTTP server on 127.0.0.1 whose replies come from one function. */
export function startServer(
  handle: (request: RequestRecord) => Reply | Promise<Reply>,
  { port = 0, latencyMs = 0, faults = [] }: ServerOptions = {},
): Promise<RunningServer> {
  const requests: RequestRecord[] = []
  const sockets = new Set<Socket>()
  const used = new Map<Fault, number>()
  const server = createServer(async (incoming, response) => {
    const request = await readRequest(incoming)
    requests.push(request)
    if (latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, latencyMs))
    const misbehaviour = nextFault(faults, used, request)
    try {
      const usual = async () => handle(request)
      if (misbehaviour === undefined) send(response, await usual())
      else await misbehave(response, misbehaviour, usual)
    } catch (error) {
      const status = error instanceof BadRequest ? 400 : 500
      send(
        response,
        json({ errors: [{ status, code: 'BAD_REQUEST', title: error instanceof Error ? error.message : '' }] }, status),
      )
    }
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      resolve({
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        requests,
        faults,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed())
            for (const socket of sockets) socket.destroy()
          }),
      })
    })
  })
}

async function readRequest(incoming: IncomingMessage): Promise<RequestRecord> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of incoming) {
    length += (chunk as Buffer).length
    if (length <= MAX_BODY_BYTES) chunks.push(chunk as Buffer)
  }
  const url = new URL(incoming.url ?? '/', 'http://sample.invalid')
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: incoming.headers,
    body: Buffer.concat(chunks).toString('utf8'),
  }
}

function nextFault(
  faults: readonly Fault[],
  used: Map<Fault, number>,
  request: RequestRecord,
): Misbehaviour | undefined {
  for (const fault of faults) {
    const count = used.get(fault) ?? 0
    if (count >= (fault.times ?? Number.POSITIVE_INFINITY) || !fault.match(request)) continue
    const respond = typeof fault.respond === 'function' ? fault.respond(request) : fault.respond
    if (respond === undefined) continue
    used.set(fault, count + 1)
    return respond
  }
  return undefined
}

async function misbehave(
  response: ServerResponse,
  misbehaviour: Misbehaviour,
  usual: () => Promise<Reply>,
): Promise<void> {
  if (typeof misbehaviour !== 'string') return send(response, misbehaviour)
  if (misbehaviour === 'html') return send(response, loginPage)
  if (misbehaviour === 'reset') {
    response.socket?.resetAndDestroy()
    return
  }
  if (misbehaviour === 'hang') return
  const reply = await usual()
  const body = Buffer.from(reply.body ?? '')
  response.writeHead(reply.status, { ...reply.headers, 'content-length': String(body.length) })
  if (misbehaviour === 'truncate') {
    response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.socket?.destroy())
    return
  }
  for (const byte of body) {
    if (response.destroyed) return
    response.write(Buffer.of(byte))
    await new Promise((resolve) => setTimeout(resolve, 200).unref())
  }
  response.end()
}

function send(response: ServerResponse, reply: Reply): void {
  const body = Buffer.from(reply.body ?? '')
  response.writeHead(reply.status, { ...reply.headers, 'content-length': String(body.length) })
  response.end(body)
}
