import type { Connector } from '../connectors/connector.ts'
import type { Detector, EstateDetector } from '../detectors/detector.ts'

export type AnyDetector = Detector | EstateDetector

/** The source types and detectors that this installation knows. */
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

/** True for detectors that look at one document; the others look at the whole estate. */
export function isContentDetector(detector: AnyDetector): detector is Detector {
  return 'detect' in detector
}

/** True for detectors that must see the text of every asset, be it only to keep something of it. */
export function needsContent(detector: AnyDetector): boolean {
  return isContentDetector(detector) || detector.digest !== undefined
}
