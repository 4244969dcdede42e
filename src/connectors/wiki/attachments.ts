import type { AssayDocument, Part } from '../../documents/document.ts'
import { MAX_FILE_BYTES } from '../../documents/limits.ts'
import { readDocument, type UnreadableFile, type UnreadStatus } from '../../documents/reader.ts'
import type { UnreadReason } from '../../documents/section.ts'
import { inferMime } from '../../documents/sniff.ts'
import { AppError } from '../../kernel/errors.ts'
import type { AssetDraft } from '../connector.ts'
import { endsScan } from '../failure.ts'
import { isMediaAddress } from './address.ts'
import { toChecksum, toHalf } from './checksum.ts'
import { ATTACHMENT_STATUSES, isCurrent, presenceOf, toPath } from './content.ts'
import { type Children, type CrawlContext, type PageFacts, warnDenied, warnUnavailable } from './crawl-context.ts'
import { isCapabilityDenied, settleRefusal } from './failure.ts'
import { toPageKey } from './links.ts'
import { readList } from './listing.ts'
import { toSiteUrl } from './spaces.ts'
import { AttachmentWire, toInstant } from './wire.ts'

const toAttachmentKey = ({ client }: Pick<CrawlContext, 'client'>, id: string) => `${client.prefix}:attachment:${id}`

type ContentStatus = 'read' | 'cut' | 'pending' | 'download_failed' | UnreadStatus

const imageOrMedia = /^(?:image|video|audio|font)\//
const imageOrMediaName =
  /\.(?:png|jpe?g|gif|webp|bmp|tiff?|ico|heic|avif|mp[34]|m4[av]|mov|avi|mkv|webm|wav|ogg|flac|woff2?|ttf|otf)$/i

/** Why a file is not downloaded, judged from its metadata; undefined: it must be downloaded. */
function findSkip({ mediaType, title }: AttachmentWire): UnreadableFile | undefined {
  if (typeof title !== 'string')
    return { status: 'damaged', reason: 'The wiki returned no file name; the attachment is not read.' }
  const named = /\.[a-z0-9]{1,8}$/i.test(title ?? '')
  const isMedia = named ? imageOrMediaName.test(title ?? '') : imageOrMedia.test(mediaType ?? '')
  return isMedia ? { status: 'unsupported', reason: 'Images, audio and video are not read.' } : undefined
}

const toMaxBytes = ({ config }: Pick<CrawlContext, 'config'>) =>
  Math.min(config.optional.content.attachment_max_bytes, MAX_FILE_BYTES)

/** Whether the wiki reports more bytes than are downloaded. */
const isTooLarge = ({ fileSize }: AttachmentWire, maxBytes: number) =>
  fileSize !== null && fileSize !== undefined && fileSize > maxBytes

const toNamePart = ({ title }: AttachmentWire): Part[] =>
  typeof title === 'string'
    ? [{ kind: 'name', text: title, path: 'filename', section: 'filename', lineStarts: [0] }]
    : []

const nameOnly = (attachment: AttachmentWire, reason: string, unread: UnreadReason | undefined): AssayDocument => ({
  mime: 'text/plain',
  parts: toNamePart(attachment),
  links: [],
  notes: [reason],
  ...(unread === undefined ? {} : { unread: [{ section: 'content', reason: unread }] }),
})

const isHtml = (attachment: AttachmentWire) =>
  /\.x?html?$/i.test(attachment.title ?? '') || /html/.test(attachment.mediaType ?? '')

const expectsMarkup = (attachment: AttachmentWire) =>
  isHtml(attachment) || /xml|text\/plain/.test(attachment.mediaType ?? '')

type Download = Awaited<ReturnType<CrawlContext['client']['http']['download']>>

