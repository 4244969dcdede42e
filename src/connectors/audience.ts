/** Who can read an item, from the widest to the narrowest; `unknown` where a part of it could not be read. */
export const audiences = ['anonymous', 'everyone', 'group', 'people', 'unknown'] as const
export type AudienceName = (typeof audiences)[number]

export interface Audience {
  name: AudienceName
  /** The number of people; null where it is not known. */
  size: number | null
}

/** Those whom one rule of the platform admits; groups and people by their ids. */
export interface AudienceRule {
  /** Also who is not signed in. */
  anonymous?: boolean
  /** Every licensed user, or the whole organization. */
  everyone?: boolean
  /** Also people who sign in without a licence; their number is not known. */
  unlicensed?: boolean
  /** Also others, who may be anyone. */
  others?: boolean
  groups: readonly string[]
  people: readonly string[]
}

/** A group as far as it was read. */
export interface Group {
  /** Null where it is not known. */
  size: number | null
  /** Absent where not all are known. */
  members?: ReadonlySet<string>
}

export interface Directory {
  /** The number of licensed users; null where it is not known. */
  everyone: number | null
  /** Undefined for a group that could not be read. */
  groupOf(id: string): Group | undefined
}

/** What one rule comes to, with the people where they are all known. */
interface Admitted extends Audience {
  members?: ReadonlySet<string>
}

const unknown: Admitted = { name: 'unknown', size: null }

/** Groups and people are everyone if they are as many as there are licensed users; their names do not matter. */
function toAdmitted(rule: AudienceRule | null, { everyone, groupOf }: Directory): Admitted {
  if (rule === null) return unknown
  if (rule.anonymous === true) return { name: 'anonymous', size: null }
  if (rule.others === true) return unknown
  if (rule.unlicensed === true) return { name: 'everyone', size: null }
  const all: Admitted = { name: 'everyone', size: everyone }
  if (rule.everyone === true) return all
  const people = new Set(rule.people)
  const groups = rule.groups.map((id): Group => groupOf(id) ?? { size: null })
  const sizes = [people.size, ...groups.map(({ size }) => size ?? 0)]
  if (everyone !== null && Math.max(...sizes) >= everyone) return all
  const members = groups.reduce<ReadonlySet<string> | undefined>(
    (union, group) => (group.members === undefined ? undefined : union?.union(group.members)),
    people,
  )
  if (groups.length === 0) return { name: 'people', size: people.size, members: people }
  if (everyone === null || groups.some(({ size }) => size === null)) return unknown
  if (members !== undefined && members.size >= everyone) return all
  if (members !== undefined) return { name: 'group', size: members.size, members }
  // Groups overlap, so together they may be everyone although none of them is.
  if (sizes.reduce((sum, size) => sum + size) >= everyone) return unknown
  return { name: 'group', size: groups.length === 1 && people.size === 0 ? (sizes[1] ?? null) : null }
}

/**
 * Who passes all the rules of an item and of what it lies in. A rule is null where it could not be read. An empty list
 * of names on the platform is no rule, because it restricts no one.
 */
export function toAudience(rules: readonly (AudienceRule | null)[], directory: Directory): Audience {
  const admitted = rules.map((rule) => toAdmitted(rule, directory))
  if (admitted.some(({ name }) => name === 'unknown')) return unknown
  const signedIn = admitted.filter(({ name }) => name !== 'anonymous')
  if (signedIn.length === 0) return { name: 'anonymous', size: null }
  const narrower = signedIn.filter(({ name }) => name !== 'everyone')
  const [first, ...others] = narrower
  if (first === undefined) return { name: 'everyone', size: signedIn.find(({ size }) => size !== null)?.size ?? null }
  const name = narrower.some((rule) => rule.name === 'people') ? 'people' : 'group'
  if (others.length === 0) return { name, size: first.size }
  const members = narrower.reduce<ReadonlySet<string> | undefined>(
    (both, rule) => (rule.members === undefined ? undefined : both?.intersection(rule.members)),
    first.members,
  )
  return { name, size: members?.size ?? null }
}

/** The audience of what can be read in several places. */
export function toWidest(places: readonly Audience[]): Audience {
  const [first, ...others] = places
  if (first === undefined) return unknown
  const widest = audiences.find((name) => places.some((place) => place.name === name)) ?? 'unknown'
  const isCertain = widest === 'anonymous' || places.every(({ name }) => name !== 'unknown')
  if (!isCertain) return unknown
  return { name: widest, size: others.length === 0 ? first.size : null }
}
