import type { z } from 'zod'
import type { AssetDraft, AssetKind } from '../connector.ts'
import { PageWire } from './wire.ts'

export type ContentType = 'page' | 'blogpost'

interface ContentTraits {
  kind: AssetKind
  /** Step of the API's paths. */
  path: 'pages' | 'blogposts'
  /** Statuses of what a scan lists. */
  statuses: string
  /** Whether the platform sorts lists by title. */
  sortsByTitle: boolean
}

/** What distinguishes pages from blog posts; both share one space of ids, texts, comments and attachments. */
export const contentTypes: Readonly<Record<ContentType, ContentTraits>> = {
  page: { kind: 'wiki.page', path: 'pages', statuses: 'current,archived', sortsByTitle: true },
  blogpost: { kind: 'wiki.blogpost', path: 'blogposts', statuses: 'current', sortsByTitle: false },
}

const gone = new Set(['trashed', 'deleted', 'draft', 'historical'])
export const isCurrent = ({ status }: { status?: string | null | undefined }) => !gone.has(status ?? 'current')

/** A page or a blog post, which has an author in place of an owner. */
export type WikiContent = PageWire & { type: ContentType }

export const contentOf = (type: ContentType): z.ZodType<WikiContent> =>
  PageWire.transform((wire) => ({
    ...wire,
    type,
    ownerId: wire.ownerId ?? (type === 'blogpost' ? wire.authorId : null),
  }))

/** Statuses of the attachments that a scan lists: those of archived pages are archived, too. */
export const ATTACHMENT_STATUSES = 'current,archived'

export const toPath = (type: ContentType, id: string) => `/${contentTypes[type].path}/${encodeURIComponent(id)}`

/** The `presence` of an item of the wiki, and of what belongs to it. */
export const presenceOf = ({ status }: { status?: string | null | undefined }): Pick<AssetDraft, 'presence'> =>
  status === 'archived' ? { presence: 'archived' } : {}
