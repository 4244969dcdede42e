import type { SafeAsset } from '../connectors/safe-session.ts'
import type { Digest, RedactedFinding } from '../detectors/detector.ts'
import type { AssayDocument } from '../documents/document.ts'

/** The result of detection for one document; a warning with a detector type concerns that detector alone. */
export interface DetectionResult {
  findings: readonly RedactedFinding[]
  warnings: readonly { code: string; message: string; detectorType?: string | undefined }[]
  /** What was reported, unmasked. */
  values: readonly string[]
  /** Digests of the document for cross-asset checks. */
  digests?: readonly Digest[] | undefined
}

export type RunDetection = (
  document: AssayDocument,
  asset: Pick<SafeAsset, 'original' | 'values'>,
) => Promise<DetectionResult>

export function completeTypes(types: readonly string[], detected: DetectionResult | undefined): ReadonlySet<string> {
  const broken = (detected?.warnings ?? []).filter(({ code }) => cutsShort.has(code))
  if (broken.some(({ detectorType }) => detectorType === undefined)) return new Set()
  return new Set(types.filter((type) => !broken.some(({ detectorType }) => detectorType === type)))
}

/** Warnings after which a missing finding may still exist. */
export const cutsShort: ReadonlySet<string> = new Set(['truncated', 'capped', 'detector_failed', 'budget_exceeded'])
