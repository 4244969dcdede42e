import { statSync } from 'node:fs'
import { hostname } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { BreakerState, UpstreamTally } from '../connectors/http/upstream.ts'
import type { Awaitable } from '../kernel/awaitable.ts'
import { AppError } from '../kernel/errors.ts'
import type { Caller, OperationFacts } from '../operation/context.ts'
import type { Store } from '../store/store.ts'
import { type Estate, OTHERS } from './estate.store.ts'

export interface TelemetryOptions {
  files: Store['files']
  readEstate: () => Awaitable<Estate>
  /** Counts the requests of scans to tenants. */
  upstream: Pick<UpstreamTally, 'take'>
}

/** Metrics for operators, in the format of Prometheus. Labels come from closed lists, never from text of a caller. */
export interface Telemetry {
  countRequest(route: string, status: number, seconds: number): void
  countRefusal(reason: string): void
  /** Runs the work of an operation, and records its duration and outcome. */
  measure(operation: OperationFacts, via: Caller['via'], work: () => Promise<unknown>): Promise<unknown>
  read(): Promise<string>
  contentType: string
  close(): void
}

/** Reasons of a write that waited too long for another one. */
const waited: ReadonlySet<unknown> = new Set(['busy', 'import_in_progress'])
const SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10]
const ROWS = [0, 1, 10, 100, 1000]
const NANOSECONDS_OF_MS = 1e6
const LOOP_SAMPLE_MS = 10

export function createTelemetry(options: TelemetryOptions): Telemetry {
  const register = new Registry()
  const registers = [register]
  const requests = new Histogram({
    name: 'http_request_seconds',
    help: 'HTTP requests.',
    registers,
    buckets: SECONDS,
    labelNames: ['route', 'status'],
  })
  const tools = new Histogram({
    name: 'mcp_tool_seconds',
    help: 'MCP tool calls.',
    registers,
    buckets: SECONDS,
    labelNames: ['tool', 'outcome'],
  })
  const queries = new Histogram({
    name: 'query_seconds',
    help: 'Read-only operations.',
    registers,
    buckets: SECONDS,
    labelNames: ['operation'],
  })
  const rows = new Histogram({
    name: 'query_rows',
    help: 'Groups, buckets or items in an answer.',
    registers,
    buckets: ROWS,
    labelNames: ['operation'],
  })
  const refusals = new Counter({
    name: 'auth_failures_total',
    help: 'Requests that were refused.',
    registers,
    labelNames: ['reason'],
  })
  const busy = new Counter({
    name: 'db_busy_total',
    help: 'Writes that failed because the database was locked.',
    registers,
  })
  const gauges = addGauges(registers, options)
  const takeUpstream = addUpstream(registers, options)
  return {
    countRequest: (route, status, seconds) => requests.observe({ route, status }, seconds),
    countRefusal: (reason) => refusals.inc({ reason }),
    measure: async ({ name, effect }, via, work) => {
      const begun = performance.now()
      let outcome = 'ok'
      try {
        const output = await work()
        if (effect === 'read') rows.observe({ operation: name }, sizeOf(output))
        return output
      } catch (error) {
        outcome = error instanceof AppError ? error.code : 'internal'
        if (error instanceof AppError && waited.has(error.facts.reason)) busy.inc()
        throw error
      } finally {
        const seconds = (performance.now() - begun) / 1000
        if (effect === 'read') queries.observe({ operation: name }, seconds)
        if (via === 'mcp') tools.observe({ tool: name, outcome }, seconds)
      }
    },
    read: async () => {
      gauges.sample()
      const estate = await options.readEstate()
      takeUpstream(estate)
      gauges.show(estate)
      return register.metrics()
    },
    contentType: register.contentType,
    close: gauges.close,
  }
}

const WAIT_SECONDS = [1, 5, 30, 120, 300, 900]
const breakerValues: Record<BreakerState, number> = { closed: 0, half_open: 1, open: 2 }

/** Metrics of the requests of scans to tenants. Returns a function that adds the counts since its last call. */
function addUpstream(registers: Registry[], { upstream }: TelemetryOptions): (estate: Estate) => void {
  const requests = new Counter({
    name: 'upstream_requests_total',
    help: 'Requests sent by scans, by source and response.',
    registers,
    labelNames: ['source', 'code'],
  })
  const waits = new Histogram({
    name: 'upstream_retry_after_seconds',
    help: 'Waits requested by tenants (rate limits).',
    registers,
    buckets: WAIT_SECONDS,
  })
  const breakers = new Gauge({
    name: 'breaker_state',
    help: 'State of the circuit breaker of a source: 0 closed, 1 half-open, 2 open.',
    registers,
    labelNames: ['source'],
  })
  const blocked = new Counter({
    name: 'blocked_egress_total',
    help: 'Links that are not checked because of their address.',
    registers,
    labelNames: ['reason'],
  })
  const states = new Map<string, BreakerState>()
  return ({ namedSources }) => {
    const counts = upstream.take()
    if (counts === undefined) return
    const named = new Set(namedSources)
    const labelOf = (source: string) => (named.has(source) ? source : OTHERS)
    for (const [source, own] of counts.replies) {
      for (const [code, n] of own) requests.inc({ source: labelOf(source), code }, n)
    }
    for (const [seconds, n] of counts.waits) for (let time = 0; time < n; time++) waits.observe(seconds)
    for (const [reason, n] of counts.blocked) blocked.inc({ reason }, n)
    for (const [source, state] of counts.breakers) states.set(source, state)
    breakers.reset()
    for (const [source, state] of states) {
      if (named.has(source)) breakers.set({ source }, breakerValues[state])
      else states.delete(source)
    }
  }
}

