import type { Connector } from '../connectors/connector.ts'
import type { DetectorDescription } from '../detectors/detector.ts'

/** The connectors and detectors of this installation. */
export interface Plugins {
  connectors: readonly Connector[]
  detectors: readonly DetectorDescription[]
}

export function findConnector(plugins: Plugins, type: string): Connector | undefined {
  return plugins.connectors.find((connector) => connector.type === type)
}

export function findDetector(plugins: Plugins, type: string): DetectorDescription | undefined {
  return plugins.detectors.find((detector) => detector.type === type)
}

/** Whether a detector examines single documents; all others examine all assets of a source. */
export const isContentDetector = ({ reads }: DetectorDescription): boolean => reads === 'documents'

/** Whether a detector must read the text of every asset, even if only to store a digest of it. */
export const needsContent = ({ reads }: DetectorDescription): boolean => reads !== 'assets'
