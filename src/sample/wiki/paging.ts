import { BadRequest, json, type Reply } from '../server.ts'

interface PagingOptions<Item> {
  /** Path as the client sees it, behind whatever gateway. */
  path: string
  query: URLSearchParams
  items: readonly Item[]
  idOf: (item: Item) => string
  toWire: (item: Item) => object
  defaultLimit: number
  base: string
}

/** One page of a list with the platform's opaque keyset cursor, `_links.next` relative to the host, and a `Link` header. */
export function toListReply<Item>({
  path,
  query,
  items,
  idOf,
  toWire,
  defaultLimit,
  base,
}: PagingOptions<Item>): Reply {
  const limit = Number(query.get('limit') ?? defaultLimit)
  if (limit < 1 || limit > 250) throw new BadRequest('limit must be from 1 to 250')
  const cursor = query.get('cursor')
  const after = cursor === null ? undefined : readCursor(cursor)
  const start = after === undefined ? 0 : items.findIndex((item) => idOf(item) === after) + 1
  if (after !== undefined && start === 0) throw new BadRequest('the cursor is not valid')
  const shown = items.slice(start, start + limit)
  const last = shown.at(-1)
  const links: Record<string, string> = { base: `${base}/wiki` }
  const headers: Record<string, string> = {}
  if (last !== undefined && start + limit < items.length) {
    const next = new URLSearchParams(query)
    next.set(
      'cursor',
      Buffer.from(JSON.stringify({ id: idOf(last), contentOrder: 'id', contentOrderValue: idOf(last) })).toString(
        'base64',
      ),
    )
    links.next = `${path}?${next}`
    headers.link = `<${links.next}>; rel="next", <${base}/wiki>; rel="base"`
  }
  return json({ results: shown.map(toWire), _links: links }, 200, headers)
}

function readCursor(cursor: string): string {
  try {
    const { id } = JSON.parse(Buffer.from(cursor, 'base64').toString('utf8')) as { id?: unknown }
    if (typeof id === 'string') return id
  } catch {
    // Refused below, as a cursor without an id.
  }
  throw new BadRequest('the cursor is not valid')
}
