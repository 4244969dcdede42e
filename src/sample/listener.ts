import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Handler, RequestRecord, SampleRequest } from './exchange.ts'
import { deliver, type SampleFault, takeFault } from './fault.ts'

export interface Listener {
  /** Origin: `http://127.0.0.1:PORT`. */
  url: string
  port: number
  close(): Promise<void>
}

export interface ListenOptions {
  server: string
  handle: Handler
  requests: RequestRecord[]
  faults: SampleFault[]
  /** 0 selects a free port. */
  port?: number | undefined
  latencyMs?: number | undefined
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
  options.requests.push(request)
  if (options.latencyMs !== undefined && options.latencyMs > 0) await sleep(options.latencyMs)
  const fault = takeFault(options.faults, request)
  if (fault === 'anonymous') request.anonymous = true
  const handle = async () => {
    try {
      return await options.handle(request)
    } catch (error) {
      return { status: 500, body: { message: error instanceof Error ? error.message : 'error' } }
    }
  }
  await deliver({ request, response, fault, handle })
}

/** Starts one HTTP server on loopback. Every request is recorded before it is handled. */
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
