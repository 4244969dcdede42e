import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { hostname, networkInterfaces } from 'node:os'
import { resolve } from 'node:path'
import { createAuthenticator } from '../access/gatekeeper.ts'
import { createIssuer } from '../access/issuer.ts'
import { createQueryLimiter } from '../access/query-limiter.ts'
import { recordAccess } from '../access/record.ts'
import { createTokenWatch } from '../access/token-watch.ts'
import type { OpenedApp } from '../app.ts'
import type { Host } from '../cli/host.ts'
import { show } from '../cli/output/show.ts'
import { isLoopbackHost } from '../connectors/http/loopback.ts'
import { type HttpServer, listen } from '../http/listen.ts'
import { createHttpApp } from '../http/server.ts'
import { AppError } from '../kernel/errors.ts'
import { line, showCode, showSentence } from '../kernel/shown.ts'
import { createMcpHttpHandler } from '../mcp/http/http.ts'
import { principalOf } from '../operation/context.ts'
import { packageFile, version } from '../runtime/package-files.ts'
import { announceServer, identifyFile } from '../runtime/served-address.ts'
import { createTelemetry } from '../telemetry/telemetry.ts'
import { createSurface } from './mcp-surface.ts'

const loopback = new Set(['127.0.0.1', 'localhost', '::1', '[::1]'])
const everywhere = new Set(['0.0.0.0', '::', '[::]'])

/**
 * Starts the HTTP server with all routes.
 * @throws AppError `forbidden` for an address that others can reach, directly or through a proxy, when no token exists
 */
export async function startServer(app: OpenedApp): Promise<HttpServer> {
  app.startAnswering()
  const { config, log } = app
  const { host, port, socket, publicUrl, trustProxy, oidc } = config
  const isLocal = socket !== undefined || loopback.has(host.toLowerCase())
  const isReached = !isLocal || isProxied(config)
  const lookups = await app.openLookups()
  if (isReached && oidc === undefined && !(await lookups.isTokenRequired())) {
    const place = isLocal ? `behind ${publicUrl ?? 'a proxy'}` : `on ${host}`
    throw new AppError(
      'forbidden',
      `Serving ${place} without a token would give access to anyone; create one with \`assay token create\`, or serve on 127.0.0.1 only.`,
      { reason: 'token_required' },
    )
  }
  const ending = new AbortController()
  const now = () => Date.now()
  const { store, upstream } = app
  const telemetry = createTelemetry({ files: store.files, readEstate: lookups.readEstate, upstream })
  const record = recordAccess({ append: (refused) => void lookups.recordRefusal(refused), log })
  const gatekeeper = createAuthenticator({
    tokens: lookups,
    local: { ...app.caller, via: 'http' },
    always: isReached,
    onRefusal: ({ reason, address, principal }) => {
      telemetry.countRefusal(reason)
      record.refuse({ reason, address, principal })
    },
    ...(oidc === undefined ? {} : { foreign: createIssuer({ settings: oidc, signal: ending.signal, log, now }) }),
  })
  const queryLimiter = createQueryLimiter()
  const contextFor: OpenedApp['contextFor'] = (asked) => {
    const context = app.contextFor(asked)
    context.onRefused = (operation) => {
      telemetry.countRefusal('insufficient_scope')
      record.refuse({ reason: 'insufficient_scope', principal: principalOf(asked.caller), operation })
    }
    const { caller } = asked
    context.around = (operation, work) =>
      telemetry.measure(operation, caller.via, () => queryLimiter(operation, caller, work))
    return context
  }
  const token = randomBytes(32).toString('hex')
  const tokens = createTokenWatch({ tokens: lookups, now, log })
  const { follow } = tokens
  const mcp = createMcpHttpHandler({ surface: createSurface({ ...app, contextFor }), log, follow })
  const http = createHttpApp({
    operations: app.operations,
    contextFor,
    callerOf: async ({ headers }, address) => {
      const caller = await gatekeeper.authenticate({
        authorization: headers.get('authorization') ?? undefined,
        address,
      })
      return headers.has(LOCKDOWN_HEADER) ? { ...caller, lockdown: true } : caller
    },
    follow,
    mcp: (request, caller) => mcp(request, { ...caller, via: 'mcp' }),
    importFindings: app.importFindings,
    questions: { token, answer: app.answerQuestion },
    version,
    hosts: isLocal ? [] : namesOf(host),
    publicUrl,
    trustProxy,
    issuer: oidc?.issuer,
    ...(config.console ? { console: packageFile('dist/console/') } : {}),
    telemetry,
    readiness: lookups.readReadiness,
    log,
  })
  const server = await listen(http, socket === undefined ? { host, port } : { socket })
  const address = publicUrl ?? (socket === undefined ? toLocal(server.url, socket) : undefined)
  const database = store.files && identifyFile(store.files.file)
  const withdraw = announceServer(config.home, {
    ...(config.console && address !== undefined ? { url: address.replace(/\/+$/, '') } : {}),
    // Processes on a database of a server each have an engine of their own.
    ...(database === undefined
      ? {}
      : { questions: { address: toLocal(server.url, socket), token, version, database } }),
  })
  await lookups.recordSettings(settingsOf(config))
  await lookups.anchorAudit()
  const anchoring = setInterval(() => void lookups.anchorAudit(), DAY_MS).unref()
  return {
    url: server.url,
    close: async () => {
      ending.abort()
      withdraw()
      clearInterval(anchoring)
      telemetry.close()
      tokens.close()
      await mcp.close()
      await server.close()
    },
  }
}