/** Whether the response is a sign-in page or empty; it must not be taken for the file's text. */
function isSignInPage(attachment: AttachmentWire, { bytes, contentType, isCut }: Download): boolean {
  const { fileSize } = attachment
  const isSizeKnown = isCut || (fileSize !== null && fileSize !== undefined)
  const hasLength = isCut || fileSize === bytes.length
  if (bytes.length === 0 && isSizeKnown && !hasLength) return true
  if (isSizeKnown ? expectsMarkup(attachment) && hasLength : isHtml(attachment)) return false
  const head = Buffer.from(bytes.subarray(0, 256)).toString('latin1').trimStart().toLowerCase()
  return contentType.startsWith('text/html') && /^<(?:!doctype html|html)/.test(head)
}

interface ReadAttachment {
  document: AssayDocument
  status: ContentStatus
  /** The media type that the downloaded bytes show. */
  inferredType?: string | undefined
}

/** What reading a file needs. */
type ReadContext = Pick<CrawlContext, 'client' | 'config'>

async function download(
  { client, config }: ReadContext,
  page: Pick<PageFacts, 'id' | 'status'>,
  { id }: AttachmentWire,
  version?: number,
) {
  try {
    return await client.http.download({
      path: `/rest/api/content/${encodeURIComponent(page.id)}/child/attachment/${encodeURIComponent(id)}/download`,
      query: { version, status: page.status === 'archived' ? page.status : undefined },
      maxBytes: toMaxBytes({ config }),
      allowRedirect: (target) => isMediaAddress(client.origin, target),
    })
  } catch (error) {
    throw await settleRefusal(error, client.isSignedIn)
  }
}

/** Reads a file: the present one, or an earlier version of it. */
export async function readAttachment(
  context: ReadContext,
  page: Pick<PageFacts, 'id' | 'status'>,
  attachment: AttachmentWire,
  version?: number,
): Promise<ReadAttachment> {
  const skip = findSkip(attachment)
  if (skip !== undefined) return toSkipped(attachment, skip)
  const downloaded = await download(context, page, attachment, version)
  const { bytes, contentType, isCut } = downloaded
  if (isSignInPage(attachment, downloaded)) {
    throw new AppError('unavailable', 'The wiki sent a sign-in page instead of an attachment; scan again later.', {
      reason: 'download_failed',
    })
  }
  const read = await readDocument(bytes, {
    mime: attachment.mediaType ?? contentType,
    filename: attachment.title ?? attachment.id,
    site: context.client.site,
    isCut,
  })
  // If the wiki reports the size, listing the file already added the warning.
  const truncated = isCut && !isTooLarge(attachment, toMaxBytes(context)) ? { truncated: true } : {}
  if (!('document' in read)) {
    const { document, status } = toSkipped(attachment, read)
    return { document: { ...document, ...truncated }, status, inferredType: inferMime(bytes) }
  }
  const { mime, parts } = read.document
  const document: AssayDocument = {
    ...read.document,
    parts: [...toNamePart(attachment), ...parts.map((part) => ({ ...part, section: 'content' }))],
    ...(isCut ? { unread: [notWhole], ...truncated } : isShort(attachment, bytes) ? { unread: [cutShort] } : {}),
  }
  return { document, status: isCut ? 'cut' : 'read', inferredType: mime }
}

const notWhole = { section: 'content', reason: 'limit' as const }
const cutShort = { section: 'content', reason: 'failed' as const, detail: 'cut_short' }

const isShort = ({ fileSize }: AttachmentWire, bytes: Uint8Array) =>
  typeof fileSize === 'number' && bytes.length < fileSize

/** Why the content of a file without text is unread; undefined where its bytes show that it has none. */
function toUnreadContent({ status, isTextless }: UnreadableFile): UnreadReason | undefined {
  if (isTextless === true) return undefined
  return status === 'unsupported' ? 'unsupported' : status === 'skipped_too_large' ? 'limit' : 'not_available'
}

/** A draft for a file whose text is not read. */
const toSkipped = (attachment: AttachmentWire, file: UnreadableFile) => ({
  document: nameOnly(attachment, file.reason, toUnreadContent(file)),
  status: file.status,
})

