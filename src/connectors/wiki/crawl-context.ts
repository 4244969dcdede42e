import type { Log } from '../../runtime/log.ts'
import type { AssetDraft, AssetKind, ScanWarning, Unlisted } from '../connector.ts'
import type { WikiClient } from './client.ts'
import type { WikiConfig } from './config.ts'
import { isRefusal, messageOf, reasonOf, toUnreadReason } from './failure.ts'
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
  unlisted: UnlistedKinds
  /** What the token turned out not to be allowed, for the whole session. */
  denied: Set<Capability>
}

export type Capability = 'comments' | 'attachments'

/** Assets that hang on a page, and those that could not be listed. */
export interface Children {
  assets: AssetDraft[]
  unlisted: Unlisted[]
}

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

const kinds: Record<Capability, AssetKind> = { comments: 'wiki.comments', attachments: 'wiki.attachment' }

/** Says once for each space that something of it may not be read, so that its absence proves nothing. */
export function warnDenied({ warnings, unlisted, space }: CrawlContext, capability: Capability): void {
  const code = `${capability}_denied`
  warnings.add({ code, message: denials[capability], scope: space.id })
  unlisted.add({ kinds: [kinds[capability]], reason: 'refused', detail: code })
}

/** Says that the list of a space holds entries that cannot be read, so that what is missing from it may be there. */
export function warnUnreadable({ warnings, space }: CrawlContext): void {
  const message = 'The list of pages holds entries that cannot be read; the next scan tries again.'
  warnings.add({ code: 'entries_unreadable', message, scope: space.id, incomplete: true })
}

/** Says that something that hangs on a page could not be read this time; what is known of it stays. */
export function warnUnavailable(
  { warnings, client, space }: CrawlContext,
  capability: Capability,
  pageId: string,
  error: unknown,
): Unlisted {
  const code = isRefusal(error) ? `${capability}_denied` : `${capability}_unavailable`
  const message = `The ${capability} of a page could not be read: ${messageOf(error)}`
  warnings.add({ code, message, scope: space.id, assetKey: toPageKey(client, pageId) })
  return { kinds: [kinds[capability]], reason: toUnreadReason(error), detail: reasonOf(error) }
}

/** Kinds of assets that are not listed in a space; each is said once. */
export interface UnlistedKinds {
  add(unlisted: Unlisted): void
  /** What was added since the last call. */
  take(): Unlisted[]
}

export function createUnlistedKinds({ optional: { content } }: WikiConfig): UnlistedKinds {
  const isRead: [AssetKind, boolean][] = [
    ['wiki.comments', content.include_footer_comments || content.include_inline_comments],
    ['wiki.attachment', content.include_attachments],
    ['wiki.linked_file', content.include_linked_file_assets],
  ]
  const switchedOff = isRead.flatMap(([kind, isOn]) => (isOn ? [] : [kind]))
  const said = new Set<string>()
  let waiting: Unlisted[] = switchedOff.length === 0 ? [] : [{ kinds: switchedOff, reason: 'switched_off' }]
  return {
    add(unlisted) {
      const key = unlisted.kinds.join(' ')
      if (!said.has(key)) waiting.push(unlisted)
      said.add(key)
    },
    take() {
      const taken = waiting
      waiting = []
      return taken
    },
  }
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
