import type { Log } from '../../runtime/log.ts'
import type { AssetDraft, AssetKind, ScanWarning, Unlisted } from '../connector.ts'
import { reasonOf } from '../failure.ts'
import type { WikiClient } from './client.ts'
import type { WikiConfig } from './config.ts'
import type { ContentType } from './content.ts'
import { isForbidden, messageOf, toUnreadReason } from './failure.ts'
import { toPageKey } from './links.ts'
import type { Owners } from './owners.ts'
import type { SiteIndex } from './site-index.ts'
import type { SpaceWire } from './wire.ts'

/** Shared state of the crawl of one space. */
export interface CrawlContext {
  client: WikiClient
  config: WikiConfig
  log: Log
  space: SpaceWire
  /** Site-wide lists, used where they cost fewer requests than asking page by page. */
  index: SiteIndex
  owners: Owners
  known: (keys: readonly string[]) => ReadonlyMap<string, string>
  warnings: Warnings
  unlisted: UnlistedKinds
  /** Capabilities that the token turned out to lack; shared by the whole session. */
  denied: Set<Capability>
}

export type Capability = 'comments' | 'attachments'

/** A page or blog post, for the readers of its comments and attachments. */
export interface PageFacts {
  id: string
  type: ContentType
  title: string
  url: string
  status?: string | null | undefined
}

/** Comments and attachments of a page, and the kinds that could not be listed. */
export interface Children {
  assets: AssetDraft[]
  unlisted: Unlisted[]
}

export interface Warnings {
  add(warning: ScanWarning): void
  /** Warnings added since the last call. */
  take(): ScanWarning[]
}

const denials: Record<Capability, string> = {
  comments:
    'The token is not allowed to read comments; give it the scope read:comment:confluence, or turn comments off.',
  attachments:
    'The token is not allowed to list attachments; give it the scope read:attachment:confluence, or turn attachments off.',
}

export const kindOf: Record<Capability, AssetKind> = { comments: 'wiki.comments', attachments: 'wiki.attachment' }

/** Warns once per space that a kind of content may not be read, and marks it as unlisted. */
export function warnDenied({ warnings, unlisted, space }: CrawlContext, capability: Capability): void {
  const code = `${capability}_denied`
  warnings.add({ code, message: denials[capability], scope: space.id })
  unlisted.add({ kinds: [kindOf[capability]], reason: 'refused', detail: code })
}

/** Warns that the blog posts of the site could not be listed this time; their stored state is kept. */
export function warnPostsUnlisted({ warnings, unlisted, space }: CrawlContext, error: unknown): void {
  const reason = toUnreadReason(error)
  const code = reason === 'refused' ? 'blogposts_denied' : 'blogposts_unavailable'
  const message = `The blog posts could not be listed: ${messageOf(error)}`
  warnings.add({ code, message, scope: space.id })
  unlisted.add({ kinds: ['wiki.blogpost'], reason, detail: code })
}

/** Warns that entries of a space's list could not be read, so pages missing from it must not count as deleted. */
export function warnUnreadable({ warnings, space }: CrawlContext): void {
  const message = 'The list of pages contains entries in an unknown format; the next scan tries again.'
  warnings.add({ code: 'entries_unreadable', message, scope: space.id, incomplete: true })
}

/** Warns that comments or attachments of a page could not be read this time; their stored state is kept. */
export function warnUnavailable(
  { warnings, client, space }: CrawlContext,
  capability: Capability,
  pageId: string,
  error: unknown,
): Unlisted {
  const code = isForbidden(error) ? `${capability}_denied` : `${capability}_unavailable`
  const message = `The ${capability} of a page could not be read: ${messageOf(error)}`
  warnings.add({ code, message, scope: space.id, assetKey: toPageKey(client, pageId) })
  return { kinds: [kindOf[capability]], reason: toUnreadReason(error), detail: reasonOf(error) }
}

/** Kinds of assets that are not listed in a space, each reported once. */
export interface UnlistedKinds {
  add(unlisted: Unlisted): void
  /** Kinds added since the last call. */
  take(): Unlisted[]
}

/** The kinds that the settings of the source leave out. */
export function listSwitchedOff({ optional: { content } }: WikiConfig): AssetKind[] {
  const isRead: [AssetKind, boolean][] = [
    ['wiki.comments', content.include_footer_comments || content.include_inline_comments],
    ['wiki.attachment', content.include_attachments],
    ['wiki.linked_file', content.include_linked_file_assets],
  ]
  return isRead.flatMap(([kind, isOn]) => (isOn ? [] : [kind]))
}

export function createUnlistedKinds(config: WikiConfig): UnlistedKinds {
  const switchedOff = listSwitchedOff(config)
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

/** Collects warnings; a warning about the whole scope is kept once per code. */
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