function toAttachmentDraft(context: CrawlContext, page: PageFacts, attachment: AttachmentWire): AssetDraft {
  const { client, space } = context
  const title = attachment.title ?? attachment.id
  const maxBytes = toMaxBytes(context)
  const { id, mediaType, fileSize, fileId, version } = attachment
  const skip = findSkip(attachment)
  const status: ContentStatus = skip?.status ?? 'pending'
  const isLarge = status === 'pending' && isTooLarge(attachment, maxBytes)
  if (isLarge) warnTooLarge(context, attachment, maxBytes)
  const created = toInstant(attachment.createdAt)
  const updated = toInstant(version?.createdAt)
  const listed = toHalf({ version: version?.number ?? 0, title, fileSize, mediaType, fileId, pageId: page.id })
  const facts: Record<string, unknown> = {
    pageId: page.id,
    filename: title,
    mediaType,
    fileSize,
    contentStatus: status,
  }
  const webui = attachment.webuiLink ?? attachment._links?.webui
  return {
    key: toAttachmentKey(context, id),
    kind: 'wiki.attachment',
    name: title,
    url: webui === undefined || webui === null ? page.url : toSiteUrl(client.site, webui),
    container: space.name ?? space.key,
    ...presenceOf(page),
    // The checksum of a cut file includes the limit, so that the file is read again after the limit was changed.
    checksum: toChecksum(listed, toHalf(isLarge ? `${status} ${maxBytes}` : status)),
    links: [{ type: 'attached_to', targetKey: toPageKey(client, page.id) }],
    ...(created === undefined ? {} : { contentCreatedAt: created }),
    ...(updated === undefined ? {} : { contentUpdatedAt: updated }),
    facts,
    unread: [
      ...(typeof attachment.title === 'string' ? [] : [{ section: 'filename', reason: 'missing' as const }]),
      ...(isLarge ? [notWhole] : []),
      ...(skip === undefined
        ? []
        : [{ section: 'content', reason: toUnreadContent(skip) ?? ('unsupported' as const) }]),
    ],
    outline: nameOnly(attachment, 'The file could not be read.', 'failed'),
    document: async () => {
      facts.contentStatus = 'download_failed' satisfies ContentStatus
      const read = await readAttachment(context, page, attachment)
      facts.contentStatus = read.status
      if (read.inferredType !== undefined) facts.inferredType = read.inferredType
      return read.document
    },
  }
}

function warnTooLarge(context: CrawlContext, { id, fileSize }: AttachmentWire, maxBytes: number): void {
  const message = `The attachment ${id} has ${fileSize} bytes; only the first ${maxBytes} are downloaded and read, and nothing of a PDF or Office file. Raise attachment_max_bytes to read all of it.`
  context.warnings.add({
    code: 'attachment_too_large',
    message,
    scope: context.space.id,
    assetKey: toAttachmentKey(context, id),
  })
}

/** The attachments of a page. Files are downloaded only when a draft's document is requested. */
export async function readAttachmentDrafts(context: CrawlContext, page: PageFacts): Promise<Children> {
  const none = { assets: [], unlisted: [] }
  if (!context.config.optional.content.include_attachments) return none
  if (context.denied.has('attachments')) {
    warnDenied(context, 'attachments')
    return none
  }
  try {
    const indexed = await context.index.findAttachments(page.id)
    const attachments =
      indexed ??
      (await readList(context.client.http, {
        path: `${toPath(page.type, page.id)}/attachments`,
        query: { status: ATTACHMENT_STATUSES, sort: 'created-date' },
        item: AttachmentWire,
      }))
    const assets = attachments.filter(isCurrent).map((attachment) => toAttachmentDraft(context, page, attachment))
    return { assets, unlisted: [] }
  } catch (failure) {
    const error = await settleRefusal(failure, context.client.isSignedIn)
    if (endsScan(error)) throw error
    if (isCapabilityDenied(error)) {
      context.denied.add('attachments')
      warnDenied(context, 'attachments')
      return none
    }
    return { assets: [], unlisted: [warnUnavailable(context, 'attachments', page.id, error)] }
  }
}
