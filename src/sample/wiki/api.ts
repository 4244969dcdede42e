import type { SampleReply, SampleRequest } from '../exchange.ts'
import { createRouter, readJson, readList } from '../router.ts'
import { createListings, type Ordered, readCursor, toPage } from './listing.ts'
import type { WikiAttachment, WikiComment, WikiItem, WikiPage, WikiTenant } from './tenant.ts'
import {
  toAttachmentWire,
  toCommentWire,
  toLabelId,
  toLabelWire,
  toPageWire,
  toSpaceWire,
  toUserWire,
  toVersionedWire,
} from './wire.ts'

export const API_PATH = '/wiki/api/v2'

const titles: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  405: 'Method Not Allowed',
}

export function toError(status: number, detail: string): SampleReply {
  const code = status === 404 ? 'NOT_FOUND' : status === 401 ? 'UNAUTHORIZED' : 'INVALID_REQUEST_PARAMETER'
  return { status, body: { errors: [{ status, code, title: titles[status] ?? 'Error', detail }] } }
}

export interface WikiApiOptions {
  tenant: WikiTenant
  /** Whether the site-wide lists include replies; the platform guarantees neither. */
  siteListsHoldReplies: boolean
  /** The most items of one reply, even where more are asked for. */
  maxListed: number
  /** URL of the site, which ends in `/wiki`. */
  base: () => string
  listPermissions: (spaceId: string) => readonly { id: string }[]
}

interface Call {
  request: SampleRequest
  params: Record<string, string>
  query: URLSearchParams
}

type Kind = WikiPage['kind']

const noPage = () => toError(404, 'No page or blog post with this id is visible')

const DEFAULT_LIMIT = 25
const DEFAULT_ATTACHMENT_LIMIT = 50

