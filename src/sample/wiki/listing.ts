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

/** Below this, sorting again costs less than keeping. */
const MIN_KEPT = 1_000

/** Puts items into the order that a `sort` parameter names; a dash in front turns it round. */
function toOrdered<T extends Item>(items: readonly T[], sort: string): Ordered<T> {
  const descending = sort.startsWith('-')
  const order = sort.replace(/^-/, '')
  const pairs = items.map((item) => ({ item, key: { value: orderValue(item, order), id: item.id } }))
  pairs.sort((a, b) => compareKeys(a.key, b.key, descending))
  return { items: pairs.map(({ item }) => item), keys: pairs.map(({ key }) => key), descending }
}

/**
 * Ordered listings; long ones are kept while nothing is edited, so that a walk through a large tenant sorts it once.
 */
export function createListings(tenant: WikiTenant) {
  const kept = new Map<string, Ordered<Item>>()
  let revision = -1

  return function list<T extends Item>(name: string, sort: string, select: () => readonly T[]): Ordered<T> {
    if (revision !== tenant.revision) kept.clear()
    revision = tenant.revision
    const known = kept.get(`${name} ${sort}`)
    if (known !== undefined) return known as Ordered<T>
    const ordered = toOrdered(select(), sort)
    if (ordered.items.length >= MIN_KEPT) kept.set(`${name} ${sort}`, ordered)
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
