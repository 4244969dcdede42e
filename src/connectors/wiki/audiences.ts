import type { Log } from '../../runtime/log.ts'
import { type Audience, type AudienceRule, type Group, toAudience } from '../audience.ts'
import { endsScan } from '../failure.ts'
import type { WikiClient } from './client.ts'
import { messageOf, settleRefusal } from './failure.ts'
import { readList } from './listing.ts'
import type { Owners } from './owners.ts'
import {
  ContentAccessWire,
  CountWire,
  MembersWire,
  NamesWire,
  SpaceAccessWire,
  SpacePermissionWire,
  type SpaceWire,
} from './wire.ts'

/** Items whose restrictions one request asks for, so that its address stays below the limits of proxies. */
const ITEMS_PER_CALL = 80
const MEMBERS_PER_CALL = 200
const NAMES_PER_CALL = 100
/** The list of those whom one item is restricted to is read up to this many requests. */
const MAX_CALLS = 100

/** What an item lies in, and whom it is restricted to itself. */
interface Place {
  ancestors: readonly string[]
  /** Undefined: not restricted. Null: not read. */
  readers: AudienceRule | null | undefined
}

export interface AudienceReader {
  /** The audience of a space, and those of its pages and blog posts by their ids. */
  read(space: SpaceWire, ids: readonly string[]): Promise<{ own: Audience; items: ReadonlyMap<string, Audience> }>
}

/**
 * Reads who can read spaces, pages and blog posts: two requests for a space, one for many items, and one for a group.
 */
