import type { AssayDocument, DocumentLink, Part } from '../../documents/document.ts'
import { parseStorage } from '../../documents/markup/confluence-storage.ts'
import type { UnreadSection } from '../../documents/section.ts'
import type { AssetDraft } from '../connector.ts'
import { endsScan, reasonOf } from '../failure.ts'
import { hasSameListing, sha256, toChecksum, toHalf } from './checksum.ts'
import { isCurrent, presenceOf, toPath } from './content.ts'
import { type Children, type CrawlContext, type PageFacts, warnDenied, warnUnavailable } from './crawl-context.ts'
import { isCapabilityDenied, settleRefusal, toUnreadReason } from './failure.ts'
import { toLinks, toPageKey } from './links.ts'
import { readList } from './listing.ts'
import { type CommentKind, type CommentRow, toCommentRow } from './site-index.ts'
import { CommentWire, storageOf, toInstant } from './wire.ts'

const openStatuses = new Set(['open', 'reopened'])
/** Limit on open discussions in an asset's facts. */
const MAX_OPEN = 200
/** Replies nested deeper are not requested. */
const MAX_REPLY_DEPTH = 20
/** Replies to comments beyond this number are not requested. */
const MAX_COMMENTS = 10_000

/** What reading comments needs. */
type ReadContext = Pick<CrawlContext, 'client' | 'config' | 'index'>

export interface Comment {
  row: CommentRow
  /** Undefined where bodies were not requested. */
  body: string | undefined
  at: number | undefined
}

const toCommentsKey = ({ client }: Pick<CrawlContext, 'client'>, pageId: string) =>
  `${client.prefix}:comments:${pageId}`

const byId = (a: { row: CommentRow }, b: { row: CommentRow }) =>
  a.row.id < b.row.id ? -1 : a.row.id > b.row.id ? 1 : 0

const commentKinds: readonly CommentKind[] = ['footer', 'inline']

function listKinds({ config }: Pick<CrawlContext, 'config'>): CommentKind[] {
  const { include_footer_comments: footer, include_inline_comments: inline } = config.optional.content
  return [...(footer ? (['footer'] as const) : []), ...(inline ? (['inline'] as const) : [])]
}

const toComment = (kind: CommentKind, wire: CommentWire, parentId: string | null): Comment => ({
  row: toCommentRow(kind, wire, parentId),
  body: storageOf(wire),
  at: toInstant(wire.version?.createdAt),
})

/** The comments of a page that could be read. */
interface Reading {
  comments: Comment[]
  unread: UnreadSection[]
  /** Error of the first comments that could not be read. */
  error?: unknown
}

/** Section of the replies to a comment, as a path of its ancestors' ids. */
function toReplySection(row: CommentRow, rows: ReadonlyMap<string, CommentRow>): string {
  const ids: string[] = []
  for (let at: CommentRow | undefined = row; at !== undefined && ids.length <= MAX_REPLY_DEPTH; ) {
    ids.unshift(at.id)
    at = at.parentId === null ? undefined : rows.get(at.parentId)
  }
  return `${row.kind}/${ids.join('/replies/')}/replies`
}

const toBodySection = (row: CommentRow, rows: ReadonlyMap<string, CommentRow>) =>
  toReplySection(row, rows).replace(/replies$/, 'body')

export const toRows = (comments: readonly Comment[]) => new Map(comments.map(({ row }) => [row.id, row]))

/** Adds replies to comments; the platform lists them one level at a time. */
async function readReplies(context: ReadContext, roots: readonly Comment[], bodies: boolean): Promise<Reading> {
  const all = [...roots]
  const rows = toRows(roots)
  const unread: UnreadSection[] = []
  let firstError: unknown
  let level = roots
  for (let depth = 0; level.length > 0 && depth < MAX_REPLY_DEPTH && all.length <= MAX_COMMENTS; depth++) {
    const children = await Promise.all(
      level.map(async ({ row }) => {
        const path = `/${row.kind}-comments/${encodeURIComponent(row.id)}/children`
        const query = bodies ? { 'body-format': 'storage' } : {}
        try {
          const wires = await readList(context.client.http, { path, query, item: CommentWire })
          return wires.filter(isCurrent).map((wire) => toComment(row.kind, wire, row.id))
        } catch (failure) {
          const error = await settleRefusal(failure, context.client.isSignedIn)
          if (endsScan(error)) throw error
          firstError ??= error
          unread.push({ section: toReplySection(row, rows), reason: toUnreadReason(error), detail: reasonOf(error) })
          return []
        }
      }),
    )
    level = children.flat().filter(({ row }) => !rows.has(row.id))
    for (const comment of level) {
      rows.set(comment.row.id, comment.row)
      all.push(comment)
    }
  }
  for (const { row } of level) unread.push({ section: toReplySection(row, rows), reason: 'limit' })
  return { comments: all, unread, error: firstError }
}

