import type { DefinitionFile } from './folder.ts'
import {
  type Definition,
  type DefinitionSet,
  isSame,
  isSameValue,
  type Kind,
  keyOf,
  kinds,
  type Members,
  toSet,
} from './model.ts'

export interface MemberChange {
  path: string
  before: unknown
  after: unknown
}

export interface DefinitionChange {
  action: 'create' | 'update' | 'delete'
  kind: Kind
  name: string
  /** The file that requires it. */
  file?: string
  before?: Definition
  after?: Definition
  /** The members that differ, for a definition that exists before and after. */
  members: MemberChange[]
}

export interface ApplyTarget {
  files: readonly DefinitionFile[]
  /** The kinds whose definitions are deleted if they have no file; empty without `--prune`. */
  pruned: ReadonlySet<Kind>
}

/** The resulting definitions: those of the files, and the present ones without a file unless their kind is pruned. */
export function toWanted(present: DefinitionSet, { files, pruned }: ApplyTarget): DefinitionSet {
  const wanted = toSet(files.map(({ definition }) => definition))
  for (const [key, definition] of present) {
    if (!wanted.has(key) && !pruned.has(definition.kind)) wanted.set(key, definition)
  }
  return wanted
}

/** The changes to make, by kind and name. */
export function listChanges(present: DefinitionSet, wanted: DefinitionSet, { files }: ApplyTarget): DefinitionChange[] {
  const fileOf = new Map(files.map(({ path, definition }) => [keyOf(definition), path]))
  const keys = [...new Set([...present.keys(), ...wanted.keys()])]
  return keys
    .flatMap((key): DefinitionChange[] => {
      const [before, after] = [present.get(key), wanted.get(key)]
      const file = fileOf.get(key)
      const named = { ...(file === undefined ? {} : { file }), members: [] }
      if (before === undefined) {
        return after === undefined ? [] : [{ action: 'create', kind: after.kind, name: after.name, after, ...named }]
      }
      const { kind, name } = before
      if (after === undefined) return [{ action: 'delete', kind, name, before, ...named }]
      if (isSame(before, after)) return []
      const members = compareMembers('', before.members, after.members)
      return [{ action: 'update', kind, name, before, after, ...named, members }]
    })
    .sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || (a.name < b.name ? -1 : 1))
}

function compareMembers(path: string, before: unknown, after: unknown): MemberChange[] {
  if (isSameValue(before, after)) return []
  const [from, to] = [toParts(before), toParts(after)]
  if (from === undefined || to === undefined) return [{ path, before: before ?? null, after: after ?? null }]
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((key) =>
    compareMembers(path === '' ? key : `${path}.${key}`, from[key], to[key]),
  )
}

/** The parts of a value: an object by its members, placements by their metric; undefined for a value without parts. */
function toParts(value: unknown): Members | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (!Array.isArray(value)) return { ...value }
  const placed = value.every((item) => typeof item === 'object' && item !== null && 'metricSlug' in item)
  if (!placed || value.length === 0) return undefined
  return Object.fromEntries(value.map(({ metricSlug, ...rest }) => [metricSlug, rest]))
}
