import { biConnector } from './bi/index.ts'
import type { Connector } from './connector.ts'
import { wikiConnector } from './wiki/index.ts'

/** Every source type that can be scanned: to add one, add a folder and an entry here. */
export const connectors: readonly Connector[] = [wikiConnector as Connector, biConnector as Connector]
