import { SILENCE_MS } from './lease.ts'
import type { ScanRecord } from './model.ts'
import { isCertainlyDead } from './owner.ts'

const MAX_SEEN = 1_000

interface Seen {
  heartbeatAt: number | null
  token: number
  at: number
}

/**
 * Tells whether the driver of a scan is gone: its process is, or its heart did not beat while this process looked on.
 * A heartbeat alone cannot tell, where clocks differ or one was set.
 */
export function watchSilence(monotonic: () => number = () => performance.now()): (scan: ScanRecord) => boolean {
  const seen = new Map<string, Seen>()
  return ({ uid, status, owner, heartbeatAt, token }) => {
    if (status !== 'RUNNING' || owner === null || heartbeatAt === null || isCertainlyDead(owner)) {
      seen.delete(uid)
      return true
    }
    const last = seen.get(uid)
    if (last?.heartbeatAt !== heartbeatAt || last.token !== token) {
      if (seen.size > MAX_SEEN) seen.clear()
      seen.set(uid, { heartbeatAt, token, at: monotonic() })
      return false
    }
    return monotonic() - last.at > SILENCE_MS
  }
}
