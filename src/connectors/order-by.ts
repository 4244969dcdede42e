/** What LATEST sampling can order by. */
export type Order = 'modified' | 'created' | 'refreshed' | 'name' | 'id'

/** The names that both platforms accept for each order, in camelCase; the first is shown as its name. */
const names: Record<Order, readonly string[]> = {
  modified: [
    'modifiedDate',
    'modifiedAt',
    'modifiedDateTime',
    'modifiedTime',
    'modified',
    'lastModified',
    'lastModifiedAt',
    'lastModifiedDate',
    'lastModifiedDateTime',
    'lastModifiedTime',
    'lastUpdated',
    'updated',
    'updatedAt',
    'updatedDate',
    'updatedDateTime',
    'updatedTime',
  ],
  created: ['createdDate', 'createdAt', 'createdDateTime', 'createdTime', 'created', 'creationDate'],
  refreshed: ['lastRefreshTime', 'lastRefresh', 'lastRefreshDate', 'lastRefreshedAt', 'refreshedAt'],
  name: ['name', 'title', 'displayName'],
  id: ['id'],
}

export const listOrderNames = (orders: readonly Order[]): string[] => orders.flatMap((order) => names[order])

/** The order for an accepted name; the default is the time of the last change. */
export function toOrder(name: string | undefined): Order {
  const known = Object.entries(names) as [Order, readonly string[]][]
  return known.find(([, synonyms]) => name !== undefined && synonyms.includes(name))?.[0] ?? 'modified'
}
