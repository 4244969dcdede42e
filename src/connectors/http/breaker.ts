import { setTimeout as sleep } from 'node:timers/promises'
import type { BreakerState } from './upstream.ts'

/** How a call may go out: like all others, or as the one that finds out whether the origin is back. */
export type Passage = 'normal' | 'probe'

/** Leaves an origin alone that keeps failing. */
export interface Breaker {
  /** Waits until calls may go out again. @throws what `givenUp` makes, once waiting has not helped. */
  pass(): Promise<Passage>
  /** Whether a call that was let through may still go out: the breaker may have opened since. */
  admits(passage: Passage): boolean
  /** Told of each attempt: `ok` for any answer that is no fault of the origin, `neither` where nothing was learnt. */
  answered(passage: Passage, outcome: 'ok' | 'failed' | 'neither', path: string): void
}

const FAILURES = 5
/** Failures of one address alone are a broken item, not a broken origin. */
const PATHS = 2
const FIRST_OPEN_MS = 5_000
const MAX_OPEN_MS = 60_000
/** After so many probes that failed nobody waits any more: calls fail at once until the next probe is due. */
const PATIENCE = 3

/** Opens after five failures in a row at more than one address; then one call at a time finds out. */
export function createBreaker(options: {
  signal: AbortSignal
  givenUp: (waitMs: number) => Error
  /** Told of every change. */
  tell?: ((state: BreakerState) => void) | undefined
}): Breaker {
  const { signal, tell = () => {} } = options
  const paths = new Set<string>()
  let failures = 0
  let openings = 0
  let openUntil = 0
  let probing: Promise<void> | undefined
  let settle = () => {}

  const open = () => {
    openUntil = performance.now() + Math.min(MAX_OPEN_MS, FIRST_OPEN_MS * 2 ** openings)
    openings++
    tell('open')
  }

  const close = () => {
    if (openings > 0) tell('closed')
    failures = 0
    openings = 0
    paths.clear()
  }

  const endProbe = () => {
    probing = undefined
    settle()
  }

  return {
    async pass() {
      for (;;) {
        signal.throwIfAborted()
        if (openings === 0) return 'normal'
        const waitMs = openUntil - performance.now()
        if (probing !== undefined) await probing
        else if (waitMs <= 0) {
          probing = new Promise((resolve) => {
            settle = resolve
          })
          tell('half_open')
          return 'probe'
        } else if (openings > PATIENCE) throw options.givenUp(waitMs)
        else await sleep(Math.ceil(waitMs), undefined, { signal })
      }
    },
    admits: (passage) => passage === 'probe' || openings === 0,
    answered(passage, outcome, path) {
      if (outcome === 'ok') close()
      else if (outcome === 'failed' && passage === 'probe') open()
      else if (passage === 'probe') tell('open')
      else if (outcome === 'failed' && openings === 0) {
        failures++
        paths.add(path)
        if (failures >= FAILURES && paths.size >= PATHS) open()
      }
      if (passage === 'probe') endProbe()
    },
  }
}
