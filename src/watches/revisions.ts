import type { Awaitable } from '../kernel/awaitable.ts'
import type { Log } from '../runtime/log.ts'

const POLL_MS = 1_000

/** Calls `listener` soon after watches or their states changed, in any process, until the signal is aborted. */
export function followWatches(
  { readRevision, log, signal }: { readRevision: () => Awaitable<number>; log: Log; signal: AbortSignal },
  listener: () => void,
): void {
  let seen: number | undefined
  let isLooking = false
  const look = async () => {
    if (isLooking) return
    isLooking = true
    try {
      const present = await readRevision()
      if (present === seen) return
      const isFirst = seen === undefined
      seen = present
      if (!isFirst && !signal.aborted) listener()
    } catch (error) {
      log.debug('the watches could not be checked', { error })
    } finally {
      isLooking = false
    }
  }
  void look()
  const timer = setInterval(() => void look(), POLL_MS).unref()
  signal.addEventListener('abort', () => clearInterval(timer), { once: true })
}
