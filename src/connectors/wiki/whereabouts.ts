import type { Whereabouts } from '../connector.ts'
import { isRefusal, reasonOf } from '../failure.ts'
import type { WikiClient } from './client.ts'
import { type ContentType, contentOf, contentTypes } from './content.ts'
import { settleRefusal } from './failure.ts'
import { MAX_LIMIT, readList } from './listing.ts'
import { AttachmentWire } from './wire.ts'

const whereabouts: Readonly<Record<string, Whereabouts>> = {
  current: 'current',
  archived: 'archived',
  trashed: 'trash',
}

async function attempt<T>(client: WikiClient, request: () => Promise<T>): Promise<T | 'gone' | 'refused'> {
  try {
    return await request()
  } catch (failure) {
    const error = await settleRefusal(failure, client.isSignedIn)
    if (!isRefusal(error)) throw error
    return reasonOf(error) === 'gone' ? 'gone' : 'refused'
  }
}

/** Looks up pages or blog posts by id; those not found are `unknown` where the platform refuses to list the trash. */
async function lookUp(client: WikiClient, type: ContentType, ids: readonly string[]) {
  const { path, statuses } = contentTypes[type]
  const ask = async (status: string) => {
    const query = { id: ids.join(','), status }
    const items = await attempt(client, () => readList(client.http, { path: `/${path}`, query, item: contentOf(type) }))
    return typeof items === 'string' ? undefined : items
  }
  const all = await ask(`${statuses},trashed`)
  const found = new Map<string, Whereabouts>(all === undefined ? ids.map((id) => [id, 'unknown']) : [])
  for (const { id, status } of all ?? (await ask(statuses)) ?? []) {
    const place = whereabouts[status ?? 'current']
    if (place !== undefined) found.set(id, place)
  }
  return found
}

/** Where pages and blog posts are, by id. */
async function findContents(client: WikiClient, ids: readonly string[]): Promise<Map<string, Whereabouts>> {
  const found = new Map<string, Whereabouts>()
  const isOpen = (id: string) => (found.get(id) ?? 'unknown') === 'unknown'
  for (const type of ['page', 'blogpost'] as const) {
    const open = ids.filter(isOpen)
    for (let at = 0; at < open.length; at += MAX_LIMIT) {
      for (const [id, place] of await lookUp(client, type, open.slice(at, at + MAX_LIMIT))) found.set(id, place)
    }
  }
  return found
}

async function findAttachment(client: WikiClient, id: string): Promise<Whereabouts | undefined> {
  const path = `/api/v2/attachments/${encodeURIComponent(id)}`
  const reply = await attempt(client, () => client.http.json({ path }))
  if (reply === 'gone') return undefined
  const file = reply === 'refused' ? undefined : AttachmentWire.safeParse(reply.body).data
  return file === undefined ? 'unknown' : whereabouts[file.status ?? 'current']
}

/** Where pages, blog posts and attachments are, by key; the platform has no trash for comments. */
export async function locate(client: WikiClient, keys: readonly string[]): Promise<Map<string, Whereabouts>> {
  const items = keys.map((key) => {
    const [kind = '', id = ''] = key.slice(client.prefix.length + 1).split(':')
    return { key, kind, id }
  })
  const contents = await findContents(
    client,
    items.flatMap(({ kind, id }) => (kind === 'page' ? id : [])),
  )
  const places = await Promise.all(
    items.map(async ({ key, kind, id }): Promise<[string, Whereabouts][]> => {
      const place =
        kind === 'attachment' ? await findAttachment(client, id) : kind === 'page' ? contents.get(id) : undefined
      return place === undefined ? [] : [[key, place]]
    }),
  )
  return new Map(places.flat())
}
