import { startWorker } from '../../runtime/package-files.ts'
import { type SortedImportRows, sortBlocks } from './sorted-rows.ts'

/** Up to this number, findings are sorted in the calling thread, because a worker takes time to start. */
const FEW_ROWS = 50_000

export interface RowSorter {
  arrange(packed: readonly Uint8Array[]): Promise<SortedImportRows>
  close(): void
}

/** Sorts staged findings, in a worker if there are many: others are stored meanwhile. */
export function openRowSorter(rows: number): RowSorter {
  if (rows <= FEW_ROWS) return { arrange: async (packed) => sortBlocks(packed), close: () => {} }
  const worker = startWorker('imports/apply/sort.worker')
  const waiting: ((rows: SortedImportRows | undefined) => void)[] = []
  let lost = false
  let closed = false
  const lose = () => {
    lost = true
    for (const resolve of waiting.splice(0)) resolve(undefined)
  }
  worker.on('message', (rows: SortedImportRows) => waiting.shift()?.(rows))
  worker.on('error', lose)
  worker.on('exit', lose)
  return {
    async arrange(packed) {
      const arranged = await new Promise<SortedImportRows | undefined>((resolve) => {
        if (lost) return resolve(undefined)
        waiting.push(resolve)
        worker.postMessage(packed)
      })
      if (closed) throw new RangeError('nothing is arranged any more')
      return arranged ?? sortBlocks(packed)
    },
    close: () => {
      closed = true
      void worker.terminate()
    },
  }
}
