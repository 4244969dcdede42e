import { AppError } from '../../kernel/errors.ts'
import { ListLimit } from '../http/list-limit.ts'
import type { HttpClient } from '../http/transport.ts'
import type { Workspace } from './model.ts'
import { type Item, toItem, toItems } from './wire.ts'

type Query = Record<string, string | number | undefined>

const WORKSPACES_PER_CALL = 1000
const ADMIN_WORKSPACES_PER_CALL = 5000
const MAX_PAGES = 1_000
/** A longer link to a next page is not followed. */
const MAX_LINK = 8_000
const MAX_ITEMS = 100_000

/**
 * Validates an id from the platform before it becomes a path segment.
 * @throws AppError `unavailable`, reason `gone`, where it has characters that ids never have
 */
function segment(id: string): string {
  if (!/^[\w-]{1,100}$/.test(id)) {
    throw new AppError('unavailable', 'The platform returned an id in an unknown format; the item is skipped.', {
      reason: 'gone',
    })
  }
  return id
}

/** Path prefix of a workspace's items; empty for the caller's own workspace. */
const pathOf = (workspace: Workspace) => (workspace.kind === 'me' ? '' : `/groups/${segment(workspace.id)}`)

/**
 * The list in a response body; an empty body is an empty list.
 * @throws AppError `unavailable`, reason `protocol_error`, where the body is not a list
 */
function requireList(body: unknown): unknown[] {
  const list = Array.isArray(body) || body === undefined ? (body ?? []) : (body as { value?: unknown } | null)?.value
  if (Array.isArray(list)) return list
  const message = 'The platform answered with something other than a list; check the address.'
  throw new AppError('unavailable', message, { reason: 'protocol_error' })
}

function idOfItem(item: Item, member = 'id'): string {
  const id = item.id(member)
  if (id !== undefined) return id
  const message = 'The platform listed entries without an id; scan again later.'
  throw new AppError('unavailable', message, { reason: 'entries_unreadable' })
}

export interface Listing {
  items: Item[]
  /** True where the listing repeated itself or exceeded the page limit, so it may be incomplete. */
  looped: boolean
}

/**
 * The API calls, returning response items as `Item`s. Admin calls and queries have their own rate limits and therefore
 * their own clients.
 */
