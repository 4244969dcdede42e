import type { z } from 'zod'
import type { Issue, Suggestion } from '../kernel/errors.ts'
import { toPath } from '../kernel/errors.ts'
import { closest } from '../kernel/suggest.ts'
import { inputNode, type SchemaNode } from './coerce.ts'

/** What was wrong with an input, and the input without what could be put right for certain. */
export interface Repair {
  issues: Issue[]
  suggestions: Suggestion[]
  /** The whole input, corrected; absent when there was nothing that could be corrected without guessing. */
  repaired?: Record<string, unknown>
}

type Members = Record<string, unknown>
type Path = readonly PropertyKey[]

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Explains the issues of a schema, and corrects keys that are misspelt or misplaced where only one place is possible. */
export function explainIssues(schema: z.ZodType, raw: unknown, found: readonly z.core.$ZodIssue[]): Repair {
  const root = inputNode(schema)
  const copy: unknown = structuredClone(raw)
  const repair: Repair = { issues: [], suggestions: [] }
  let changed = false
  for (const issue of found) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) {
        const place = findPlace(root, issue.path, key, copy)
        if (place !== undefined) changed = move(copy, [...issue.path, key], place) || changed
        const message =
          place === undefined
            ? 'is not a known key; remove it or check its spelling.'
            : `is not a known key here; write it as ${toPath(place)}.`
        repair.issues.push({ path: toPath([...issue.path, key]), message })
        if (place !== undefined) repair.suggestions.push({ value: toPath(place), kind: 'key' })
      }
      continue
    }
    repair.issues.push({ path: toPath(issue.path), message: toMessage(issue) })
    repair.suggestions.push(...suggestValues(issue, valueAt(raw, issue.path)))
  }
  return changed && isMembers(copy) ? { ...repair, repaired: copy } : repair
}

/** The one place that a key that is not known where it stands can be meant for. */
function findPlace(root: SchemaNode, path: Path, key: string, raw: unknown): Path | undefined {
  const holder = valueAt(raw, path)
  const isFree = (at: Path) => valueAt(raw, at) === undefined
  const here = membersOf(nodeAt(root, path))
  if (here === undefined || !isMembers(holder)) return undefined
  const exact = Object.keys(here).filter((known) => isSameName(known, key))
  const nested = Object.entries(here).flatMap(([member, node]) =>
    Object.keys(membersOf(node) ?? {})
      .filter((known) => isSameName(known, key))
      .map((known) => [member, known]),
  )
  const within = Object.keys(here).filter((known) => isPartOfName(key, known))
  for (const candidates of [exact.map((known) => [known]), nested, within.map((known) => [known])]) {
    const free = candidates.map((candidate) => [...path, ...candidate]).filter(isFree)
    if (free.length === 1) return free[0]
    if (free.length > 1) return undefined
  }
  return undefined
}

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .map((word) =>
      word
        .replace(/ies$/, 'y')
        .replace(/(s)es$/, '$1')
        .replace(/([^s])s$/, '$1'),
    )

/** The same words, whatever their letter case, separators and number. */
const isSameName = (a: string, b: string) => wordsOf(a).join(' ') === wordsOf(b).join(' ')

const isPartOfName = (part: string, name: string) => {
  const words = wordsOf(name)
  const given = wordsOf(part)
  return given.length > 0 && given.every((word) => words.includes(word))
}

function membersOf(node: SchemaNode | undefined): Record<string, SchemaNode> | undefined {
  return node?.properties ?? node?.anyOf?.find((branch) => branch.properties !== undefined)?.properties
}

function nodeAt(root: SchemaNode, path: Path): SchemaNode | undefined {
  let node: SchemaNode | undefined = root
  for (const key of path) {
    node = typeof key === 'number' ? node?.items : membersOf(node)?.[String(key)]
  }
  return node
}

function valueAt(raw: unknown, path: Path): unknown {
  let value: unknown = raw
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<PropertyKey, unknown>)[key]
  }
  return value
}

function move(raw: unknown, from: Path, to: Path): boolean {
  const holder = valueAt(raw, from.slice(0, -1))
  const key = String(from.at(-1))
  const value = valueAt(raw, from)
  if (!isMembers(holder)) return false
  let target: Members = holder
  for (const member of to.slice(from.length - 1, -1)) {
    const next = target[String(member)] ?? {}
    if (!isMembers(next)) return false
    target[String(member)] = next
    target = next
  }
  target[String(to.at(-1))] = value
  delete holder[key]
  return true
}

function suggestValues(issue: z.core.$ZodIssue, given: unknown): Suggestion[] {
  if (issue.code === 'invalid_value' && typeof given === 'string') {
    const known = issue.values.filter((value) => typeof value === 'string')
    return closest(given, known, (value) => value, 3).map((value) => ({ value, kind: 'value' }))
  }
  if (issue.code === 'too_big' && typeof given === 'number') return [{ value: String(issue.maximum), kind: 'value' }]
  if (issue.code === 'too_small' && typeof given === 'number') return [{ value: String(issue.minimum), kind: 'value' }]
  return []
}

/** The problem as a person says it; messages that a schema states itself are kept. */
function toMessage(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && issue.message.startsWith('Invalid input')) {
    return issue.message.endsWith('received undefined')
      ? `is missing; give ${withArticle(issue.expected)}.`
      : `must be ${withArticle(issue.expected)}.`
  }
  if (issue.code === 'invalid_value' && issue.message.startsWith('Invalid')) {
    const words = issue.values.map(String)
    const given =
      typeof issue.input === 'string' ? closest(issue.input.slice(0, 100), words, (word) => word, 1)[0] : undefined
    const meant = given === undefined ? '' : `; did you mean ${given}?`
    return `must be ${words.length === 1 ? '' : 'one of '}${words.join(', ')}${meant === '' ? '.' : meant}`
  }
  return issue.message
}

function withArticle(expected: string): string {
  const type = expected === 'int' ? 'whole number' : expected
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}
