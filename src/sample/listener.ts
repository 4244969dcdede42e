import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Handler, SampleReply, SampleRequest } from './exchange.ts'

export interface Listener {
  /** Origin: `http://127.0.0.1:PORT`. */
  url: string
  port: number
  close(): Promise<void>
}

/** A request before it is answered. */
export interface Exchange {
  request: SampleRequest
  response: ServerResponse
  handle: () => Promise<SampleReply>
  send: (reply: SampleReply) => void
}

export interface ListenOptions {
  server: string
  handle: Handler
  /** 0 selects a free port. */
  port?: number | undefined
  /** Responds in place of the server; default: sends the reply of the handler. */
  respond?: ((exchange: Exchange) => Promise<void>) | undefined
}

const MAX_BODY_BYTES = 10_000_000

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) break
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

async function answer(options: ListenOptions, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = incoming.url ?? '/'
  const { pathname, searchParams } = new URL(url, 'http://sample.invalid')
  const request: SampleRequest = {
    server: options.server,
    method: incoming.method ?? 'GET',
    url,
    path: pathname,
    query: searchParams,
    headers: incoming.headers,
    body: await readBody(incoming),
    status: 0,
    anonymous: false,
  }
  const handle = async () => {
    try {
      return await options.handle(request)
    } catch (error) {
      return { status: 500, body: { message: error instanceof Error ? error.message : 'error' } }
    }
  }
  const send = (reply: SampleReply) => sendReply(request, response, reply)
  if (options.respond === undefined) send(await handle())
  else await options.respond({ request, response, handle, send })
}

/** The body of a reply in bytes, and their media type. */
export function encodeBody({ body }: SampleReply): { bytes: Buffer; type: string | undefined } {
  if (body === undefined) return { bytes: Buffer.alloc(0), type: undefined }
  if (typeof body === 'string') return { bytes: Buffer.from(body), type: 'text/plain; charset=utf-8' }
  if (body instanceof Uint8Array) return { bytes: Buffer.from(body), type: 'application/octet-stream' }
  return { bytes: Buffer.from(JSON.stringify(body)), type: 'application/json' }
}

function sendReply(request: SampleRequest, response: ServerResponse, reply: SampleReply): void {
  const { bytes, type } = encodeBody(reply)
  request.status = reply.status
  const bodiless = reply.status === 204 || reply.status === 304
  response.writeHead(reply.status, {
    ...(type === undefined ? {} : { 'content-type': type }),
    ...(bodiless ? {} : { 'content-length': String(bytes.length) }),
    ...reply.headers,
  })
  if (request.method === 'HEAD' || bodiless) response.end()
  else response.end(bytes)
}

/** Starts one HTTP server on loopback. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const server = createServer((incoming, response) => {
    response.on('error', () => {})
    answer(options, incoming, response).catch(() => response.destroy())
  })
  server.keepAliveTimeout = 5_000
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
