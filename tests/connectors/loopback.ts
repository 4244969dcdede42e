import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Seen {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
  at: number
}

export interface Loopback {
  origin: string
  port: number
  seen: Seen[]
}

export type Handler = (request: Seen, response: ServerResponse, count: number) => void

/** A real server on a free loopback port; closed with the test. `count` numbers the requests from 1. */
export async function startLoopback(handler: Handler): Promise<Loopback> {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const entry = { method, url, headers, body, at: performance.now() }
      seen.push(entry)
      handler(entry, response, seen.length)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, port, seen }
}

export function sendJson(response: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}
