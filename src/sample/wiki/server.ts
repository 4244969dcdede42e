import { checkParameters, type Parameters, readList } from '../parameters.ts'
import {
  BadRequest,
  json,
  type Reply,
  type RequestRecord,
  type RunningServer,
  type ServerOptions,
  startServer,
} from '../server.ts'
import { toListReply } from './paging.ts'
import type { WikiComment, WikiPage, WikiTenant } from './tenant.ts'
import { toAttachment, toComment, toPage, toSpace } from './wire.ts'

export interface SampleWikiOptions extends ServerOptions {
  accountEmail: string
  apiToken: string
  /** Scopes that the token lacks: calls of these kinds are refused. */
  denied?: readonly ('comments' | 'attachments' | 'spaces')[]
}

export interface SampleWiki extends RunningServer {
  tenant: WikiTenant
  /** The other origin, which hands out bytes to short-lived links and must never see a credential. */
  media: RunningServer
}

const list = { cursor: 'string', limit: 'integer', sort: 'string' } as const
const formatted = { ...list, 'body-format': 'string' } as const
const spaceFilters: Parameters = {
  ...list,
  ids: 'list',
  keys: 'list',
  type: 'string',
  status: 'string',
  labels: 'list',
  'favorited-by': 'string',
  'not-favorited-by': 'string',
  'description-format': 'string',
  'include-icon': 'flag',
}
const pageFilters: Parameters = { ...formatted, title: 'string', status: 'list' }
const attachmentFilters: Parameters = { ...list, status: 'list', mediaType: 'string', filename: 'string' }
const commentFilters: Parameters = { ...formatted, status: 'list' }
const single: Parameters = {
  'body-format': 'string',
  'get-draft': 'flag',
  status: 'list',
  version: 'integer',
  'include-labels': 'flag',
  'include-properties': 'flag',
  'include-operations': 'flag',
  'include-likes': 'flag',
  'include-versions': 'flag',
  'include-version': 'flag',
  'include-favorited-by-current-user-status': 'flag',
  'include-webresources': 'flag',
}

type Handler = (ids: readonly string[], request: RequestRecord) => Reply

const refusal = (status: number, title: string): Reply =>
  json({ errors: [{ status, code: title.toUpperCase().replaceAll(' ', '_'), title, detail: null }] }, status)

const notFound = () => refusal(404, 'Not Found')

/** Ids are digits of any length: the shorter is the smaller. */
export const byId = (a: { id: string }, b: { id: string }) => {
  const [left, right] = [a.id.replace(/^\D+/, ''), b.id.replace(/^\D+/, '')]
  return left.length - right.length || (left < right ? -1 : left > right ? 1 : 0)
}

/** Starts a wiki tenant that speaks the platform's v2 wire shapes, and its media server beside it. */
export async function startWikiServer(tenant: WikiTenant, options: SampleWikiOptions): Promise<SampleWiki> {
  const media = await startMedia(tenant)
  const expected = `Basic ${Buffer.from(`${options.accountEmail}:${options.apiToken}`).toString('base64')}`
  const denied = new Set(options.denied ?? [])
  let url = ''
  const routes = createRoutes(tenant, () => url, media.url)
  const handle = (request: RequestRecord): Reply => {
    const path = request.path.replace(new RegExp(`^/ex/confluence/${tenant.cloudId}`), '')
    if (path === '/_edge/tenant_info') return json({ cloudId: tenant.cloudId })
    if (request.headers.authorization !== expected) return refusal(401, 'Unauthorized')
    for (const { method, pattern, parameters, capability, handler } of routes) {
      const match = pattern.exec(path)
      if (match === null || method !== request.method) continue
      if (capability !== undefined && denied.has(capability)) {
        return json({ code: 401, message: 'Unauthorized; scope does not match' }, 401)
      }
      checkParameters(request.query, parameters)
      return handler(match.slice(1).map(decodeURIComponent), request)
    }
    throw new BadRequest(`no such path: ${request.method} ${path}`)
  }
  const server = await startServer(handle, options)
  url = server.url
  return {
    ...server,
    tenant,
    media,
    close: async () => {
      await Promise.all([server.close(), media.close()])
    },
  }
}

