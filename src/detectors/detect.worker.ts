import { parentPort, workerData } from 'node:worker_threads'
import type { AssayDocument } from '../documents/document.ts'
import { goBehindAnswers } from '../runtime/thread-priority.ts'
import { createFingerprinter } from './fingerprint.ts'
import { type DetectRequest, runRequest } from './request.ts'
import type { RunResult } from './runner.ts'

/** What the pool sends. */
export interface Job {
  id: number
  document: AssayDocument
  request: DetectRequest
}

/** What the worker sends back: `started` before each detector, then one `done` or `failed`. */
export type Reply =
  | { id: number; kind: 'started'; type: string }
  | { id: number; kind: 'done'; result: RunResult }
  | { id: number; kind: 'failed' }

goBehindAnswers()
const { fingerprintKey } = workerData as { fingerprintKey: Uint8Array }
const fingerprint = createFingerprinter(fingerprintKey)
const reply = (message: Reply) => parentPort?.postMessage(message)

parentPort?.on('message', ({ id, document, request }: Job) => {
  try {
    const onDetector = (type: string) => reply({ id, kind: 'started', type })
    reply({ id, kind: 'done', result: runRequest(document, request, { fingerprint, onDetector }) })
  } catch {
    reply({ id, kind: 'failed' })
  }
})
