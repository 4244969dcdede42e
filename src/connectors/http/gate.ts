import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** The earliest start of the next request, on the monotonic clock; shared by the clients of one tenant. */
export interface Pace {
  nextStart: number
}

/** Limits concurrency and rate of the requests of one client. */
export interface RequestGate {
  /**
   * Waits for a free slot, for the end of a pause and for the gap since the last start; returns the function that frees
   * the slot.
   */
  enter(): Promise<() => void>
  /** Waits like `enter`, for a further request within a slot. */
  again(): Promise<void>
  /** Delays every start for this time; a shorter pause never shortens a longer one. */
  pause(ms: number): void
  /** Reports a reply: a refusal widens the gap between starts, a success narrows it again. */
  answered(outcome: 'ok' | 'refused'): void
}

const FIRST_PENALTY_MS = 100
const MAX_PENALTY_MS = 2_000
/** Factor on the penalty after each success: the first ten calls after a refusal start at least 50 ms apart. */
const PENALTY_LEFT = 0.92

/** Uses the monotonic clock, so that changes of the wall clock do not affect waits. */
export function createGate(options: {
  concurrency: number
  minGapMs: number
  pace?: Pace | undefined
  signal: AbortSignal
  /** Called before waiting out a pause; throws where the pause is too long to wait for. */
  beforePause: (remainingMs: number) => void
}): RequestGate {
  const { signal, minGapMs, pace = { nextStart: 0 } } = options
  const queue: (() => void)[] = []
  let active = 0
  let pausedUntil = 0
  let penaltyMs = 0
  setMaxListeners(0, signal)

  const admit = () => {
    while (active < options.concurrency) {
      const next = queue.shift()
      if (next === undefined) return
      active++
      next()
    }
  }

  const leave = () => {
    active--
    admit()
  }

  const takePlace = () =>
    new Promise<void>((resolve, reject) => {
      const stop = () => {
        const position = queue.indexOf(start)
        if (position >= 0) queue.splice(position, 1)
        reject(signal.reason)
      }
      const start = () => {
        signal.removeEventListener('abort', stop)
        resolve()
      }
      signal.addEventListener('abort', stop, { once: true })
      queue.push(start)
      admit()
    })

  const waitForStart = async () => {
    for (;;) {
      signal.throwIfAborted()
      const at = performance.now()
      if (pausedUntil > at) options.beforePause(pausedUntil - at)
      const waitMs = Math.max(pausedUntil, pace.nextStart) - at
      if (waitMs <= 0) break
      await sleep(Math.ceil(waitMs), undefined, { signal })
    }
    pace.nextStart = performance.now() + Math.max(minGapMs, penaltyMs)
  }

  return {
    async enter() {
      signal.throwIfAborted()
      await takePlace()
      try {
        await waitForStart()
      } catch (error) {
        leave()
        throw error
      }
      return leave
    },
    again: waitForStart,
    pause(ms) {
      pausedUntil = Math.max(pausedUntil, performance.now() + ms)
    },
    answered(outcome) {
      if (outcome === 'ok') penaltyMs = penaltyMs < 10 ? 0 : penaltyMs * PENALTY_LEFT
      // Refusals of concurrent calls count as one.
      else if (pausedUntil <= performance.now()) {
        penaltyMs = Math.min(MAX_PENALTY_MS, Math.max(FIRST_PENALTY_MS, penaltyMs * 2))
      }
    },
  }
}
