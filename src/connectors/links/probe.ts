import { ExchangeError, type ExchangeReply } from '../http/exchange.ts'
import { findProxy } from '../http/proxy.ts'
import { readRetryAfterMs } from '../http/retry-after.ts'
import { readAnchors } from './anchors.ts'
import { ChainCookies } from './cookies.ts'
import type { Admission, Guard } from './guard.ts'
import type { Hosts } from './hosts.ts'
import { broken, judgeFault, judgeStatus, type LinkVerdict } from './verdict.ts'

export type Admitted = Extract<Admission, { admitted: true }>

export interface Answer {
  verdict: LinkVerdict
  /** Present where the whole page was read for its anchors. */
  anchors?: ReadonlySet<string>
  retryAfterMs?: number
}

/** Network time that one link may still use; time spent waiting for the rate limits does not count. */
export interface Budget {
  leftMs: number
}

type Method = 'HEAD' | 'GET'

/** Timeouts in milliseconds. */
export interface LinkTiming {
  headMs: number
  getMs: number
  /** Total network time over all attempts of one link. */
  urlMs: number
  retryDelaysMs: readonly number[]
}

export const defaultTiming: LinkTiming = { headMs: 5_000, getMs: 8_000, urlMs: 20_000, retryDelaysMs: [1_000, 4_000] }

/** As many as browsers follow. */
const MAX_HOPS = 20
const PROBE_BYTES = 65_536
const PAGE_BYTES = 1_000_000

const shown = {
  'user-agent': 'Mozilla/5.0 (compatible; Assay/0.1)',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept-language': 'en;q=0.9,*;q=0.5',
}

const redirects = [301, 302, 303, 307, 308]
const decoder = new TextDecoder('utf-8')
const isHtml = (contentType: string | undefined) => /\bx?html\b/i.test(contentType ?? '')

/** The verdict on a URL that is not requested; after a redirect, the host is responsible, not the author. */
export function judgeRefusal({ reason }: Extract<Admission, { admitted: false }>, redirected: boolean): LinkVerdict {
  if (redirected && reason === 'unparsable') return broken('REDIRECT_BROKEN', 'MEDIUM', 0.8, 'redirect_unparsable')
  if (redirected) return { state: 'blocked', reason: `redirect_${reason}` }
  return reason === 'unparsable' ? broken('INVALID_URL', 'LOW', 0.9, reason) : { state: 'skipped', reason }
}

/**
 * Returns a function that makes one attempt for one link.
 * @throws HostClosed, OutOfRequests, ExchangeError
 */
export function createProbe(options: {
  guard: Guard
  hosts: Hosts
  signal: AbortSignal
  now: () => number
  timing: LinkTiming
}) {
  const { guard, hosts, signal, timing } = options

  function request(
    at: Admitted,
    method: Method,
    whole: boolean,
    budget: Budget,
    cookie: string,
  ): Promise<ExchangeReply> {
    return hosts.take(at.url, at.listed, async () => {
      if (budget.leftMs <= 0) throw new ExchangeError('timeout', 'ETIMEDOUT')
      const start = performance.now()
      const headers = cookie === '' ? shown : { ...shown, cookie }
      const send = (range: boolean) =>
        guard.send(at, {
          method,
          headers: range ? { ...headers, range: `bytes=0-${PROBE_BYTES - 1}` } : headers,
          totalMs: Math.min(method === 'HEAD' ? timing.headMs : timing.getMs, budget.leftMs),
          maxBytes: whole ? PAGE_BYTES : PROBE_BYTES,
          signal,
          wantsBody: (status, headers) => status >= 400 || (whole && status < 300 && isHtml(headers['content-type'])),
        })
      try {
        const ranged = method === 'GET' && !whole
        const reply = await send(ranged)
        return ranged && reply.status === 416 ? await send(false) : reply
      } finally {
        budget.leftMs -= performance.now() - start
      }
    })
  }

  function read({ status, headers, bytes, cut }: ExchangeReply, whole: boolean, url: URL): Answer {
    const body = decoder.decode(bytes)
    const verdict = judgeStatus(status, headers, body, url.protocol === 'http:' && findProxy(url) !== undefined)
    const retryAfterMs = [429, 503].includes(status) ? readRetryAfterMs(headers, '', options.now()) : undefined
    const page = whole && verdict.state === 'ok' && isHtml(headers['content-type']) && !cut
    return {
      verdict,
      ...(page ? { anchors: readAnchors(body) } : {}),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    }
  }

  /**
   * Follows redirects manually, so that the guard checks each hop. Cookies last for this chain: a page that asks for
   * consent sets one and redirects to the address that it came from.
   */
  async function follow(start: Admitted, method: Method, whole: boolean, budget: Budget): Promise<Answer> {
    let at = start
    const seen = new Set<string>()
    const cookies = new ChainCookies()
    const astray = (reason: string): Answer => ({ verdict: broken('REDIRECT_BROKEN', 'MEDIUM', 0.8, reason) })
    for (let hop = 0; hop <= MAX_HOPS; hop++) {
      const cookie = cookies.toHeader(at.url)
      const asked = `${at.url.href} ${cookie}`
      if (seen.has(asked)) return astray('redirect_loop')
      seen.add(asked)
      const reply = await request(at, method, whole, budget, cookie)
      cookies.take(at.url, reply.headers['set-cookie'], options.now())
      if (!redirects.includes(reply.status)) return read(reply, whole, at.url)
      const { location } = reply.headers
      if (location === undefined || location.trim() === '') return astray('redirect_nowhere')
      const next = guard.admit(location, at)
      if (!next.admitted) return { verdict: judgeRefusal(next, true) }
      if (at.url.protocol === 'https:' && next.url.protocol === 'http:') {
        return { verdict: { state: 'blocked', reason: 'redirect_insecure' } }
      }
      at = next
    }
    return astray('too_many_redirects')
  }

  /** Whether the reply to a HEAD is final, because a GET could not change it. */
  function isLastWord({ verdict }: Answer): boolean {
    if (verdict.state === 'ok' || verdict.state === 'skipped' || verdict.status === 429) return true
    if (verdict.state === 'blocked' && verdict.reason.startsWith('redirect_')) return true
    return ['HOST_NOT_FOUND', 'CONNECTION_REFUSED'].includes(verdict.findingType ?? '')
  }

  /** `whole`: the page is read for its anchors. Otherwise HEAD is tried first, and GET unless that result is final. */
  return async function probe(start: Admitted, whole: boolean, budget: Budget): Promise<Answer> {
    const host = hosts.stateOf(start.url, start.listed)
    if (whole || host.dislikesHead) return follow(start, 'GET', whole, budget)
    const first = await follow(start, 'HEAD', false, budget).catch((error: unknown): Answer => {
      if (!(error instanceof ExchangeError) || error.kind === 'aborted') throw error
      return { verdict: judgeFault(error) }
    })
    if (isLastWord(first)) return first
    const second = await follow(start, 'GET', false, budget)
    if (second.verdict.state === 'ok') host.dislikesHead = true
    return second
  }
}
