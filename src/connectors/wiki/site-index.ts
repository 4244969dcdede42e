import { AppError } from '../../kernel/errors.ts'
import type { Log } from '../../runtime/log.ts'
import { endsScan, reasonOf } from '../failure.ts'
import type { HttpClient } from '../http/transport.ts'
import type { WikiClient } from './client.ts'
import { messageOf, settleRefusal } from './failure.ts'
import { type ListPage, type ListRequest, readListPages, requireReadable } from './listing.ts'
import { AttachmentWire, CommentWire } from './wire.ts'

export type CommentKind = 'footer' | 'inline'

/** A comment without its text. */
export interface CommentRow {
  id: string
  kind: CommentKind
  parentId: string | null
  version: number
  status: string
  resolution: string | null
}

/**
 * Site-wide lists of attachments and comments by page, each read once where that costs fewer requests than asking per
 * page.
 */
export interface SiteIndex {
  /** Announces how many pages will be looked up; reading a list may cost at most that many requests. */
  expect(pages: number): void
  /** Undefined: request the page's own list. */
  findAttachments(pageId: string): Promise<readonly AttachmentWire[] | undefined>
  findComments(
    kind: CommentKind,
    pageId: string,
  ): Promise<{ rows: readonly CommentRow[]; hasReplies: boolean } | undefined>
}

const none = [] as const

/** For fewer pages, a site-wide list is not tried. */
const MIN_PAGES = 40

const gone = new Set(['trashed', 'deleted', 'draft', 'historical'])
export const isCurrent = ({ status }: { status?: string | null | undefined }) => !gone.has(status ?? 'current')

export function toCommentRow(kind: CommentKind, wire: CommentWire, parentId: string | null): CommentRow {
  return {
    id: wire.id,
    kind,
    parentId,
    version: wire.version?.number ?? 0,
    status: wire.status ?? 'current',
    resolution: parentId === null ? (wire.resolutionStatus ?? null) : null,
  }
}

/** The pages of a list; fails with reason `too_long` once it has cost more requests than asking per page. */
async function* readWithin<Wire extends { id: string }>(
  http: HttpClient,
  request: ListRequest<Wire>,
  budget: number,
): AsyncGenerator<ListPage<Wire>> {
  let left = budget
  for await (const page of readListPages(http, { ...request, use: 'indexed' })) {
    requireReadable(page)
    yield page
    left--
    if (left <= 0 && page.next !== undefined) {
      throw new AppError('unavailable', 'Reading the list takes more requests than reading it page by page.', {
        reason: 'too_long',
      })
    }
  }
}

/** An item without a parent may belong to any page, so the list cannot be used. */
function requirePlace(item: AttachmentWire | CommentWire): void {
  const places = [item.pageId, item.blogPostId, item.customContentId, 'attachmentId' in item ? item.attachmentId : null]
  requireReadable({ unreadable: places.every((place) => place === null || place === undefined) ? 1 : 0 })
}

async function readAttachments(http: HttpClient, budget: number): Promise<Map<string, AttachmentWire[]>> {
  const byPage = new Map<string, AttachmentWire[]>()
  const seen = new Set<string>()
  const query = { status: 'current', sort: 'created-date' }
  for await (const page of readWithin(http, { path: '/attachments', query, item: AttachmentWire }, budget)) {
    for (const attachment of page.items) {
      const { pageId } = attachment
      requirePlace(attachment)
      if (pageId === null || pageId === undefined || !isCurrent(attachment) || seen.has(attachment.id)) continue
      seen.add(attachment.id)
      const list = byPage.get(pageId)
      if (list === undefined) byPage.set(pageId, [attachment])
      else list.push(attachment)
    }
  }
  return byPage
}

interface CommentIndex {
  byPage: Map<string, CommentRow[]>
  /** Whether the site-wide list contains replies, which the platform does not guarantee. */
  hasReplies: boolean
}

async function readComments(http: HttpClient, kind: CommentKind, budget: number): Promise<CommentIndex> {
  const byPage = new Map<string, CommentRow[]>()
  const seen = new Set<string>()
  let hasReplies = false
  const query = { sort: 'created-date' }
  for await (const page of readWithin(http, { path: `/${kind}-comments`, query, item: CommentWire }, budget)) {
    for (const comment of page.items) {
      const { pageId, parentCommentId } = comment
      if (parentCommentId !== null && parentCommentId !== undefined) hasReplies = true
      requirePlace(comment)
      if (pageId === null || pageId === undefined || !isCurrent(comment) || seen.has(comment.id)) continue
      seen.add(comment.id)
      const row = toCommentRow(kind, comment, parentCommentId ?? null)
      const list = byPage.get(pageId)
      if (list === undefined) byPage.set(pageId, [row])
      else list.push(row)
    }
  }
  return { byPage, hasReplies }
}

/**
 * Reads each list once, when it is first needed. `covers`: the scan covers the whole site; otherwise a list may cost at
 * most one request per expected page. If a list fails, each page is asked instead.
 */
export function createSiteIndex({ http, isSignedIn }: WikiClient, covers: boolean, log: Log): SiteIndex {
  const lists = new Map<string, Promise<unknown>>()
  let expected = 0

  const once = async <T>(name: string, read: (budget: number) => Promise<T>): Promise<T | undefined> => {
    const running = lists.get(name) as Promise<T | undefined> | undefined
    if (running !== undefined) return running
    if (!covers && expected < MIN_PAGES) return undefined
    const started = read(covers ? Number.POSITIVE_INFINITY : expected).catch(async (failure: unknown) => {
      const error = await settleRefusal(failure, isSignedIn)
      if (endsScan(error)) throw error
      log.info('a list of the whole site is not used', { list: name, reason: reasonOf(error), why: messageOf(error) })
      return undefined
    })
    lists.set(name, started)
    return started
  }

  return {
    expect(pages) {
      expected = Math.max(expected, pages)
    },
    async findAttachments(pageId) {
      const byPage = await once('attachments', (budget) => readAttachments(http, budget))
      return byPage === undefined ? undefined : (byPage.get(pageId) ?? none)
    },
    async findComments(kind, pageId) {
      const index = await once(`${kind}-comments`, (budget) => readComments(http, kind, budget))
      return index === undefined ? undefined : { rows: index.byPage.get(pageId) ?? none, hasReplies: index.hasReplies }
    },
  }
}
