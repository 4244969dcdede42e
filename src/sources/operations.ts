import { connectors } from '../connectors/index.ts'
import { detectorDescriptions } from '../detectors/descriptions.ts'
import type { Operation } from '../operation/operation.ts'
import type { Plugins } from './plugins.ts'
import { createSourceOperations } from './source-operations.ts'

/** The connectors and detectors in this version of assay. */
export const installedPlugins: Plugins = { connectors, detectors: detectorDescriptions }

export const sourceOperations: readonly Operation[] = createSourceOperations(installedPlugins)
