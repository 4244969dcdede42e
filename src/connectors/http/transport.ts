import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../kernel/errors.ts'
import type { Log } from '../../runtime/log.ts'
import { createBreaker } from './breaker.ts'
import { ExchangeError, type ExchangeReply, type ExchangeRequest, exchange } from './exchange.ts'
import {
  MAX_PAUSE_MS,
  parseJson,
  RequestFault,
  textOf,
  toAppError,
  toFault,
  toGivenUp,
  toParked,
  toRefusal,
  toTooLarge,
  type UpstreamFault,
} from './fault.ts'
import { createGate, type Pace } from './gate.ts'
import { exceedsJsonLimits } from './json-limits.ts'
import type { HeldLists } from './list-limit.ts'
import type { Upstream } from './upstream.ts'

type Query = Record<string, string | number | undefined>

/**
 * The query of an attempt after this number of breakdowns: server errors, network errors and replies that are too
 * large. `retries` is the most attempts that may follow the first.
 */
type QueryByBreakdowns = (breakdowns: number, retries: number) => Query

interface JsonRequest {
  method?: 'GET' | 'POST'
  /** Appended to the origin and the base path; begins with `/`. */
  path: string
  /** A function asks for less after each breakdown; all its attempts count against `maxRetries` together. */
  query?: Query | QueryByBreakdowns
  body?: unknown
  form?: Record<string, string>
  headers?: Record<string, string>
  timeoutMs?: number
  /** Limit on the decoded body; default 16 MiB. */
  maxBytes?: number
  /** 4xx statuses that are returned instead of thrown; their body may be undefined. */
  accept?: readonly number[]
  /** True for a POST that may be sent again after any server error. */
  repeatable?: boolean
}

interface JsonReply<T> {
  status: number
  headers: Record<string, string>
  body: T
  size: number
}

interface DownloadRequest {
  path: string
  query?: Query
  /** A longer body is cut to this many bytes. */
  maxBytes: number
  /** Decides about the one redirect that is followed; the credential is never sent to its target. */
  allowRedirect: (target: URL) => boolean
}

/**
 * Requests to one origin.
 * @throws AppError with `facts.reason`: `auth_failed` (401 on the first call), `auth_expired` (401 later), `forbidden`
 * (403, and 401 for a missing scope), `gone` (404, 410), `bad_request` (other 4xx), `retry_later` (with
 * `retryAfterSeconds`), `server_error` (5xx after retries), `protocol_error` (not JSON, a redirect), `network`,
 * `too_large`, `aborted`. `facts.facts` holds `status` and, where there is one, the platform's error `code`
 */
export interface HttpClient {
  /** `body` is undefined for a 204; `size` is that of the decoded response in bytes. */
  json<T = unknown>(request: JsonRequest): Promise<JsonReply<T>>
  readonly held: HeldLists
  /** The bytes behind at most one redirect. `finalUrl` has no query, which may contain a token. */
  download(request: DownloadRequest): Promise<{
    bytes: Uint8Array
    /** Whether the body is longer than `maxBytes`. */
    isCut: boolean
    contentType: string
    finalUrl: string
  }>
}

export interface HttpClientOptions {
  origin: string
  basePath?: string
  /** Value of the Authorization header. */
  authorize: () => Promise<string | undefined>
  /** Gets a new credential after a refusal; false where there is none. */
  refresh?: () => Promise<boolean>
  timeoutMs: number
  /** Further attempts after the first. */
  maxRetries: number
  /** Minimum time between the starts of two requests. */
  minGapMs: number
  /** Shared by the clients whose requests `minGapMs` separates; default: this client alone. */
  pace?: Pace
  concurrency: number
  signal: AbortSignal
  log: Log
  now: () => number
  random?: () => number
  watch?: Upstream | undefined
}

const MAX_BACKOFF_MS = 60_000
/** Up to as many replies as a client has slots are held at the same time. */
const JSON_BYTES = 16 * 1024 * 1024
/** What one attempt shows about the origin's health; a missing credential or an abort shows nothing. */
function judgeOrigin(error: unknown): 'ok' | 'failed' | 'neither' {
  if (error instanceof RequestFault) {
    return error.fault.reason === 'server_error' && error.fault.status !== 501 ? 'failed' : 'ok'
  }
  if (!(error instanceof ExchangeError) || error.kind === 'aborted') return 'neither'
  return error.kind === 'too_large' ? 'ok' : 'failed'
}

type Call<T> = (authorization: string | undefined, onAnswer: () => void, breakdowns: number) => Promise<T>

