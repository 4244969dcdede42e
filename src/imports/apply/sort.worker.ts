import { parentPort } from 'node:worker_threads'
import { arrangeBlocks } from './sorted-rows.ts'

/** Answers each list of blocks with what they hold, in the order of the questions. */
parentPort?.on('message', (packed: Uint8Array[]) => {
  const rows = arrangeBlocks(packed)
  const columns = Object.values(rows).filter((column) => ArrayBuffer.isView(column))
  parentPort?.postMessage(
    rows,
    columns.map(({ buffer }) => buffer as ArrayBuffer),
  )
})
