import type { AssayDocument, Part } from '../../documents/document.ts'
import { parseStorage } from '../../documents/markup/confluence-storage.ts'
import { parseHtml } from '../../documents/markup/html.ts'
import type { UnreadReason } from '../../documents/section.ts'
import type { AssetDraft, LinkDraft } from '../connector.ts'
import { endsScan, reasonOf } from '../failure.ts'
import { hasSameListing, sha256, toChecksum, toHalf } from './checksum.ts'
import { type ContentType, contentTypes, isCurrent, presenceOf, toPath, type WikiContent } from './content.ts'
import type { CrawlContext, PageFacts } from './crawl-context.ts'
import { isBreakdown, isForbidden, messageOf } from './failure.ts'
import { toLinks, toPageKey } from './links.ts'
import { MAX_LIMIT, requireList, toLimit } from './listing.ts'
import { nameOf, toSiteUrl, toSpaceKey } from './spaces.ts'
import { PageWire, storageOf, toInstant } from './wire.ts'

export interface PageBody {
  format: 'storage' | 'view'
  text: string
}

/** Why a body is unread. `isUncertain`: the platform does not find the page, although it lists it. */
interface UnreadBody {
  unread: UnreadReason
  isUncertain?: boolean
}

/** A body, the reason why it is unread, or `gone` where the page was put in the trash since it was listed. */
type ReadBody = PageBody | UnreadBody | 'gone'

/** Limits on anchors in an asset's facts, whose total size is bounded. */
const MAX_ANCHOR_CHARS = 5_000
const MAX_ANCHORS = 200

export function toPageFacts({ client, space }: CrawlContext, page: WikiContent): PageFacts {
  const { id, type, status, title = id, _links } = page
  return { id, type, status, title: title ?? id, url: toSiteUrl(client.site, toIdPath(_links?.webui, space.key, id)) }
}

