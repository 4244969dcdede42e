import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../runtime/log.ts'
import { ExchangeError } from '../http/exchange.ts'
import { hasFragment, readWantedAnchor } from './anchors.ts'
import { createGuard, type Resolve } from './guard.ts'
import { createHosts, HostClosed, MAX_WAIT_MS, OutOfRequests } from './hosts.ts'
import {
  type Admitted,
  type Answer,
  type Budget,
  createProbe,
  defaultTiming,
  judgeRefusal,
  type LinkTiming,
} from './probe.ts'
import { broken, judgeFault, type LinkVerdict } from './verdict.ts'

export type { LinkVerdict } from './verdict.ts'

/** Verdicts of earlier scans. */
export interface LinkCache {
  /** `url` is normalized; expired verdicts are not returned. */
  find(url: string): LinkVerdict | undefined
  /** `expiresAt` is in milliseconds since the epoch. */
  save(url: string, verdict: LinkVerdict, expiresAt: number): void
}

export interface LinkChecker {
  /** The verdict on a URL as written in content. Rejects only when the signal aborts. */
  check(url: string): Promise<LinkVerdict>
}

export interface LinkCheckerOptions {
  /** Hosts, as written in links, that may be requested on any port even if they are not public. */
  allowHosts: readonly string[]
  /** False: only hosts in `allowHosts` are requested. */
  checkExternal?: boolean
  signal: AbortSignal
  now: () => number
  log: Log
  cache: LinkCache
  resolve?: Resolve
  timing?: LinkTiming
  /** Called for each URL that was not requested for security reasons. */
  onBlocked?: ((reason: 'private_address' | 'port') => void) | undefined
}

const DAY_MS = 86_400_000
const keptMs: Partial<Record<LinkVerdict['state'], number>> = { ok: 7 * DAY_MS, broken: DAY_MS, blocked: 3 * DAY_MS }
const MAX_PAGES_KEPT = 500

/** Canonical form of a URL; the fragment is kept only where it is an anchor. */
function normalize(url: URL, anchor: string | undefined): string {
  const plain = new URL(url)
  plain.hash = anchor ?? ''
  plain.hostname = plain.hostname.replace(/\.$/, '')
  return plain.href
}

/** Broken for `mailto:` without an address; other schemes are not checked here. */
function judgeMail(written: string): LinkVerdict | undefined {
  const mail = /^\s*mailto:([^?]*)/i.exec(written)?.[1]
  if (mail === undefined || mail.trim() !== '' || /[?&]to=[^&]+/i.test(written)) return undefined
  return broken('INVALID_URL', 'LOW', 0.9, 'mail_without_address')
}

/** Delay before another attempt, in milliseconds; undefined: the verdict is final. */
function waitBefore(
  { verdict, retryAfterMs = 0 }: Answer,
  tries: number,
  delaysMs: readonly number[],
): number | undefined {
  const delayMs = delaysMs[tries]
  if (delayMs === undefined || retryAfterMs > MAX_WAIT_MS) return undefined
  const waitMs = Math.max(retryAfterMs, delayMs * (1 + Math.random() * 0.25))
  if (verdict.status === 429 || verdict.findingType === 'HTTP_5XX') return waitMs
  const flaky = ['CONNECTION_FAILED', 'TIMEOUT', 'BAD_REPLY'].includes(verdict.findingType ?? '')
  return tries === 0 && (flaky || verdict.reason === 'network') ? waitMs : undefined
}

/**
 * Checks the links of one scan, each URL once: with limited concurrency per host, and only at public addresses and
 * listed hosts. Verdicts distinguish links that are gone from hosts that block automated requests.
 */
export function createLinkChecker(options: LinkCheckerOptions): LinkChecker {
  const { signal, cache, now, log, timing = defaultTiming } = options
  const guard = createGuard(options)
  const hosts = createHosts(signal)
  const probe = createProbe({ guard, hosts, signal, now, timing })
  const asked = new Map<string, Promise<Answer>>()
  const pages: string[] = []

  async function tryOnce(start: Admitted, whole: boolean, budget: Budget): Promise<Answer> {
    try {
      return await probe(start, whole, budget)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof ExchangeError) return { verdict: judgeFault(error) }
      if (error instanceof HostClosed) return { verdict: { state: 'blocked', reason: 'rate_limited', status: 429 } }
      if (error instanceof OutOfRequests) return { verdict: { state: 'unsure', reason: 'ceiling' } }
      throw error
    }
  }

  async function persist(start: Admitted, whole: boolean): Promise<Answer> {
    const budget = { leftMs: timing.urlMs }
    const host = hosts.stateOf(start.url, start.listed)
    for (let tries = 0; ; tries++) {
      const answer = await tryOnce(start, whole, budget)
      host.applyRateLimit(answer.verdict.status, answer.retryAfterMs)
      const waitMs = waitBefore(answer, tries, timing.retryDelaysMs)
      if (waitMs === undefined || budget.leftMs <= 0) return answer
      log.debug('link check is retried', { host: start.url.host, reason: answer.verdict.reason })
      await sleep(waitMs, undefined, { signal })
    }
  }

  /** One request for all links to the same page; the oldest pages with anchors are evicted first. */
  function answerOf(start: Admitted, whole: boolean): Promise<Answer> {
    const key = `${start.listed} ${whole} ${normalize(start.url, undefined)}`
    const known = asked.get(key)
    if (known !== undefined) return known
    const answer = persist(start, whole)
    asked.set(key, answer)
    if (whole && pages.push(key) > MAX_PAGES_KEPT) asked.delete(pages.shift() ?? '')
    return answer
  }

  return {
    async check(written) {
      signal.throwIfAborted()
      const mail = judgeMail(written)
      if (mail !== undefined) return mail
      const admission = guard.admit(written)
      if (!admission.admitted) return judgeRefusal(admission, false)
      if (options.checkExternal === false && !admission.listed) return { state: 'skipped', reason: 'external' }

      const anchor = readWantedAnchor(admission.url)
      const key = normalize(admission.url, anchor)
      const cached = cache.find(key)
      if (cached !== undefined) return cached
      const { verdict, anchors } = await answerOf(admission, anchor !== undefined)
      const missing = anchor !== undefined && anchors !== undefined && !hasFragment(anchors, anchor)
      const final = missing ? broken('ANCHOR_MISSING', 'LOW', 0.7, 'anchor_missing', verdict.status) : verdict
      const kept = keptMs[final.state]
      if (kept !== undefined) cache.save(key, final, now() + kept)
      return final
    },
  }
}