/** An address at which other processes of this machine reach a server, which may listen on all of its addresses. */
const toLocal = (url: string, socket: string | undefined): string =>
  socket === undefined
    ? url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
    : `unix:${resolve(socket)}`

/** Behind a proxy, every request appears to come from this machine. */
const isProxied = ({ publicUrl, trustProxy }: OpenedApp['config']): boolean =>
  trustProxy.length > 0 || (publicUrl !== undefined && !isLoopbackHost(new URL(publicUrl).hostname))

const DAY_MS = 86_400_000
/** With this header a caller can restrict what it is shown, never extend it. */
const LOCKDOWN_HEADER = 'x-assay-lockdown'

/** The settings that control access. */
function settingsOf({
  host,
  socket,
  publicUrl,
  trustProxy,
  toolsets,
  readOnly,
  lockdown,
  lockdownCodes,
  oidc,
}: OpenedApp['config']): object {
  return { host, socket, publicUrl, trustProxy, toolsets, readOnly, lockdown, lockdownCodes, oidc }
}

/** The names by which requests may address this machine: the address that it listens on, or all of its own. */
export function namesOf(host: string): string[] {
  const written = (address: string) => (address.includes(':') && !address.startsWith('[') ? `[${address}]` : address)
  if (!everywhere.has(host)) return [written(host)]
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.map(({ address }) => written(address)),
  )
  return [...own, hostname()]
}

/** `assay serve`: runs until the process is asked to stop. */
export async function serve(app: OpenedApp, host: Host): Promise<void> {
  try {
    const server = await startServer(app)
    const url = showSentence(server.url)
    await show(
      host,
      line`Assay ${showCode(version)} serves at ${url}`,
      ...(app.config.console ? [line`  Console ${url}/console/`] : []),
      line`  REST ${url}/docs · MCP ${url}/mcp`,
      ...(host.stdout.isTTY === true
        ? [line`  Data folder ${showSentence(app.config.home)}`, line`  Ctrl-C ends it; logs follow`]
        : []),
    )
    if (app.config.background) app.startBackground()
    await untilStopped(host.signal)
    await server.close()
  } finally {
    await app.close()
  }
}

export async function untilStopped(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
