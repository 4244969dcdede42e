import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'

/** Serves a fetch handler on a free loopback port. */
export async function serveHttp(
  handle: (request: Request) => Promise<Response>,
): Promise<{ url: URL; server: Server; close(): Promise<void> }> {
  const server = createServer(getRequestListener(handle, { overrideGlobalObjects: false }))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: new URL(`http://127.0.0.1:${port}/mcp`), server, close }
}
