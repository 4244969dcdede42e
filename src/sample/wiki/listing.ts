import type { WikiAttachment, WikiComment, WikiPage, WikiSpace, WikiTenant } from './tenant.ts'

/** What a listing is ordered by: one value, then the id, so that the order is total. */
interface OrderKey {
  value: string | number
  id: string
}

const compareIds = (a: string, b: string) => {
  const [left, right] = [a.replace(/^att/, ''), b.replace(/^att/, '')]
  return left.length - right.length || (left < right ? -1 : left > right ? 1 : 0)
}

function compareKeys(a: OrderKey, b: OrderKey, descending: boolean): number {
  const byValue = a.value < b.value ? -1 : a.value > b.value ? 1 : 0
  const order = byValue === 0 ? compareIds(a.id, b.id) : byValue
  return descending ? -order : order
}

/** A cursor says behind which item the next page begins; it holds no place in a list, so edits do not shift it. */
export function toCursor({ value, id }: OrderKey): string {
  return Buffer.from(JSON.stringify({ id, contentOrder: 'id', contentOrderValue: value })).toString('base64')
}

/** Undefined where the text is no cursor of this platform. */
export function readCursor(text: string): OrderKey | undefined {
  try {
    const read = JSON.parse(Buffer.from(text, 'base64').toString('utf8')) as {
      id?: unknown
      contentOrderValue?: unknown
    }
    const { id, contentOrderValue: value } = read
    if (typeof id !== 'string' || (typeof value !== 'string' && typeof value !== 'number')) return undefined
    return { id, value }
  } catch {
    return undefined
  }
}

type Item = WikiPage | WikiComment | WikiAttachment | WikiSpace

function orderValue(item: Item, order: string): string | number {
  switch (order) {
    case 'created-date':
      return item.createdAt
    case 'modified-date':
      return 'version' in item ? item.version.createdAt : item.createdAt
    case 'title':
      return 'title' in item ? item.title : ''
    case 'key':
      return 'key' in item ? item.key : ''
    case 'name':
      return 'name' in item ? item.name : ''
    default:
      return 0
  }
}

export interface Ordered<T> {
  items: readonly T[]
  keys: readonly OrderKey[]
  descending: boolean
}

/** Ordered listings, kept while nothing is edited: a walk through a large tenant sorts it once. */
export function createListings(tenant: WikiTenant) {
  const kept = new Map<string, { revision: number; ordered: Ordered<Item> }>()

  return function list<T extends Item>(name: string, sort: string, select: () => T[]): Ordered<T> {
    const cached = kept.get(`${name} ${sort}`)
    if (cached?.revision === tenant.revision) return cached.ordered as Ordered<T>
    const descending = sort.startsWith('-')
    const order = sort.replace(/^-/, '')
    const pairs = select().map((item) => ({ item, key: { value: orderValue(item, order), id: item.id } }))
    pairs.sort((a, b) => compareKeys(a.key, b.key, descending))
    const ordered = { items: pairs.map(({ item }) => item), keys: pairs.map(({ key }) => key), descending }
    if (kept.size > 200) kept.clear()
    kept.set(`${name} ${sort}`, { revision: tenant.revision, ordered })
    return ordered
  }
}

/** The items behind a cursor, and the cursor of those behind them. */
export function toPage<T>(
  { items, keys, descending }: Ordered<T>,
  cursor: OrderKey | undefined,
  limit: number,
): { items: readonly T[]; next: string | undefined } {
  let low = 0
  let high = cursor === undefined ? 0 : keys.length
  while (cursor !== undefined && low < high) {
    const middle = (low + high) >> 1
    const key = keys[middle]
    if (key !== undefined && compareKeys(key, cursor, descending) <= 0) low = middle + 1
    else high = middle
  }
  const page = items.slice(low, low + limit)
  const last = keys[low + page.length - 1]
  const more = low + page.length < items.length
  return { items: page, next: more && last !== undefined ? toCursor(last) : undefined }
}
