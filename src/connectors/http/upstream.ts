/** Whether an origin is left alone: `half_open` while one request finds out whether it is back. */
export type BreakerState = 'closed' | 'half_open' | 'open'

/** Told by what sends requests how they went, for those who watch. */
export interface Upstream {
  /** The status of a reply, or the fault that came instead of one. */
  answered(outcome: number | string): void
  askedToWait(seconds: number): void
  /** A breaker of its own for each client; returns how to tell its state. */
  watchBreaker(): (state: BreakerState) => void
}

/** What was counted; plain maps, so that a thread can hand it to another. */
export interface UpstreamCounts {
  /** By source and outcome. */
  replies: Map<string, Map<string, number>>
  /** How often platforms asked to wait so many seconds, at most an hour. */
  waits: Map<number, number>
  /** The state now of each source's worst breaker. */
  breakers: Map<string, BreakerState>
  /** Requests to addresses in content that were not sent, by reason. */
  blocked: Map<string, number>
}

export interface UpstreamTally {
  of(source: string): Upstream
  blocked(reason: string): void
  /** The session of a source has ended: nothing of it is open any more. */
  ended(source: string): void
  add(counts: UpstreamCounts): void
  /** What came since the last time; undefined where nothing did. */
  take(): UpstreamCounts | undefined
}

const MAX_WAIT_SECONDS = 3600
const ownStatus = new Set([401, 403, 404, 429])
const order: readonly BreakerState[] = ['closed', 'half_open', 'open']

/** One of a dozen names, whatever a platform sends. */
export function toOutcome(outcome: number | string): string {
  if (typeof outcome === 'string' || ownStatus.has(outcome)) return String(outcome)
  return outcome >= 200 && outcome < 600 ? `${Math.floor(outcome / 100)}xx` : 'other'
}

const none = (): UpstreamCounts => ({ replies: new Map(), waits: new Map(), breakers: new Map(), blocked: new Map() })

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
  /** The states of each source's breakers. */
  const open = new Map<string, Map<object, BreakerState>>()

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
      askedToWait: (seconds) => {
        raise(counts.waits, Math.min(MAX_WAIT_SECONDS, Math.ceil(seconds)), 1)
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
    add: ({ replies, waits, breakers, blocked }) => {
      for (const [source, own] of replies) for (const [outcome, n] of own) raiseReply(counts, source, outcome, n)
      for (const [reason, n] of blocked) raise(counts.blocked, reason, n)
      for (const [source, state] of breakers) counts.breakers.set(source, state)
      for (const [seconds, n] of waits) raise(counts.waits, seconds, n)
      dirty = true
    },
    take: () => {
      if (!dirty) return undefined
      const taken = counts
      counts = none()
      dirty = false
      return taken
    },
  }
}
