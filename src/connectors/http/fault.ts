import { AppError, type ErrorFacts } from '../../kernel/errors.ts'
import { parseOutsideJson } from '../../kernel/well-formed.ts'
import { ExchangeError, type ExchangeReply } from './exchange.ts'
import { ADD_AUTHORITY, isUnknownAuthority } from './proxy-fault.ts'
import { readRetryAfterMs } from './retry-after.ts'

/** Why an attempt failed, and whether to retry it. */
export interface UpstreamFault {
  reason: string
  message: string
  status?: number | undefined
  /** The platform's error code. */
  code?: string | undefined
  facts?: Record<string, unknown>
  retryAfterMs?: number
  /** `once`: at most one further attempt, within the client's `maxRetries`. */
  retry: 'never' | 'once' | 'always'
  /** Pause that the platform requested for the whole client, in milliseconds; absent: the client's own back-off. */
  pauseMs?: number
}

export class RequestFault extends Error {
  readonly fault: UpstreamFault

  constructor(fault: UpstreamFault) {
    super(fault.reason)
    this.name = 'RequestFault'
    this.fault = fault
  }
}

/** A longer pause is not waited out: the caller gets `retry_later` with the time to come back. */
export const MAX_PAUSE_MS = 300_000

const decoder = new TextDecoder('utf-8')
export const textOf = (reply: ExchangeReply) => decoder.decode(reply.bytes)

/** Strips a byte-order mark; undefined where the text is not JSON. */
export function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: parseOutsideJson(text.replace(/^\uFEFF/, '')) }
  } catch {
    return undefined
  }
}

/** Reads `error.code`, `error` or `code`, and accepts only short identifiers, because a body may contain anything. */
function readErrorCode(text: string): string | undefined {
  const body = parseJson(text)?.value as { error?: unknown; code?: unknown } | null | undefined
  const error = body?.error as { code?: unknown } | string | null | undefined
  const code = typeof error === 'object' && error !== null ? error.code : (error ?? body?.code)
  return typeof code === 'string' && /^[\w.-]{1,80}$/.test(code) ? code : undefined
}

function traceOf(headers: Record<string, string>): Record<string, unknown> {
  const requestId = headers.requestid ?? headers['x-request-id'] ?? headers['atl-traceid']
  return requestId !== undefined && /^[\w-]{1,80}$/.test(requestId) ? { requestId } : {}
}

export function toParked(host: string, waitMs: number, status = 429): UpstreamFault {
  const message = `${host} is rate limiting; try again in ${Math.ceil(waitMs / 1000)} seconds.`
  return { reason: 'retry_later', message, status, retryAfterMs: waitMs, retry: 'never' }
}

/** The fault of calls that are not sent while the breaker is open. */
export function toGivenUp(host: string, waitMs: number): UpstreamFault {
  const message = `${host} keeps failing, so no requests are sent to it for ${Math.ceil(waitMs / 1000)} seconds; try again later.`
  return { reason: 'server_error', message, retry: 'never' }
}

function toLimited(reply: ExchangeReply, text: string, context: FaultContext): UpstreamFault | undefined {
  const { host, now, random } = context
  const asked = readRetryAfterMs(reply.headers, text, now)
  if (asked !== undefined && asked > MAX_PAUSE_MS) {
    return { ...toParked(host, asked, reply.status), pauseMs: asked }
  }
  if (asked !== undefined) {
    const pauseMs = Math.min(MAX_PAUSE_MS, Math.max(1000, asked) * (1 + random() * 0.05))
    return { ...toParked(host, asked, reply.status), retry: 'always', pauseMs }
  }
  return reply.status === 429 ? { ...toParked(host, 60_000), retry: 'always' } : undefined
}

export interface FaultContext {
  host: string
  /** Whether the request may be sent again after a server error that may have occurred after it took effect. */
  repeatable: boolean
  /** Whether this client has been authorized before. */
  succeeded: boolean
  now: number
  random: () => number
}

type Rule = Omit<UpstreamFault, 'status' | 'code' | 'facts'> & { facts?: Record<string, unknown> }

