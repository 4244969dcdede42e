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
      const columns = Object.values(rows).filter((column) => ArrayBuffer.isView(column))
      return new Transferred(
        rows,
        columns.map(({ buffer }) => buffer as ArrayBuffer),
      )
    },
  },
})