interface WikiRoute {
  method: string
  pattern: RegExp
  parameters: Parameters
  capability?: 'comments' | 'attachments' | 'spaces'
  handler: Handler
}

function createRoutes(tenant: WikiTenant, url: () => string, mediaUrl: string): WikiRoute[] {
  const v2 = (
    pattern: string,
    parameters: Parameters,
    handler: Handler,
    capability?: WikiRoute['capability'],
  ): WikiRoute => ({
    method: 'GET',
    pattern: new RegExp(`^/wiki/api/v2${pattern}$`),
    parameters,
    handler,
    ...(capability === undefined ? {} : { capability }),
  })
  const spaceOf = (page: WikiPage | undefined) => (page === undefined ? undefined : tenant.spaces.get(page.spaceId))
  const isVisible = (page: WikiPage | undefined): page is WikiPage => page !== undefined && page.status === 'current'
  const reply = <Item extends { id: string }>(
    request: RequestRecord,
    items: Item[],
    toWire: (item: Item) => object,
    defaultLimit = 25,
  ) =>
    toListReply({
      path: request.path,
      query: request.query,
      items,
      idOf: ({ id }) => id,
      toWire,
      defaultLimit,
      base: url(),
    })

  const pages = (request: RequestRecord, candidates: WikiPage[]) => {
    const statuses = readList(request.query, 'status') ?? ['current', 'archived']
    const title = request.query.get('title')
    const items = candidates.filter(
      (page) => statuses.includes(page.status) && (title === null || page.title === title),
    )
    const format = bodyFormat(request.query)
    return reply(request, sorted(items, request.query.get('sort')), (page) => toPage(page, spaceOf(page), format))
  }

  const comments = (request: RequestRecord, candidates: WikiComment[]) => {
    const statuses = readList(request.query, 'status') ?? ['current']
    const items = candidates.filter(
      ({ status, pageId }) => statuses.includes(status) && isVisible(tenant.pages.get(pageId)),
    )
    const format = bodyFormat(request.query)
    return reply(request, sorted(items, request.query.get('sort')), (comment) =>
      toComment(comment, tenant.pages.get(comment.pageId), format),
    )
  }
  const commentsOf = (kind: 'footer' | 'inline') => [
    v2(
      `/pages/(\\d+)/${kind}-comments`,
      { ...commentFilters, ...(kind === 'inline' ? { 'resolution-status': 'list' } : {}) },
      ([id], request) => {
        if (!isVisible(tenant.pages.get(id ?? ''))) return notFound()
        const roots = [...tenant.comments.values()].filter(
          (c) => c.kind === kind && c.pageId === id && c.parentId === undefined,
        )
        return comments(request, roots)
      },
      'comments',
    ),
    v2(
      `/${kind}-comments/(\\d+)/children`,
      formatted,
      ([id], request) => {
        if (!tenant.comments.has(id ?? '')) return notFound()
        return comments(
          request,
          [...tenant.comments.values()].filter((c) => c.kind === kind && c.parentId === id),
        )
      },
      'comments',
    ),
    v2(
      `/${kind}-comments`,
      formatted,
      (_ids, request) =>
        comments(
          request,
          [...tenant.comments.values()].filter((c) => c.kind === kind && c.parentId === undefined),
        ),
      'comments',
    ),
  ]

  const attachments = (request: RequestRecord, pageId?: string) => {
    const { query } = request
    const statuses = readList(query, 'status') ?? ['current']
    const [filename, mediaType] = [query.get('filename'), query.get('mediaType')]
    const items = [...tenant.attachments.values()].filter(
      (attachment) =>
        (pageId === undefined || attachment.pageId === pageId) &&
        statuses.includes(attachment.status) &&
        isVisible(tenant.pages.get(attachment.pageId)) &&
        (filename === null || attachment.title === filename) &&
        (mediaType === null || attachment.mediaType === mediaType),
    )
    const toWire = (attachment: (typeof items)[number]) => {
      const page = tenant.pages.get(attachment.pageId)
      return toAttachment(attachment, page, spaceOf(page))
    }
    return reply(request, sorted(items, query.get('sort')), toWire, 50)
  }

  return [
    {
      method: 'GET',
      pattern: /^\/wiki\/rest\/api\/user\/current$/,
      parameters: {},
      handler: () =>
        json({
          type: 'known',
          accountId: '712020:scanner',
          accountType: 'atlassian',
          displayName: 'Assay Scanner',
          publicName: 'Assay Scanner',
        }),
    },
    {
      method: 'GET',
      pattern: /^\/wiki\/rest\/api\/content\/(\d+)\/child\/attachment\/(att\d+)\/download$/,
      parameters: { version: 'integer', status: 'string' },
      capability: 'attachments',
      handler: ([pageId, attachmentId]) => {
        const attachment = tenant.attachments.get(attachmentId ?? '')
        if (attachment === undefined || attachment.pageId !== pageId || attachment.status !== 'current')
          return notFound()
        return {
          status: 302,
          headers: { location: `${mediaUrl}/file/${attachment.fileId}/binary?token=${mediaToken(attachment.fileId)}` },
        }
      },
    },
    {
      method: 'GET',
      pattern: /^\/wiki\/download\/attachments\/.*$/,
      parameters: { version: 'integer' },
      handler: () => ({ ...refusal(401, 'Unauthorized'), headers: { 'www-authenticate': 'OAuth' } }),
    },
    {
      method: 'POST',
      pattern: /^\/wiki\/api\/v2\/users-bulk$/,
      parameters: {},
      handler: (_ids, request) => {
        const { accountIds = [] } = JSON.parse(request.body || '{}') as { accountIds?: string[] }
        const results = tenant.users
          .filter(({ accountId }) => accountIds.includes(accountId))
          .map(({ accountId, displayName, active }) => ({
            accountId,
            displayName,
            publicName: displayName,
            email: '',
            accountType: 'atlassian',
            accountStatus: active ? 'active' : 'inactive',
          }))
        return json({ results })
      },
    },
    v2(
      '/spaces',
      spaceFilters,
      (_ids, request) => reply(request, filterSpaces(tenant, request.query), toSpace),
      'spaces',
    ),
    v2(
      '/spaces/(\\d+)',
      { 'include-labels': 'flag', 'description-format': 'string', 'include-icon': 'flag' },
      ([id]) => {
        const space = tenant.spaces.get(id ?? '')
        return space === undefined ? notFound() : json(toSpace(space))
      },
      'spaces',
    ),
    v2('/spaces/([^/]+)/pages', { ...pageFilters, depth: 'string' }, ([id = ''], request) => {
      if (!/^\d+$/.test(id)) throw new BadRequest('the space id must be a number')
      if (!tenant.spaces.has(id)) return notFound()
      return pages(
        request,
        [...tenant.pages.values()].filter(({ spaceId }) => spaceId === id),
      )
    }),
    v2('/spaces/(\\d+)/blogposts', pageFilters, (_ids, request) => reply(request, [], toSpace)),
    v2('/pages', { ...pageFilters, id: 'list', 'space-id': 'list' }, (_ids, request) => {
      const [ids, spaceIds] = [readList(request.query, 'id'), readList(request.query, 'space-id')]
      if ((ids?.length ?? 0) > 250 || (spaceIds?.length ?? 0) > 100) throw new BadRequest('too many ids')
      const candidates =
        ids === undefined ? [...tenant.pages.values()] : ids.flatMap((id) => tenant.pages.get(id) ?? [])
      return pages(
        request,
        candidates.filter(({ spaceId }) => spaceIds?.includes(spaceId) ?? true),
      )
    }),
    v2('/pages/(\\d+)', single, ([id], request) => {
      const page = tenant.pages.get(id ?? '')
      if (page === undefined || page.status === 'deleted') return notFound()
      const labels = request.query.get('include-labels') === 'true' ? { labels: { results: toLabels(page) } } : {}
      return json({ ...toPage(page, spaceOf(page), bodyFormat(request.query)), ...labels })
    }),
    v2('/pages/(\\d+)/labels', { ...list, prefix: 'string' }, ([id], request) => {
      const page = tenant.pages.get(id ?? '')
      return isVisible(page) ? reply(request, toLabels(page), (label) => label) : notFound()
    }),
    v2(
      '/pages/(\\d+)/attachments',
      attachmentFilters,
      ([id], request) => (isVisible(tenant.pages.get(id ?? '')) ? attachments(request, id) : notFound()),
      'attachments',
    ),
    v2('/attachments', attachmentFilters, (_ids, request) => attachments(request), 'attachments'),
    ...commentsOf('footer'),
    ...commentsOf('inline'),
  ]
}

