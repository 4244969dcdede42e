import { getPriority, setPriority } from 'node:os'
import { isMainThread } from 'node:worker_threads'

const BEHIND = 5
const LAST = 19

/**
 * Lets other threads go first where processors are short: answers before scans. Linux takes the call for the calling
 * thread alone; elsewhere it would hold for the whole process, so that nothing is done.
 */
export function goBehindAnswers(): void {
  if (isMainThread || process.platform !== 'linux') return
  try {
    setPriority(0, Math.min(LAST, getPriority(0) + BEHIND))
  } catch {
    // A container may forbid it; the thread then stays as it is.
  }
}