function toRule(
  status: number,
  text: string,
  code: string | undefined,
  { host, repeatable, succeeded }: FaultContext,
): Rule {
  if (status >= 500 || status === 408 || status === 425) {
    const again = status !== 501 && (repeatable || [408, 425, 503].includes(status))
    const message = `${host} answered with an error (${status}); try again later.`
    return { reason: 'server_error', message, retry: again ? 'always' : 'never' }
  }
  if (status === 401 && /scope does not match/i.test(text)) {
    const message = `The token lacks a scope that ${host} requires; create one with the scopes that the source needs.`
    return { reason: 'forbidden', message, facts: { scopeMissing: true }, retry: 'never' }
  }
  const denied = code === 'PowerBINotAuthorizedException'
  if ((status === 401 && !denied) || (status === 403 && code === 'TokenExpired')) {
    const message = succeeded
      ? `${host} no longer accepts the credential; enter a new one and start the scan again.`
      : `${host} does not accept the credential; check it and enter it again.`
    return { reason: succeeded ? 'auth_expired' : 'auth_failed', message, retry: 'never' }
  }
  if (status === 403 || status === 401) {
    const message = `${host} denied access; give the account the right to read this.`
    return { reason: 'forbidden', message, retry: 'never' }
  }
  if (status === 404 || status === 410) {
    return {
      reason: 'gone',
      message: `${host} returned not found: the item does not exist, or the account is not allowed to see it.`,
      retry: 'never',
    }
  }
  if (status >= 400) {
    return { reason: 'bad_request', message: `${host} rejected the request as invalid (${status}).`, retry: 'never' }
  }
  const message = `${host} answered with a redirect or another response that is not from its API (${status}); check the address.`
  return { reason: 'protocol_error', message, retry: 'never' }
}

/** Classifies a reply with a status other than 2xx. */
export function toRefusal(reply: ExchangeReply, context: FaultContext): UpstreamFault {
  const { status } = reply
  const text = textOf(reply)
  const code = readErrorCode(text)
  const limited = status === 429 || status === 503 ? toLimited(reply, text, context) : undefined
  const rule = limited ?? toRule(status, text, code, context)
  return { ...rule, status, code, facts: { ...traceOf(reply.headers), ...rule.facts } }
}

export const toTooLarge = (host: string): UpstreamFault => ({
  reason: 'too_large',
  message: `A response of ${host} is larger than allowed; narrow the scope.`,
  retry: 'never',
})

/** Classifies an exception of one attempt; rethrows unknown errors. */
export function toFault(error: unknown, host: string, signal: AbortSignal): UpstreamFault {
  if (signal.aborted)
    return { reason: 'aborted', message: 'The request was cancelled; start the scan again.', retry: 'never' }
  if (error instanceof RequestFault) return error.fault
  if (!(error instanceof ExchangeError)) throw error
  if (error.kind === 'too_large') return toTooLarge(host)
  const { code } = error
  if (error.kind === 'proxy') {
    const message = `${host} could not be reached: ${error.message.replace(/\.$/, '')}.`
    // A wrong password is not sent again and again, because that may lock the account.
    const retry = /^(?:HTTP_4|EINVAL)/.test(code) ? 'never' : 'always'
    return { reason: 'network', message, code, facts: { isProxyFault: true }, retry }
  }
  const advice = isUnknownAuthority(code) ? ADD_AUTHORITY : 'check the address and the network'
  const message =
    error.kind === 'timeout'
      ? `${host} did not answer in time; try again, or raise the timeout.`
      : `${host} could not be reached (${code}); ${advice}.`
  return { reason: 'network', message, code, retry: 'always' }
}

/** What to do about a request that failed because of the proxy; undefined for any other error. */
export function findProxyHint(error: unknown): string | undefined {
  if (!(error instanceof AppError) || error.facts.facts?.isProxyFault !== true) return undefined
  return 'See HTTPS_PROXY and NO_PROXY, or proxy in config.json of the data folder; assay doctor checks the proxy.'
}

export function toAppError(fault: UpstreamFault, host: string): AppError {
  const { status, code, facts } = fault
  const shown: ErrorFacts = {
    reason: fault.reason,
    facts: { host, ...(status === undefined ? {} : { status }), ...(code === undefined ? {} : { code }), ...facts },
  }
  if (fault.retryAfterMs !== undefined) shown.retryAfterSeconds = Math.ceil(fault.retryAfterMs / 1000)
  return new AppError(fault.reason === 'too_large' ? 'too_large' : 'unavailable', fault.message, shown)
}
