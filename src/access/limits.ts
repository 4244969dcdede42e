import { AppError } from '../kernel/errors.ts'
import { Recent } from '../kernel/recent.ts'

export interface Allowance {
  /** How many a second, in the long run. */
  perSecond: number
  /** How many at once, after a rest. */
  burst: number
}

export interface Limiter {
  /** Takes one from the key's allowance; returns how long to wait where nothing is left, in milliseconds. */
  take(key: string): number
}

/** Token buckets by key. `clock` gives monotonic milliseconds. */
export function createLimiter(allowance: Allowance, clock: () => number, most = 10_000): Limiter {
  const { perSecond, burst } = allowance
  const buckets = new Recent<{ left: number; at: number }>(most)
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
   * Runs the work when a place is free. @throws AppError `unavailable`, reason `overloaded`, when the queue is full
   * too.
   */
  run<Answer>(work: () => Answer | Promise<Answer>): Promise<Answer>
}

/** Lets so many in at once, and so many wait. */
export function createConcurrencyLimit({ inFlight, queued }: { inFlight: number; queued: number }): ConcurrencyLimit {
  let running = 0
  const waiting: (() => void)[] = []
  return {
    run: async (work) => {
      if (running >= inFlight) {
        if (waiting.length >= queued) {
          throw new AppError('unavailable', 'Too many questions are waiting for an answer; ask again in a second.', {
            reason: 'overloaded',
            retryAfterSeconds: 1,
          })
        }
        await new Promise<void>((resolve) => waiting.push(resolve))
      } else running += 1
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next === undefined) running -= 1
        else next()
      }
    },
  }
}
