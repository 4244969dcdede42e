import { byCodeUnits } from '../../kernel/by-code-units.ts'
import { createRandom } from '../../kernel/random.ts'
import type { Sampling } from '../connector.ts'
import type { HttpClient } from '../http/transport.ts'
import { listOrderNames, type Order, toOrder } from '../order-by.ts'
import { type ContentType, contentOf, contentTypes, type WikiContent } from './content.ts'
import { type ListPage, MAX_LIMIT, readListPages, requireReadable } from './listing.ts'
import { toInstant } from './wire.ts'

/** Limit on spaces in one request. */
const MAX_SPACES = 100

type Column = 'modified-date' | 'created-date' | 'title' | 'id'

const columns: Partial<Record<Order, Column>> = {
  modified: 'modified-date',
  created: 'created-date',
  name: 'title',
  id: 'id',
}

export const orderByColumns = listOrderNames(['modified', 'created', 'name', 'id'])

function* inChunks<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}

const byNumber = (a: string, b: string) => a.length - b.length || byCodeUnits(a, b)

const orders: Record<Column, (a: WikiContent, b: WikiContent) => number> = {
  'modified-date': (a, b) => (toInstant(b.version?.createdAt) ?? 0) - (toInstant(a.version?.createdAt) ?? 0),
  'created-date': (a, b) => (toInstant(b.createdAt) ?? 0) - (toInstant(a.createdAt) ?? 0),
  title: (a, b) => (a.title ?? '').localeCompare(b.title ?? '', 'en'),
  id: (a, b) => byNumber(b.id, a.id),
}

/** Which lists are read. */
export interface ContentLists {
  http: HttpClient
  /** Undefined: all spaces of the site. */
  spaceIds: readonly string[] | undefined
  types: readonly ContentType[]
}

type List = (type: ContentType, pages: AsyncGenerator<ListPage<WikiContent>>) => Promise<void>

/** Reads the pages and blog posts of spaces, with one list of each for 100 spaces instead of one for each space. */
async function readLists({ http, spaceIds, types }: ContentLists, sort: string, limit: number, read: List) {
  for (const type of types) {
    const { path, statuses, sortsByTitle } = contentTypes[type]
    const ordered = sort === 'title' && !sortsByTitle ? 'id' : sort
    for (const ids of spaceIds === undefined ? [undefined] : inChunks(spaceIds, MAX_SPACES)) {
      const query = { 'space-id': ids?.join(','), status: statuses, sort: ordered }
      await read(type, readListPages(http, { path: `/${path}`, query, item: contentOf(type), limit, use: 'indexed' }))
    }
  }
}

/** The first items in the requested order. */
async function readLatest(lists: ContentLists, sampling: Sampling): Promise<WikiContent[]> {
  const column = columns[toOrder(sampling.orderBy)] ?? 'modified-date'
  let latest: WikiContent[] = []
  const limit = Math.min(MAX_LIMIT, sampling.limit)
  await readLists(lists, column === 'title' ? 'title' : `-${column}`, limit, async (type, pages) => {
    const isSorted = column !== 'title' || contentTypes[type].sortsByTitle
    let taken = 0
    for await (const page of pages) {
      latest.push(...page.items)
      taken += page.items.length
      if (isSorted && taken >= sampling.limit) break
    }
    latest = latest.sort(orders[column]).slice(0, sampling.limit)
  })
  return latest
}

/** A uniform sample of all items by reservoir sampling, in one pass over the lists. */
async function readRandom(lists: ContentLists, sampling: Sampling): Promise<WikiContent[]> {
  const random = createRandom(sampling.seed)
  const chosen: WikiContent[] = []
  let seen = 0
  await readLists(lists, 'id', MAX_LIMIT, async (_type, pages) => {
    for await (const { items } of pages) {
      for (const item of items) {
        seen++
        if (chosen.length < sampling.limit) chosen.push(item)
        else {
          const place = Math.floor(random() * seen)
          if (place < sampling.limit) chosen[place] = item
        }
      }
    }
  })
  return chosen
}

async function readAll(lists: ContentLists): Promise<WikiContent[]> {
  const all: WikiContent[] = []
  await readLists(lists, 'id', MAX_LIMIT, async (_type, pages) => {
    for await (const page of pages) {
      requireReadable(page)
      all.push(...page.items)
    }
  })
  return all
}

const readers = { LATEST: readLatest, RANDOM: readRandom, ALL: readAll }

/** The items that the sampling chooses, by space id; pages before blog posts. */
export async function readContents(lists: ContentLists, sampling: Sampling): Promise<Map<string, WikiContent[]>> {
  const items = await readers[sampling.strategy](lists, sampling)
  const once = new Map(items.map((item) => [item.id, item]))
  const byType = [...once.values()].sort((a, b) => lists.types.indexOf(a.type) - lists.types.indexOf(b.type))
  return Map.groupBy(byType, ({ spaceId }) => spaceId ?? '')
}
