import type { WikiAttachment, WikiComment, WikiPage, WikiSpace, WikiTenant } from './tenant.ts'

/** Sort key of a listing: a value, then the id to make the order total. */
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

/**
 * A cursor identifies the item before the next page by its sort key instead of its position, so edits do not shift it.
 */
export function toCursor({ value, id }: OrderKey): string {
  return Buffer.from(JSON.stringify({ id, contentOrder: 'id', contentOrderValue: value })).toString('base64')
}

/** Undefined where the text is not a valid cursor. */
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
    default:
      return 0
  }
}

export interface Ordered<T> {
  items: readonly T[]
  keys: readonly OrderKey[]
  descending: boolean
}

/** Shorter listings are not cached, because sorting them again is cheaper. */
const MIN_KEPT = 1_000

/** Sorts items by a `sort` parameter; a leading dash reverses the order. */
function toOrdered<T extends Item>(items: readonly T[], sort: string): Ordered<T> {
  const descending = sort.startsWith('-')
  const order = sort.replace(/^-/, '')
  const pairs = items.map((item) => ({ item, key: { value: orderValue(item, order), id: item.id } }))
  pairs.sort((a, b) => compareKeys(a.key, b.key, descending))
  return { items: pairs.map(({ item }) => item), keys: pairs.map(({ key }) => key), descending }
}

/** Sorted listings; long ones are cached until the next edit, so that paging through a large tenant sorts it once. */
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

/** The items after a cursor, and the cursor of the next page. */
export function toPage<T>(
  { items, keys, descending }: Ordered<T>,
  cursor: OrderKey | undefined,
  limit: number,
): { items: readonly T[]; next: string | undefined } {
  const isAfter = (key: OrderKey) => cursor === undefined || compareKeys(key, cursor, descending) > 0
  const first = keys.findIndex(isAfter)
  const low = first < 0 ? keys.length : first
  const page = items.slice(low, low + limit)
  const last = keys[low + page.length - 1]
  const more = low + page.length < items.length
  return { items: page, next: more && last !== undefined ? toCursor(last) : undefined }
}
