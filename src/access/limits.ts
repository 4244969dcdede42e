import { AppError } from '../kernel/errors.ts'
import { LruMap } from '../kernel/recent.ts'

export interface Allowance {
  /** Sustained rate per second. */
  perSecond: number
  /** How many at once, after a pause. */
  burst: number
}

export interface Limiter {
  /** Takes one unit from the allowance of the key; returns 0, or how many milliseconds to wait when none is left. */
  take(key: string): number
}

/** Token buckets by key. `clock` gives monotonic milliseconds. */
export function createLimiter(allowance: Allowance, clock: () => number, most = 10_000): Limiter {
  const { perSecond, burst } = allowance
  const buckets = new LruMap<{ left: number; at: number }>(most)
  return {
    take: (key) => {
      const now = clock()
      const bucket = buckets.use(key, () => ({ left: burst, at: now }))
      bucket.left = Math.min(burst, bucket.left + (Math.max(0, now - bucket.at) / 1000) * perSecond)
      bucket.at = now
      if (bucket.left < 1) return Math.ceil(((1 - bucket.left) / perSecond) * 1000)
      bucket.left -= 1
      return 0
    },
  }
}

export interface ConcurrencyLimit {
  /**
   * Runs the work once a slot is free; waiting callers take turns.
   * @throws AppError `unavailable`, reason `overloaded`, when the queue is full and no other caller has more entries in
   * it.
   */
  run<Answer>(caller: string, work: () => Answer | Promise<Answer>): Promise<Answer>
}

interface Queued {
  enter: () => void
  refuse: (error: AppError) => void
}

const overloaded = () =>
  new AppError('unavailable', 'Too many queries are waiting; try again in a second.', {
    reason: 'overloaded',
    retryAfterSeconds: 1,
  })

/**
 * Runs up to `inFlight` at once and queues up to `queued`; a full queue drops the newest entry of the caller that has
 * most.
 */
export function createConcurrencyLimit({ inFlight, queued }: { inFlight: number; queued: number }): ConcurrencyLimit {
  let running = 0
  let size = 0
  /** By caller, in the order of their turns. */
  const waiting = new Map<string, Queued[]>()

  const makeRoom = (caller: string) => {
    const [greediest = '', most = []] = [...waiting].sort(([, a], [, b]) => b.length - a.length)[0] ?? []
    if (greediest === caller || most.length <= (waiting.get(caller)?.length ?? 0) + 1) throw overloaded()
    most.pop()?.refuse(overloaded())
    size -= 1
  }
  const enqueue = (caller: string) =>
    new Promise<void>((enter, refuse) => {
      const own = waiting.get(caller) ?? []
      own.push({ enter, refuse })
      waiting.set(caller, own)
      size += 1
    })
  const next = (): Queued | undefined => {
    const [turn] = waiting
    if (turn === undefined) return undefined
    const [caller, own] = turn
    waiting.delete(caller)
    const first = own.shift()
    if (own.length > 0) waiting.set(caller, own)
    size -= 1
    return first
  }

  return {
    run: async (caller, work) => {
      if (running >= inFlight) {
        if (size >= queued) makeRoom(caller)
        await enqueue(caller)
      } else running += 1
      try {
        return await work()
      } finally {
        const entering = next()
        if (entering === undefined) running -= 1
        else entering.enter()
      }
    },
  }
}
