import type { Log } from '../../runtime/log.ts'
import { type Audience, type AudienceRule, toAudience } from '../audience.ts'
import type { BiApi } from './api.ts'
import { judge } from './failure.ts'
import type { Scanner } from './scanner.ts'
import type { Item } from './wire.ts'

/** What is known of one workspace: whom it admits, and whom each of its items does, by the ids of the items. */
export interface WorkspaceAccess {
  own: AudienceRule | null
  items: ReadonlyMap<string, AudienceRule | null>
}

const itemLists = ['datasets', 'reports', 'dashboards'] as const
const originalIds = ['originalReportObjectId', 'originalReportId', 'originalDashboardObjectId'] as const
const none: AudienceRule = { groups: [], people: [] }

const hasAccess = (user: Item) =>
  user.texts().every(([name, value]) => !/accessright$/i.test(name) || !/^none$/i.test(value))

/** Those who are listed with some right; null where the platform lists no one because it was not asked, or refuses. */
function toRule(users: readonly Item[] | undefined): AudienceRule | null {
  if (users === undefined) return null
  const rule = { everyone: false, others: false, groups: [] as string[], people: [] as string[] }
  for (const user of users.filter(hasAccess)) {
    const id = (user.text('graphId') ?? user.text('identifier') ?? user.text('emailAddress'))?.toLowerCase()
    const type = user.text('principalType')?.toLowerCase()
    if (type === 'none') rule.everyone = true
    else if (type === 'user' && id !== undefined) rule.people.push(id)
    else if (type === 'group' && id !== undefined) rule.groups.push(id)
    else if (type !== 'app') rule.others = true
  }
  return rule
}

/** Whom either of two rules admits. */
function either(one: AudienceRule | null, other: AudienceRule | null): AudienceRule | null {
  if (one === null || other === null) return null
  const has = (flag: 'everyone' | 'others') => one[flag] === true || other[flag] === true
  return {
    everyone: has('everyone'),
    others: has('others'),
    groups: [...one.groups, ...other.groups],
    people: [...one.people, ...other.people],
  }
}

/** The users of a workspace and of its items, as the metadata scan reports them. */
export function toAccess(workspace: Item): WorkspaceAccess {
  const own = toRule(workspace.list('users'))
  const items = itemLists.flatMap((list) => workspace.items(list))
  // The platform does not list who may use an app.
  const inApps = new Set(
    items.flatMap((item) =>
      item.id('appId') === undefined ? [] : [item.id('id'), ...originalIds.map((name) => item.id(name))],
    ),
  )
  return {
    own,
    items: new Map(
      items.map((item) => {
        const id = item.id('id') ?? ''
        const rule = either(own, toRule(item.list('users')))
        return [id, rule !== null && inApps.has(id) ? { ...rule, others: true } : rule]
      }),
    ),
  }
}

/** The groups of an organization are not shown to this API, so one that decides leaves the audience unknown. */
const directory = { everyone: null, groupOf: () => undefined }

/**
 * Reads who can read workspaces and their items: from the metadata scan, at most three requests for 100 workspaces, and
 * two lists of the whole tenant.
 */
export function createAudienceReader({
  api,
  scanner,
  known,
  log,
}: {
  api: BiApi
  /** Fills `known` with the workspaces that are asked for. */
  scanner: Pick<Scanner, 'find'>
  known: ReadonlyMap<string, WorkspaceAccess>
  log: Log
}) {
  let shared: Promise<readonly [links: ReadonlySet<string>, web: ReadonlySet<string>] | undefined> | undefined

  async function readShared() {
    try {
      return [
        await api.widelyShared('linksSharedToWholeOrganization'),
        await api.widelyShared('publishedToWeb'),
      ] as const
    } catch (error) {
      await judge(error, api.probe)
      log.info('some audiences are unknown', { unread: 'widely shared items' })
      return undefined
    }
  }

  return {
    async read(workspaceId: string, keys: readonly string[]): Promise<Map<string, Audience>> {
      if (!known.has(workspaceId)) await scanner.find(workspaceId)
      const access = known.get(workspaceId)
      if (access === undefined) return new Map()
      shared ??= readShared()
      const lists = await shared
      const audienceOf = (kind: string, id: string): Audience => {
        if (kind === 'workspace') return toAudience([access.own], directory)
        const [links, web] = lists ?? []
        if (web?.has(id) === true) return toAudience([{ ...none, anonymous: true }], directory)
        const rule = lists === undefined ? null : (access.items.get(id) ?? null)
        return toAudience([links?.has(id) === true ? { ...none, everyone: true } : rule], directory)
      }
      return new Map(
        keys.map((key) => {
          const [, , kind = '', id = ''] = key.split(':')
          return [key, audienceOf(kind, id)]
        }),
      )
    },
  }
}
