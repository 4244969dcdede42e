import { byCodeUnits } from '../../kernel/by-code-units.ts'
import { createRandom } from '../../kernel/random.ts'
import type { Sampling } from '../connector.ts'
import type { HttpClient } from '../http/transport.ts'
import { listOrderNames, type Order, toOrder } from '../order-by.ts'
import { MAX_LIMIT, readListPages } from './listing.ts'
import { PageWire, toInstant } from './wire.ts'

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

const orders: Record<Column, (a: PageWire, b: PageWire) => number> = {
  'modified-date': (a, b) => (toInstant(b.version?.createdAt) ?? 0) - (toInstant(a.version?.createdAt) ?? 0),
  'created-date': (a, b) => (toInstant(b.createdAt) ?? 0) - (toInstant(a.createdAt) ?? 0),
  title: (a, b) => (a.title ?? '').localeCompare(b.title ?? '', 'en'),
  id: (a, b) => byNumber(b.id, a.id),
}

/** The first pages in the requested order, with one listing per 100 spaces instead of a crawl. */
async function readLatest(http: HttpClient, spaceIds: readonly string[], sampling: Sampling): Promise<PageWire[]> {
  const column = columns[toOrder(sampling.orderBy)] ?? 'modified-date'
  const sort = column === 'title' ? 'title' : `-${column}`
  let latest: PageWire[] = []
  for (const ids of inChunks(spaceIds, MAX_SPACES)) {
    const query = { 'space-id': ids.join(','), status: 'current', sort }
    const limit = Math.min(MAX_LIMIT, sampling.limit)
    let taken = 0
    for await (const page of readListPages(http, { path: '/pages', query, item: PageWire, limit, use: 'indexed' })) {
      latest.push(...page.items)
      taken += page.items.length
      if (taken >= sampling.limit) break
    }
    latest = latest.sort(orders[column]).slice(0, sampling.limit)
  }
  return latest
}

/** A uniform sample of all pages by reservoir sampling, in one pass over the listing. */
async function readRandom(http: HttpClient, spaceIds: readonly string[], sampling: Sampling): Promise<PageWire[]> {
  const random = createRandom(sampling.seed)
  const chosen: PageWire[] = []
  let seen = 0
  for (const ids of inChunks(spaceIds, MAX_SPACES)) {
    const query = { 'space-id': ids.join(','), status: 'current', sort: 'id' }
    for await (const page of readListPages(http, { path: '/pages', query, item: PageWire, use: 'stored' })) {
      for (const item of page.items) {
        seen++
        if (chosen.length < sampling.limit) chosen.push(item)
        else {
          const place = Math.floor(random() * seen)
          if (place < sampling.limit) chosen[place] = item
        }
      }
    }
  }
  return chosen
}

/** The sampled pages of each space, by space id. */
export async function readSample(
  http: HttpClient,
  spaceIds: readonly string[],
  sampling: Sampling,
): Promise<Map<string, PageWire[]>> {
  const pages = await (sampling.strategy === 'LATEST' ? readLatest : readRandom)(http, spaceIds, sampling)
  const once = new Map(pages.map((page) => [page.id, page]))
  return Map.groupBy(once.values(), ({ spaceId }) => spaceId ?? '')
}
