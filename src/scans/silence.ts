import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../kernel/errors.ts'
import { isOrphaned, SILENCE_MS } from './lease.ts'
import type { ScanRecord } from './model.ts'
import { isCertainlyDead } from './owner.ts'

const MAX_SEEN = 1_000

interface Seen {
  heartbeatAt: number | null
  token: number
  at: number
}

/**
 * Returns a function that reports whether the owner of a scan's lease is gone: its process is, or no heartbeat came
 * while this process watched for `SILENCE_MS`. The stored time alone proves nothing if clocks differ or were set.
 */
export function watchHeartbeats(monotonic: () => number = () => performance.now()): (scan: ScanRecord) => boolean {
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

const POLL_MS = 100

/**
 * Whether a scan that seems orphaned by the clock is still being run: watches for a heartbeat for up to `SILENCE_MS`.
 * @throws AppError `unavailable` if the process stops first.
 */
export async function isLeaseAlive(
  find: () => ScanRecord | undefined,
  { now, signal, monotonic }: { now: () => number; signal: AbortSignal; monotonic?: () => number },
): Promise<boolean> {
  const first = find()
  if (first?.status !== 'RUNNING' || !isOrphaned(first, now())) return false
  const isHeartbeatStale = watchHeartbeats(monotonic)
  for (;;) {
    const scan = find()
    if (scan?.uid !== first.uid || scan.status !== 'RUNNING') return false
    if (scan.token !== first.token || (scan.heartbeatAt !== null && scan.heartbeatAt !== first.heartbeatAt)) return true
    if (isHeartbeatStale(scan)) return false
    await sleep(POLL_MS, undefined, { signal }).catch(() => {
      throw new AppError(
        'unavailable',
        'The process stopped before it could check whether the scan is running; try again.',
      )
    })
  }
}
