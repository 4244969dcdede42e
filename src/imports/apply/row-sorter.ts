import { openWorker, WorkerLost } from '../../runtime/worker-rpc.ts'
import { unpackAssets } from '../stage/import-block.ts'
import { heapLimits } from '../stage/import-threads.ts'
import type { SorterProtocol } from './sort.worker.ts'
import { type SortedImportRows, sortBlocks } from './sorted-rows.ts'

/** Up to this number, findings are sorted in the calling thread, because a worker takes time to start. */
const FEW_ROWS = 50_000

export interface RowSorter {
  /** Sorts blocks, whose memory may then belong to a worker: if that is lost, they are read again. */
  sort(packed: readonly Uint8Array[], readAgain: () => readonly Uint8Array[]): Promise<SortedImportRows>
  close(): void
}

/** Sorts staged findings, in a worker if there are many: others are stored meanwhile. */
export function openRowSorter(rows: number): RowSorter {
  if (rows <= FEW_ROWS) return { sort: async (packed) => sortBlocks(packed), close: () => {} }
  const worker = openWorker<SorterProtocol>({
    script: 'imports/apply/sort.worker',
    settings: { resourceLimits: heapLimits },
    events: {},
  })
  let closed = false
  return {
    async sort(packed, readAgain) {
      try {
        // Small values of PostgreSQL share memory, which can be copied only.
        const whole = packed.filter(({ buffer, byteLength }) => buffer.byteLength === byteLength)
        const transfer = whole.map(({ buffer }) => buffer as ArrayBuffer)
        const { assets, ...sorted } = await worker.call('sort', packed, { transfer })
        return { ...sorted, assets: unpackAssets(assets) }
      } catch (error) {
        if (!(error instanceof WorkerLost)) throw error
        if (closed) throw new RangeError('nothing is sorted any more')
        return sortBlocks(readAgain())
      }
    },
    close: () => {
      closed = true
      void worker.terminate()
    },
  }
}
