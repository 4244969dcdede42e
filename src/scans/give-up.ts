import { ownText } from '../kernel/safe-text.ts'
import type { Store } from '../store/store.ts'
import { ScanLease } from './lease.ts'
import { createOwner } from './owner.ts'
import { addNotes, finishScan } from './scans.store.ts'
import { closeScopes, hasStoredResults } from './scopes.store.ts'

const causes = {
  thread_died: {
    reason: ownText('thread_died'),
    message: 'The scan repeatedly crashed its thread; see the log, then start it again.',
  },
  out_of_memory: {
    reason: ownText('out_of_memory'),
    message: 'The scan needed more memory than a scan may use; narrow the scope of the source.',
  },
  stalled: {
    reason: ownText('stalled'),
    message:
      'The scan was ended because its thread no longer responded; see the log, then narrow the scope of the source.',
  },
}
export type GiveUpCause = keyof typeof causes
const HEARTBEAT_MS = 2_000

/** Ends a scan that cannot be run: its stored results are kept, and it resolves no findings. */
export function giveUpScan(
  scanUid: string,
  cause: GiveUpCause,
  { store, now }: { store: Store; now: () => number },
): void {
  const { reason, message } = causes[cause]
  const owner = createOwner()
  const { signal } = new AbortController()
  const lease = ScanLease.claim(scanUid, { store, owner, now, signal, heartbeatMs: HEARTBEAT_MS })
  lease?.end((writer) => {
    const { id } = lease.scan
    const hasStored = hasStoredResults(writer, id)
    addNotes(writer, id, 'failures', [{ code: reason, message }])
    closeScopes(writer, id, reason)
    finishScan(writer, id, { status: hasStored ? 'PARTIAL' : 'FAILED', reason }, now())
  })
  owner.release()
}
