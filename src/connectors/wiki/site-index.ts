import type { Log } from '../../runtime/log.ts'
import type { CrawlRequest, ReadingUpdate } from '../connector.ts'
import { endsScan, reasonOf } from '../failure.ts'
import type { WikiClient } from './client.ts'
import { ATTACHMENT_STATUSES, isCurrent } from './content.ts'
import { messageOf, settleRefusal } from './failure.ts'
import { type ListRequest, readListPages, requireReadable } from './listing.ts'
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
  /** Announces how many more pages will be looked up; reading a list costs fewer requests than there are pages. */
  expect(pages: number): void
  /** Lists that an earlier scan found to be longer than this one's budget are not begun. */
  recall(readings: NonNullable<CrawlRequest['readings']>, now: number): void
  /** How long the lists are at least, for the next scan. */
  readings(): ReadingUpdate[]
  /** Undefined: request the page's own list. */
  findAttachments(pageId: string): Promise<readonly AttachmentWire[] | undefined>
  findComments(
    kind: CommentKind,
    pageId: string,
  ): Promise<{ rows: readonly CommentRow[]; hasReplies: boolean } | undefined>
}

const none = [] as const

/** How long a scan relies on the length of a list that an earlier one found. */
const MAX_AGE_MS = 30 * 86_400_000

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

/** An item without a parent may belong to any page, so the list cannot be used. */
function requirePlace(item: AttachmentWire | CommentWire): void {
  const places = [item.pageId, item.blogPostId, item.customContentId, 'attachmentId' in item ? item.attachmentId : null]
  requireReadable({ unreadable: places.every((place) => place === null || place === undefined) ? 1 : 0 })
}

/** The page or blog post that an item belongs to. */
const toHolder = ({ pageId, blogPostId }: AttachmentWire | CommentWire) => pageId ?? blogPostId ?? undefined

/** A list of the whole site by page, as far as it has been read. */
interface SiteList<Row> extends Pick<SiteIndex, 'recall' | 'readings'> {
  /** Undefined where the rest of the list is not worth its requests, or it cannot be read: the page's own list is. */
  find(pageId: string): Promise<readonly Row[] | undefined>
}

/**
 * `budget`: how many requests the list may cost by now. Where it is exceeded, each page is asked for, until more pages
 * have been announced. With the budget below the number of pages, both ways together cost at most twice the cheaper.
 */
function createSiteList<Wire extends AttachmentWire | CommentWire, Row>(
  { http, isSignedIn, prefix }: WikiClient,
  request: ListRequest<Wire>,
  toRow: (wire: Wire) => Row,
  { budget, log }: { budget: () => number; log: Log },
): SiteList<Row> {
  const byPage = new Map<string, Row[]>()
  const seen = new Set<string>()
  const pages = readListPages(http, { ...request, use: 'indexed' })
  let state: 'open' | 'whole' | 'failed' = 'open'
  let requests = 0
  let longerThan = 0
  const key = `${prefix}:list:${request.path.slice(1)}`
  let running: Promise<void> | undefined

  function add(item: Wire): void {
    requirePlace(item)
    const holder = toHolder(item)
    if (holder === undefined || !isCurrent(item) || seen.has(item.id)) return
    seen.add(item.id)
    const row = toRow(item)
    const rows = byPage.get(holder)
    if (rows === undefined) byPage.set(holder, [row])
    else rows.push(row)
  }

  async function advance(): Promise<void> {
    if (requests === 0 && budget() <= longerThan) return
    try {
      while (state === 'open' && requests < budget()) {
        const { done, value: page } = await pages.next()
        if (done === true) return
        requests++
        requireReadable(page)
        for (const item of page.items) add(item)
        if (page.next === undefined) state = 'whole'
      }
    } catch (failure) {
      const error = await settleRefusal(failure, isSignedIn)
      if (endsScan(error)) throw error
      state = 'failed'
      log.info('a list of the whole site is not used', {
        list: request.path,
        reason: reasonOf(error),
        why: messageOf(error),
      })
    }
  }

  return {
    recall(readings, now) {
      const known = readings([key]).get(key)
      if (known !== undefined && now - known.readAt < MAX_AGE_MS) longerThan = Number(known.mark) || 0
    },
    readings() {
      const atLeast = state === 'open' ? requests : 0
      return requests > 0 && atLeast !== longerThan ? [{ key, mark: String(atLeast), isRead: true }] : []
    },
    async find(pageId) {
      running ??= advance().finally(() => {
        running = undefined
      })
      await running
      return state === 'whole' ? (byPage.get(pageId) ?? none) : undefined
    },
  }
}

/**
 * Reads each list when it is first needed. It may cost fewer requests than the pages announced, of which there are at
 * least `least`: one for each space that is listed, or infinitely many where the scan covers the whole site.
 */
export function createSiteIndex(client: WikiClient, least: number, log: Log): SiteIndex {
  let expected = 0
  const options = { budget: () => Math.max(least, expected) - 1, log }
  const query = { status: ATTACHMENT_STATUSES, sort: 'created-date' }
  const attachments = createSiteList(
    client,
    { path: '/attachments', query, item: AttachmentWire },
    (wire) => wire,
    options,
  )
  const toComments = (kind: CommentKind) => {
    const replies = { any: false }
    const request = { path: `/${kind}-comments`, query: { sort: 'created-date' }, item: CommentWire }
    const toRow = (wire: CommentWire) => {
      const parentId = wire.parentCommentId ?? null
      replies.any ||= parentId !== null
      return toCommentRow(kind, wire, parentId)
    }
    return { list: createSiteList(client, request, toRow, options), replies }
  }
  const comments = { footer: toComments('footer'), inline: toComments('inline') }
  const lists = [attachments, comments.footer.list, comments.inline.list]

  return {
    expect(pages) {
      expected += pages
    },
    recall(readings, now) {
      for (const list of lists) list.recall(readings, now)
    },
    readings: () => lists.flatMap((list) => list.readings()),
    findAttachments: attachments.find,
    async findComments(kind, pageId) {
      const { list, replies } = comments[kind]
      const rows = await list.find(pageId)
      return rows === undefined ? undefined : { rows, hasReplies: replies.any }
    },
  }
}
