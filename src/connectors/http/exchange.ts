import type { ClientRequest } from 'node:http'
import type { Agents, Tunnel } from './agents.ts'
import { type ForwardProxy, findProxy } from './proxy.ts'
import { describeProxyStatus, findProxyFault } from './proxy-fault.ts'

/** One request and its reply, without retries, redirects or interpretation of the status. */
export interface ExchangeRequest {
  url: URL
  method: 'GET' | 'HEAD' | 'POST'
  headers: Record<string, string>
  body?: string | undefined
  /** From the start to the last byte, in milliseconds. */
  totalMs: number
  /** Limit on the decoded body of a 2xx reply; other bodies are cut at 64 KiB without an error. */
  maxBytes: number
  /**
   * Which incomplete bodies are returned as far as received, instead of failing: those that exceed the limit, or also
   * those that break off.
   */
  keepPartial?: 'too_large' | 'any'
  /** Called once the headers have arrived; false: the body is not read. */
  wantsBody?: (status: number, headers: Record<string, string>) => boolean
  signal: AbortSignal
  /** For a URL that is requested directly; a proxy resolves the name itself. */
  directAgents?: Agents
}

export interface ExchangeReply {
  status: number
  headers: Record<string, string>
  bytes: Uint8Array
  /** True where the body is incomplete. */
  cut: boolean
}

/** Why there is no usable reply; does not hold the request, so that no header can leak from it. */
export class ExchangeError extends Error {
  readonly kind: 'network' | 'timeout' | 'too_large' | 'aborted' | 'proxy'
  /** System error code, such as `ECONNRESET`, or a status in place of a connection through a proxy, such as `HTTP_407`. */
  readonly code: string

  /** @param message of a fault of the proxy, a clause after "could not be reached: " */
  constructor(kind: ExchangeError['kind'], code: string, message = `${kind}: ${code}`) {
    super(message)
    this.name = 'ExchangeError'
    this.kind = kind
    this.code = code
  }
}

const ERROR_BODY_BYTES = 65_536
/** Of bodies that are larger than this, a thread reads one at a time. */
const LARGE_BODY_BYTES = 1024 * 1024

/** Settles when no large body is being read. */
let largeBody: Promise<void> = Promise.resolve()

/** Waits for the other large bodies; returns the function that lets the next one be read. */
async function enterLargeBody(): Promise<() => void> {
  let leave = () => {}
  const before = largeBody
  largeBody = new Promise((resolve) => {
    leave = resolve
  })
  await before
  return leave
}

function toHeaders(raw: Record<string, string | string[] | undefined>): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(raw)) {
    // The values of Set-Cookie contain commas; a line break cannot occur in a header.
    if (value !== undefined)
      headers[name] = Array.isArray(value) ? value.join(name === 'set-cookie' ? '\n' : ', ') : value
  }
  return headers
}

/** @param reach the proxy, and whether it opened a tunnel; absent where the host is responsible */
function toExchangeError(error: unknown, signal: AbortSignal, reach?: { proxy: ForwardProxy; hasOpened: boolean }) {
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  const word = typeof code === 'string' && /^[A-Z0-9_]{2,60}$/.test(code) ? code : 'EUNKNOWN'
  if (signal.aborted) return new ExchangeError('aborted', 'ABORTED')
  if (reach !== undefined) {
    const fault = findProxyFault(reach.proxy, word, cause, reach.hasOpened)
    return new ExchangeError('proxy', fault.code, fault.message)
  }
  return error instanceof ExchangeError ? error : new ExchangeError('network', word)
}

/**
 * Sends one request and reads the reply up to the limits.
 * @throws ExchangeError and nothing else
 */
export async function exchange(request: ExchangeRequest): Promise<ExchangeReply> {
  const { signal, url } = request
  if (signal.aborted) throw new ExchangeError('aborted', 'ABORTED')
  const proxy = findProxy(url)
  if (proxy !== undefined && 'problem' in proxy) throw new ExchangeError('proxy', 'EINVAL', proxy.problem)
  // Imported with the first request, because a process that only answers queries never sends one.
  const { default: got } = await import('got')
  const { direct, toAgents, trustSystem, tunnels } = await import('./agents.ts')
  const agent = proxy === undefined ? (request.directAgents ?? direct) : toAgents(proxy)
  if (url.protocol === 'https:' || proxy?.address.startsWith('https:')) trustSystem()
  const tunnel: Tunnel = { hasOpened: false }
  const stream = tunnels.run(tunnel, () =>
    got.stream(url, {
      method: request.method,
      headers: request.headers,
      ...(request.body === undefined ? {} : { body: request.body }),
      agent,
      retry: { limit: 0 },
      followRedirect: false,
      throwHttpErrors: false,
      decompress: true,
    }),
  )
  // The timeout of got does not apply until a proxy has opened the connection, and by its time limit or signal it would
  // first read the rest of the body, however long that is.
  const end = () => void stream.destroy()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    end()
  }, request.totalMs)
  signal.addEventListener('abort', end, { once: true })
  let head: { status: number; headers: Record<string, string> } | undefined
  let unwanted = false
  let sent: ClientRequest | undefined
  stream.on('request', (one: ClientRequest) => {
    sent = one
  })
  stream.on('response', (response: { statusCode: number; headers: Record<string, string | string[] | undefined> }) => {
    head = { status: response.statusCode, headers: toHeaders(response.headers) }
    unwanted = request.wantsBody?.(head.status, head.headers) === false
    if (unwanted) stream.destroy()
  })
  const chunks: Uint8Array[] = []
  let size = 0
  let cut = false
  let leaveLarge: (() => void) | undefined
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      if (size > LARGE_BODY_BYTES) leaveLarge ??= await enterLargeBody()
      const good = head !== undefined && head.status >= 200 && head.status < 300
      const cap = good ? request.maxBytes : Math.min(request.maxBytes, ERROR_BODY_BYTES)
      if (size + chunk.length > cap) {
        if (good && request.keepPartial === undefined) throw new ExchangeError('too_large', 'ETOOLARGE')
        chunks.push(chunk.subarray(0, cap - size))
        cut = true
        break
      }
      chunks.push(chunk)
      size += chunk.length
    }
  } catch (error) {
    cut = true
    const usable = head !== undefined && (unwanted || request.keepPartial === 'any') && !signal.aborted
    // An https request has no socket until its tunnel is open; over http only a reply shows that the host was reached.
    const isReached = head !== undefined || (url.protocol === 'https:' && sent?.socket?.connecting === false)
    const reason = isLate ? new ExchangeError('timeout', 'ETIMEDOUT') : error
    const reach = proxy === undefined || isReached ? undefined : { proxy, hasOpened: tunnel.hasOpened }
    if (!usable) throw toExchangeError(reason, signal, reach)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
    leaveLarge?.()
    tunnel.pending?.destroy()
    stream.on('error', () => {})
    stream.destroy()
  }
  if (head === undefined) throw new ExchangeError('network', 'ENORESPONSE')
  if (proxy !== undefined && url.protocol === 'http:' && head.status === 407) {
    throw new ExchangeError('proxy', 'HTTP_407', describeProxyStatus(proxy, 407))
  }
  return { ...head, bytes: Buffer.concat(chunks), cut: cut || unwanted }
}
