import type { Log } from '../../kernel/log.ts'
import type { ScanWarning } from '../connector.ts'
import type { WikiClient } from './client.ts'
import type { WikiConfig } from './config.ts'
import type { SiteIndex } from './site-index.ts'
import type { SpaceWire } from './wire.ts'

/** What the crawl of one space shares. */
export interface CrawlContext {
  client: WikiClient
  config: WikiConfig
  log: Log
  space: SpaceWire
  /** Lists of the whole site, where they cost less than asking page by page. */
  index: SiteIndex
  known: (keys: readonly string[]) => ReadonlyMap<string, string>
  warnings: Warnings
}

export interface Warnings {
  add(warning: ScanWarning): void
  /** What was added since the last call. */
  take(): ScanWarning[]
}

/** Collects warnings; one about the whole scope is kept once, however often it is met. */
export function createWarnings(): Warnings {
  let waiting: ScanWarning[] = []
  const said = new Set<string>()
  return {
    add(warning) {
      if (warning.assetKey === undefined) {
        if (said.has(warning.code)) return
        said.add(warning.code)
      }
      waiting.push(warning)
    },
    take() {
      const taken = waiting
      waiting = []
      return taken
    },
  }
}
