/** State of a circuit breaker: `half_open` while one request tests whether the origin has recovered. */
export type BreakerState = 'closed' | 'half_open' | 'open'

/** Receives the outcome of requests, for telemetry. */
export interface Upstream {
  /** The status of a reply, or the reason of the fault where there was none. */
  answered(outcome: number | string): void
  /** `status` is that of the reply. */
  askedToWait(seconds: number, status?: number): void
  /** Registers a breaker, one for each client; returns the function that reports its state. */
  watchBreaker(): (state: BreakerState) => void
}

/** A wait that a platform requested. */
export interface Pause {
  /** Milliseconds since 1970. */
  until: number
  status?: number | undefined
}

/** Counts in plain maps, so that they can be sent to another thread. */
export interface UpstreamCounts {
  /** By source and outcome. */
  replies: Map<string, Map<string, number>>
  /** How often platforms requested a wait of each length, in seconds, at most one hour. */
  waits: Map<number, number>
  /** The last wait that each source's platform requested. */
  pauses: Map<string, Pause>
  /** The current state of each source's worst breaker. */
  breakers: Map<string, BreakerState>
  /** Requests to addresses in content that were not sent, by reason. */
  blocked: Map<string, number>
}

export interface UpstreamTally {
  of(source: string): Upstream
  blocked(reason: string): void
  /** The session of a source has ended: its breakers no longer count. */
  ended(source: string): void
  add(counts: UpstreamCounts): void
  /** The last wait that the platform of a source requested; it may be over. */
  pauseOf(source: string): Pause | undefined
  /** Counts since the last call; undefined where there are none. */
  take(): UpstreamCounts | undefined
}

const MAX_WAIT_SECONDS = 3600
const ownStatus = new Set([401, 403, 404, 429])
const order: readonly BreakerState[] = ['closed', 'half_open', 'open']

/** Maps any status to one of about a dozen names, which bounds the number of label values. */
export function toOutcome(outcome: number | string): string {
  if (typeof outcome === 'string' || ownStatus.has(outcome)) return String(outcome)
  return outcome >= 200 && outcome < 600 ? `${Math.floor(outcome / 100)}xx` : 'other'
}

const none = (): UpstreamCounts => ({
  replies: new Map(),
  waits: new Map(),
  pauses: new Map(),
  breakers: new Map(),
  blocked: new Map(),
})

function raise<Name>(counts: Map<Name, number>, name: Name, by: number): void {
  counts.set(name, (counts.get(name) ?? 0) + by)
}

function raiseReply({ replies }: UpstreamCounts, source: string, outcome: string, by: number): void {
  const own = replies.get(source) ?? new Map<string, number>()
  replies.set(source, own)
  raise(own, outcome, by)
}

export function createUpstreamTally(): UpstreamTally {
  let counts = none()
  let dirty = false
  /** States of each source's breakers. */
  const open = new Map<string, Map<object, BreakerState>>()
  const pauses = new Map<string, Pause>()

  const settle = (source: string) => {
    const states = [...(open.get(source)?.values() ?? [])]
    counts.breakers.set(source, order[Math.max(0, ...states.map((state) => order.indexOf(state)))] ?? 'closed')
    dirty = true
  }

  return {
    of: (source) => ({
      answered: (outcome) => {
        raiseReply(counts, source, toOutcome(outcome), 1)
        dirty = true
      },
      askedToWait: (seconds, status) => {
        raise(counts.waits, Math.min(MAX_WAIT_SECONDS, Math.ceil(seconds)), 1)
        const pause = { until: Date.now() + seconds * 1000, status }
        counts.pauses.set(source, pause)
        pauses.set(source, pause)
        dirty = true
      },
      watchBreaker: () => {
        const client = {}
        return (state) => {
          const states = open.get(source) ?? new Map<object, BreakerState>()
          open.set(source, states.set(client, state))
          settle(source)
        }
      },
    }),
    blocked: (reason) => {
      raise(counts.blocked, reason, 1)
      dirty = true
    },
    ended: (source) => {
      if (open.delete(source)) settle(source)
    },
    add: ({ replies, waits, pauses: reported, breakers, blocked }) => {
      for (const [source, pause] of reported) pauses.set(source, pause)
      for (const [source, own] of replies) for (const [outcome, n] of own) raiseReply(counts, source, outcome, n)
      for (const [reason, n] of blocked) raise(counts.blocked, reason, n)
      for (const [source, state] of breakers) counts.breakers.set(source, state)
      for (const [seconds, n] of waits) raise(counts.waits, seconds, n)
      dirty = true
    },
    pauseOf: (source) => pauses.get(source),
    take: () => {
      if (!dirty) return undefined
      const taken = counts
      counts = none()
      dirty = false
      return taken
    },
  }
}
