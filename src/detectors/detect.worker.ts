import { workerData } from 'node:worker_threads'
import type { AssayDocument } from '../documents/document.ts'
import { lowerThreadPriority } from '../runtime/thread-priority.ts'
import { openEvents, serveCalls } from '../runtime/worker-rpc.ts'
import { createFingerprinter } from './fingerprint.ts'
import { type DetectorRequest, runRequest } from './request.ts'
import type { RunResult } from './runner.ts'

export type DetectorProtocol = {
  calls: { detect: { input: { document: AssayDocument; request: DetectorRequest }; reply: RunResult } }
  notices: Record<never, never>
  /** The type of each detector before it runs. */
  events: { detector: string }
}

lowerThreadPriority()
const { fingerprintKey } = workerData as { fingerprintKey: Uint8Array }
const fingerprint = createFingerprinter(fingerprintKey)
const emit = openEvents<DetectorProtocol>()
const onDetector = (type: string) => emit('detector', type)

serveCalls<DetectorProtocol>({
  calls: { detect: ({ document, request }) => runRequest(document, request, { fingerprint, onDetector }) },
})
