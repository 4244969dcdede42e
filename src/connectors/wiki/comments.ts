import type { AssayDocument, DocumentLink, Part } from '../../documents/document.ts'
import { parseStorage } from '../../documents/storage.ts'
import type { AssetDraft } from '../connector.ts'
import { isListedAlike, sha256, toChecksum, toHalf } from './checksum.ts'
import { type CrawlContext, warnDenied, warnUnavailable } from './crawl-context.ts'
import { endsScan, isCapabilityDenied, isRefusal, settleRefusal } from './failure.ts'
import { toLinks, toPageKey } from './links.ts'
import { readList } from './listing.ts'
import { type CommentKind, type CommentRow, isCurrent, toCommentRow } from './site-index.ts'
import { CommentWire, storageOf, toInstant } from './wire.ts'

const openStatuses = new Set(['open', 'reopened'])
/** Room for open discussions in an asset's facts. */
const MAX_OPEN = 200
/** Replies nested deeper are not asked for. */
const MAX_REPLY_DEPTH = 20

interface Comment {
  row: CommentRow
  /** Undefined where bodies were not asked for. */
  body: string | undefined
  at: number | undefined
}

export interface PageFacts {
  id: string
  title: string
  url: string
}

const toCommentsKey = ({ client }: Pick<CrawlContext, 'client'>, pageId: string) =>
  `${client.prefix}:comments:${pageId}`

const byId = (a: { row: CommentRow }, b: { row: CommentRow }) =>
  a.row.id < b.row.id ? -1 : a.row.id > b.row.id ? 1 : 0

function listKinds({ config }: CrawlContext): CommentKind[] {
  const { include_footer_comments: footer, include_inline_comments: inline } = config.optional.content
  return [...(footer ? (['footer'] as const) : []), ...(inline ? (['inline'] as const) : [])]
}

const toComment = (kind: CommentKind, wire: CommentWire, parentId: string | null): Comment => ({
  row: toCommentRow(kind, wire, parentId),
  body: storageOf(wire),
  at: toInstant(wire.version?.createdAt),
})

/** Comments of a page, as far as they could be read. */
interface Reading {
  comments: Comment[]
  /** Why some replies are not among them; undefined: all are there. */
  gap: unknown
}

/** A list of comments as the platform gives them one level at a time, with their replies. */
async function readReplies(context: CrawlContext, parents: readonly Comment[], bodies: boolean): Promise<Reading> {
  const all: Comment[] = []
  let gap: unknown
  const seen = new Set(parents.map(({ row }) => row.id))
  let level = parents
  for (let depth = 0; level.length > 0 && depth < MAX_REPLY_DEPTH; depth++) {
    const children = await Promise.all(
      level.map(async ({ row }) => {
        const path = `/${row.kind}-comments/${encodeURIComponent(row.id)}/children`
        const query = bodies ? { 'body-format': 'storage' } : {}
        try {
          const wires = await readList(context.client.http, { path, query, item: CommentWire })
          return wires.filter(isCurrent).map((wire) => toComment(row.kind, wire, row.id))
        } catch (error) {
          if (endsScan(error) || isRefusal(error)) throw error
          gap = error
          return []
        }
      }),
    )
    level = children.flat().filter(({ row }) => !seen.has(row.id))
    for (const { row } of level) seen.add(row.id)
    all.push(...level)
  }
  return { comments: all, gap }
}

async function readKind(context: CrawlContext, kind: CommentKind, pageId: string, bodies: boolean): Promise<Reading> {
  const withReplies = async (roots: Comment[]): Promise<Reading> => {
    const { comments, gap } = await readReplies(context, roots, bodies)
    return { comments: [...roots, ...comments], gap }
  }
  const indexed = await context.index.findComments(kind, pageId)
  if (indexed?.rows.length === 0) return { comments: [], gap: undefined }
  if (indexed !== undefined && !bodies) {
    const listed = indexed.rows.map((row): Comment => ({ row, body: undefined, at: undefined }))
    return indexed.hasReplies ? { comments: listed, gap: undefined } : withReplies(listed)
  }
  const wires = await readList(context.client.http, {
    path: `/pages/${encodeURIComponent(pageId)}/${kind}-comments`,
    query: { sort: 'created-date', ...(bodies ? { 'body-format': 'storage' } : {}) },
    item: CommentWire,
  })
  return withReplies(wires.filter(isCurrent).map((wire) => toComment(kind, wire, null)))
}

