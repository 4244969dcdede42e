import type { Writer } from '../store/store.ts'

/** Number of log rows that are kept; a reader that is further behind rebuilds from the findings. */
export const KEPT_LOG_ROWS = 4000

/** Makes followers of the change log rebuild, because findings changed without an entry for each. */
export function markLogReset(writer: Writer, at: number): void {
  writer.prepare('INSERT INTO facet_log (at, n, delta) VALUES (?, 0, ?)').run(at, Buffer.alloc(0))
}