export function createApi({ members: client, admins, queries }: Record<'members' | 'admins' | 'queries', HttpClient>) {
  async function value(path: string, query: Query = {}, through = client): Promise<Item[]> {
    const items: Item[] = []
    const seen = new Set<string>()
    const bounds = new ListLimit('held', client.held)
    let parameters = query
    for (;;) {
      const since = performance.now()
      const { body, size } = await through.json<unknown>({ path, query: parameters })
      const list = requireList(body)
      bounds.count(since, { items: list.length, bytes: size })
      for (const item of list) items.push(toItem(item))
      const next = toItem(body).text('@odata.nextLink')
      if (next === undefined) return items
      const url = URL.parse(next, 'http://next.invalid')
      if (seen.has(next) || next.length > MAX_LINK || url === null) break
      seen.add(next)
      parameters = { ...query, ...Object.fromEntries(url.searchParams) }
    }
    const message = 'The platform returned the same page of a list twice; scan again later.'
    throw new AppError('unavailable', message, { reason: 'cursor_loop' })
  }

  /** Pages through lists without a next link: a page with fewer than `top` items is the last. */
  async function skipping(path: string, top: number, query: Query = {}, through = client): Promise<Listing> {
    const items: Item[] = []
    const firsts = new Set<string>()
    while (firsts.size < MAX_PAGES && items.length < MAX_ITEMS) {
      const found = await value(path, { ...query, $top: top, $skip: items.length }, through)
      const first = found[0]?.id('id') ?? ''
      if (found.length > 0 && firsts.has(first)) return { items, looped: true }
      firsts.add(first)
      for (const item of found) items.push(item)
      if (found.length < top) return { items, looped: false }
    }
    return { items, looped: true }
  }

  return {
    /** To be called where the lists that were read so far are no longer needed. */
    dropLists: () => {
      client.held.bytes = 0
    },
    /** Throws where the credential is no longer accepted. */
    probe: () => value('/groups', { $top: 1 }),
    workspaces: () => skipping('/groups', WORKSPACES_PER_CALL),
    async workspace(id: string): Promise<Item> {
      const { body } = await client.json<unknown>({ path: `/groups/${segment(id)}` })
      const envelope = body as { value?: unknown } | undefined
      return Array.isArray(envelope?.value) ? (toItems(envelope.value)[0] ?? toItem({})) : toItem(body)
    },
    adminWorkspaces: (filter: string) =>
      skipping('/admin/groups', ADMIN_WORKSPACES_PER_CALL, { $filter: filter }, admins),
    /** Items of any workspace, as administrators list them. */
    adminItems: (kind: 'datasets' | 'reports' | 'dashboards', filter: string) =>
      value(`/admin/${kind}`, { $filter: filter }, admins),
    adminProbe: () => value('/admin/groups', { $top: 1 }, admins),
    /**
     * Ids of the workspaces modified since an instant, which must be between one hour and 30 days ago.
     * @throws AppError `unavailable`, reason `entries_unreadable`, where an entry has no id
     */
    async modifiedWorkspaces(since: string): Promise<ReadonlySet<string>> {
      const items = await value('/admin/workspaces/modified', { modifiedSince: since }, admins)
      return new Set(items.map((item) => idOfItem(item)))
    },
    /** Ids of the items that everyone in the organization, or on the web, can open by a link. */
    async widelyShared(list: 'linksSharedToWholeOrganization' | 'publishedToWeb'): Promise<ReadonlySet<string>> {
      const ids = new Set<string>()
      let query: Query = {}
      for (let page = 0; page < MAX_PAGES; page++) {
        const reply = toItem((await admins.json<unknown>({ path: `/admin/widelySharedArtifacts/${list}`, query })).body)
        for (const item of reply.items('artifactAccessEntities')) ids.add(idOfItem(item, 'artifactId'))
        const next = reply.text('continuationUri')
        if (next === undefined) return ids
        // Its path may be that of the other list.
        query = Object.fromEntries(URL.parse(next, 'http://next.invalid')?.searchParams ?? [])
      }
      const message = 'The platform continues a list without end; scan again later.'
      throw new AppError('unavailable', message, { reason: 'cursor_loop' })
    },
    workspaceUsers: (workspace: Workspace) => skipping(`${pathOf(workspace)}/users`, WORKSPACES_PER_CALL),
    datasets: (workspace: Workspace) => value(`${pathOf(workspace)}/datasets`),
    reports: (workspace: Workspace) => value(`${pathOf(workspace)}/reports`),
    dashboards: (workspace: Workspace) => value(`${pathOf(workspace)}/dashboards`),
    pages: (workspace: Workspace, reportId: string) => value(`${pathOf(workspace)}/reports/${segment(reportId)}/pages`),
    tiles: (workspace: Workspace, dashboardId: string) =>
      value(`${pathOf(workspace)}/dashboards/${segment(dashboardId)}/tiles`),
    dataSources: (workspace: Workspace, datasetId: string) =>
      value(`${pathOf(workspace)}/datasets/${segment(datasetId)}/datasources`),
    parameters: (workspace: Workspace, datasetId: string) =>
      value(`${pathOf(workspace)}/datasets/${segment(datasetId)}/parameters`),
    lastRefresh: (workspace: Workspace, datasetId: string) =>
      value(`${pathOf(workspace)}/datasets/${segment(datasetId)}/refreshes`, { $top: 1 }),
    tables: (workspace: Workspace, datasetId: string) =>
      value(`${pathOf(workspace)}/datasets/${segment(datasetId)}/tables`),
    upstreamDataflows: (workspace: Workspace) => value(`${pathOf(workspace)}/datasets/upstreamDataflows`),
    /**
     * Runs one DAX query. Statuses 400 and 404, which describe the dataset or the tenant, are returned instead of
     * thrown.
     */
    async query(workspace: Workspace, datasetId: string, dax: string): Promise<{ status: number; body: unknown }> {
      const { status, body } = await queries.json<unknown>({
        method: 'POST',
        path: `${pathOf(workspace)}/datasets/${segment(datasetId)}/executeQueries`,
        body: { queries: [{ query: dax }], serializerSettings: { includeNulls: true } },
        accept: [400, 404],
      })
      return { status, body }
    },
  }
}

export type BiApi = ReturnType<typeof createApi>