/** The length of the longest top-level list in an answer. */
function sizeOf(output: unknown): number {
  if (typeof output !== 'object' || output === null) return 0
  return Math.max(0, ...Object.values(output).map((member) => (Array.isArray(member) ? member.length : 0)))
}

interface Gauges {
  /** Sets what the next scrape reads. */
  show(estate: Estate): void
  /** Begins to sample the event loop, which wakes the process a hundred times a second. */
  sample(): void
  close(): void
}

/** Gauges that are read on each scrape. */
function addGauges(registers: Registry[], { files }: TelemetryOptions): Gauges {
  let shown: Estate = { loopHolder: undefined, unreadableSources: 0, namedSources: [], facts: [] }
  const gauge = (name: string, help: string, collect: (gauge: Gauge<string>) => void, labelNames: string[] = []) => {
    new Gauge({
      name,
      help,
      registers,
      labelNames,
      collect() {
        this.reset()
        collect(this)
      },
    })
  }
  const { file } = files ?? {}
  const sizeOfFile = (suffix: string) =>
    file === undefined ? 0 : (statSync(`${file}${suffix}`, { throwIfNoEntry: false })?.size ?? 0)
  gauge('db_size_bytes', 'Size of the database file.', (each) => each.set(sizeOfFile('')))
  gauge('wal_bytes', 'Size of the write-ahead log.', (each) => each.set(sizeOfFile('-wal')))
  gauge('leader', 'Whether this process runs the background loop.', (each) => {
    const [host, pid] = shown.loopHolder?.split('/') ?? []
    each.set(host === hostname() && pid === String(process.pid) ? 1 : 0)
  })
  gauge('secrets_unreadable', 'Sources whose credentials cannot be decrypted.', (each) =>
    each.set(shown.unreadableSources),
  )
  gauge(
    'scan_items_total',
    'Assets and findings processed by scans.',
    (each) => {
      for (const { source, ...counts } of shown.facts) {
        each.set({ source, kind: 'asset', outcome: 'discovered' }, counts.discovered)
        each.set({ source, kind: 'asset', outcome: 'scanned' }, counts.scanned)
        each.set({ source, kind: 'asset', outcome: 'unchanged' }, counts.unchanged)
        each.set({ source, kind: 'finding', outcome: 'new' }, counts.findingsNew)
        each.set({ source, kind: 'finding', outcome: 'again' }, counts.findingsAgain)
        each.set({ source, kind: 'finding', outcome: 'resolved' }, counts.findingsResolved)
      }
    },
    ['source', 'kind', 'outcome'],
  )
  gauge(
    'scan_run_seconds',
    'Duration of the latest finished scan.',
    (each) => {
      for (const { source, lastRunMs } of shown.facts) if (lastRunMs !== null) each.set({ source }, lastRunMs / 1000)
    },
    ['source'],
  )
  gauge('schedule_lag_seconds', 'Delay of the most overdue scan.', (each) =>
    each.set(Math.max(0, ...shown.facts.map(({ lagMs }) => lagMs)) / 1000),
  )
  const delay = monitorEventLoopDelay({ resolution: LOOP_SAMPLE_MS })
  let isSampling = false
  gauge(
    'event_loop_delay_seconds',
    'Event loop delay since the last scrape.',
    (each) => {
      for (const quantile of [50, 99]) {
        // The histogram holds the time between two samples, so the sampling interval is subtracted.
        const betweenMs = (delay.percentile(quantile) || 0) / NANOSECONDS_OF_MS
        each.set({ quantile: String(quantile / 100) }, Math.max(0, betweenMs - LOOP_SAMPLE_MS) / 1000)
      }
      delay.reset()
    },
    ['quantile'],
  )
  return {
    show: (estate) => {
      shown = estate
    },
    sample: () => {
      if (isSampling) return
      isSampling = true
      delay.enable()
      for (const register of registers) collectDefaultMetrics({ register })
    },
    close: () => delay.disable(),
  }
}