async function readKind(
  context: ReadContext,
  kind: CommentKind,
  page: Pick<PageFacts, 'id' | 'type'>,
  bodies: boolean,
): Promise<Reading> {
  const indexed = await context.index.findComments(kind, page.id)
  if (indexed?.rows.length === 0) return { comments: [], unread: [] }
  if (indexed !== undefined && !bodies) {
    const listed = indexed.rows.map((row): Comment => ({ row, body: undefined, at: undefined }))
    return indexed.hasReplies ? { comments: listed, unread: [] } : await readReplies(context, listed, bodies)
  }
  const wires = await readList(context.client.http, {
    path: `${toPath(page.type, page.id)}/${kind}-comments`,
    query: { sort: 'created-date', ...(bodies ? { 'body-format': 'storage' } : {}) },
    item: CommentWire,
  })
  const roots = wires.filter(isCurrent).map((wire) => toComment(kind, wire, null))
  const reading = await readReplies(context, roots, bodies)
  if (!bodies) return reading
  const rows = toRows(reading.comments)
  const bodiless = reading.comments.filter(({ body }) => body === undefined)
  const missing = bodiless.map(({ row }) => ({ section: toBodySection(row, rows), reason: 'missing' as const }))
  return { ...reading, unread: [...reading.unread, ...missing] }
}

/**
 * Reads comments of all kinds; a kind that cannot be read does not affect the other. Throws where no kind can be read.
 */
export async function readComments(
  context: ReadContext,
  page: Pick<PageFacts, 'id' | 'type'>,
  bodies: boolean,
): Promise<Reading> {
  const errors: unknown[] = []
  const kinds = await Promise.all(
    listKinds(context).map(async (kind): Promise<Reading> => {
      try {
        return await readKind(context, kind, page, bodies)
      } catch (failure) {
        const error = await settleRefusal(failure, context.client.isSignedIn)
        if (endsScan(error)) throw error
        errors.push(error)
        const unread = { section: kind, reason: toUnreadReason(error), detail: reasonOf(error) }
        return { comments: [], unread: [unread], error }
      }
    }),
  )
  if (errors.length === kinds.length) throw errors[0]
  return {
    comments: kinds.flatMap((kind) => kind.comments).sort(byId),
    unread: kinds.flatMap((kind) => kind.unread),
    error: kinds.find(({ error }) => error !== undefined)?.error,
  }
}

const toListedHalf = (comments: readonly Comment[]) => toHalf(comments.map(({ row }) => row))
const toContentHalf = (comments: readonly Comment[]) => toHalf(comments.map(({ body }) => sha256(body ?? '')))

/**
 * All comments of a page as one document: each part names its comment, and line numbers are relative to that comment.
 */
export function toDocument(comments: readonly Comment[], site: string, rows = toRows(comments)): AssayDocument {
  const parts: Part[] = []
  const links: DocumentLink[] = []
  const notes = new Set<string>()
  for (const { row, body } of comments) {
    const section = toBodySection(row, rows)
    const document = parseStorage(body ?? '', { path: `comment ${row.id}`, site })
    const { lineStarts } = document
    parts.push(
      ...document.parts.map((part) => ({ ...part, section, ...(lineStarts === undefined ? {} : { lineStarts }) })),
    )
    links.push(...document.links.map((link) => ({ ...link, section })))
    for (const note of document.notes ?? []) notes.add(note)
  }
  return {
    mime: 'application/vnd.atlassian.confluence.storage+xml',
    parts,
    links,
    ...(notes.size === 0 ? {} : { truncated: true, notes: [...notes] }),
  }
}

