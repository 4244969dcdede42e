import type { SampleReply, SampleRequest } from '../exchange.ts'
import { readCursor, toCursor } from './listing.ts'
import type { WikiAccess, WikiTenant } from './tenant.ts'

/** Names of those whom an item is restricted to that the search includes. */
const MAX_INCLUDED = 200
const ALL = 'sample-all-users'

const found = (body: unknown): SampleReply => ({ status: 200, body })
const missing: SampleReply = { status: 404, body: { statusCode: 404, message: 'Not found' } }

/** Who may read what in a tenant, as API v1 and the permissions of API v2 show it. */
export function createAccessApi(tenant: WikiTenant, base: () => string) {
  const licensed = () => [...tenant.users.values()].filter(({ closed, app }) => closed !== true && app !== true)
  const membersOf = (id: string) =>
    id === ALL ? licensed().map(({ accountId }) => accountId) : tenant.groups.get(id)?.members

  const toUsers = (ids: readonly string[]) =>
    ids.map((accountId) => ({ type: 'known', accountId, accountType: 'atlassian' }))
  const toGroups = (ids: readonly string[]) =>
    ids.map((id) => ({ type: 'group', id, name: tenant.groups.get(id)?.name ?? id }))
  const toNames = ({ users, groups }: Pick<WikiAccess, 'users' | 'groups'>, start: number, limit: number) => {
    const cut = <T>(items: readonly T[]) => {
      const results = items.slice(start, start + limit)
      return { results, start, limit, size: results.length }
    }
    return { user: cut(toUsers(users)), group: cut(toGroups(groups)) }
  }
  const restrictionOf = (id: string) => tenant.restrictions.get(id) ?? { users: [], groups: [] }
  const accessOf = (spaceId: string): WikiAccess =>
    tenant.access.get(spaceId) ?? { users: [], groups: [ALL], anonymous: false, unlicensed: false }

  function listAncestors(id: string): { id: string; type: string }[] {
    const { parentId = null, parentType = 'page' } = tenant.pages.get(id) ?? tenant.folders.get(id) ?? {}
    return parentId === null ? [] : [...listAncestors(parentId), { id: parentId, type: parentType }]
  }

  function search({ query }: SampleRequest): SampleReply {
    const [, list] = /^id in \(([\d,]+)\)$/.exec(query.get('cql') ?? '') ?? []
    if (list === undefined) return { status: 400, body: { statusCode: 400, message: 'Could not parse cql' } }
    const { contentStatuses = ['current'] } = JSON.parse(query.get('cqlcontext') ?? '{}') as {
      contentStatuses?: string[]
    }
    const isFound = (id: string) =>
      tenant.folders.has(id) || contentStatuses.includes(tenant.pages.get(id)?.status ?? 'gone')
    const all = list.split(',').filter(isFound)
    const start = Number(readCursor(query.get('cursor') ?? '')?.value ?? 0)
    const limit = Math.min(Number(query.get('limit') ?? 25), 100)
    const results = all.slice(start, start + limit).map((id) => ({
      id,
      type: tenant.pages.get(id)?.kind ?? 'folder',
      status: tenant.pages.get(id)?.status ?? 'current',
      ancestors: listAncestors(id),
      restrictions: { read: { operation: 'read', restrictions: toNames(restrictionOf(id), 0, MAX_INCLUDED) } },
    }))
    const cursor = start + limit < all.length ? toCursor({ value: start + limit, id: 'next' }) : undefined
    const next = cursor && { next: `/rest/api/content/search?${new URLSearchParams({ cursor })}` }
    return found({ results, start, limit, size: results.length, _links: { base: base(), context: '/wiki', ...next } })
  }

  /** As the permissions of API v2, which do not say whether visitors may read a space. */
  function listPermissions(spaceId: string) {
    const { users, groups } = accessOf(spaceId)
    const toPermission = (type: string, id: string, key: string) => ({
      id: `${spaceId}-${type}-${id}-${key}`,
      principal: { type, id },
      operation: { key, targetType: 'space' },
    })
    return [
      ...users.map((id) => toPermission('user', id, 'read')),
      ...groups.flatMap((id) => [toPermission('group', id, 'read'), toPermission('group', id, 'export')]),
    ]
  }

  const routes: Record<string, (request: SampleRequest, params: Record<string, string>) => SampleReply> = {
    'GET /wiki/rest/api/space/{key}': (_request, { key }) => {
      const space = [...tenant.spaces.values()].find((each) => each.key === key)
      if (space === undefined) return missing
      const { anonymous: anonymousAccess, unlicensed: unlicensedAccess } = accessOf(space.id)
      const operation = { operation: 'read', targetType: 'space' }
      const permissions = [
        { id: 1, operation, anonymousAccess, unlicensedAccess: false },
        { id: 2, operation, anonymousAccess: false, unlicensedAccess },
      ]
      return found({ id: space.id, key, name: space.name, type: space.type, permissions })
    },
    'GET /wiki/rest/api/content/search': search,
    'GET /wiki/rest/api/content/{id}/restriction/byOperation/read': ({ query }, { id = '' }) => {
      if (!tenant.pages.has(id)) return missing
      const names = toNames(restrictionOf(id), Number(query.get('start') ?? 0), Number(query.get('limit') ?? 100))
      return found({ operation: 'read', restrictions: names })
    },
    'GET /wiki/rest/api/group/{id}/membersByGroupId': ({ query }, { id = '' }) => {
      const members = membersOf(id)
      if (members === undefined) return missing
      const [start, limit] = [Number(query.get('start') ?? 0), Math.min(Number(query.get('limit') ?? 200), 200)]
      const results = toUsers(members.slice(start, start + limit))
      const total = query.get('shouldReturnTotalSize') === 'true' ? { totalSize: members.length } : {}
      return found({ results, start, limit, size: results.length, ...total })
    },
    'GET /wiki/rest/api/search/user': ({ query }) => {
      const limit = Number(query.get('limit') ?? 25)
      const users = licensed()
      const results = users.slice(0, limit).map(({ accountId }) => ({ user: { accountId, type: 'known' } }))
      return found({ results, start: 0, limit, size: results.length, totalSize: users.length })
    },
  }
  return { routes, listPermissions }
}
