import { Hono } from 'hono'
import type { Awaitable } from '../kernel/awaitable.ts'
import { AppError } from '../kernel/errors.ts'
import type { Caller } from '../operation/context.ts'
import { requireScope } from '../operation/operation.ts'
import type { Log } from '../runtime/log.ts'
import type { Readiness } from '../telemetry/readiness.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import { isFromHere, peerOf } from './address.ts'
import { addSafety, guard } from './guard.ts'
import { toProblem } from './problem.ts'
import type { AppEnv } from './routes.ts'

export interface ProbeOptions {
  version: string
  /** If absent, there is no `/ready`. */
  readiness?: () => Awaitable<Readiness>
  /** If absent, there is no `/metrics`. */
  telemetry?: Pick<Telemetry, 'read' | 'contentType'>
}

/** What an operator asks a process: whether it runs, whether it can work, and its metrics. */
export function addProbes(app: Hono<AppEnv>, { version, readiness, telemetry }: ProbeOptions): void {
  app.get('/health', (c) => c.json({ status: 'ok', version }))
  if (readiness !== undefined) {
    app.get('/ready', async (c) => {
      const { reason, ...checks } = await readiness()
      const ready = Object.values(checks).every((outcome) => outcome === 'ok')
      return c.json(
        { status: ready ? 'ready' : 'not_ready', checks, ...(reason === undefined ? {} : { reason }) },
        ready ? 200 : 503,
      )
    })
  }
  if (telemetry !== undefined) {
    app.get('/metrics', async (c) => {
      const caller = c.get('caller') as Caller | undefined
      if (caller !== undefined) requireScope('Reading metrics', 'read', caller)
      return c.body(await telemetry.read(), 200, { 'content-type': telemetry.contentType })
    })
  }
}

export interface ProbeAppOptions extends ProbeOptions {
  /** Host names accepted besides loopback. */
  hosts: readonly string[]
  /** Identifies the caller of a request from another machine; `address` is that of the client. */
  callerOf(request: Request, address: string | undefined): Promise<Caller>
  log: Log
}

/** The HTTP app of a process that answers nothing but probes; metrics need a token from elsewhere. */
export function createProbeApp({ hosts, callerOf, log, ...options }: ProbeAppOptions): Hono<AppEnv> {
  const app = new Hono<AppEnv>({ strict: false })
  app.use('*', guard({ hosts }))
  app.use('/metrics', async (c, next) => {
    const peer = peerOf(c.env)
    if (!isFromHere(peer, c.req.raw.headers)) c.set('caller', await callerOf(c.req.raw, peer))
    await next()
  })
  addProbes(app, options)
  app.notFound(() => toProblem(new AppError('not_found', 'A worker answers /health, /ready and /metrics.'), log))
  app.onError((error) => addSafety(toProblem(error, log)))
  return app
}
