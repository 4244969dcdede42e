import { hostname, networkInterfaces } from 'node:os'
import { boundQuestions } from './access/crowd.ts'
import { createGatekeeper } from './access/gatekeeper.ts'
import { createIssuer } from './access/issuer.ts'
import { isTokenAsked } from './access/tokens.ts'
import type { OpenedApp } from './app.ts'
import type { Host } from './cli/host.ts'
import { type HttpServer, listen } from './http/listen.ts'
import { createHttpApp } from './http/server.ts'
import { AppError } from './kernel/errors.ts'
import { version } from './kernel/installation.ts'
import { createMcpHttpHandler } from './mcp/http.ts'
import { createSurface } from './surface.ts'

const loopback = new Set(['127.0.0.1', 'localhost', '::1', '[::1]'])
const everywhere = new Set(['0.0.0.0', '::', '[::]'])

/** Listens with everything on it. @throws AppError `forbidden` for an address that others can reach without a token. */
export async function startServer(app: OpenedApp): Promise<HttpServer> {
  const { config, log } = app
  const { host, port, socket, publicUrl, trustProxy, oidc } = config
  const isLocal = socket !== undefined || loopback.has(host.toLowerCase())
  if (!isLocal && oidc === undefined && !isTokenAsked(app.store)) {
    throw new AppError(
      'forbidden',
      `Serving on ${host} would let others in without a token; make one with \`assay token create\`, or serve on 127.0.0.1.`,
      { reason: 'token_required' },
    )
  }
  const ending = new AbortController()
  const now = () => Date.now()
  const gatekeeper = createGatekeeper({
    store: app.store,
    now,
    local: { ...app.caller, via: 'http' },
    always: !isLocal,
    ...(oidc === undefined ? {} : { foreign: createIssuer({ settings: oidc, signal: ending.signal, log, now }) }),
  })
  const operations = boundQuestions(app.operations)
  const mcp = createMcpHttpHandler({ surface: createSurface({ ...app, operations }), log })
  const http = createHttpApp({
    operations,
    contextFor: app.contextFor,
    callerOf: ({ headers }, address) =>
      gatekeeper.callerOf({ authorization: headers.get('authorization') ?? undefined, address }),
    mcp: (request, caller) => mcp(request, { ...caller, via: 'mcp' }),
    importFindings: app.importFindings,
    version,
    hosts: isLocal ? [] : namesOf(host),
    publicUrl,
    trustProxy,
    issuer: oidc?.issuer,
    log,
  })
  const server = await listen(http, socket === undefined ? { host, port } : { socket })
  return {
    url: server.url,
    close: async () => {
      ending.abort()
      await mcp.close()
      await server.close()
    },
  }
}

/** What requests may call this machine: the address that it listens on, or all that it has. */
function namesOf(host: string): string[] {
  const written = (address: string) => (address.includes(':') && !address.startsWith('[') ? `[${address}]` : address)
  if (!everywhere.has(host)) return [written(host)]
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.map(({ address }) => written(address)),
  )
  return [...own, hostname()]
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
