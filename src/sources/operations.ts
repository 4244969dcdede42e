import { connectors } from '../connectors/index.ts'
import { detectors } from '../detectors/index.ts'
import type { Operation } from '../operation/operation.ts'
import type { Plugins } from './plugins.ts'
import { createSourceOperations } from './source-operations.ts'

/** The connectors and detectors in this version of assay. */
export const installedPlugins: Plugins = { connectors, detectors }

export const sourceOperations: readonly Operation[] = createSourceOperations(installedPlugins)