/** The path of a page or blog post up to its id, which suffices to open it: what follows repeats the title. */
function toIdPath(webui: string | null | undefined, spaceKey: string, id: string): string {
  const [path = ''] = (webui ?? '').split(/[?#]/)
  const steps = path.split('/')
  const at = steps.lastIndexOf(id)
  return at < 0 ? `/spaces/${encodeURIComponent(spaceKey)}/pages/${id}` : steps.slice(0, at + 1).join('/')
}

const LABELS_UNKNOWN = '0'.repeat(8)

/** Data of a page outside its listing entry; labels and owner may be unavailable. */
export interface PageContext {
  labels: readonly string[] | undefined
  ownerStatus: 'active' | 'gone' | undefined
  /** Whether files that the page links to are assets. */
  linkedFiles: boolean
}

/**
 * Checksum parts of a page's listing entry and of its labels. An owner whose account is closed changes the checksum.
 */
function toListedParts(
  page: WikiContent,
  { labels, ownerStatus, linkedFiles }: PageContext,
): [page: string, labels: string] {
  const listed = toHalf({
    version: page.version?.number ?? 0,
    title: page.title,
    status: page.status,
    ...(page.type === 'page' ? {} : { type: page.type }),
    parentId: page.parentId ?? null,
    spaceId: page.spaceId ?? null,
    ownerId: page.ownerId ?? null,
    ...(ownerStatus === 'gone' ? { ownerStatus } : {}),
    ...(linkedFiles ? {} : { linkedFiles }),
  })
  return [listed.slice(0, 24), labels === undefined ? LABELS_UNKNOWN : toHalf(labels.toSorted()).slice(0, 8)]
}

const toListedHalf = (page: WikiContent, context: PageContext) => toListedParts(page, context).join('')

/** Whether a page still has this checksum; labels or owner that are unavailable now are assumed to be unchanged. */
export function isUnchanged(checksum: string | undefined, page: WikiContent, context: PageContext): checksum is string {
  const statuses = context.ownerStatus === undefined ? (['active', 'gone'] as const) : [context.ownerStatus]
  return statuses.some((ownerStatus) => {
    const [listed, labelled] = toListedParts(page, { ...context, ownerStatus })
    return hasSameListing(checksum, context.labels === undefined ? listed : listed + labelled)
  })
}

/** Reads one page or blog post, in view format where the storage format is not available, as by the last retry. */
async function readSingle(
  { client, warnings, space }: CrawlContext,
  { type, id }: Pick<WikiContent, 'type' | 'id'>,
  formats: readonly PageBody['format'][] = ['storage', 'view'],
): Promise<ReadBody> {
  let reason: UnreadReason = 'missing'
  for (const [index, first] of formats.entries()) {
    const isLast = index === formats.length - 1
    let format = first
    try {
      const reply = await client.http.json({
        path: `/api/v2${toPath(type, id)}`,
        query: (breakdowns, retries) => {
          format = breakdowns > 0 && breakdowns === retries ? 'view' : first
          return { 'body-format': format }
        },
      })
      const page = PageWire.safeParse(reply.body)
      if (page.success && !isCurrent(page.data)) return 'gone'
      const text = page.success ? page.data.body?.[format]?.value : undefined
      if (text !== undefined && text !== null) return { format, text }
    } catch (error) {
      if (endsScan(error)) throw error
      if (reasonOf(error) === 'gone') return { unread: 'refused', isUncertain: true }
      reason = isForbidden(error) ? 'refused' : 'failed'
      if (!isLast && !isBreakdown(error)) continue
      warnUnread({ client, warnings, space }, id, error)
      break
    }
  }
  return { unread: reason }
}

function warnUnread(
  { client, warnings, space }: Pick<CrawlContext, 'client' | 'warnings' | 'space'>,
  id: string,
  error: unknown,
): void {
  const message = `The text of a page could not be read: ${messageOf(error)}`
  warnings.add({ code: 'body_unavailable', message, scope: space.id, assetKey: toPageKey(client, id) })
}

/** Section of a body by its format: the view leaves out texts of the storage format, such as parameters of macros. */
const STORAGE = 'body'
const VIEW = 'view'
const viewOnly = { reason: 'not_available' as const, detail: 'view_only' }

export type Bodies = Map<string, ReadBody>

/**
 * Requests the bodies of the first pages of a list: of fewer after each breakdown, of one in the last attempt.
 * `read` holds the received bodies, `asked` the ids of the last attempt.
 */
async function askBodies({ http }: CrawlContext['client'], type: ContentType, ids: readonly string[], size: number) {
  const { path, statuses } = contentTypes[type]
  let asked = ids.slice(0, size)
  let failed = 0
  const read: Bodies = new Map()
  try {
    const reply = await http.json({
      path: `/api/v2/${path}`,
      query: (breakdowns, retries) => {
        if (breakdowns > 0) failed = asked.length
        asked = ids.slice(0, toLimit(size, breakdowns, retries, 1))
        return { id: asked.join(','), 'body-format': 'storage', status: statuses, limit: asked.length }
      },
    })
    for (const result of requireList(reply.body).results) {
      const page = PageWire.safeParse(result).data
      const text = page === undefined ? undefined : storageOf(page)
      if (page !== undefined && text !== undefined) read.set(page.id, { format: 'storage', text })
    }
    return { asked, failed, read }
  } catch (error) {
    return { asked, failed, read, error }
  }
}

/** Reads bodies by id, many in one request; if the platform fails on one page, the others are still read. */
export async function readBodies(context: CrawlContext, type: ContentType, ids: readonly string[]): Promise<Bodies> {
  const single = (id: string, formats?: readonly PageBody['format'][]) => readSingle(context, { type, id }, formats)
  const bodies: Bodies = new Map()
  let rest = ids
  let most = Math.min(MAX_LIMIT, ids.length)
  let size = most
  while (rest.length > 1) {
    const { asked, failed, read, error } = await askBodies(context.client, type, rest, size)
    if (error === undefined) {
      for (const id of asked) bodies.set(id, read.get(id) ?? (await single(id)))
      rest = rest.slice(asked.length)
      if (failed > 0) most = Math.max(1, Math.floor(failed / 2))
      size = Math.min(most, asked.length * 2)
    } else if (reasonOf(error) === 'bad_request' && asked.length > 1) {
      size = Math.ceil(asked.length / 2)
      most = size
    } else if (isBreakdown(error) || reasonOf(error) === 'bad_request') {
      const [first = ''] = asked
      if (asked.length === 1) bodies.set(first, await single(first, isBreakdown(error) ? ['view'] : undefined))
      else {
        // Not requested again if the settings of the source allow no retry.
        for (const id of asked) {
          warnUnread(context, id, error)
          bodies.set(id, { unread: 'failed' })
        }
      }
      rest = rest.slice(asked.length)
    } else throw error
  }
  for (const id of rest) bodies.set(id, await single(id))
  return bodies
}

function toAnchorFacts(document: AssayDocument): Record<string, unknown> {
  const all = document.anchors ?? []
  let room = MAX_ANCHOR_CHARS
  const anchors = all.slice(0, MAX_ANCHORS).filter((anchor) => {
    room -= anchor.length + 3
    return room >= 0
  })
  return { anchors, ...(anchors.length < all.length ? { anchorsCut: true } : {}) }
}

function toParentLink(context: CrawlContext, page: WikiContent): LinkDraft {
  const { client, space } = context
  const isPage = page.parentId !== null && page.parentId !== undefined && (page.parentType ?? 'page') === 'page'
  return {
    type: 'child_of',
    targetKey: isPage && page.parentId ? toPageKey(client, page.parentId) : toSpaceKey(client, space.id),
  }
}

function toShared(context: CrawlContext, page: WikiContent): Omit<AssetDraft, 'checksum' | 'links'> {
  const { title, url } = toPageFacts(context, page)
  const created = toInstant(page.createdAt)
  const updated = toInstant(page.version?.createdAt)
  const owner = context.owners.nameOf(page.ownerId)
  return {
    key: toPageKey(context.client, page.id),
    kind: contentTypes[page.type].kind,
    ...presenceOf(page),
    name: title,
    url,
    container: nameOf(context.space),
    ...(owner === undefined ? {} : { owner }),
    ...(created === undefined ? {} : { contentCreatedAt: created }),
    ...(updated === undefined ? {} : { contentUpdatedAt: updated }),
  }
}

/** A page that its listing entry shows to be unchanged since it was last read. */
export function toUnchangedDraft(context: CrawlContext, page: WikiContent, checksum: string): AssetDraft {
  return {
    ...toShared(context, page),
    checksum,
    links: [],
    unlisted: [{ kinds: ['wiki.linked_file'], reason: 'unchanged' }],
  }
}

const toTitlePart = (title: string | null | undefined): Part[] =>
  typeof title === 'string' ? [{ kind: 'name', text: title, path: 'title', section: 'title', lineStarts: [0] }] : []

/** The text of a page, or of an earlier version of it. */
export function toDocument(
  title: string | null | undefined,
  { format, text }: PageBody,
  { site, labels }: { site: string; labels?: readonly string[] | undefined },
): AssayDocument {
  const options = { site, ...(labels === undefined ? {} : { headings: labels }) }
  const isStorage = format === 'storage'
  const parsed = isStorage ? parseStorage(text, options) : parseHtml(text, options)
  const section = isStorage ? STORAGE : VIEW
  return {
    ...parsed,
    parts: [...toTitlePart(title), ...parsed.parts.map((part) => ({ ...part, section }))],
    links: parsed.links.map((link) => ({ ...link, section })),
  }
}

/** A page with its text, and the files on the web that it links to. */
export function toPageDrafts(
  context: CrawlContext,
  page: WikiContent,
  body: PageBody | UnreadBody,
  labels: readonly string[] | undefined,
): AssetDraft[] {
  const { client, space, config } = context
  const shared = toShared(context, page)
  const ownerStatus = context.owners.statusOf(page.ownerId)
  const facts = {
    spaceKey: space.key,
    title: shared.name,
    version: page.version?.number ?? null,
    status: page.status ?? null,
    parentId: page.parentId ?? null,
    ...(labels === undefined ? {} : { labels: labels.slice(0, 50) }),
    ...(ownerStatus === undefined ? {} : { ownerStatus }),
  }
  const { include_linked_file_assets: linkedFiles } = config.optional.content
  const listed = toListedHalf(page, { labels, ownerStatus, linkedFiles })
  const untitled = typeof page.title === 'string' ? [] : [{ section: 'title', reason: 'missing' as const }]
  if ('unread' in body) {
    // Differs from the checksum of any listing entry, so that the next scan requests the text again.
    const checksum = toChecksum(toHalf(['body_unavailable', listed]), toHalf(''))
    return [
      {
        ...shared,
        checksum,
        links: [toParentLink(context, page)],
        isUncertain: body.isUncertain === true,
        unread: [
          ...untitled,
          { section: STORAGE, reason: body.unread },
          { section: VIEW, reason: body.unread, isRare: true },
        ],
        unlisted: [{ kinds: ['wiki.linked_file'], reason: body.unread }],
        facts: { ...facts, contentStatus: 'body_unavailable' },
        document: async () => ({ mime: 'text/plain', parts: toTitlePart(page.title), links: [] }),
      },
    ]
  }
  const isStorage = body.format === 'storage'
  const document = toDocument(page.title, body, { site: client.site, labels })
  const { links, linkedFiles: files } = toLinks(
    document,
    { prefix: client.prefix, spaceKey: space.key, pageId: page.id },
    { include: linkedFiles, container: nameOf(space) },
  )
  const draft: AssetDraft = {
    ...shared,
    checksum: toChecksum(listed, sha256(body.text).slice(0, 32)),
    links: [toParentLink(context, page), ...links],
    unread: isStorage ? untitled : [...untitled, { section: STORAGE, ...viewOnly }],
    ...(isStorage ? {} : { unlisted: [{ kinds: ['wiki.linked_file'], ...viewOnly }] }),
    facts: { ...facts, ...toAnchorFacts(document), contentStatus: 'read' },
    document: async () => document,
  }
  return [draft, ...files]
}
