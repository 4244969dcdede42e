import { isDeepStrictEqual } from 'node:util'
import { findLastSeq, listEntriesAfter } from '../audit/audit.store.ts'
import { parseSafeObject } from '../kernel/safe-text.ts'
import type { Store, Writer } from '../store/store.ts'
import type { Change } from './model.ts'

/** Runs `work` and returns what it adds to the audit trail. */
export function recordChanges<T>(writer: Writer, work: (writer: Writer) => T): { output: T; changes: Change[] } {
  const last = findLastSeq(writer)
  const output = work(writer)
  const changes = listEntriesAfter(writer, last).map(({ action, kind, name, before, after }) => ({
    action,
    kind,
    name,
    before: before === null ? null : parseSafeObject(before),
    after: after === null ? null : parseSafeObject(after),
  }))
  return { output, changes }
}

/** Members of what is written that depend on who writes it and when, or on chance. */
const incidental = new Set([
  ...['id', 'createdAt', 'createdBy', 'updatedAt'],
  ...['certifiedAt', 'certifiedBy', 'certifiedVia', 'deprecatedAt', 'deprecatedBy'],
])

/** Members that only serve the comparison. */
const digests = new Set(['digest', 'certifiedDigest'])

/** What differs, for a person. */
export function toDifference({ before, after, ...change }: Change): Change {
  const pick = (members: Change['after']) =>
    members &&
    (Object.fromEntries(
      Object.entries(members).filter(([name]) => {
        const isSame = isDeepStrictEqual(before?.[name] ?? null, after?.[name] ?? null)
        return !isSame && !incidental.has(name) && !digests.has(name)
      }),
    ) as Change['after'])
  return { ...change, before: pick(before), after: pick(after) }
}

const toEssence = ({ name, after, ...change }: Change) => ({
  ...change,
  // What is created may be numbered.
  name: change.action === 'create' ? null : name,
  after: after && Object.fromEntries(Object.entries(after).filter(([member]) => !incidental.has(member))),
})

/** Whether changes are the ones that were shown. */
export const areSameChanges = (one: readonly Change[], other: readonly Change[]): boolean =>
  isDeepStrictEqual(one.map(toEssence), other.map(toEssence))

/** The store with another way to write. */
export const withWrite = (store: Store, write: Store['write']): Store =>
  new Proxy(store, {
    get: (target, name) => {
      if (name === 'write') return write
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
