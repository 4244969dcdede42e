import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AssayDocument } from '../documents/document.ts'
import type { AssetFacts, Detector, Digest } from './detector.ts'
import { createFingerprinter } from './fingerprint.ts'
import { findDetector, findDocumentDetector } from './index.ts'
import { type DetectorRun, type RunOptions, type RunResult, runDetectors } from './runner.ts'

/** What to run on a document. */
export interface DetectorRequest {
  asset: AssetFacts
  /** Types with their stored `config`; source detectors only produce their digests. */
  detectors: readonly { type: string; config?: unknown }[]
  /** See `RunOptions`. */
  values?: readonly string[]
  /** Start time of the scan, in milliseconds since the epoch. */
  now: number
  inlineSuppression?: boolean
  occurrences?: 'first' | 'all'
}

/** Detectors whose matches must be masked in all excerpts, whether or not the request includes them. */
const veilingTypes = ['SECRETS', 'PII']

const toRun = (detector: Detector, config: unknown): DetectorRun => ({
  detector,
  config: detector.config.parse(config ?? {}),
})

/**
 * Runs the request on this thread.
 * @throws ZodError where a `config` does not match its detector's schema
 */
export function runRequest(
  document: AssayDocument,
  { detectors, ...request }: DetectorRequest,
  options: Pick<RunOptions, 'fingerprint' | 'limitMs'>,
): RunResult {
  const runs = detectors.flatMap(({ type, config }) => {
    const detector = findDocumentDetector(type)
    return detector === undefined ? [] : [toRun(detector, config)]
  })
  const veiling = veilingTypes.flatMap((type) => {
    const detector = findDocumentDetector(type)
    return detector === undefined ? [] : [toRun(detector, {})]
  })
  const result = runDetectors(document, { ...request, ...options, detectors: runs, veiling })
  const types = detectors.map(({ type }) => type)
  return makeDigests(document, types, { ...request, ...options }, result)
}

/** Processor time of one detector on one document. */
const LIMIT_MS = 2_000

/** Runs requests on this thread, each after what waits for the thread, and no detector without end. */
export type DetectorRunner = (document: AssayDocument, request: DetectorRequest) => Promise<RunResult>

export function createDetectorRunner(fingerprintKey: Uint8Array): DetectorRunner {
  const fingerprint = createFingerprinter(fingerprintKey)
  return async (document, request) => {
    await nextTurn()
    return runRequest(document, request, { fingerprint, limitMs: LIMIT_MS })
  }
}

function makeDigests(
  document: AssayDocument,
  types: readonly string[],
  { asset, fingerprint }: Pick<RunOptions, 'asset' | 'fingerprint'>,
  result: RunResult,
): RunResult {
  const digests: Digest[] = []
  for (const type of types) {
    const detector = findDetector(type)
    if (detector === undefined || !('digest' in detector)) continue
    try {
      const data = detector.digest?.(document, { asset, fingerprint })
      if (data !== undefined) digests.push({ detectorType: type, data })
    } catch {
      const message = `${type} failed here: its findings may be missing.`
      result.warnings.push({ code: 'detector_failed', message })
    }
  }
  return { ...result, digests }
}
