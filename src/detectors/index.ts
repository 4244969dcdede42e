import { brokenLinksDetector } from './broken-links/index.ts'
import { contentQualityDetector } from './content-quality/index.ts'
import { customDetector } from './custom/index.ts'
import type { Detector, SourceDetector } from './detector.ts'
import { duplicateDetector } from './duplicate/index.ts'
import { piiDetector } from './pii/index.ts'
import { promptInjectionDetector } from './prompt-injection/index.ts'
import { secretsDetector } from './secrets/index.ts'

export const documentDetectors: readonly Detector[] = [
  secretsDetector,
  piiDetector,
  promptInjectionDetector,
  customDetector,
]

const detectors: readonly (Detector | SourceDetector)[] = [
  ...documentDetectors,
  brokenLinksDetector,
  duplicateDetector,
  contentQualityDetector,
]

export function findDetector(type: string): Detector | SourceDetector | undefined {
  return detectors.find((detector) => detector.type === type)
}

/** Finds a detector that needs only the document. */
export function findDocumentDetector(type: string): Detector | undefined {
  return documentDetectors.find((detector) => detector.type === type)
}
