import { Hono } from 'hono'
import { resourceMetadataPath, toChallenge, toResourceMetadata } from '../access/challenge.ts'
import type { FollowToken } from '../access/token-watch.ts'
import { QUESTIONS_PATH } from '../background/question.ts'
import { AppError } from '../kernel/errors.ts'
import { type Caller, principalOf, type WriteContext } from '../operation/context.ts'
import type { Operation } from '../operation/operation.ts'
import type { Log } from '../runtime/log.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import { clientAddress, isFromHere, nodeOf, peerOf, toNetwork } from './address.ts'
import { addConsole, CONSOLE_PATH, isConsolePage, pageHeaders, typeOf } from './console.ts'
import { atOrigin, createDocsPage, DOCS_PATH } from './docs.ts'
import { docsFiles } from './docs-assets.ts'
import { addSafety, guard } from './guard.ts'
import { type ImportFindings, importRoute } from './import.ts'
import { createOpenApi } from './openapi.ts'
import { addProbes, type ProbeOptions } from './probes.ts'
import { toProblem } from './problem.ts'
import { addQuestions, type QuestionOptions } from './questions.ts'
import { toTextResponse } from './replies.ts'
import { type AppEnv, addRoutes } from './routes.ts'
import { limitStreams } from './streams.ts'
import { FEED_PATH, feedRoute } from './watches-feed.ts'

export interface HttpOptions extends ProbeOptions {
  operations: readonly Operation[]
  contextFor(options: { caller: Caller; signal: AbortSignal }): WriteContext
  /**
   * Identifies the caller of a request; `address` is that of the client.
   * @throws AppError `unauthorized` when a token is required and missing
   */
  callerOf(request: Request, address: string | undefined): Caller | Promise<Caller>
  /** If absent, work begun under a token continues after the token ends. */
  follow?: FollowToken
  mcp?: (request: Request, caller: Caller) => Promise<Response>
  /** Answers other processes on the data folder; if absent, there is no such path. */
  questions?: QuestionOptions
  /** Imports a file of findings; if absent, the import runs on this thread. */
  importFindings?: ImportFindings
  /** Host names accepted besides loopback. */
  hosts: readonly string[]
  publicUrl?: string | undefined
  /** Networks of proxies trusted to report the client's address. */
  trustProxy?: readonly string[]
  /** Counts requests and returns the counts. */
  telemetry?: Pick<Telemetry, 'countRequest' | 'read' | 'contentType'>
  /** The issuer whose tokens are accepted besides Assay's own. */
  issuer?: string | undefined
  /** The folder of the built console; absent: not served. */
  console?: URL | undefined
  log: Log
}

/** Paths outside of the operations that request counts list by name. */
const namedPaths = new Set([
  '/',
  '/health',
  '/ready',
  '/metrics',
  '/openapi.json',
  '/docs',
  '/mcp',
  '/findings/import',
  QUESTIONS_PATH,
  FEED_PATH,
])

/** Public paths, which reveal nothing but the program itself. */
const openPaths = new Set(['/', '/health', '/ready', '/openapi.json', '/docs', '/docs/docs.js', '/docs/docs.css'])

const namePath = (path: string) => (namedPaths.has(path) ? path : isConsolePage(path) ? CONSOLE_PATH : 'other')

const MAX_STREAMS_PER_CALLER = 64

/** Builds the HTTP app: every operation with a route, `/mcp`, and the service endpoints. */
export function createHttpApp(options: HttpOptions): Hono<AppEnv> {
  const { log, version, issuer } = options
  const trusted = (options.trustProxy ?? []).map(toNetwork)
  const app = new Hono<AppEnv>({ strict: false })
  // Built on first request, because they take longer than all the rest.
  const baseOf = (request: Request) => (options.publicUrl ?? new URL(request.url).origin).replace(/\/$/, '')
  let openApi: string | undefined
  let docs: string | undefined
  const { telemetry } = options
  if (telemetry !== undefined) {
    app.use('*', async (c, next) => {
      const begun = performance.now()
      await next()
      const route = c.get('route') ?? namePath(c.req.path)
      telemetry.countRequest(route, c.res.status, (performance.now() - begun) / 1000)
    })
  }
  app.use('*', guard({ hosts: options.hosts, publicUrl: options.publicUrl }))
  if (options.questions !== undefined) addQuestions(app, options.questions)
  const holdStream = limitStreams(MAX_STREAMS_PER_CALLER)
  app.use('*', async (c, next) => {
    const isOpen = openPaths.has(c.req.path) || isConsolePage(c.req.path) || c.req.path.startsWith('/.well-known/')
    const isWatching = c.req.path === '/metrics' && isFromHere(peerOf(c.env), c.req.raw.headers)
    if (isOpen || isWatching) return next()
    const address = clientAddress(peerOf(c.env), c.req.header('x-forwarded-for') ?? null, trusted)
    const client = c.req.header('user-agent')
    const caller = await options.callerOf(c.req.raw, address)
    c.set('caller', client === undefined ? caller : { ...caller, client })
    const { outgoing } = nodeOf(c.env)
    if (outgoing === undefined || outgoing.closed) return next()
    const stop = options.follow?.(caller, () => outgoing.destroy())
    if (stop !== undefined) outgoing.once('close', stop)
    await next()
    if (c.res.headers.get('content-type')?.startsWith('text/event-stream')) holdStream(principalOf(caller), outgoing)
  })
  addProbes(app, options)
  app.get('/openapi.json', (c) => {
    openApi ??= JSON.stringify(createOpenApi(options.operations, version))
    const headers = { 'content-type': 'application/json' }
    return toTextResponse(c.req.raw.headers, { text: openApi, headers, isRevalidated: true })
  })
  app.get(DOCS_PATH, (c) => {
    docs ??= createDocsPage(createOpenApi(options.operations, version), options.operations, version)
    return toTextResponse(c.req.raw.headers, { text: atOrigin(docs, baseOf(c.req.raw)), headers: pageHeaders })
  })
  for (const [name, text] of Object.entries(docsFiles)) {
    app.get(`${DOCS_PATH}/${name}`, (c) =>
      toTextResponse(c.req.raw.headers, { text, headers: { 'content-type': typeOf(name) }, isRevalidated: true }),
    )
  }
  if (options.console !== undefined) addConsole(app, options.console)
  app.get('/', (c) => c.redirect(options.console === undefined ? DOCS_PATH : CONSOLE_PATH))
  for (const path of issuer === undefined ? [] : ['', '/mcp']) {
    app.get(resourceMetadataPath(path), (c) => c.json(toResourceMetadata(baseOf(c.req.raw), path, issuer ?? '')))
  }
  const { mcp } = options
  app.post('/findings/import', (c) =>
    importRoute(
      c.req.raw,
      options.contextFor({ caller: c.get('caller'), signal: c.req.raw.signal }),
      options.importFindings,
    ),
  )
  app.get(FEED_PATH, (c) =>
    feedRoute(options.contextFor({ caller: c.get('caller'), signal: c.req.raw.signal }), baseOf(c.req.raw)),
  )
  if (mcp !== undefined) app.all('/mcp', (c) => mcp(c.req.raw, c.get('caller')))
  addRoutes(app, { ...options, baseOf })
  app.notFound(() => toProblem(new AppError('not_found', 'This path does not exist; /docs lists all paths.'), log))
  app.onError((error, c) => {
    const metadata = `${baseOf(c.req.raw)}${resourceMetadataPath(c.req.path === '/mcp' ? '/mcp' : '')}`
    return addSafety(toProblem(error, log, (known) => toChallenge(known, issuer === undefined ? undefined : metadata)))
  })
  return app
}
