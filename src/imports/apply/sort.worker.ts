import { serveCalls, Transferred } from '../../runtime/worker-rpc.ts'
import { type SortedImportRows, sortBlocks } from './sorted-rows.ts'

export type SorterProtocol = {
  calls: { sort: { input: readonly Uint8Array[]; reply: SortedImportRows } }
  notices: Record<never, never>
  events: Record<never, never>
}

serveCalls<SorterProtocol>({
  calls: {
    sort: (packed) => {
      const rows = sortBlocks(packed)
      return new Transferred(rows, [rows.columns.fp.buffer])
    },
  },
})