/** The v2 API for one tenant: handles authenticated requests below `/wiki/api/v2`. */
export function createWikiApi({ tenant, siteListsHoldReplies, maxListed, base, listPermissions }: WikiApiOptions) {
  const list = createListings(tenant)
  const visible = (pageId: string, statuses: readonly string[] = ['current', 'archived']) =>
    statuses.includes(tenant.pages.get(pageId)?.status ?? 'gone')
  const commentsOf = new Map<string, WikiComment[]>()
  const attachmentsOf = new Map<string, WikiAttachment[]>()
  let indexedRevision = -1

  /** Rebuilt after an edit, so that a request for one page does not search all items. */
  function index(): void {
    if (indexedRevision === tenant.revision) return
    indexedRevision = tenant.revision
    commentsOf.clear()
    attachmentsOf.clear()
    const put = <T>(groups: Map<string, T[]>, key: string, item: T) => {
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [item])
      else group.push(item)
    }
    for (const comment of tenant.comments.values()) put(commentsOf, comment.parentId ?? comment.pageId, comment)
    for (const attachment of tenant.attachments.values()) put(attachmentsOf, attachment.pageId, attachment)
  }

  function reply<T>(
    { request, query }: Call,
    ordered: Ordered<T>,
    toWire: (item: T) => unknown,
    standard = DEFAULT_LIMIT,
  ): SampleReply {
    const given = query.get('cursor')
    const cursor = given === null ? undefined : readCursor(given)
    if (given !== null && cursor === undefined) return toError(400, 'The cursor is invalid or has expired')
    const limit = Math.min(Number(query.get('limit') ?? standard), maxListed)
    const page = toPage(ordered, cursor, limit)
    const parameters = new URLSearchParams(query)
    parameters.set('limit', String(limit))
    if (page.next !== undefined) parameters.set('cursor', page.next)
    // As on the platform, the path does not include the gateway's prefix.
    const path = request.path.slice(request.path.indexOf(API_PATH))
    const next = page.next === undefined ? undefined : `${path}?${parameters}`
    const link = [...(next === undefined ? [] : [`<${next}>; rel="next"`]), `<${base()}>; rel="base"`].join(', ')
    const links = { ...(next === undefined ? {} : { next }), base: base() }
    return { status: 200, headers: { link }, body: { results: page.items.map(toWire), _links: links } }
  }

  function findPage(kind: Kind, id: string | undefined): WikiPage | undefined {
    const page = tenant.pages.get(id ?? '')
    return page?.kind !== kind || page.status === 'deleted' ? undefined : page
  }

  const readStatuses = (kind: Kind, query: URLSearchParams) =>
    readList(query, 'status') ?? (kind === 'page' ? ['current', 'archived'] : ['current'])

  function listPages(call: Call, kind: Kind, name: string, select: (page: WikiPage) => boolean): SampleReply {
    const { query } = call
    const statuses = readStatuses(kind, query)
    const wanted = (page: WikiPage) => page.kind === kind && statuses.includes(page.status) && select(page)
    const key = `${kind} ${name} ${statuses} ${query.get('space-id') ?? ''}`
    const ordered = list(key, query.get('sort') ?? 'id', () => [...tenant.pages.values()].filter(wanted))
    const format = query.get('body-format')
    return reply(call, ordered, (page) => toPageWire(tenant, page, format))
  }

  function pagesById(call: Call, kind: Kind, ids: readonly string[]): SampleReply {
    const statuses = readStatuses(kind, call.query)
    const spaces = readList(call.query, 'space-id')
    const found = [...new Set(ids)]
      .flatMap((id) => tenant.pages.get(id) ?? [])
      .filter((page) => page.kind === kind && tenant.spaces.has(page.spaceId) && statuses.includes(page.status))
      .filter((page) => spaces === undefined || spaces.includes(page.spaceId))
    const ordered = list(`${kind} ${ids} ${statuses} ${spaces ?? ''}`, call.query.get('sort') ?? 'id', () => found)
    const format = call.query.get('body-format')
    return reply(call, ordered, (page) => toPageWire(tenant, page, format))
  }

  function listAttachments(call: Call, name: string, all: () => Iterable<WikiAttachment>): SampleReply {
    const { query } = call
    const statuses = readList(query, 'status') ?? ['current', 'archived']
    const wanted = (file: WikiAttachment) => statuses.includes(file.status) && visible(file.pageId)
    const key = `attachments ${name} ${statuses}`
    const ordered = list(key, query.get('sort') ?? 'created-date', () => [...all()].filter(wanted))
    return reply(call, ordered, (file) => toAttachmentWire(tenant, file), DEFAULT_ATTACHMENT_LIMIT)
  }

  function listComments(
    call: Call,
    name: string,
    place: 'page' | 'reply' | 'site',
    all: () => Iterable<WikiComment>,
    select: (comment: WikiComment) => boolean,
  ): SampleReply {
    const { query } = call
    const statuses = readList(query, 'status') ?? ['current']
    const wanted = (comment: WikiComment) =>
      statuses.includes(comment.status) && visible(comment.pageId) && select(comment)
    const key = `comments ${name} ${statuses}`
    const ordered = list(key, query.get('sort') ?? 'created-date', () => [...all()].filter(wanted))
    const format = query.get('body-format')
    return reply(call, ordered, (comment) => toCommentWire(tenant, comment, format, place))
  }

  function pageComments(call: Call, holder: Kind, kind: WikiComment['kind']): SampleReply {
    const id = call.params.id ?? ''
    if (findPage(holder, id) === undefined) return noPage()
    const roots = () => commentsOf.get(id) ?? []
    return listComments(
      call,
      `${kind} ${id}`,
      'page',
      roots,
      (comment) => comment.kind === kind && comment.pageId === id,
    )
  }

  function replies(call: Call, kind: WikiComment['kind']): SampleReply {
    const id = call.params.id ?? ''
    const parent = tenant.comments.get(id)
    if (parent?.kind !== kind) return toError(404, 'No comment with this id is visible')
    return listComments(
      call,
      `replies ${id}`,
      'reply',
      () => commentsOf.get(id) ?? [],
      (reply) => reply.parentId === id,
    )
  }

  function siteComments(call: Call, kind: WikiComment['kind']): SampleReply {
    const wanted = (comment: WikiComment) =>
      comment.kind === kind && (siteListsHoldReplies || comment.parentId === undefined)
    return listComments(call, `site ${kind}`, 'site', () => tenant.comments.values(), wanted)
  }

  function listSpaces(call: Call): SampleReply {
    const { query } = call
    const [ids, keys, labels] = ['ids', 'keys', 'labels'].map((name) => readList(query, name))
    const [type, status] = [query.get('type'), query.get('status')]
    const spaces = [...tenant.spaces.values()].filter(
      (space) =>
        (ids === undefined || ids.includes(space.id)) &&
        (keys === undefined || keys.includes(space.key)) &&
        (labels === undefined || labels.some((label) => space.labels.includes(label))) &&
        (type === null || space.type === type) &&
        (status === null || space.status === status),
    )
    const ordered = list(`spaces ${ids} ${keys} ${labels} ${type} ${status}`, query.get('sort') ?? 'id', () => spaces)
    return reply(call, ordered, (space) => toSpaceWire(space, query.get('description-format')))
  }

  function permissionsOf(call: Call): SampleReply {
    const spaceId = call.params.id ?? ''
    if (!tenant.spaces.has(spaceId)) return toError(404, 'No space with this id is visible')
    const items = listPermissions(spaceId).toSorted((a, b) => (a.id < b.id ? -1 : 1))
    const keys = items.map(({ id }) => ({ value: id, id }))
    return reply(call, { items, keys, descending: false }, (item) => item)
  }

  function listLabels(call: Call): SampleReply {
    const pages = [...tenant.pages.values()].filter(({ status }) => status === 'current' || status === 'archived')
    const names = [...new Set(pages.flatMap(({ labels }) => labels))].sort()
    const keys = names.map((name) => ({ value: name, id: name }))
    return reply(call, { items: names, keys, descending: false }, toLabelWire)
  }

  function showPage({ params, query }: Call, kind: Kind): SampleReply {
    const page = findPage(kind, params.id)
    const statuses = readList(query, 'status') ?? ['current', 'archived', 'trashed']
    if (page === undefined || !statuses.includes(page.status)) return noPage()
    const number = query.get('version')
    const version = number === null ? page : versionsOf(page).find((item) => item.version.number === Number(number))
    if (version === undefined) return toError(404, 'There is no such version')
    const wire = toPageWire(tenant, version, query.get('body-format'))
    return { status: 200, body: { ...wire, _links: { ...wire._links, base: base() } } }
  }

  function showAttachment({ params }: Call): SampleReply {
    const file = tenant.attachments.get(params.id ?? '')
    if (file === undefined || !visible(file.pageId)) return toError(404, 'No attachment with this id is visible')
    const wire = toAttachmentWire(tenant, file)
    return { status: 200, body: { ...wire, _links: { ...wire._links, base: base() } } }
  }

  const versionsOf = <T extends WikiItem>(item: T) => [...((tenant.versions.get(item.id) ?? []) as T[]), item]

  function listVersions(call: Call, item: WikiItem | undefined, name: string): SampleReply {
    if (item === undefined) return toError(404, 'No item with this id is visible')
    const numbered = versionsOf(item).map((version) => ({ ...version, id: String(version.version.number) }))
    const ordered = list(`versions ${item.id}`, call.query.get('sort') ?? 'modified-date', () => numbered)
    const format = call.query.get('body-format')
    return reply(call, ordered, (version) => toVersionedWire(tenant, { ...version, id: item.id }, name, format))
  }

  function bulkUsers({ request }: Call): SampleReply {
    const body = readJson(request.body)
    const accounts = body?.accountIds
    if (!Array.isArray(accounts) || accounts.length > 250)
      return toError(400, 'accountIds must be a list of at most 250')
    return {
      status: 200,
      body: { results: accounts.flatMap((id) => tenant.users.get(String(id)) ?? []).map(toUserWire) },
    }
  }

  /** The calls that pages and blog posts have alike. */
  const routesOf = (kind: Kind): Record<string, (call: Call) => SampleReply> => ({
    [`GET /spaces/{id}/${kind}s`]: (call) => {
      const id = call.params.id ?? ''
      if (!tenant.spaces.has(id)) return toError(404, 'No space with this id is visible')
      return listPages(call, kind, `space ${id}`, (page) => page.spaceId === id)
    },
    [`GET /${kind}s`]: (call) => {
      const ids = readList(call.query, 'id')
      if (ids !== undefined) return pagesById(call, kind, ids)
      const spaces = readList(call.query, 'space-id')
      return listPages(call, kind, 'site', (page) => spaces === undefined || spaces.includes(page.spaceId))
    },
    [`GET /${kind}s/{id}`]: (call) => showPage(call, kind),
    [`GET /${kind}s/{id}/attachments`]: (call) => {
      const id = call.params.id ?? ''
      if (findPage(kind, id) === undefined) return noPage()
      return listAttachments(call, id, () => attachmentsOf.get(id) ?? [])
    },
    [`GET /${kind}s/{id}/footer-comments`]: (call) => pageComments(call, kind, 'footer'),
    [`GET /${kind}s/{id}/inline-comments`]: (call) => pageComments(call, kind, 'inline'),
    [`GET /${kind}s/{id}/versions`]: (call) => listVersions(call, findPage(kind, call.params.id), kind),
  })

  const versionsOfComment = (call: Call) => listVersions(call, tenant.comments.get(call.params.id ?? ''), 'comment')

  const find = createRouter<(call: Call) => SampleReply>({
    ...routesOf('page'),
    ...routesOf('blogpost'),
    'GET /spaces': listSpaces,
    'GET /spaces/{id}/permissions': permissionsOf,
    'GET /attachments': (call) => listAttachments(call, 'site', () => tenant.attachments.values()),
    'GET /attachments/{id}': showAttachment,
    'GET /attachments/{id}/versions': (call) =>
      listVersions(call, tenant.attachments.get(call.params.id ?? ''), 'attachment'),
    'GET /footer-comments/{id}/versions': versionsOfComment,
    'GET /inline-comments/{id}/versions': versionsOfComment,
    'GET /footer-comments': (call) => siteComments(call, 'footer'),
    'GET /inline-comments': (call) => siteComments(call, 'inline'),
    'GET /footer-comments/{id}/children': (call) => replies(call, 'footer'),
    'GET /inline-comments/{id}/children': (call) => replies(call, 'inline'),
    'GET /labels': listLabels,
    'GET /labels/{id}/pages': (call) => {
      const id = call.params.id ?? ''
      return listPages(call, 'page', `label ${id}`, (page) => page.labels.some((name) => toLabelId(name) === id))
    },
    'POST /users-bulk': bulkUsers,
  })

  return function answer(request: SampleRequest, path: string): SampleReply {
    const match = find(request.method, path)
    if (match === undefined) return toError(400, `The contract has no ${request.method} ${path}`)
    index()
    return match.handle({ request, params: match.params, query: request.query })
  }
}
