import type { z } from 'zod'
import { AppError } from '../../kernel/errors.ts'
import { ListLimit, type ListUse } from '../http/list-limit.ts'
import type { HttpClient } from '../http/transport.ts'
import { ListWire } from './wire.ts'

export const MAX_LIMIT = 250
const MIN_LIMIT = 5
/** A longer cursor is not followed, nor could it be stored to resume from. */
const MAX_CURSOR = 4_000
/** A list that is longer than requested by this factor is refused. */
const MAX_EXCESS = 4
/** Number of ids in which repeated items are recognized. */
const MAX_SEEN = 100_000
/** After this many pages in a row without new items, the listing is assumed to loop. */
const MAX_IDLE_PAGES = 3

type Query = Record<string, string | number | undefined>

export interface ListRequest<Wire> {
  path: string
  /** Default: that of API v2. */
  root?: string
  query?: Query
  /** The query of the last attempt, which requests fewer fields of each item. */
  leanQuery?: Query
  item: z.ZodType<Wire>
  limit?: number
  cursor?: string | undefined
  /** Number of pages before the cursor. */
  pages?: number | undefined
  /** Where its items go; default `held`. */
  use?: ListUse
}

export interface ListPage<Wire> {
  items: Wire[]
  /** Cursor of the next page; undefined after the last. */
  next: string | undefined
  /** Number of entries that did not match the schema and were omitted. */
  unreadable: number
  /** The page size that was finally used, and the smallest one at which the platform failed before that. */
  limit: number
  failedLimit: number | undefined
  /** Whether the page answers the lean query. */
  isLean: boolean
  /** Size of the response in bytes. */
  size: number
  /** Base URL of the site, where the response contains it. */
  base: string | undefined
}

/**
 * Extracts only the cursor of a URL from the server; its host and path are ignored.
 * @throws AppError `unavailable`, reason `protocol_error`, where there is none, because the rest of the list is missing
 */
function readCursor(next: string): string {
  const search = URL.parse(next, 'http://host.invalid')?.search ?? ''
  // Cursors are base64, so a plus sign is literal, not a space.
  const cursor = new URLSearchParams(search.replaceAll('+', '%2B')).get('cursor')
  if (cursor !== null && cursor !== '' && cursor.length <= MAX_CURSOR) return cursor
  throw new AppError(
    'unavailable',
    'The wiki links to the next page of a list without a usable cursor; scan again later.',
    {
      reason: 'protocol_error',
    },
  )
}

function findNext(body: z.infer<typeof ListWire>, linkHeader: string | undefined): string | undefined {
  const fromBody = body._links?.next
  if (fromBody !== undefined && fromBody !== null) return readCursor(fromBody)
  for (const [, address = '', relation = ''] of (linkHeader ?? '').matchAll(/<([^>]*)>\s*;\s*rel="?(\w+)"?/g)) {
    if (relation === 'next') return readCursor(address)
  }
  return undefined
}

/** @throws AppError `unavailable`, reason `protocol_error`, where a response body is not a list */
export function requireList(body: unknown): z.infer<typeof ListWire> {
  const list = ListWire.safeParse(body)
  if (list.success) return list.data
  throw new AppError('unavailable', 'The wiki answered with something other than a list; check the address.', {
    reason: 'protocol_error',
  })
}

/** Page size of an attempt: from `limit` down to `least` in equal ratios, in the last of `steps` retries. */
export function toLimit(limit: number, breakdowns: number, steps: number, least = MIN_LIMIT): number {
  if (breakdowns === 0 || limit <= least) return limit
  return Math.round(limit * (least / limit) ** Math.min(1, breakdowns / steps))
}

