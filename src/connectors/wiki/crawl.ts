import { AppError, invalidInput } from '../../kernel/errors.ts'
import type { AssetDraft, Batch } from '../connector.ts'
import { reasonOf } from '../failure.ts'
import { readAttachmentDrafts } from './attachments.ts'
import { readCommentsDraft } from './comments.ts'
import { contentOf, contentTypes, type WikiContent } from './content.ts'
import { type Children, type CrawlContext, type PageFacts, warnUnreadable } from './crawl-context.ts'
import { toPageKey } from './links.ts'
import { type ListPage, MAX_LIMIT, readListPages } from './listing.ts'
import { isUnchanged, readBodies, toPageDrafts, toPageFacts, toUnchangedDraft } from './pages.ts'
import { toSpaceDraft, toSpaceKey } from './spaces.ts'
import { storageOf } from './wire.ts'

/** Where a crawl resumes: the platform's cursor of the list of pages, or an index into the listed items. */
interface Position {
  cursor?: string
  index?: number
  /** Id of the item before that index. */
  after?: string
  /** Number of listing pages before the cursor. */
  pages?: number
}

/** Page size of requests that include bodies. */
const PAGES_WITH_BODIES = 50
/** Pages per batch where the listing includes bodies; comments and attachments of the next batch are read meanwhile. */
const PAGES_AT_ONCE = 17

export function readPosition(text: string | undefined): Position {
  if (text === undefined) return {}
  try {
    const { cursor, index, after, pages } = JSON.parse(text) as Record<string, unknown>
    return {
      ...(typeof cursor === 'string' ? { cursor } : {}),
      ...(isCount(index) ? { index } : {}),
      ...(typeof after === 'string' ? { after } : {}),
      ...(isCount(pages) ? { pages } : {}),
    }
  } catch (cause) {
    throw invalidInput('The cursor to resume from is not valid; start the scan again.', { reason: 'bad_cursor', cause })
  }
}

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value) && value >= 0

const toText = (position: Position) => JSON.stringify(position)

export interface SpaceCrawlOptions {
  context: CrawlContext
  position: Position
  labelsOf: (content: WikiContent) => Promise<readonly string[] | undefined>
  /** The blog posts of the space, or in a sample the chosen pages and blog posts, those of one type together. */
  listed: readonly WikiContent[]
  isSample: boolean
}

interface Group {
  unchanged: { page: WikiContent; checksum: string }[]
  /** Pages to read; they have a body where the listing included it. */
  fresh: WikiContent[]
}

/** Splits listed pages into groups, each of which needs at most one request for bodies. */
async function toGroups({ context, labelsOf }: SpaceCrawlOptions, pages: readonly WikiContent[]): Promise<Group[]> {
  const known = context.known(pages.map(({ id }) => toPageKey(context.client, id)))
  if (known.size > 0) await context.owners.learn(pages.flatMap(({ ownerId }) => ownerId ?? []))
  const most = pages.some((page) => storageOf(page) !== undefined) ? PAGES_AT_ONCE : PAGES_WITH_BODIES
  const groups: Group[] = []
  let group: Group = { unchanged: [], fresh: [] }
  for (const page of pages) {
    if (group.fresh.length >= most || (group.fresh[0] ?? page).type !== page.type) {
      groups.push(group)
      group = { unchanged: [], fresh: [] }
    }
    const checksum = known.get(toPageKey(context.client, page.id))
    const labels = checksum === undefined ? undefined : await labelsOf(page)
    const { include_linked_file_assets: linkedFiles } = context.config.optional.content
    const around = { labels, ownerStatus: context.owners.statusOf(page.ownerId), linkedFiles }
    if (isUnchanged(checksum, page, around)) group.unchanged.push({ page, checksum })
    else group.fresh.push(page)
  }
  groups.push(group)
  return groups
}

const notReported = { unread: 'missing' } as const

/** Reads the text of pages; pages deleted since they were listed are omitted. */
async function readFresh(
  { context, labelsOf }: SpaceCrawlOptions,
  pages: readonly WikiContent[],
): Promise<AssetDraft[]> {
  const missing = pages.filter((page) => storageOf(page) === undefined).map(({ id }) => id)
  const [bodies] = await Promise.all([
    readBodies(context, pages[0]?.type ?? 'page', missing),
    context.owners.learn(pages.flatMap(({ ownerId }) => ownerId ?? [])),
  ])
  const drafts: AssetDraft[] = []
  for (const page of pages) {
    const text = storageOf(page)
    const body = text === undefined ? (bodies.get(page.id) ?? notReported) : { format: 'storage' as const, text }
    if (body !== 'gone') drafts.push(...toPageDrafts(context, page, body, await labelsOf(page)))
  }
  return drafts
}

/** Comments and attachments of a page. */
async function readChildren(context: CrawlContext, page: PageFacts): Promise<Children & { pageKey: string }> {
  const [comments, attachments] = await Promise.all([
    readCommentsDraft(context, page),
    readAttachmentDrafts(context, page),
  ])
  return {
    pageKey: toPageKey(context.client, page.id),
    assets: [...comments.assets, ...attachments.assets],
    unlisted: [...comments.unlisted, ...attachments.unlisted],
  }
}