function toLabels(page: WikiPage): { id: string; name: string; prefix: string }[] {
  return page.labels.map((name, index) => ({ id: `${page.id}${index}`, name, prefix: 'global' }))
}

function filterSpaces(tenant: WikiTenant, query: URLSearchParams) {
  const [ids, keys, labels] = [readList(query, 'ids'), readList(query, 'keys'), readList(query, 'labels')]
  const [type, status] = [query.get('type'), query.get('status')]
  return [...tenant.spaces.values()]
    .filter(
      (space) =>
        (ids?.includes(space.id) ?? true) &&
        (keys?.includes(space.key) ?? true) &&
        (labels === undefined || space.labels.some((label) => labels.includes(label))) &&
        (type === null || space.type === type) &&
        (status === null || space.status === status),
    )
    .sort(byId)
}

function sorted<Item extends { id: string; createdAt?: string; version: { createdAt: string }; title?: string }>(
  items: Item[],
  sort: string | null,
): Item[] {
  const descending = sort?.startsWith('-') ?? false
  const compare = {
    id: byId,
    'created-date': (a: Item, b: Item) => (a.createdAt ?? '').localeCompare(b.createdAt ?? '') || byId(a, b),
    'modified-date': (a: Item, b: Item) => a.version.createdAt.localeCompare(b.version.createdAt) || byId(a, b),
    title: (a: Item, b: Item) => (a.title ?? '').localeCompare(b.title ?? '') || byId(a, b),
  }[(sort ?? 'id').replace(/^-/, '')]
  if (compare === undefined) throw new BadRequest(`cannot sort by ${sort}`)
  return [...items].sort((a, b) => (descending ? compare(b, a) : compare(a, b)))
}

function bodyFormat(query: URLSearchParams): string | null {
  const format = query.get('body-format')
  if (format !== null && !['storage', 'atlas_doc_format', 'view'].includes(format))
    throw new BadRequest('unknown body-format')
  return format
}

const mediaToken = (fileId: string) => Buffer.from(`media:${fileId}`).toString('base64url')

function startMedia(tenant: WikiTenant): Promise<RunningServer> {
  return startServer((request) => {
    if (request.headers.authorization !== undefined) return json({ error: 'credentials are not for this host' }, 400)
    const fileId = /^\/file\/([^/]+)\/binary$/.exec(request.path)?.[1] ?? ''
    if (request.query.get('token') !== mediaToken(fileId)) return json({ error: 'the link has expired' }, 403)
    const attachment = [...tenant.attachments.values()].find((candidate) => candidate.fileId === fileId)
    if (attachment === undefined) return json({ error: 'no such file' }, 404)
    return { status: 200, headers: { 'content-type': attachment.mediaType }, body: attachment.bytes() }
  })
}
