import { biConnector } from './bi/index.ts'
import type { Connector } from './connector.ts'
import { wikiConnector } from './wiki/index.ts'

/** Every source type that can be scanned: a new one is a folder and a line here. */
export const connectors: readonly Connector[] = [wikiConnector as Connector, biConnector as Connector]
