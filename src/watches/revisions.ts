import type { Log } from '../runtime/log.ts'
import type { Store } from '../store/store.ts'
import { readSignal } from './states.store.ts'

const POLL_MS = 1_000

/** Calls `listener` soon after watches or their states changed, in any process, until the signal is aborted. */
export function followWatches(
  { store, log, signal }: { store: Store; log: Log; signal: AbortSignal },
  listener: () => void,
): void {
  const look = () => store.read(readSignal).revision
  let seen = look()
  const timer = setInterval(() => {
    try {
      const present = look()
      if (present === seen) return
      seen = present
      listener()
    } catch (error) {
      log.debug('the watches could not be checked', { error })
    }
  }, POLL_MS).unref()
  signal.addEventListener('abort', () => clearInterval(timer), { once: true })
}
