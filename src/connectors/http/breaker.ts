import { setTimeout as sleep } from 'node:timers/promises'
import type { BreakerState } from './upstream.ts'

/** Whether a call is an ordinary one or the probe that tests whether the origin has recovered. */
export type CallKind = 'normal' | 'probe'

/** Circuit breaker: stops calls to an origin that keeps failing. */
export interface Breaker {
  /**
   * Waits until calls are allowed.
   * @throws the error from `givenUp` while the breaker is open after more than MAX_WAITED_OPENINGS openings
   */
  pass(): Promise<CallKind>
  /** Whether a call that has passed may still be sent: the breaker may have opened since. */
  admits(passage: CallKind): boolean
  /**
   * Records the outcome of an attempt: `ok` for any reply that is not the origin's failure, `neither` for no evidence.
   */
  answered(passage: CallKind, outcome: 'ok' | 'failed' | 'neither', path: string): void
}

const FAILURES = 5
/** Number of different paths that must fail, because failures of a single path indicate a broken item. */
const PATHS = 2
const FIRST_OPEN_MS = 5_000
const MAX_OPEN_MS = 60_000
/** After more openings in a row than this, calls fail at once instead of waiting for the next probe. */
const MAX_WAITED_OPENINGS = 3

/** Opens after five failures in a row on at least two paths; then a single probe at a time tests the origin. */
export function createBreaker(options: {
  signal: AbortSignal
  givenUp: (waitMs: number) => Error
  /** Called on every change of state. */
  onStateChange?: ((state: BreakerState) => void) | undefined
}): Breaker {
  const { signal, onStateChange = () => {} } = options
  const paths = new Set<string>()
  let failures = 0
  let openings = 0
  let openUntil = 0
  let probe: PromiseWithResolvers<void> | undefined

  const open = () => {
    openUntil = performance.now() + Math.min(MAX_OPEN_MS, FIRST_OPEN_MS * 2 ** openings)
    openings++
    onStateChange('open')
  }

  const close = () => {
    if (openings > 0) onStateChange('closed')
    failures = 0
    openings = 0
    paths.clear()
  }

  const endProbe = () => {
    probe?.resolve()
    probe = undefined
  }

  return {
    async pass() {
      for (;;) {
        signal.throwIfAborted()
        if (openings === 0) return 'normal'
        const waitMs = openUntil - performance.now()
        if (probe !== undefined) await probe.promise
        else if (waitMs <= 0) {
          probe = Promise.withResolvers()
          onStateChange('half_open')
          return 'probe'
        } else if (openings > MAX_WAITED_OPENINGS) throw options.givenUp(waitMs)
        else await sleep(Math.ceil(waitMs), undefined, { signal })
      }
    },
    admits: (passage) => passage === 'probe' || openings === 0,
    answered(passage, outcome, path) {
      if (outcome === 'ok') close()
      else if (outcome === 'failed' && passage === 'probe') open()
      else if (passage === 'probe') onStateChange('open')
      else if (outcome === 'failed' && openings === 0) {
        failures++
        paths.add(path)
        if (failures >= FAILURES && paths.size >= PATHS) open()
      }
      if (passage === 'probe') endProbe()
    },
  }
}
