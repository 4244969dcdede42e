import type { Store } from '../store/store.ts'
import { hasDueExpiry, listDueExpiries } from './expiries.store.ts'
import { FindingLedger } from './ledger.store.ts'

/** Ends recorded in one transaction. */
const AT_ONCE = 500

/** Records the decisions that have ended; returns how many. Answers do not wait for it: they see each end when it is due. */
export async function recordExpiries({
  store,
  now,
  signal,
}: {
  store: Store
  now: () => number
  signal?: AbortSignal | undefined
}): Promise<number> {
  let recorded = 0
  while (signal?.aborted !== true) {
    const at = now()
    if (!store.read((reader) => hasDueExpiry(reader, at))) break
    const { length } = store.write((writer) =>
      // Reading a finding through the ledger records the end of its decision.
      FindingLedger.keep(writer, at, (ledger) => listDueExpiries(writer, at, AT_ONCE).map((id) => ledger.findById(id))),
    )
    if (length === 0) break
    recorded += length
    await store.yieldBetweenBatches(signal)
  }
  return recorded
}
