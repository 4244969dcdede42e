import { ownText } from '../kernel/safe-text.ts'
import type { Store } from '../store/store.ts'
import { ScanLease } from './lease.ts'
import { createOwner } from './owner.ts'
import { addNotes, finishScan } from './scans.store.ts'
import { closeScopes, listScopes } from './scopes.store.ts'

const REASON = ownText('thread_died')
const MESSAGE = 'The scan repeatedly crashed its thread; see the log, then start it again.'
const HEARTBEAT_MS = 2_000

/** Ends a scan that cannot be run: its stored results are kept, and it resolves no findings. */
export function giveUpScan(scanUid: string, { store, now }: { store: Store; now: () => number }): void {
  const owner = createOwner()
  const { signal } = new AbortController()
  const lease = ScanLease.claim(scanUid, { store, owner, now, signal, heartbeatMs: HEARTBEAT_MS })
  lease?.end((writer) => {
    const { id } = lease.scan
    const hasStored = listScopes(writer, id).some(({ scanned, unchanged }) => scanned + unchanged > 0)
    addNotes(writer, id, 'failures', [{ code: REASON, message: MESSAGE }])
    closeScopes(writer, id, REASON)
    finishScan(writer, id, { status: hasStored ? 'PARTIAL' : 'FAILED', reason: REASON }, now())
  })
  owner.release()
}
