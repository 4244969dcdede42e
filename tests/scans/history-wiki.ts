import type { SampleReply } from '../../src/sample/exchange.ts'
import { sampleSourceConfigs } from '../../src/sample/tenants.ts'
import { WikiTenant } from '../../src/sample/wiki/tenant.ts'
import {
  deleteAttachment,
  deletePage,
  editComment,
  editPage,
  movePage,
  replaceAttachment,
  restorePage,
} from '../sample/edits.ts'
import { onPath, type SampleFault } from '../sample/fault.ts'
import { startSampleWiki } from '../sample/servers.ts'
import { type Chance, type Item, toText, type World } from './history-model.ts'

const SPACES = [1, 2]
const PAGES = [1, 2, 3]

/** What may be seen in one scan. */
interface View {
  bodies: 'ok' | 'withheld'
  comments: 'ok' | 'denied' | 'refused' | 'failing'
  replies: 'ok' | 'refused' | 'failing'
  attachments: 'ok' | 'denied' | 'refused' | 'failing'
  downloads: 'ok' | 'failing'
  /** The space whose pages may not be listed, by its number. */
  closed: number | undefined
  hidden: number | undefined
  footer: boolean
  inline: boolean
  files: boolean
}

const sections: Record<string, readonly string[]> = {
  space: ['name', 'description'],
  page: ['title', 'body'],
  comments: ['footer', 'reply', 'inline'],
  attachment: ['filename', 'content'],
}

/** Which sections of an item a scan reads. */
function isSectionRead({ bodies, replies, downloads, footer, inline }: View, kind: string, section: string): boolean {
  switch (`${kind} ${section}`) {
    case 'page body':
      return bodies === 'ok'
    case 'comments footer':
      return footer
    case 'comments reply':
      return footer && replies === 'ok'
    case 'comments inline':
      return inline
    case 'attachment content':
      return downloads === 'ok'
    default:
      return true
  }
}

const answerOf = {
  denied: { status: 401, body: { code: 401, message: 'Unauthorized; scope does not match' } },
  refused: { status: 403, body: {} },
  failing: { status: 501, body: {} },
}

function withoutBodies(reply: SampleReply): SampleReply {
  const body = reply.body as { results?: { body?: unknown }[]; body?: unknown }
  for (const page of body.results ?? [body]) delete page.body
  return reply
}

function toFaults(view: View, spaceIds: ReadonlyMap<number, string>): SampleFault[] {
  const fault = (pattern: RegExp, state: 'ok' | keyof typeof answerOf): SampleFault[] =>
    state === 'ok' ? [] : [{ match: onPath(pattern), respond: answerOf[state] }]
  return [
    ...(view.closed === undefined ? [] : fault(new RegExp(`/spaces/${spaceIds.get(view.closed)}/pages$`), 'refused')),
    ...(view.bodies === 'ok' ? [] : [{ match: onPath(/\/pages(?:\/\d+)?$/), respond: { rewrite: withoutBodies } }]),
    ...fault(/\/children$/, view.replies),
    ...fault(/\/(?:footer|inline)-comments$/, view.comments),
    ...fault(/\/attachments$/, view.attachments),
    ...fault(/\/download$/, view.downloads),
  ]
}

const states = ['ok', 'ok', 'ok', 'denied', 'refused', 'failing'] as const

