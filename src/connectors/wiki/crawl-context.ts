import { AppError } from '../../kernel/errors.ts'
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
  warn(warning: ScanWarning): void
  /** Says that something of this space could not be listed, so that what is absent proves nothing. */
  leaveOpen(reason: string, message: string): void
}

export interface OpenEnds {
  warn: CrawlContext['warn']
  leaveOpen: CrawlContext['leaveOpen']
  /** Warnings since the last call. */
  takeWarnings(): ScanWarning[]
  readonly isOpen: boolean
  /** Throws where something was left open. */
  settle(): void
}

export function createOpenEnds(): OpenEnds {
  let warnings: ScanWarning[] = []
  const open = new Map<string, string>()
  return {
    warn(warning) {
      warnings.push(warning)
    },
    leaveOpen(reason, message) {
      if (!open.has(reason)) open.set(reason, message)
    },
    takeWarnings() {
      const taken = warnings
      warnings = []
      return taken
    },
    get isOpen() {
      return open.size > 0
    },
    settle() {
      const [first] = open
      if (first === undefined) return
      const [reason, message] = first
      throw new AppError('unavailable', message, { reason, facts: { left: [...open.keys()] } })
    },
  }
}
