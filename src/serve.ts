import type { OpenedApp } from './app.ts'
import { createSurface } from './assistant.ts'
import type { Host } from './cli/host.ts'
import { createHttpApp, type HttpServer, listen } from './http/server.ts'
import { AppError } from './kernel/errors.ts'
import { version } from './kernel/installation.ts'
import { createMcpHttpHandler } from './mcp/http.ts'
import type { Caller } from './operation/context.ts'

const loopback = new Set(['127.0.0.1', 'localhost', '::1', '[::1]'])

/** Listens with everything on it. @throws AppError `forbidden` for an address that others can reach. */
export async function startServer(app: OpenedApp): Promise<HttpServer> {
  const { config } = app
  if (!loopback.has(config.host.toLowerCase())) {
    throw new AppError(
      'forbidden',
      `Serving on ${config.host} would let others in without a token; serve on 127.0.0.1.`,
      {
        reason: 'token_required',
      },
    )
  }
  const caller: Caller = { ...app.caller, via: 'http' }
  const mcp = createMcpHttpHandler({ surface: createSurface(app), log: app.log })
  const http = createHttpApp({
    operations: app.operations,
    contextFor: app.contextFor,
    callerOf: () => caller,
    mcp: (request) => mcp(request, { ...app.caller, via: 'mcp' }),
    importFindings: app.importFindings,
    version,
    hosts: [],
    log: app.log,
  })
  const server = await listen(http, { host: config.host, port: config.port })
  return {
    url: server.url,
    close: async () => {
      await mcp.close()
      await server.close()
    },
  }
}

/** `assay serve`: until the process is asked to stop. */
export async function serve(app: OpenedApp, host: Host): Promise<void> {
  try {
    const server = await startServer(app)
    host.stdout.write(`Assay ${version} serves at ${server.url}\n  REST ${server.url}/docs · MCP ${server.url}/mcp\n`)
    if (app.config.background) app.startBackground()
    await untilStopped(host.signal)
    await server.close()
  } finally {
    await app.close()
  }
}

export function untilStopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
