import type { Log } from '../../kernel/log.ts'
import type { ScanWarning } from '../connector.ts'
import type { WikiClient } from './client.ts'
import type { WikiConfig } from './config.ts'
import { isRefusal, messageOf } from './failure.ts'
import { toPageKey } from './links.ts'
import type { Owners } from './owners.ts'
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
  owners: Owners
  known: (keys: readonly string[]) => ReadonlyMap<string, string>
  warnings: Warnings
  /** What the token turned out not to be allowed, for the whole session. */
  denied: Set<Capability>
}

export type Capability = 'comments' | 'attachments'

export interface Warnings {
  add(warning: ScanWarning): void
  /** What was added since the last call. */
  take(): ScanWarning[]
}

const denials: Record<Capability, string> = {
  comments: 'Comments may not be read; give the token the scope read:comment:confluence, or leave comments out.',
  attachments:
    'Attachments may not be listed; give the token the scope read:attachment:confluence, or leave attachments out.',
}

/** Says once for each space that something of it may not be read, so that its absence proves nothing. */
export function warnDenied({ warnings, space }: CrawlContext, capability: Capability): void {
  warnings.add({ code: `${capability}_denied`, message: denials[capability], scope: space.id, incomplete: true })
}

/** Says that the list of a space holds entries that cannot be read, so that what is missing from it may be there. */
export function warnUnreadable({ warnings, space }: CrawlContext): void {
  const message = 'The list of pages holds entries that cannot be read; the next scan tries again.'
  warnings.add({ code: 'entries_unreadable', message, scope: space.id, incomplete: true })
}

/** Says that something that hangs on a page could not be read this time. */
export function warnUnavailable(
  { warnings, client, space }: CrawlContext,
  capability: Capability,
  pageId: string,
  error: unknown,
): void {
  const code = isRefusal(error) ? `${capability}_denied` : `${capability}_unavailable`
  const message = `The ${capability} of a page could not be read: ${messageOf(error)}`
  warnings.add({ code, message, scope: space.id, assetKey: toPageKey(client, pageId) })
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