export async function openWikiWorld(): Promise<World> {
  let at = Date.UTC(2026, 0, 1)
  const tenant = new WikiTenant({ now: () => ++at })
  tenant.addUser({ accountId: 'account-1', displayName: 'Ana', email: '' })
  const spaces = new Map(SPACES.map((n) => [n, tenant.addSpace({ key: `S${n}`, name: 'text', description: 'text' })]))
  const spaceIds = new Map([...spaces].map(([n, { id }]) => [n, id]))
  const server = await startSampleWiki({ tenant })
  const prefix = `wiki:${tenant.cloudId}`
  const urls = { wikiUrl: server.url, biUrl: server.url, authorityUrl: server.url }
  const { config } = sampleSourceConfigs(urls).wiki
  const items: Item[] = []
  const updates: (() => void)[] = []
  const add = (kind: string, key: string, place: number, parent?: string): Item => {
    const texts = Object.fromEntries((sections[kind] ?? []).map((section) => [section, new Set<string>()]))
    const item: Item = { key, kind, place, isThere: true, texts, ...(parent === undefined ? {} : { parent }) }
    items.push(item)
    return item
  }
  /** Does something only where a text is another one than before. */
  const onEdit = (item: Item, edit: (texts: Record<string, string>) => void) => {
    let before = ''
    updates.push(() => {
      const texts = Object.fromEntries(Object.entries(item.texts).map(([section, words]) => [section, toText(words)]))
      const now = JSON.stringify(texts)
      if (now !== before) edit(texts)
      before = now
    })
  }

  for (const [n, space] of spaces) {
    const item = add('space', `${prefix}:space:${space.id}`, n)
    onEdit(item, ({ name = '', description = '' }) => Object.assign(space, { name, description }))
  }
  for (const n of PAGES) {
    const place = SPACES[n % SPACES.length] ?? 1
    const spaceId = spaceIds.get(place) ?? ''
    const page = tenant.addPage({ spaceId, title: `Page ${n}`, body: '<p>text</p>' })
    const item = add('page', `${prefix}:page:${page.id}`, place)
    onEdit(item, ({ title = '', body = '' }) =>
      editPage(tenant, page.id, { title: `Page ${n} ${title}`, body: `<p>${body}</p>` }),
    )
    updates.push(() => {
      const to = spaceIds.get(item.place) ?? ''
      if (page.spaceId !== to) movePage(tenant, page.id, { spaceId: to })
      if (item.isThere !== (page.status === 'current')) {
        if (item.isThere) restorePage(tenant, page.id)
        else deletePage(tenant, page.id)
      }
    })
    const footer = tenant.addComment(page.id, { body: 'text' }).id
    const reply = tenant.addComment(page.id, { body: 'text', parentId: footer }).id
    const inline = tenant.addComment(page.id, { body: 'text', kind: 'inline', selection: 'text' }).id
    const comments = add('comments', `${prefix}:comments:${page.id}`, place, item.key)
    for (const [section, id] of Object.entries({ footer, reply, inline })) {
      let before = ''
      updates.push(() => {
        const now = toText(comments.texts[section])
        if (now !== before) editComment(tenant, id, `<p>${now}</p>`)
        before = now
      })
    }
    if (n === 3) continue
    const file = tenant.addAttachment(page.id, { title: 'a.txt', mediaType: 'text/plain', bytes: Buffer.from('text') })
    const attachment = add('attachment', `${prefix}:attachment:${file.id}`, place, item.key)
    onEdit(attachment, ({ filename = '', content = '' }) => {
      file.title = `${filename}.txt`
      replaceAttachment(tenant, file.id, Buffer.from(content))
    })
    updates.push(() => {
      const status = attachment.isThere ? 'current' : 'trashed'
      if (file.status !== status) deleteAttachment(tenant, file.id)
      file.status = status
    })
  }
  const itemsByKey = new Map(items.map((item) => [item.key, item]))
  const parentOf = ({ parent }: Item) => (parent === undefined ? undefined : itemsByKey.get(parent))

  let view: View = {
    bodies: 'ok',
    comments: 'ok',
    replies: 'ok',
    attachments: 'ok',
    downloads: 'ok',
    closed: undefined,
    hidden: undefined,
    footer: true,
    inline: true,
    files: true,
  }
  const isListable = ({ kind }: Item) => {
    if (kind === 'comments') return view.comments === 'ok' && (view.footer || view.inline)
    return kind !== 'attachment' || (view.attachments === 'ok' && view.files)
  }
  const isListed = (item: Item): boolean => {
    const parent = parentOf(item)
    if (parent !== undefined && !isListed(parent)) return false
    return item.isThere && item.place !== view.closed && item.place !== view.hidden && isListable(item)
  }
  return {
    config: { ...config, optional: { ...(config.optional as object), connection: { max_retries: 0 } } },
    items,
    requests: server.requests,
    sight: {
      isListed,
      isMissed(item, place) {
        if (place === view.closed && place !== view.hidden) return false
        const parent = parentOf(item)
        // With its page listed, wherever that is now, an item is missing only from a list that could be read.
        if (parent !== undefined && isListed(parent)) return isListable(item)
        // A page in a space that cannot be listed is found by its id.
        const page = parent ?? item
        return !(page.kind === 'page' && page.isThere && page.place === view.closed && page.place !== view.hidden)
      },
      isRead: ({ kind }, section) => isSectionRead(view, kind, section),
    },
    changeView(chance: Chance) {
      for (const item of items) {
        if (item.kind === 'page' && chance(0.1)) item.place = chance.pick(SPACES)
      }
      view = {
        bodies: chance(0.8) ? 'ok' : 'withheld',
        comments: chance.pick(states),
        replies: chance.pick(['ok', 'ok', 'refused', 'failing'] as const),
        attachments: chance.pick(states),
        downloads: chance(0.8) ? 'ok' : 'failing',
        closed: chance(0.15) ? chance.pick(SPACES) : undefined,
        hidden: chance(0.15) ? chance.pick(SPACES) : undefined,
        footer: chance(0.85),
        inline: chance(0.85),
        files: chance(0.85),
      }
      return {
        content: {
          include_footer_comments: view.footer,
          include_inline_comments: view.inline,
          include_attachments: view.files,
        },
      }
    },
    publish() {
      for (const item of items) item.place = parentOf(item)?.place ?? item.place
      for (const update of updates) update()
      for (const [n, space] of spaces) {
        if (view.hidden === n) tenant.spaces.delete(space.id)
        else tenant.spaces.set(space.id, space)
      }
      tenant.revision++
      server.faults.splice(0, server.faults.length, ...toFaults(view, spaceIds))
    },
    close: () => server.close(),
  }
}
