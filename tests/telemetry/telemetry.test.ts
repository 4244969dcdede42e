import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { operations } from '../../src/catalogue.ts'
import { createUpstreamTally, type UpstreamTally } from '../../src/connectors/http/upstream.ts'
import { createHttpApp } from '../../src/http/server.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { type Caller, scopes, type WriteContext } from '../../src/operation/context.ts'
import { call, type Operation, operation } from '../../src/operation/operation.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { sleepSync } from '../../src/runtime/pause.ts'
import { readEstate } from '../../src/telemetry/estate.store.ts'
import { examineReadiness } from '../../src/telemetry/readiness.ts'
import { createTelemetry, type Telemetry } from '../../src/telemetry/telemetry.ts'
import { localPerson, NOON, openStore } from '../support/context.ts'
import { sqliteOnly } from '../support/new-store.ts'
import { safe } from '../support/safe-text.ts'

let kept: ReturnType<typeof openStore>
let telemetry: Telemetry
let upstream: UpstreamTally
const problem = new AppError('unavailable', 'The key is lost.', { reason: 'key_missing' })
beforeEach(() => {
  kept = openStore(() => NOON)
  upstream = createUpstreamTally()
  telemetry = createTelemetry({
    files: kept.store.files,
    readEstate: () => readEstate(kept.store, { problem: () => undefined }, NOON),
    upstream,
  })
})
afterEach(() => {
  telemetry.close()
  kept.remove()
})

const echo = operation({
  name: 'list_echoes',
  title: 'Echo',
  summary: 'Says what it heard.',
  effect: 'read',
  scope: 'read',
  route: 'GET /echo/{name}',
  input: z.strictObject({ name: z.string() }),
  output: z.object({ items: z.array(z.string()) }),
  run: ({ name }) => {
    if (name === 'busy') throw new AppError('unavailable', 'Busy.', { reason: 'busy' })
    return { items: [name, name] }
  },
})

const measuring = (caller: Caller): WriteContext => {
  const around: WriteContext['around'] = (operation, work) => telemetry.measure(operation, caller.via, work)
  return { caller, signal: new AbortController().signal, log: silentLog, around } as unknown as WriteContext
}
const open = (list: readonly Operation[], peer = '127.0.0.1', callerOf: () => Caller = () => localPerson) => {
  const app = createHttpApp({
    operations: list,
    contextFor: ({ caller }) => measuring(caller),
    callerOf,
    version: '1',
    hosts: [],
    telemetry,
    readiness: () => examineReadiness(kept.store, { problem: () => undefined }),
    log: silentLog,
  })
  return async (path: string, headers: Record<string, string> = {}) => {
    const env = { incoming: { socket: { remoteAddress: peer } } }
    const reply = await app.request(`http://127.0.0.1${path}`, { headers: { host: '127.0.0.1', ...headers } }, env)
    return { status: reply.status, text: await reply.text(), type: reply.headers.get('content-type') }
  }
}
/** The value of one series. */
const read = async (series: string) => {
  const line = (await telemetry.read()).split('\n').find((each) => each.startsWith(`${series} `))
  return Number(line?.slice(series.length))
}

const documented = [
  ...[
    'http_request_seconds',
    'mcp_tool_seconds',
    'query_seconds',
    'query_rows',
    'scan_items_total',
    'scan_run_seconds',
  ],
  ...['schedule_lag_seconds', 'leader', 'db_size_bytes', 'wal_bytes', 'db_busy_total', 'event_loop_delay_seconds'],
  ...['secrets_unreadable', 'auth_failures_total', 'upstream_requests_total', 'upstream_retry_after_seconds'],
  ...['breaker_state', 'blocked_egress_total'],
]

function addSources(sources: number): void {
  kept.store.write((writer) => {
    for (let n = 0; n < sources; n++) {
      writer
        .prepare(
          `INSERT INTO source (uid, name, type, config, created_at, updated_at) VALUES (@uid, @uid, 'WIKI', '{}', 0, 0)`,
        )
        .run({ uid: safe(`source-${n}`) })
    }
  })
}