async function readComments(context: CrawlContext, pageId: string, bodies: boolean): Promise<Reading> {
  const kinds = await Promise.all(listKinds(context).map((kind) => readKind(context, kind, pageId, bodies)))
  const comments = kinds.flatMap((kind) => kind.comments).sort(byId)
  return { comments, gap: kinds.find(({ gap }) => gap !== undefined)?.gap }
}

const toListedHalf = (comments: readonly Comment[]) => toHalf(comments.map(({ row }) => row))
const toContentHalf = (comments: readonly Comment[]) => toHalf(comments.map(({ body }) => sha256(body ?? '')))

/** All comments of a page as one document: a part says which comment it belongs to, and lines count within it. */
function toDocument(comments: readonly Comment[], site: string): AssayDocument {
  const parts: Part[] = []
  const links: DocumentLink[] = []
  const notes = new Set<string>()
  for (const { row, body } of comments) {
    const document = parseStorage(body ?? '', { path: `comment ${row.id}`, site })
    const { lineStarts } = document
    parts.push(...document.parts.map((part) => (lineStarts === undefined ? part : { ...part, lineStarts })))
    links.push(...document.links)
    for (const note of document.notes ?? []) notes.add(note)
  }
  return {
    mime: 'application/vnd.atlassian.confluence.storage+xml',
    parts,
    links,
    ...(notes.size === 0 ? {} : { truncated: true, notes: [...notes] }),
  }
}

function toCutDocument(comments: readonly Comment[], site: string): AssayDocument {
  const document = toDocument(comments, site)
  return { ...document, truncated: true, notes: [...(document.notes ?? []), 'Some replies could not be read.'] }
}

/** Instants of the newest word in each open inline discussion; undefined where one has no date. */
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
  return [...open.values()].slice(0, MAX_OPEN)
}

/** The one comments asset of a page; undefined where nobody wrote any. */
export async function readCommentsDraft(context: CrawlContext, page: PageFacts): Promise<AssetDraft | undefined> {
  if (listKinds(context).length === 0) return undefined
  if (context.denied.has('comments')) {
    warnDenied(context, 'comments')
    return undefined
  }
  const { client, space } = context
  const key = toCommentsKey(context, page.id)
  const shared = {
    key,
    kind: 'wiki.comments' as const,
    name: page.title,
    url: page.url,
    container: space.name ?? space.key,
  }
  const onPage = { type: 'comments_on' as const, targetKey: toPageKey(client, page.id) }
  try {
    const known = context.known([key]).get(key)
    if (known !== undefined) {
      const { comments: listed, gap } = await readComments(context, page.id, false)
      if (gap !== undefined) warnUnavailable(context, 'comments', page.id, gap)
      else if (listed.length === 0) return undefined
      if (gap !== undefined || isListedAlike(known, toListedHalf(listed))) {
        return { ...shared, checksum: known, links: [onPage] }
      }
    }
    const { comments, gap } = await readComments(context, page.id, true)
    if (comments.length === 0) return undefined
    const whole = gap === undefined
    if (!whole) warnUnavailable(context, 'comments', page.id, gap)
    const document = whole ? toDocument(comments, client.site) : toCutDocument(comments, client.site)
    const { links } = toLinks(
      document,
      { prefix: client.prefix, spaceKey: space.key, pageId: page.id },
      { include: false, container: shared.container },
    )
    const instants = comments.flatMap(({ at }) => at ?? [])
    const openSince = listKinds(context).includes('inline') ? findOpenSince(comments) : undefined
    return {
      ...shared,
      // Another first half than a whole listing gives, so that the next scan asks again.
      checksum: toChecksum(
        whole ? toListedHalf(comments) : toHalf(['cut', toListedHalf(comments)]),
        toContentHalf(comments),
      ),
      links: [onPage, ...links],
      ...(instants.length === 0 ? {} : { contentUpdatedAt: Math.max(...instants) }),
      facts: {
        pageId: page.id,
        comments: comments.length,
        ...(whole ? {} : { incomplete: true }),
        ...(whole && openSince !== undefined ? { openSince } : {}),
      },
      document: async () => document,
    }
  } catch (failure) {
    const error = await settleRefusal(failure, client.isSignedIn)
    if (endsScan(error)) throw error
    if (isCapabilityDenied(error)) {
      context.denied.add('comments')
      warnDenied(context, 'comments')
    } else warnUnavailable(context, 'comments', page.id, error)
    return undefined
  }
}