export function createAudienceReader(client: WikiClient, owners: Owners, log: Log): AudienceReader {
  const { http } = client
  const groups = new Map<string, Promise<Group | undefined>>()
  let licensed: Promise<number | undefined> | undefined

  /** Undefined where the platform refuses or fails. */
  async function attempt<T>(what: string, request: () => Promise<T>): Promise<T | undefined> {
    try {
      return await request()
    } catch (failure) {
      const error = await settleRefusal(failure, client.isSignedIn)
      if (endsScan(error)) throw error
      log.info('some audiences are unknown', { unread: what, why: messageOf(error) })
      return undefined
    }
  }

  /** Whom the permissions of a space admit; null where they were not read. */
  async function readSpace({ id, key }: SpaceWire): Promise<AudienceRule | null> {
    const [granted, access] = await Promise.all([
      attempt('permissions of a space', () =>
        readList(http, { path: `/spaces/${encodeURIComponent(id)}/permissions`, item: SpacePermissionWire }),
      ),
      attempt('anonymous access to a space', async () => {
        const path = `/rest/api/space/${encodeURIComponent(key)}`
        return SpaceAccessWire.safeParse((await http.json({ path, query: { expand: 'permissions' } })).body).data
      }),
    ])
    if (granted === undefined || access === undefined) return null
    const principals = granted.flatMap(({ operation, principal }) =>
      operation?.key === 'read' && operation.targetType === 'space' ? [principal] : [],
    )
    const idsOf = (type: string) => principals.flatMap((each) => (each?.type === type ? (each.id ?? []) : []))
    const [people, named] = [idsOf('user'), idsOf('group')]
    const open = access.permissions.filter(
      ({ operation }) => operation?.operation === 'read' && operation.targetType === 'space',
    )
    // Every space has readers, so these permissions are not shown.
    if (principals.length === 0 && open.length === 0) return null
    return {
      people,
      groups: named,
      others: people.length + named.length < principals.length,
      anonymous: open.some(({ anonymousAccess }) => anonymousAccess === true),
      unlicensed: open.some(({ unlicensedAccess }) => unlicensedAccess === true),
    }
  }

  /** The rest of the names of a restriction; undefined where they were not read. */
  async function readNames(id: string): Promise<NamesWire | undefined> {
    const names: NamesWire = { user: { results: [] }, group: { results: [] } }
    for (let call = 0; call < MAX_CALLS; call++) {
      const path = `/rest/api/content/${encodeURIComponent(id)}/restriction/byOperation/read`
      const query = { start: call * NAMES_PER_CALL, limit: NAMES_PER_CALL }
      const { body } = await http.json<{ restrictions?: unknown }>({ path, query })
      const page = NamesWire.safeParse(body?.restrictions).data
      if (page === undefined) return undefined
      names.user.results.push(...page.user.results)
      names.group.results.push(...page.group.results)
      if (page.user.results.length < NAMES_PER_CALL && page.group.results.length < NAMES_PER_CALL) return names
    }
    return undefined
  }

  async function toPlace({ id, ancestors, restrictions }: ContentAccessWire): Promise<Place> {
    const shown = restrictions?.read?.restrictions ?? undefined
    const isCut = [shown?.user, shown?.group].some((list) => (list?.results.length ?? 0) >= (list?.limit ?? Infinity))
    const names = isCut ? await attempt('restrictions of an item', () => readNames(id)) : shown
    return { ancestors: ancestors.map((each) => each.id), readers: names === undefined ? null : toReaders(names) }
  }

  /** Items with their restrictions; those that the platform does not show are missing. */
  async function readPlaces(ids: readonly string[]): Promise<Map<string, Place>> {
    const places = new Map<string, Place>()
    const calls = Array.from({ length: Math.ceil(ids.length / ITEMS_PER_CALL) }, (_, call) =>
      ids.slice(call * ITEMS_PER_CALL, (call + 1) * ITEMS_PER_CALL),
    )
    const read = async (asked: readonly string[]) => {
      const query = {
        cql: `id in (${asked.join(',')})`,
        cqlcontext: JSON.stringify({ contentStatuses: ['current', 'archived'] }),
        expand: 'ancestors,restrictions.read.restrictions.user,restrictions.read.restrictions.group',
      }
      const list = { root: '/rest/api', path: '/content/search', query, item: ContentAccessWire, limit: asked.length }
      const found = await attempt('restrictions of items', () => readList(http, list))
      for (const item of found ?? []) places.set(item.id, await toPlace(item))
    }
    await Promise.all(calls.map(read))
    http.held.bytes = 0
    return places
  }

  /** The number of licensed users. */
  function countLicensed(): Promise<number | undefined> {
    licensed ??= attempt('the number of users', async () => {
      const query = { cql: 'type=user', limit: 1, sitePermissionTypeFilter: 'none' }
      const { body } = await http.json({ path: '/rest/api/search/user', query })
      return CountWire.safeParse(body).data?.totalSize || undefined
    })
    return licensed
  }

  function readGroup(id: string): Promise<Group | undefined> {
    const known = groups.get(id)
    if (known !== undefined) return known
    const group = attempt('members of a group', async (): Promise<Group | undefined> => {
      const path = `/rest/api/group/${encodeURIComponent(id)}/membersByGroupId`
      const { body } = await http.json({ path, query: { limit: MEMBERS_PER_CALL, shouldReturnTotalSize: 'true' } })
      const list = MembersWire.safeParse(body).data
      if (list === undefined) return undefined
      const isWhole = list.results.length < MEMBERS_PER_CALL && list.results.length >= (list.totalSize ?? 0)
      const members = new Set(list.results.flatMap(({ accountId }) => accountId ?? []))
      if (isWhole && members.size === list.results.length) return { size: members.size, members }
      return { size: isWhole ? list.results.length : (list.totalSize ?? null) }
    })
    groups.set(id, group)
    return group
  }

  /** Those of a rule who are people, and whose accounts are not closed. */
  const withPresentPeople = (rule: AudienceRule): AudienceRule => ({
    ...rule,
    people: rule.people.filter((id) => owners.statusOf(id) !== 'gone' && owners.isApp(id) !== true),
  })

  return {
    async read(space, ids) {
      const [ofSpace, places] = await Promise.all([readSpace(space), readPlaces(ids.filter(isId))])
      const outside = new Set([...places.values()].flatMap(({ ancestors }) => ancestors)).difference(places)
      for (const [id, place] of await readPlaces([...outside].filter(isId))) places.set(id, place)
      const rulesOf = (id: string): (AudienceRule | null)[] => {
        const place = places.get(id)
        if (place === undefined) return [null]
        const own = [id, ...place.ancestors].map((each) => {
          const found = places.get(each)
          return found === undefined ? null : found.readers
        })
        return [ofSpace, ...own.filter((readers) => readers !== undefined)]
      }
      const all = [ofSpace, ...places.values().map(({ readers }) => readers)].flatMap((rule) => rule ?? [])
      await owners.learn(all.flatMap(({ people }) => people))
      const named = new Map<string, Group | undefined>()
      await Promise.all(all.flatMap((rule) => rule.groups).map(async (id) => named.set(id, await readGroup(id))))
      const directory = { everyone: (await countLicensed()) ?? null, groupOf: (id: string) => named.get(id) }
      const judge = (rules: (AudienceRule | null)[]) =>
        toAudience(
          rules.map((rule) => (rule === null ? null : withPresentPeople(rule))),
          directory,
        )
      return { own: judge([ofSpace]), items: new Map(ids.map((id) => [id, judge(rulesOf(id))])) }
    },
  }
}

const isId = (id: string) => /^\d+$/.test(id)

/** Whom an item is restricted to; undefined where the lists are empty, which restricts no one. */
function toReaders({ user, group }: NamesWire): AudienceRule | undefined {
  if (user.results.length + group.results.length === 0) return undefined
  const groups = group.results.flatMap(({ id }) => id ?? [])
  return {
    people: user.results.flatMap(({ accountId }) => accountId ?? []),
    groups,
    others: groups.length < group.results.length,
  }
}