const breakdownReasons: ReadonlySet<string> = new Set(['server_error', 'network', 'too_large'])

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { signal, log, watch } = options
  const random = options.random ?? Math.random
  const origin = new URL(options.origin)
  const host = origin.host
  const basePath = (options.basePath ?? '').replace(/\/+$/, '')
  let succeeded = false
  let generation = 0
  let refreshing: Promise<boolean> | undefined

  const gate = createGate({
    concurrency: options.concurrency,
    minGapMs: options.minGapMs,
    pace: options.pace,
    signal,
    beforePause: (remainingMs) => {
      if (remainingMs > MAX_PAUSE_MS) throw new RequestFault(toParked(host, remainingMs))
    },
  })

  const breaker = createBreaker({
    signal,
    givenUp: (waitMs) => new RequestFault(toGivenUp(host, waitMs)),
    onStateChange: watch?.watchBreaker(),
  })

  async function send(request: ExchangeRequest): Promise<ExchangeReply> {
    try {
      const reply = await exchange(request)
      watch?.answered(reply.status)
      return reply
    } catch (error) {
      if (error instanceof ExchangeError && error.kind !== 'aborted') watch?.answered(error.kind)
      throw error
    }
  }

  function toUrl(path: string, query: Query = {}): URL {
    const url = new URL(`${origin.origin}${basePath}${path}`)
    if (!path.startsWith('/') || url.origin !== origin.origin || !url.pathname.startsWith(`${basePath}/`)) {
      const reason = 'foreign_origin'
      throw new AppError(
        'internal',
        'A request to an address outside the configured one was blocked; please report this bug.',
        { reason },
      )
    }
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.append(name, String(value))
    }
    url.search = url.search.replaceAll('+', '%20').replaceAll('%24', '$')
    return url
  }

  function requireSuccess(reply: ExchangeReply, repeatable: boolean): void {
    if (reply.status >= 200 && reply.status <= 299) return
    throw new RequestFault(toRefusal(reply, { host, repeatable, succeeded, now: options.now(), random }))
  }

  /** Waits for the breaker and for a slot at the gate. */
  async function enter(path: string) {
    for (;;) {
      const passage = await breaker.pass()
      try {
        const leave = await gate.enter()
        if (breaker.admits(passage)) return { passage, leave }
        leave()
      } catch (error) {
        breaker.answered(passage, 'neither', path)
        throw error
      }
    }
  }

  /** One attempt with a slot at the gate. A pause requested by a refusal takes effect before the slot is freed. */
  async function attempt<T>(
    path: string,
    tries: number,
    call: (authorization: string | undefined, onAnswer: () => void) => Promise<T>,
  ): Promise<T> {
    const { passage, leave } = await enter(path)
    let outcome: ReturnType<typeof judgeOrigin> = 'ok'
    let hasAnswered = false
    const onAnswer = () => {
      hasAnswered = true
    }
    try {
      const result = await call(await options.authorize(), onAnswer)
      gate.answered('ok')
      succeeded = true
      return result
    } catch (error) {
      outcome = hasAnswered ? 'ok' : judgeOrigin(error)
      if (error instanceof RequestFault) applyRateLimit(error.fault, tries)
      throw error
    } finally {
      breaker.answered(passage, outcome, path)
      leave()
    }
  }

  function applyRateLimit(fault: UpstreamFault, tries: number): void {
    if (fault.status === 429) fault.pauseMs ??= Math.min(MAX_BACKOFF_MS, 2000 * 2 ** tries * (1 + random() * 0.2))
    if (fault.pauseMs === undefined) return
    watch?.askedToWait(fault.pauseMs / 1000, fault.status)
    gate.answered('refused')
    gate.pause(fault.pauseMs)
  }

  /** All calls refused with the same credential share one refresh. */
  async function renew(seen: number): Promise<boolean> {
    if (options.refresh === undefined) return false
    if (seen !== generation) return true
    refreshing ??= options.refresh().finally(() => {
      generation++
      refreshing = undefined
    })
    return refreshing
  }

  /** `adapts`: each attempt after a breakdown asks for less, so that a reply that was too large is retried as well. */
  async function persist<T>(path: string, call: Call<T>, adapts = false): Promise<T> {
    let renewed = false
    let breakdowns = 0
    let odd = 0
    for (let tries = 0; ; tries++) {
      const seen = generation
      try {
        const asked = breakdowns
        return await attempt(path, tries, (authorization, onAnswer) => call(authorization, onAnswer, asked))
      } catch (error) {
        const fault = toFault(error, host, signal)
        if (fault.reason.startsWith('auth_') && !renewed) {
          renewed = true
          if (await renew(seen)) {
            tries--
            continue
          }
        }
        if (fault.retry === 'once') odd++
        if (breakdownReasons.has(fault.reason)) breakdowns++
        const isWorthless = fault.retry === 'never' && !(adapts && fault.reason === 'too_large')
        if (isWorthless || tries >= options.maxRetries || odd > 1) throw toAppError(fault, host)
        const waitMs = fault.pauseMs === undefined ? Math.min(MAX_BACKOFF_MS, random() * 1000 * 2 ** tries) : 0
        log.debug('request is retried', { host, path, reason: fault.reason, status: fault.status, waitMs })
        await sleep(waitMs, undefined, { signal }).catch(() => {})
      }
    }
  }

  function readBody(reply: ExchangeReply): unknown {
    if (reply.status === 204) return undefined
    if (exceedsJsonLimits(reply.bytes)) throw new RequestFault(toTooLarge(host))
    const text = textOf(reply)
    const parsed = parseJson(text)
    if (parsed !== undefined) return parsed.value
    const begun = /^\uFEFF?\s*[[{]/.test(text)
    const message = begun
      ? `${host} sent an incomplete response; try again later.`
      : `${host} answered with something other than JSON, such as a sign-in page; check the address.`
    const retry = begun ? 'always' : 'once'
    throw new RequestFault({ reason: 'protocol_error', message, status: reply.status, retry })
  }

  async function json<T>(request: JsonRequest) {
    const { query } = request
    const method = request.method ?? 'GET'
    const headers: Record<string, string> = { accept: 'application/json', ...request.headers }
    let body: string | undefined
    if (request.form !== undefined) {
      headers['content-type'] = 'application/x-www-form-urlencoded'
      body = new URLSearchParams(request.form).toString()
    } else if (request.body !== undefined) {
      headers['content-type'] = 'application/json'
      body = JSON.stringify(request.body)
    }
    const adapts = typeof query === 'function'
    const call: Call<JsonReply<T>> = async (authorization, _heard, breakdowns) => {
      const reply = await send({
        url: toUrl(request.path, adapts ? query(breakdowns, options.maxRetries) : query),
        method,
        headers: authorization === undefined ? headers : { ...headers, authorization },
        body,
        totalMs: request.timeoutMs ?? options.timeoutMs,
        maxBytes: request.maxBytes ?? JSON_BYTES,
        signal,
      })
      const { status, headers: received } = reply
      const size = reply.bytes.length
      if (request.accept?.includes(status)) {
        return { status, headers: received, size, body: parseJson(textOf(reply))?.value as T }
      }
      requireSuccess(reply, method === 'GET' || request.repeatable === true)
      return { status, headers: received, size, body: readBody(reply) as T }
    }
    return persist(request.path, call, adapts)
  }

  async function download(request: DownloadRequest) {
    const own = toUrl(request.path, request.query)
    const fetchBytes = (url: URL, headers: Record<string, string>) =>
      send({
        url,
        method: 'GET',
        headers,
        totalMs: options.timeoutMs,
        maxBytes: request.maxBytes,
        keepPartial: 'too_large',
        signal,
      })
    return persist(request.path, async (authorization, onAnswer) => {
      let url = own
      let reply = await fetchBytes(own, authorization === undefined ? {} : { authorization })
      if ([301, 302, 303, 307, 308].includes(reply.status)) {
        const { status } = reply
        const location = reply.headers.location
        const target = location === undefined ? null : URL.parse(location, own.href)
        if (target === null || !request.allowRedirect(target)) {
          const message = `${host} redirects the download to an address that is not allowed; it is skipped.`
          throw new RequestFault({ reason: 'protocol_error', message, status, retry: 'never' })
        }
        url = target
        onAnswer()
        await gate.again()
        reply = await fetchBytes(target, {})
        if (reply.status === 401 || reply.status === 403) {
          const message = 'The media host refused the download; try again later.'
          throw new RequestFault({ reason: 'forbidden', message, status: reply.status, retry: 'once' })
        }
      }
      requireSuccess(reply, true)
      const contentType = reply.headers['content-type'] ?? ''
      return { bytes: reply.bytes, isCut: reply.cut, contentType, finalUrl: `${url.origin}${url.pathname}` }
    })
  }

  return { json, download, held: { bytes: 0 } }
}
