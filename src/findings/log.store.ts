import type { Writer } from '../store/store.ts'

/** Log rows that are kept; a reader that is further behind starts over from the findings. */
export const KEPT_LOG_ROWS = 4000

/** Tells followers of the change log to start over: findings changed without an entry each. */
export function markLogReset(writer: Writer, at: number): void {
  writer.prepare('INSERT INTO facet_log (at, n, delta) VALUES (?, 0, ?)').run(at, Buffer.alloc(0))
}
