import type { Batch, ConnectorSession, SessionOptions } from '../../../src/connectors/connector.ts'
import { WikiConfig } from '../../../src/connectors/wiki/config.ts'
import { wikiConnector } from '../../../src/connectors/wiki/index.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { sampleCredentials } from '../../../src/sample/credentials.ts'
import {
  type NewAttachment,
  type NewComment,
  type NewPage,
  type WikiSpace,
  WikiTenant,
} from '../../../src/sample/wiki/tenant.ts'
import type { SampleFault } from '../../sample/fault.ts'
import { type SampleWiki, type SampleWikiOptions, startSampleWiki } from '../../sample/servers.ts'

export const cloudId = '11111111-2222-4333-8444-555555555555'
export const prefix = `wiki:${cloudId}`
export const { accountEmail, apiToken } = sampleCredentials

type Page = NewPage & { id: string }
type Comment = NewComment & { id: string; pageId: string }
type Attachment = NewAttachment & { id: string; pageId: string }
type Space = Partial<WikiSpace> & { id: string; key: string; name: string }

const at = (minute: number) => Date.UTC(2026, 0, 5, 8, minute)

export const spaceOf = (id: string, over: Partial<WikiSpace> = {}): Space => ({
  id,
  key: `S${id}`,
  name: `Space ${id}`,
  createdAt: at(0),
  ...over,
})

export const pageOf = (id: string, over: Partial<NewPage> = {}): Page => ({
  id,
  spaceId: '1',
  title: `Page ${id}`,
  createdAt: at(Number(id)),
  body: `<p>text of ${id}</p>`,
  ...over,
})

export const commentOf = (id: string, pageId: string, over: Partial<NewComment> = {}): Comment => ({
  id,
  pageId,
  createdAt: at(Number(id)),
  body: `<p>comment ${id}</p>`,
  ...over,
})

export const attachmentOf = (id: string, pageId: string, over: Partial<NewAttachment> = {}): Attachment => ({
  id,
  pageId,
  title: `${id}.txt`,
  mediaType: 'text/plain',
  createdAt: at(2),
  bytes: new TextEncoder().encode(`bytes of ${id}`),
  ...over,
})

export interface Content {
  spaces?: Space[]
  pages?: Page[]
  comments?: Comment[]
  attachments?: Attachment[]
}

function tenantOf({ spaces = [spaceOf('1')], pages = [], comments = [], attachments = [] }: Content): WikiTenant {
  const tenant = new WikiTenant({ cloudId })
  for (const space of spaces) tenant.addSpace(space)
  for (const page of pages) tenant.addPage(page)
  for (const { pageId, ...comment } of comments) tenant.addComment(pageId, comment)
  for (const { pageId, ...attachment } of attachments) tenant.addAttachment(pageId, attachment)
  return tenant
}

const running = new Set<SampleWiki>()

type Options = Omit<SampleWikiOptions, 'tenant'> & { faults?: SampleFault[] }

export const startWiki = (content: Content, options: Options = {}) => startSample(tenantOf(content), options)

export async function startSample(tenant: WikiTenant, options: Options = {}): Promise<SampleWiki> {
  const wiki = await startSampleWiki({ tenant, ...options })
  running.add(wiki)
  return wiki
}

export async function stopWikis(): Promise<void> {
  const all = [...running]
  running.clear()
  await Promise.all(all.map((wiki) => wiki.close()))
}

export function configOf(url: string, optional: object = {}): WikiConfig {
  return WikiConfig.parse({
    type: 'WIKI',
    required: { account_email: accountEmail, base_url: url },
    masked: { api_token: apiToken },
    optional,
  })
}

export interface Given {
  optional?: object
  sampling?: Partial<SessionOptions<WikiConfig>['sampling']>
  tenantId?: string
  signal?: AbortSignal
  now?: number
}

