import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { AppError } from '../kernel/errors.ts'
import type { Log } from '../kernel/log.ts'
import type { Caller, WriteContext } from '../operation/context.ts'
import type { Operation } from '../operation/operation.ts'
import { createDocsPage } from './docs.ts'
import { guard } from './guard.ts'
import { type ImportFindings, importRoute } from './import.ts'
import { createOpenApi } from './openapi.ts'
import { toProblem } from './problem.ts'
import { addRoutes } from './routes.ts'

export interface HttpOptions {
  operations: readonly Operation[]
  contextFor(options: { caller: Caller; signal: AbortSignal }): WriteContext
  /** Who asks; throws AppError `unauthorized` when a token is needed and missing. */
  callerOf(request: Request): Caller
  mcp?: (request: Request, caller: Caller) => Promise<Response>
  /** Takes in a file of findings; absent: in this thread. */
  importFindings?: ImportFindings
  version: string
  /** Names beside loopback that requests may carry as their Host. */
  hosts: readonly string[]
  log: Log
}

/** Builds the HTTP door: every operation with a route, `/mcp`, and the pages about itself. */
export function createHttpApp(options: HttpOptions): Hono {
  const { log, version } = options
  const app = new Hono({ strict: false })
  const openApi = JSON.stringify(createOpenApi(options.operations, version))
  const docs = createDocsPage(options.operations, version)
  app.use('*', guard({ hosts: options.hosts }))
  app.get('/health', (c) => c.json({ status: 'ok', version }))
  app.get('/openapi.json', (c) => c.body(openApi, 200, { 'content-type': 'application/json' }))
  app.get('/docs', (c) =>
    c.body(docs, 200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    }),
  )
  app.get('/', (c) => c.redirect('/docs'))
  const { mcp } = options
  app.post('/findings/import', (c) =>
    importRoute(
      c.req.raw,
      options.contextFor({ caller: options.callerOf(c.req.raw), signal: c.req.raw.signal }),
      options.importFindings,
    ),
  )
  if (mcp !== undefined) app.all('/mcp', (c) => mcp(c.req.raw, options.callerOf(c.req.raw)))
  addRoutes(app, options)
  app.notFound(() =>
    toProblem(new AppError('not_found', 'There is nothing at this path; /docs lists every path that there is.'), log),
  )
  app.onError((error) => toProblem(error, log))
  return app
}

export interface HttpServer {
  /** The real address, such as `http://127.0.0.1:7411`. */
  url: string
  close(): Promise<void>
}

/** Listens; port 0 picks a free one. @throws AppError `unavailable` when the address is taken. */
export async function listen(app: Hono, address: { host: string; port: number }): Promise<HttpServer> {
  return new Promise((resolve, reject) => {
    const server = serve(
      { fetch: app.fetch, hostname: address.host, port: address.port, overrideGlobalObjects: false },
      (info) => {
        const host = info.family === 'IPv6' ? `[${info.address}]` : info.address
        resolve({ url: `http://${host}:${info.port}`, close })
      },
    )
    if ('headersTimeout' in server) {
      server.headersTimeout = 10_000
      server.requestTimeout = 60_000
    }
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE'
      reject(
        new AppError(
          'unavailable',
          taken
            ? `Port ${address.port} on ${address.host} is taken; choose another with --port, or --port 0 for any free one.`
            : `Cannot listen on ${address.host}:${address.port} (${error.code ?? 'unknown error'}); choose another --host or --port.`,
          { reason: taken ? 'port_taken' : 'cannot_listen', cause: error },
        ),
      )
    })
    const close = () =>
      new Promise<void>((done) => {
        server.close(() => done())
        if ('closeIdleConnections' in server) {
          server.closeIdleConnections()
          setTimeout(() => server.closeAllConnections(), 2000).unref()
        }
      })
  })
}
