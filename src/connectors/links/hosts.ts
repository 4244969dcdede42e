import { createGate, type RequestGate } from '../http/gate.ts'

/** A host requests a longer pause than MAX_WAIT_MS. */
export class HostClosed extends Error {}

/** The limit of requests to unlisted hosts is used up. */
export class OutOfRequests extends Error {}

/** A longer pause is not waited out. */
export const MAX_WAIT_MS = 30_000
const LISTED = { concurrency: 4, minGapMs: 0 }
const OTHERS = { concurrency: 2, minGapMs: 250 }
const REFUSALS_IN_A_ROW = 3
const REQUESTS_PER_SCAN = 1000
const REQUESTS_AT_ONCE = 16

export interface HostState {
  gate: RequestGate
  /** Set once a HEAD failed where a GET succeeded. */
  dislikesHead: boolean
  /**
   * Applies the pause that a reply requests; a host that repeatedly requests long pauses gets no more requests in this
   * scan.
   */
  applyRateLimit(status: number | undefined, retryAfterMs: number | undefined): void
}

/** Rate limits of one scan: per host, in total, and a maximum number of requests to unlisted hosts. */
export function createHosts(signal: AbortSignal) {
  const states = new Map<string, HostState>()
  const overall = createGate({ concurrency: REQUESTS_AT_ONCE, minGapMs: 0, signal, beforePause: () => {} })
  let left = REQUESTS_PER_SCAN

  function stateOf(url: URL, listed: boolean): HostState {
    const key = `${listed ? 'listed' : 'other'} ${url.host}`
    const known = states.get(key)
    if (known !== undefined) return known
    const beforePause = (remainingMs: number) => {
      if (remainingMs > MAX_WAIT_MS) throw new HostClosed()
    }
    const gate = createGate({ ...(listed ? LISTED : OTHERS), signal, beforePause })
    let refusals = 0
    const state: HostState = {
      dislikesHead: false,
      applyRateLimit(status, retryAfterMs = 0) {
        refusals = status === 429 ? refusals + 1 : 0
        if (listed || status !== 429) return
        if (retryAfterMs <= MAX_WAIT_MS || refusals >= REFUSALS_IN_A_ROW) gate.pause(retryAfterMs)
      },
      gate,
    }
    states.set(key, state)
    return state
  }

  return {
    stateOf,
    /**
     * Runs one request once the limits allow it.
     * @throws OutOfRequests, HostClosed
     */
    async take<T>(url: URL, listed: boolean, work: () => Promise<T>): Promise<T> {
      const { gate } = stateOf(url, listed)
      if (!listed && left <= 0) throw new OutOfRequests()
      if (!listed) left--
      const leaveHost = await gate.enter()
      try {
        const leave = await overall.enter()
        try {
          return await work()
        } finally {
          leave()
        }
      } finally {
        leaveHost()
      }
    },
  }
}

export type Hosts = ReturnType<typeof createHosts>
