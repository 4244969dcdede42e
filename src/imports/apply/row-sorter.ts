import { openWorker, WorkerLost } from '../../runtime/worker-rpc.ts'
import type { SorterProtocol } from './sort.worker.ts'
import { type SortedImportRows, sortBlocks } from './sorted-rows.ts'

/** Up to this number, findings are sorted in the calling thread, because a worker takes time to start. */
const FEW_ROWS = 50_000

export interface RowSorter {
  sort(packed: readonly Uint8Array[]): Promise<SortedImportRows>
  close(): void
}

/** Sorts staged findings, in a worker if there are many: others are stored meanwhile. */
export function openRowSorter(rows: number): RowSorter {
  if (rows <= FEW_ROWS) return { sort: async (packed) => sortBlocks(packed), close: () => {} }
  const worker = openWorker<SorterProtocol>({ script: 'imports/apply/sort.worker', events: {} })
  let closed = false
  return {
    async sort(packed) {
      try {
        return await worker.call('sort', packed)
      } catch (error) {
        if (!(error instanceof WorkerLost)) throw error
        if (closed) throw new RangeError('nothing is sorted any more')
        return sortBlocks(packed)
      }
    },
    close: () => {
      closed = true
      void worker.terminate()
    },
  }
}
