import { getPriority, setPriority } from 'node:os'
import { isMainThread } from 'node:worker_threads'

const NICENESS_STEP = 5
const LAST = 19

/**
 * Lowers the priority of the calling thread, so that scans do not delay answers. Linux applies the call to the calling
 * thread alone; elsewhere it would apply to the whole process, so nothing is done.
 */
export function lowerThreadPriority(): void {
  if (isMainThread || process.platform !== 'linux') return
  try {
    setPriority(0, Math.min(LAST, getPriority(0) + NICENESS_STEP))
  } catch {
    // A container may forbid it; the priority then stays unchanged.
  }
}
