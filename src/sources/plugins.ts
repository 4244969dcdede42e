import type { Connector } from '../connectors/connector.ts'
import type { Detector, SourceDetector } from '../detectors/detector.ts'

export type AnyDetector = Detector | SourceDetector

/** The connectors and detectors of this installation. */
export interface Plugins {
  connectors: readonly Connector[]
  detectors: readonly AnyDetector[]
}

export function findConnector(plugins: Plugins, type: string): Connector | undefined {
  return plugins.connectors.find((connector) => connector.type === type)
}

export function findDetector(plugins: Plugins, type: string): AnyDetector | undefined {
  return plugins.detectors.find((detector) => detector.type === type)
}

/** Whether a detector examines single documents; all others examine all assets of a source. */
export function isContentDetector(detector: AnyDetector): detector is Detector {
  return 'detect' in detector
}

/** Whether a detector must read the text of every asset, even if only to store a digest of it. */
export function needsContent(detector: AnyDetector): boolean {
  return isContentDetector(detector) || detector.digest !== undefined
}
