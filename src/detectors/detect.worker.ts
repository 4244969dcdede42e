import { parentPort, workerData } from 'node:worker_threads'
import type { AssayDocument } from '../documents/document.ts'
import { lowerThreadPriority } from '../runtime/thread-priority.ts'
import { createFingerprinter } from './fingerprint.ts'
import { type DetectorRequest, runRequest } from './request.ts'
import type { RunResult } from './runner.ts'

/** Message from the pool to the worker. */
export interface DetectJob {
  id: number
  document: AssayDocument
  request: DetectorRequest
}

/** Messages from the worker: `started` before each detector, then one `done` or `failed`. */
export type DetectReply =
  | { id: number; kind: 'started'; type: string }
  | { id: number; kind: 'done'; result: RunResult }
  | { id: number; kind: 'failed' }

lowerThreadPriority()
const { fingerprintKey } = workerData as { fingerprintKey: Uint8Array }
const fingerprint = createFingerprinter(fingerprintKey)
const reply = (message: DetectReply) => parentPort?.postMessage(message)

parentPort?.on('message', ({ id, document, request }: DetectJob) => {
  try {
    const onDetector = (type: string) => reply({ id, kind: 'started', type })
    reply({ id, kind: 'done', result: runRequest(document, request, { fingerprint, onDetector }) })
  } catch {
    reply({ id, kind: 'failed' })
  }
})