export function openWiki(url: string, given: Given = {}): ConnectorSession & { tenants: string[] } {
  const tenants: string[] = []
  const session = wikiConnector.open({
    config: configOf(url, { connection: { max_retries: 0 }, ...given.optional }),
    sampling: { strategy: 'ALL', limit: 100, seed: 1, ...given.sampling },
    signal: given.signal ?? new AbortController().signal,
    log: silentLog,
    now: () => given.now ?? Date.UTC(2026, 9, 1),
    rememberTenantId: (id) => tenants.push(id),
    ...(given.tenantId === undefined ? {} : { tenantId: given.tenantId }),
  })
  return { ...session, tenants }
}

export interface Crawled {
  batches: Batch[]
  assets: Map<string, Batch['assets'][number]>
  warnings: string[]
  /** Texts of the assets that had to be read, by key. */
  texts: Map<string, string>
  failures: Map<string, unknown>
  error: unknown
}

/** Crawls everything as a scan does: scope by scope, reading only what is new or changed. */
export async function crawlAll(
  session: ConnectorSession,
  known: ReadonlyMap<string, string> = new Map(),
): Promise<Crawled> {
  const crawled: Crawled = {
    batches: [],
    assets: new Map(),
    warnings: [],
    texts: new Map(),
    failures: new Map(),
    error: undefined,
  }
  const { scopes, warnings } = await session.scopes()
  crawled.warnings.push(...warnings.map(({ code }) => code))
  for (const scope of scopes) {
    try {
      for await (const batch of session.crawl({
        scope,
        known: (keys) => new Map(keys.flatMap((key) => (known.has(key) ? [[key, known.get(key) ?? '']] : []))),
      })) {
        crawled.batches.push(batch)
        crawled.warnings.push(...batch.warnings.map(({ code }) => code))
        for (const asset of batch.assets) {
          if (asset.isUncertain === true && !known.has(asset.key)) continue
          crawled.assets.set(asset.key, asset)
          if (asset.document === undefined || known.get(asset.key) === asset.checksum) continue
          try {
            const document = await asset.document()
            crawled.texts.set(asset.key, document.parts.map(({ text }) => text.trim()).join('|'))
          } catch (error) {
            crawled.failures.set(asset.key, error)
          }
        }
      }
    } catch (error) {
      crawled.error ??= error
    }
  }
  return crawled
}

/** What a scan would have stored. */
export const checksumsOf = ({ assets }: Crawled) => new Map([...assets].map(([key, { checksum }]) => [key, checksum]))

export const siteRequests = ({ requests }: SampleWiki) => requests.filter(({ server }) => server === 'site')
export const mediaRequests = ({ requests }: SampleWiki) => requests.filter(({ server }) => server === 'media')
export const pathsOf = (wiki: SampleWiki) => siteRequests(wiki).map(({ path }) => path.replace('/wiki', ''))
export const reasonOf = (error: unknown) => (error as { facts?: { reason?: string } } | undefined)?.facts?.reason

/** Two spaces, pages with links, comments under comments, an attachment. */
export const small = () => ({
  spaces: [spaceOf('1', { key: 'DOCS', name: 'Documents', description: 'All about it' }), spaceOf('2')],
  pages: [
    pageOf('10', {
      title: 'Home',
      body: '<h1>Access</h1><p>see <a href="https://x.io/files/plan.pdf?token=abcdefgh1#p">plan</a>, <a href="https://x.io/">x</a>, <ac:link><ri:page ri:content-title="Setup"/></ac:link>, <a href="/wiki/spaces/DOCS/pages/11#a">it</a>, <ac:link><ri:attachment ri:filename="a.txt"/></ac:link> and <ac:link ac:anchor="Access"/></p>',
    }),
    pageOf('11', { title: 'Setup', parentId: '10' }),
    pageOf('12', { spaceId: '2' }),
    pageOf('13', { status: 'archived' }),
  ],
  comments: [
    commentOf('70', '10'),
    commentOf('71', '10', { parentId: '70', body: '<p>reply</p>' }),
    commentOf('72', '10', { parentId: '71', body: '<p>reply to the reply</p>' }),
    commentOf('73', '10', { kind: 'inline', selection: 'see', body: '<p>inline <code>key</code></p>' }),
  ],
  attachments: [attachmentOf('att5', '10', { title: 'a.txt' })],
})
