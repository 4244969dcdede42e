import { brokenLinksDetector } from './broken-links/index.ts'
import { contentQualityDetector } from './content-quality/index.ts'
import { customDetector } from './custom/index.ts'
import type { DetectorDescription } from './detector.ts'
import { duplicateDetector } from './duplicate/index.ts'
import { piiDescription } from './pii/description.ts'
import { promptInjectionDescription } from './prompt-injection/description.ts'
import { secretsDetector } from './secrets/index.ts'

/**
 * All detectors that a source's payload may name. Rules of personal data and of injections take megabytes and are not
 * loaded here; those of secrets serve to mask every text anyway.
 */
export const detectorDescriptions: readonly DetectorDescription[] = [
  secretsDetector,
  piiDescription,
  promptInjectionDescription,
  customDetector,
  brokenLinksDetector,
  duplicateDetector,
  contentQualityDetector,
]
