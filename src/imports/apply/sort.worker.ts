import { parentPort } from 'node:worker_threads'
import { sortBlocks } from './sorted-rows.ts'

/** Answers each list of blocks with its sorted findings, in the order of the requests. */
parentPort?.on('message', (packed: Uint8Array[]) => {
  const rows = sortBlocks(packed)
  const columns = Object.values(rows).filter((column) => ArrayBuffer.isView(column))
  parentPort?.postMessage(
    rows,
    columns.map(({ buffer }) => buffer as ArrayBuffer),
  )
})
