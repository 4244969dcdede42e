import type { WikiTenant } from '../../../src/sample/wiki/tenant.ts'
import type { SeededRandom } from '../../properties/query-data.ts'

/** The licensed users of a tenant. */
export const licensedOf = (tenant: WikiTenant): string[] =>
  [...tenant.users.values()].flatMap(({ accountId, closed, app }) => (closed || app ? [] : [accountId]))

/** The rules of a page, the outermost first: undefined where nobody is restricted. */
function rulesOf(tenant: WikiTenant, id: string) {
  const rules = []
  let parent: string | null = id
  while (parent !== null) {
    const item: { parentId: string | null } | undefined = tenant.pages.get(parent) ?? tenant.folders.get(parent)
    const rule = tenant.restrictions.get(parent)
    if (rule !== undefined && rule.users.length + rule.groups.length > 0) rules.unshift(rule)
    parent = item?.parentId ?? null
  }
  return [tenant.access.get(tenant.pages.get(id)?.spaceId ?? ''), ...rules]
}

type Rule = ReturnType<typeof rulesOf>[number]

const admits = (tenant: WikiTenant, rule: Rule, person: string) =>
  rule === undefined ||
  rule.users.includes(person) ||
  rule.groups.some((group) => tenant.groups.get(group)?.members.includes(person))

/** Whether the platform shows a page to a licensed user, or to a visitor. */
export function mayRead(tenant: WikiTenant, id: string, person: string | undefined): boolean {
  return rulesOf(tenant, id).every((rule, index) => {
    const access = index === 0 ? tenant.access.get(tenant.pages.get(id)?.spaceId ?? '') : undefined
    if (access?.anonymous === true) return true
    return person !== undefined && admits(tenant, rule, person)
  })
}

/** The narrowest kind of rule among those that restrict a page. */
export function isForPeopleOnly(tenant: WikiTenant, id: string): boolean {
  const licensed = licensedOf(tenant)
  const isAll = (rule: Rule) => licensed.every((person) => admits(tenant, rule, person))
  return rulesOf(tenant, id).some((rule, index) => {
    const isOpen = index === 0 && tenant.access.get(tenant.pages.get(id)?.spaceId ?? '')?.anonymous === true
    return !isOpen && rule !== undefined && !isAll(rule) && rule.groups.length === 0
  })
}

/** Gives a tenant people, groups, permissions of its spaces, and restrictions of some pages. */
export function restrict(tenant: WikiTenant, random: SeededRandom, people: number): void {
  for (let index = 0; index < people; index++) {
    const accountId = `person-${index}`
    const state = index % 11 === 3 ? { closed: true } : index % 13 === 5 ? { app: true } : {}
    tenant.addUser({ accountId, displayName: accountId, email: `${accountId}@example.com`, ...state })
  }
  const ids = licensedOf(tenant)
  // A group does not list accounts that are closed, nor those of programs.
  for (let index = 0; index < 8; index++) {
    const share = [0.05, 0.2, 0.5, 0.9, 1][index % 5] ?? 1
    const members = share === 1 ? ids : ids.filter(() => random.chance(share))
    tenant.groups.set(`group-${index}`, { id: `group-${index}`, name: random.pick(['everyone', 'staff']), members })
  }
  const some = (most: number) => ({
    users: random.chance(0.5) ? random.some([...tenant.users.keys()], most) : [],
    groups: random.chance(0.6) ? random.some([...tenant.groups.keys()], 2) : [],
  })
  for (const [index, { id }] of [...tenant.spaces.values()].entries()) {
    const access = { ...some(4), anonymous: index % 5 === 1, unlicensed: false }
    if (access.users.length + access.groups.length === 0 && !access.anonymous) access.groups = ['group-4']
    tenant.access.set(id, access)
  }
  for (const id of [...tenant.pages.keys(), ...tenant.folders.keys()]) {
    if (random.chance(0.15)) tenant.restrictions.set(id, some(5))
  }
}
