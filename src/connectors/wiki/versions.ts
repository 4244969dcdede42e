import type { AssayDocument } from '../../documents/document.ts'
import { AppError } from '../../kernel/errors.ts'
import type { EarlierVersion, VersionRequest } from '../connector.ts'
import { endsScan, isRefusal, reasonOf } from '../failure.ts'
import { readAttachment } from './attachments.ts'
import { type Comment, readComments, toDocument as toCommentsDocument, toRows } from './comments.ts'
import { type ContentType, toPath } from './content.ts'
import type { CrawlContext } from './crawl-context.ts'
import { settleRefusal, toUnreadReason } from './failure.ts'
import { toPageKey } from './links.ts'
import { readListPages, requireReadable } from './listing.ts'
import { toDocument as toPageDocument } from './pages.ts'
import { locate } from './whereabouts.ts'
import { AttachmentWire, CommentWire, PageWire, storageOf, toInstant, VersionWire } from './wire.ts'

type Context = Pick<CrawlContext, 'client' | 'config' | 'index'>

/** Page size of lists of versions, which include bodies. */
const VERSIONS_AT_ONCE = 50

/** The versions before the present one, which the list of versions begins with. */
async function* listEarlier(
  { client }: Context,
  path: string,
  { known = 0, limit }: VersionRequest,
  query: Record<string, string>,
): AsyncGenerator<VersionWire> {
  const sort = '-modified-date'
  const request = { path: `${path}/versions`, item: VersionWire, limit: VERSIONS_AT_ONCE, use: 'stored' as const }
  let left = limit
  let isPresent = true
  const pages = readListPages(client.http, { ...request, query: { sort, ...query }, leanQuery: { sort } })
  for await (const page of pages) {
    requireReadable(page)
    for (const version of page.items) {
      if (!isPresent && (version.number <= known || left-- <= 0)) return
      if (!isPresent) yield version
      isPresent = false
    }
  }
}

/** A version with what `read` makes of it; undefined where it was deleted after it was listed. */
async function toEarlier(
  { client }: Context,
  { number, createdAt }: VersionWire,
  read: () => Promise<AssayDocument | undefined>,
): Promise<EarlierVersion | undefined> {
  const at = toInstant(createdAt)
  const version = { version: number, ...(at === undefined ? {} : { createdAt: at }) }
  try {
    const document = await read()
    return document === undefined ? { ...version, unread: 'missing' } : { ...version, document }
  } catch (failure) {
    const error = await settleRefusal(failure, client.isSignedIn)
    if (endsScan(error)) throw error
    return reasonOf(error) === 'gone' ? undefined : { ...version, unread: toUnreadReason(error) }
  }
}

const storage = { 'body-format': 'storage' }

/** The text of a version: from the list of versions, or else by a request of its own. */
async function readBody({ client }: Context, path: string, { number, ...listed }: VersionWire) {
  const inList = listed.page ?? listed.blogpost ?? listed.comment ?? {}
  const text = storageOf(inList)
  if (text !== undefined) return { title: inList.title, text }
  const reply = await client.http.json({ path: `/api/v2${path}`, query: { ...storage, version: number } })
  const single = (listed.comment === undefined ? PageWire : CommentWire).safeParse(reply.body).data
  const body = single === undefined ? undefined : storageOf(single)
  return body === undefined ? undefined : { title: inList.title ?? (single as PageWire).title, text: body }
}

async function* readPageVersions(context: Context, path: string, request: VersionRequest) {
  const { site } = context.client
  for await (const version of listEarlier(context, path, request, storage)) {
    yield await toEarlier(context, version, async () => {
      const body = await readBody(context, path, version)
      return body && toPageDocument(body.title, { format: 'storage', text: body.text }, { site })
    })
  }
}

async function* readFileVersions(context: Context, id: string, request: VersionRequest) {
  const path = `/attachments/${encodeURIComponent(id)}`
  const reply = await context.client.http.json({ path: `/api/v2${path}` })
  const file = AttachmentWire.parse(reply.body)
  const page = { id: file.pageId ?? file.blogPostId ?? '', status: file.status }
  for await (const version of listEarlier(context, path, request, {})) {
    // The size is that of the present file.
    const earlier = { ...file, title: version.attachment?.title ?? file.title, fileSize: undefined }
    yield await toEarlier(context, version, async () => {
      const { document } = await readAttachment(context, page, earlier, version.number)
      return document
    })
  }
}

/** The versions of all comments of a page that were edited, newest first. */
async function* readCommentVersions(
  context: Context,
  page: { id: string; type: ContentType },
  request: VersionRequest,
) {
  const { comments } = await readComments(context, page, false)
  const rows = toRows(comments)
  const found: { comment: Comment; path: string; version: VersionWire }[] = []
  for (const comment of comments) {
    const path = `/${comment.row.kind}-comments/${encodeURIComponent(comment.row.id)}`
    if (comment.row.version <= 1) continue
    for await (const version of listEarlier(context, path, { limit: request.limit }, storage)) {
      found.push({ comment, path, version })
    }
  }
  found.sort((a, b) => (toInstant(b.version.createdAt) ?? 0) - (toInstant(a.version.createdAt) ?? 0))
  for (const { comment, path, version } of found.slice(0, request.limit)) {
    yield await toEarlier(context, version, async () => {
      const body = await readBody(context, path, version)
      return body && toCommentsDocument([{ ...comment, body: body.text }], context.client.site, rows)
    })
  }
}

/** See `ConnectorSession.earlierVersions`. */
export async function* readEarlierVersions(
  context: Context,
  key: string,
  request: VersionRequest,
  typeOf: (id: string) => ContentType,
): AsyncGenerator<EarlierVersion> {
  const [kind, id = ''] = key.slice(context.client.prefix.length + 1).split(':')
  const page = { id, type: typeOf(id) }
  const readers: Record<string, () => AsyncIterable<EarlierVersion | undefined>> = {
    page: () => readPageVersions(context, toPath(page.type, id), request),
    attachment: () => readFileVersions(context, id, request),
    comments: () => readCommentVersions(context, page, request),
  }
  try {
    for await (const version of readers[kind ?? '']?.() ?? []) if (version !== undefined) yield version
  } catch (failure) {
    const error = await settleRefusal(failure, context.client.isSignedIn)
    if (endsScan(error) || !isRefusal(error)) throw error
    const place = kind === 'comments' ? toPageKey(context.client, id) : key
    if (reasonOf(error) === 'gone' && !(await locate(context.client, [place])).has(place)) throw error
    throw new AppError('unavailable', 'The account may not read earlier versions; give it the right to view history.', {
      reason: 'forbidden',
      cause: error,
    })
  }
}