describe('metrics', () => {
  it('are the documented ones', async () => {
    const text = await telemetry.read()
    expect(documented.filter((name) => !text.includes(`# TYPE ${name} `))).toEqual([])
  })

  it('report the delays of the event loop between two scrapes', async () => {
    const delay = 'event_loop_delay_seconds{quantile="0.99"}'
    await read(delay)
    await sleep(50)
    sleepSync(300)
    await sleep(50)
    expect(await read(delay)).toBeGreaterThan(0.2)
  })

  it('count requests by route, never by the requested path', async () => {
    const ask = open([echo])
    for (let n = 0; n < 5; n++) await ask(`/echo/${n}`)
    await ask('/secret-path-of-somebody')
    expect(await read('http_request_seconds_count{route="GET /echo/{name}",status="200"}')).toBe(5)
    expect(await read('http_request_seconds_count{route="other",status="404"}')).toBe(1)
    expect(await telemetry.read()).not.toContain('secret-path')
  })

  it('measure operations, their rows, and the faults of the database', async () => {
    const context = measuring({ ...localPerson, via: 'mcp' })
    await call(echo, { name: 'a' }, context)
    await call(echo, { name: 'busy' }, context).catch(() => {})
    expect(await read('query_seconds_count{operation="list_echoes"}')).toBe(2)
    expect(await read('query_rows_sum{operation="list_echoes"}')).toBe(2)
    expect(await read('mcp_tool_seconds_count{tool="list_echoes",outcome="ok"}')).toBe(1)
    expect(await read('mcp_tool_seconds_count{tool="list_echoes",outcome="unavailable"}')).toBe(1)
    expect(await read('db_busy_total')).toBe(1)
  })

  it('count scans by source, and report how late the schedule is', async () => {
    kept.store.write((writer) => {
      writer
        .prepare(
          `INSERT INTO source (id, uid, name, type, config, schedule_enabled, next_run_at, created_at, updated_at)
           VALUES (1, 'u1', 'Wiki', 'WIKI', '{}', 1, @late, 0, 0), (2, 'u2', 'Other', 'WIKI', '{}', 0, 1, 0, 0)`,
        )
        .run({ late: NOON - 90_000 })
      for (const scanned of [3, 4]) {
        writer
          .prepare(
            `INSERT INTO scan (uid, source_id, status, trigger, requested_by, config_hash, detectors_hash, created_at, started_at, finished_at, scanned)
             VALUES (@uid, 1, 'COMPLETED', 'MANUAL', 'x', '', '', 0, 1000, 6000, @scanned)`,
          )
          .run({ uid: safe(`s${scanned}`), scanned })
      }
    })
    expect(await read('scan_items_total{source="u1",kind="asset",outcome="scanned"}')).toBe(7)
    expect(await read('scan_run_seconds{source="u1"}')).toBe(5)
    expect(await read('schedule_lag_seconds')).toBe(90)
  })

  it('include requests of scans in other threads', async () => {
    addSources(2)
    const scanning = createUpstreamTally()
    const watch = scanning.of('source-0')
    for (const status of [200, 204, 503]) watch.answered(status)
    watch.askedToWait(20)
    watch.watchBreaker()('open')
    scanning.of('a source that is gone').answered('timeout')
    scanning.blocked('private_address')
    for (let time = 0; time < 2; time++) {
      const told = scanning.take()
      if (told !== undefined) upstream.add(told)
      expect(await read('upstream_requests_total{source="source-0",code="2xx"}')).toBe(2)
    }
    expect(await read('upstream_requests_total{source="others",code="timeout"}')).toBe(1)
    expect(await read('upstream_retry_after_seconds_sum')).toBe(20)
    expect(await read('breaker_state{source="source-0"}')).toBe(2)
    expect(await read('blocked_egress_total{reason="private_address"}')).toBe(1)
    scanning.ended('source-0')
    upstream.add(scanning.take() ?? expect.fail('nothing was told'))
    expect(await read('breaker_state{source="source-0"}')).toBe(0)
  })

  it('stay below 2,000 series for any number of requests, callers and sources', async () => {
    addSources(300)
    for (let n = 0; n < 300; n++) {
      const watch = upstream.of(`source-${n}`)
      watch.watchBreaker()('open')
      for (const outcome of [
        ...Array.from({ length: 60 }, (_, index) => index * 10 + (index % 10)),
        'timeout',
        'network',
        'too_large',
      ]) {
        watch.answered(outcome)
      }
    }
    const nobody: Caller = { name: 'nobody', via: 'http', scopes: new Set() }
    const [all, none] = [open(operations), open(operations, '10.0.0.1', () => nobody)]
    for (const { route = 'GET /', name } of operations) {
      const path = (route.split(' ')[1] ?? '/').replaceAll(/\{\w+\}/g, () => crypto.randomUUID())
      await all(path)
      await none(path)
      telemetry.countRefusal('token_invalid')
      const operation = operations.find((each) => each.name === name) as Operation
      await call(operation, {}, measuring({ ...localPerson, via: 'mcp' })).catch(() => {})
    }
    for (let n = 0; n < 200; n++) await all(`/${crypto.randomUUID()}`)
    const series = (await telemetry.read()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    expect(series.length).toBeLessThanOrEqual(2000)
  }, 60_000)
})

describe('/metrics', () => {
  const token = (...granted: Caller['scopes'] extends ReadonlySet<infer S> ? S[] : never) => ({
    ...localPerson,
    token: true,
    scopes: new Set(granted),
  })
  const refuse = (): Caller => {
    throw new AppError('unauthorized', 'A token is needed.')
  }

  it('requires no token on the same machine', async () => {
    const { status, type, text } = await open([], '127.0.0.1', refuse)('/metrics')
    expect([status, type]).toEqual([200, expect.stringContaining('text/plain')])
    expect(text).toContain('# TYPE http_request_seconds histogram')
  })

  it.each([
    ['others', '10.0.0.1', {}],
    ['others through a proxy on this machine', '127.0.0.1', { 'x-forwarded-for': '10.0.0.1' }],
  ])('requires a token with the scope read from %s', async (_who, peer, headers) => {
    expect((await open([], peer, refuse)('/metrics', headers)).status).toBe(401)
    expect((await open([], peer, () => token())('/metrics', headers)).status).toBe(403)
    expect((await open([], peer, () => token('read'))('/metrics', headers)).status).toBe(200)
  })
})

describe('/ready', () => {
  it('reports that everything is ready', async () => {
    const { status, text } = await open([])('/ready')
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { status: 'ready', checks: { database: 'ok', schema: 'ok', key: 'ok', disk: 'ok' } },
    ])
  })

  it('reports what is missing: the key, the schema, the database', (test) => {
    sqliteOnly('it changes the number of the schema in the file', test)
    expect(examineReadiness(kept.store, { problem: () => problem })).toMatchObject({
      ...{ key: 'failed', database: 'ok', reason: 'key_missing' },
    })
    kept.store.write((writer) => writer.prepare('PRAGMA user_version = 1').run())
    expect(examineReadiness(kept.store, { problem: () => undefined })).toMatchObject({
      ...{ schema: 'failed', reason: 'database_newer' },
    })
    const other = openStore()
    other.remove()
    expect(examineReadiness(other.store, { problem: () => undefined })).toMatchObject({ database: 'failed' })
  })

  it('answers 503 when something is missing', async () => {
    const app = createHttpApp({
      operations: [],
      contextFor: (asked) => asked as WriteContext,
      callerOf: () => ({ ...localPerson, scopes: new Set(scopes) }),
      version: '1',
      hosts: [],
      readiness: () => ({ ...examineReadiness(kept.store, { problem: () => problem }) }),
      log: silentLog,
    })
    const reply = await app.request('http://127.0.0.1/ready', { headers: { host: '127.0.0.1' } })
    expect([reply.status, (await reply.json()) as object]).toMatchObject([503, { status: 'not_ready' }])
  })
})