async function readGroup(options: SpaceCrawlOptions, group: Group): Promise<AssetDraft[]> {
  const { context } = options
  context.client.http.held.bytes = 0
  const pages = [...group.unchanged.map(({ page }) => page), ...group.fresh].map((page) => toPageFacts(context, page))
  const [fresh, children] = await Promise.all([
    readFresh(options, group.fresh),
    Promise.all(pages.map((page) => readChildren(context, page))),
  ])
  const unchanged = group.unchanged.map(({ page, checksum }) => toUnchangedDraft(context, page, checksum))
  const unlisted = new Map(children.map((child) => [child.pageKey, child.unlisted]))
  const drafts = [...unchanged, ...fresh].map((draft) => ({
    ...draft,
    unlisted: [...(draft.unlisted ?? []), ...(unlisted.get(draft.key) ?? [])],
  }))
  return [...drafts, ...children.flatMap(({ assets }) => assets)]
}

/** Filters repeated pages of a listing; a repeated page passes only with a later version. */
function createRepeatFilter(): (pages: readonly WikiContent[]) => WikiContent[] {
  const versions = new Map<string, number>()
  return (pages) =>
    pages.filter(({ id, version }) => {
      const number = version?.number ?? 0
      const before = versions.get(id)
      versions.set(id, Math.max(before ?? number, number))
      return before === undefined || number > before
    })
}

/** Lists the pages of a space lazily, one listing page at a time. */
async function* readPages({
  context,
  position,
}: SpaceCrawlOptions): AsyncGenerator<ListPage<WikiContent> & { at: Position }> {
  const { client, space } = context
  const spaceKey = toSpaceKey(client, space.id)
  const query = { depth: 'all', status: contentTypes.page.statuses, sort: 'id' }
  const start = (from: Position, bodies: boolean) =>
    readListPages(client.http, {
      path: `/spaces/${encodeURIComponent(space.id)}/pages`,
      item: contentOf('page'),
      cursor: from.cursor,
      pages: from.pages,
      use: 'stored',
      ...(bodies
        ? { query: { ...query, 'body-format': 'storage' }, leanQuery: query, limit: PAGES_WITH_BODIES }
        : { query, limit: MAX_LIMIT }),
    })
  // A space that was scanned before is listed without bodies, because most of its pages are unchanged.
  let bodies = !context.known([spaceKey]).has(spaceKey)
  let at = position
  let pages = start(at, bodies)
  for (;;) {
    let result: IteratorResult<ListPage<WikiContent>>
    try {
      result = await pages.next()
    } catch (error) {
      const isStale = reasonOf(error) === 'bad_request' && at.cursor !== undefined && at === position
      if (!isStale) throw error
      at = {}
      pages = start(at, bodies)
      continue
    }
    if (result.done === true) return
    const { next, isLean } = result.value
    yield { ...result.value, at }
    at = next === undefined ? {} : { cursor: next, pages: (at.pages ?? 0) + 1 }
    if (isLean && next !== undefined) {
      bodies = false
      pages = start(at, bodies)
    }
  }
}

async function* crawlListing(options: SpaceCrawlOptions): AsyncGenerator<Batch> {
  const { context, listed } = options
  const afterPages = listed.length > 0 ? toText({ index: 0 }) : null
  const sieve = createRepeatFilter()
  const space = toSpaceDraft(context.client, context.space)
  let first: readonly AssetDraft[] = [space]
  for await (const page of readPages(options)) {
    context.index.expect(page.items.length)
    if (page.unreadable > 0) warnUnreadable(context)
    const groups = await toGroups(options, sieve(page.items))
    for (const [index, group] of groups.entries()) {
      const assets = [...first, ...(await readGroup(options, group))]
      first = []
      const isLast = index === groups.length - 1
      const onward =
        page.next === undefined ? undefined : toText({ cursor: page.next, pages: (page.at.pages ?? 0) + 1 })
      // A crawl resumes at the start of this listing page until all of its groups are stored.
      const cursor = isLast ? (onward ?? afterPages) : toText(page.at)
      yield { assets, cursor, warnings: context.warnings.take(), unlisted: context.unlisted.take() }
    }
  }
}

async function* crawlListed(options: SpaceCrawlOptions): AsyncGenerator<Batch> {
  const { context, position, listed, isSample } = options
  let first: readonly AssetDraft[] = isSample ? [toSpaceDraft(context.client, context.space)] : []
  const { index: reached = 0, after } = position
  let index = listed[reached - 1]?.id === after ? reached : 0
  while (index < listed.length || first.length > 0) {
    const assets = [...first]
    const part = listed.slice(index, index + PAGES_WITH_BODIES)
    for (const group of await toGroups(options, part)) assets.push(...(await readGroup(options, group)))
    first = []
    index += PAGES_WITH_BODIES
    const cursor = index >= listed.length ? null : toText({ index, after: listed[index - 1]?.id ?? '' })
    yield { assets, cursor, warnings: context.warnings.take(), unlisted: context.unlisted.take() }
  }
}

async function* crawlParts(options: SpaceCrawlOptions): AsyncGenerator<Batch> {
  if (!options.isSample && options.position.index === undefined) yield* crawlListing(options)
  yield* crawlListed(options)
}

/** The assets of one space, batch by batch. */
export async function* crawlSpace(options: SpaceCrawlOptions): AsyncGenerator<Batch> {
  try {
    for await (const batch of crawlParts(options)) {
      yield batch.cursor === null ? { ...batch, readings: options.context.index.readings() } : batch
    }
  } catch (error) {
    if (reasonOf(error) !== 'gone') throw error
    throw new AppError('unavailable', 'The space no longer exists, or the account is no longer allowed to see it.', {
      reason: 'gone',
      cause: error,
    })
  }
}
