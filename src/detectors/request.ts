import type { AssayDocument } from '../documents/document.ts'
import type { AssetFacts, Detector, Digest } from './detector.ts'
import { findDetector, findDocumentDetector } from './index.ts'
import { type DetectorRun, type RunOptions, type RunResult, runDetectors } from './runner.ts'

/** What to run on a document, as plain data that can be sent to another thread. */
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
  options: Pick<RunOptions, 'fingerprint' | 'onDetector'>,
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

function makeDigests(
  document: AssayDocument,
  types: readonly string[],
  { asset, fingerprint, onDetector }: Pick<RunOptions, 'asset' | 'fingerprint' | 'onDetector'>,
  result: RunResult,
): RunResult {
  const digests: Digest[] = []
  for (const type of types) {
    const detector = findDetector(type)
    if (detector === undefined || !('digest' in detector)) continue
    onDetector?.(type)
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
