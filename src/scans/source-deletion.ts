import { removeAssets } from '../findings/assets.store.ts'
import { listDeleted, removeSource } from '../sources/sources.store.ts'
import type { Store } from '../store/store.ts'

/** Assets removed in one transaction. */
const REMOVED_AT_ONCE = 200
/** How long one turn of the loop continues interrupted deletions. */
const TURN_MS = 500

export interface DeletionContext {
  store: Store
  now: () => number
  signal: AbortSignal
}

/** Removes the rest of a source whose deletion has begun; false if `forMs` milliseconds were not enough. */
export async function deleteRemaining(
  { store, now, signal }: DeletionContext,
  id: number,
  forMs?: number,
): Promise<boolean> {
  const until = forMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + forMs
  // Another process may finish first, and a new source may then get the same row id.
  const removeSome = () =>
    store.write((writer) => listDeleted(writer).includes(id) && removeAssets(writer, id, REMOVED_AT_ONCE, now()), {
      scope: { source: id },
    })
  while (removeSome()) {
    if (performance.now() > until) return false
    await store.yieldBetweenBatches(signal)
  }
  store.write((writer) => removeSource(writer, id, now()), { durable: true })
  return true
}

/** Continues interrupted deletions for one turn of the loop; returns how many are complete. */
export async function finishDeletions(removal: DeletionContext): Promise<number> {
  let finished = 0
  for (const id of removal.store.read(listDeleted)) {
    if (!(await deleteRemaining(removal, id, TURN_MS))) break
    finished += 1
  }
  return finished
}