/** Time of the latest comment in each open inline discussion; undefined where a discussion has no date or state. */
function findOpenSince(comments: readonly Comment[]): number[] | undefined {
  const parents = new Map(comments.map(({ row }) => [row.id, row.parentId]))
  const rootOf = (id: string): string => {
    let root = id
    for (let depth = 0; depth <= MAX_REPLY_DEPTH; depth++) {
      const parent = parents.get(root)
      if (parent === null || parent === undefined || !parents.has(parent)) break
      root = parent
    }
    return root
  }
  const open = new Map<string, number>()
  const isStateless = ({ row }: Comment) => row.kind === 'inline' && row.parentId === null && row.resolution === null
  if (comments.some(isStateless)) return undefined
  for (const { row } of comments) {
    if (row.kind === 'inline' && openStatuses.has(row.resolution ?? '')) open.set(row.id, 0)
  }
  for (const { row, at } of comments) {
    const root = rootOf(row.id)
    const newest = open.get(root)
    if (newest === undefined) continue
    if (at === undefined) return undefined
    open.set(root, Math.max(newest, at))
  }
  return open.values().take(MAX_OPEN).toArray()
}

/** The comments asset of a page; none where there are no comments. */
export async function readCommentsDraft(context: CrawlContext, page: PageFacts): Promise<Children> {
  const none = { assets: [], unlisted: [] }
  if (listKinds(context).length === 0) return none
  if (context.denied.has('comments')) {
    warnDenied(context, 'comments')
    return none
  }
  try {
    const draft = await readDraft(context, page)
    return { ...none, assets: draft === undefined ? [] : [draft] }
  } catch (error) {
    if (endsScan(error)) throw error
    if (isCapabilityDenied(error)) {
      context.denied.add('comments')
      warnDenied(context, 'comments')
      return none
    }
    return { ...none, unlisted: [warnUnavailable(context, 'comments', page.id, error)] }
  }
}

async function readDraft(context: CrawlContext, page: PageFacts): Promise<AssetDraft | undefined> {
  const { client, space } = context
  const key = toCommentsKey(context, page.id)
  const shared = {
    key,
    kind: 'wiki.comments' as const,
    name: page.title,
    url: page.url,
    container: space.name ?? space.key,
    ...presenceOf(page),
  }
  const onPage = { type: 'comments_on' as const, targetKey: toPageKey(client, page.id) }
  const kinds = listKinds(context)
  const switchedOff = commentKinds.filter((kind) => !kinds.includes(kind))
  const leftOut = switchedOff.map((section): UnreadSection => ({ section, reason: 'switched_off' }))
  const known = context.known([key]).get(key)
  if (known !== undefined) {
    const listed = await readComments(context, page, false)
    const isWhole = listed.unread.every(({ reason }) => reason === 'limit')
    if (isWhole && listed.comments.length > 0 && hasSameListing(known, toListedHalf(listed.comments))) {
      return { ...shared, checksum: known, links: [onPage], unread: [...listed.unread, ...leftOut] }
    }
  }
  const { comments, error, ...reading } = await readComments(context, page, true)
  const unread = [...reading.unread, ...leftOut]
  if (comments.length === 0 && unread.length === 0) return undefined
  if (error !== undefined) warnUnavailable(context, 'comments', page.id, error)
  const document = toDocument(comments, client.site)
  const { links } = toLinks(
    document,
    { prefix: client.prefix, spaceKey: space.key, pageId: page.id },
    { include: false, container: shared.container },
  )
  const instants = comments.flatMap(({ at }) => at ?? [])
  const openSince = kinds.includes('inline') && error === undefined ? findOpenSince(comments) : undefined
  return {
    ...shared,
    checksum: toChecksum(toListedHalf(comments), toContentHalf(comments)),
    links: [onPage, ...links],
    unread,
    // All existing comments may be among those that were not read.
    isUncertain: comments.length === 0,
    ...(instants.length === 0 ? {} : { contentUpdatedAt: Math.max(...instants) }),
    facts: {
      pageId: page.id,
      ...(page.status === 'archived' ? { status: page.status } : {}),
      comments: comments.length,
      ...(openSince === undefined ? {} : { openSince }),
    },
    document: async () => document,
  }
}