/** Reads one page of a listing; an attempt after a failure of the platform asks for a smaller one. */
export async function readListPage<Wire>(http: HttpClient, request: ListRequest<Wire>): Promise<ListPage<Wire>> {
  const { leanQuery, cursor } = request
  const full = request.limit ?? MAX_LIMIT
  let limit = full
  let failedLimit: number | undefined
  let isLean = false
  const reply = await http.json({
    path: `${request.root ?? '/api/v2'}${request.path}`,
    query: (breakdowns, retries) => {
      isLean = leanQuery !== undefined && breakdowns > 0 && breakdowns === retries
      if (breakdowns > 0) failedLimit = limit
      limit = isLean ? full : toLimit(full, breakdowns, leanQuery === undefined ? retries : retries - 1)
      return { ...(isLean ? leanQuery : request.query), limit, cursor }
    },
  })
  const list = requireList(reply.body)
  if (list.results.length > MAX_LIMIT * MAX_EXCESS) {
    throw new AppError('unavailable', 'The wiki sent a far longer list than was requested; scan again later.', {
      reason: 'protocol_error',
    })
  }
  const items = list.results.flatMap((result) => {
    const item = request.item.safeParse(result)
    return item.success ? [item.data] : []
  })
  return {
    items,
    unreadable: list.results.length - items.length,
    next: findNext(list, reply.headers.link),
    limit,
    failedLimit,
    isLean,
    size: reply.size,
    base: list._links?.base ?? undefined,
  }
}

/**
 * All pages of a listing.
 * @throws AppError, reason `cursor_loop`, where the listing repeats a cursor or returns MAX_IDLE_PAGES pages without
 * new items, because it may be incomplete; reason `list_too_long`, see `ListLimit`
 */
export async function* readListPages<Wire extends { id: string }>(
  http: HttpClient,
  request: ListRequest<Wire>,
): AsyncGenerator<ListPage<Wire>> {
  const cursors = new Set<string>(request.cursor === undefined ? [] : [request.cursor])
  const seen = new Set<string>()
  let { cursor, limit = MAX_LIMIT } = request
  let most = limit
  let idle = 0
  const bounds = new ListLimit(request.use ?? 'held', http.held, request.pages)
  for (;;) {
    const since = performance.now()
    const page = await readListPage(http, { ...request, cursor, limit })
    bounds.count(since, { items: page.items.length, bytes: page.size })
    if (seen.size > MAX_SEEN) seen.clear()
    const before = seen.size
    for (const { id } of page.items) seen.add(id)
    idle = seen.size === before ? idle + 1 : 0
    const loops = page.next !== undefined && (cursors.has(page.next) || idle >= MAX_IDLE_PAGES)
    yield page
    if (loops) {
      throw new AppError('unavailable', 'The wiki returned the same page of a list twice; scan again later.', {
        reason: 'cursor_loop',
      })
    }
    if (page.next === undefined) return
    cursors.add(page.next)
    cursor = page.next
    // Pages grow again, but not to a size at which the platform has failed.
    if (page.failedLimit !== undefined) most = Math.max(MIN_LIMIT, Math.floor(page.failedLimit / 2))
    limit = Math.min(most, page.limit * 2)
  }
}

/**
 * Items missing from a list with unreadable entries must not count as deleted.
 * @throws AppError `unavailable`, reason `entries_unreadable`
 */
export function requireReadable({ unreadable }: Pick<ListPage<unknown>, 'unreadable'>): void {
  if (unreadable === 0) return
  throw new AppError('unavailable', 'The wiki sent list entries in an unknown format; scan again later.', {
    reason: 'entries_unreadable',
  })
}

/**
 * Reads a whole listing. For lists that are bounded because they belong to one page or item.
 * @throws AppError, reason `entries_unreadable`, where an entry does not match the schema
 */
export async function readList<Wire extends { id: string }>(
  http: HttpClient,
  request: ListRequest<Wire>,
): Promise<Wire[]> {
  const items: Wire[] = []
  for await (const page of readListPages(http, request)) {
    requireReadable(page)
    items.push(...page.items)
  }
  return items
}
