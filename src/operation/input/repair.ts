import type { z } from 'zod'
import { AppError, type Fix, type Issue, type Suggestion, toPath } from '../../kernel/errors.ts'
import { isObject } from '../../kernel/json-object.ts'
import { quote } from '../../kernel/shown.ts'
import { closest, isSameName, likeness, singularWordsOf } from '../../kernel/suggest.ts'
import { inputNode, type SchemaNode } from './coerce.ts'
import { suggestValues, toMessage } from './problem-text.ts'

/** The problems of an input, and the input with those corrected whose correction is certain. */
export interface Repair {
  issues: Issue[]
  suggestions: Suggestion[]
  /** The whole input, corrected; absent when nothing could be corrected without guessing. */
  repaired?: Record<string, unknown>
}

type Members = Record<string, unknown>
type Path = readonly PropertyKey[]

/**
 * Explains the issues of a schema, and corrects misspelt or misplaced keys where only one place is possible. `showKey`
 * masks the name of an unknown member for messages.
 */
export function explainIssues(
  schema: z.ZodType,
  raw: unknown,
  found: readonly z.core.$ZodIssue[],
  showKey: (key: string) => string,
): Repair {
  const root = inputNode(schema)
  const copy: unknown = structuredClone(raw)
  const repair: Repair = { issues: [], suggestions: [] }
  let changed = false
  for (const issue of found.flatMap(toMeantBranch)) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) {
        const place = findPlace(root, issue.path, key, copy)
        if (place !== undefined) changed = move(copy, [...issue.path, key], place, nodeAt(root, place)) || changed
        const message =
          place === undefined
            ? `is not a known key; ${listKeys(membersOf(nodeAt(root, issue.path)))}`
            : `is not a known key here; write it as ${toPath(place)}.`
        repair.issues.push({ path: toPath([...issue.path, showKey(key)]), message })
        if (place !== undefined) repair.suggestions.push({ value: toPath(place), kind: 'key' })
      }
      continue
    }
    repair.issues.push({ path: toPath(issue.path), message: toMessage(issue, nodeAt(root, issue.path)) })
    repair.suggestions.push(...suggestValues(issue, valueAt(raw, issue.path)))
  }
  return changed && isObject(copy) ? { ...repair, repaired: copy } : repair
}

/** The issues of the only branch of a union that has the type of the value, or else that of the union. */
function toMeantBranch(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const isWithin = ({ code, path }: z.core.$ZodIssue) => path.length > 0 || code === 'unrecognized_keys'
  const [meant, ...others] = issue.errors.filter((branch) => branch.length > 0 && branch.every(isWithin))
  if (meant === undefined || others.length > 0) return [issue]
  return meant.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }))
}

/**
 * Adds to an error which member contains the name that was not found or is ambiguous, and the corrected call when a
 * suggestion is the same name in another spelling.
 */
export function locateName(tool: string, input: Members, error: AppError): AppError {
  const { issues, fix, reason, suggestions = [] } = error.facts
  if (issues !== undefined || fix !== undefined || suggestions.length === 0) return error
  const texts = Object.entries(input).flatMap(([key, value]) => (typeof value === 'string' ? [{ key, value }] : []))
  const quoted = texts.filter(({ value }) => error.message.includes(quote(value)))
  const [only] = quoted.length > 0 ? quoted : texts
  if (only === undefined || (quoted.length !== 1 && texts.length !== 1)) return error
  const placed = { ...error.facts, issues: [{ path: only.key, message: error.message }] }
  const same = suggestions.filter(({ value }) => likeness(only.value, value) === 1)
  const [meant] = same
  if (error.code !== 'not_found' || reason === 'wrong_kind' || meant === undefined || same.length > 1) {
    return new AppError(error.code, error.message, placed)
  }
  const corrected: Fix = { tool, arguments: { ...input, [only.key]: meant.value } }
  return new AppError(error.code, error.message, { ...placed, fix: corrected })
}

/**
 * The only place for which a key that is unknown at its position can be meant, of several the one whose name begins
 * with it; undefined when there are none or several.
 */
function findPlace(root: SchemaNode, path: Path, key: string, raw: unknown): Path | undefined {
  const holder = valueAt(raw, path)
  const isFree = (at: Path) => valueAt(raw, at) === undefined
  const here = membersOf(nodeAt(root, path))
  if (here === undefined || !isObject(holder)) return undefined
  const exact = Object.keys(here).filter((known) => isSameName(known, key))
  const nested = Object.entries(here).flatMap(([member, node]) =>
    Object.keys(membersOf(node) ?? {})
      .filter((known) => isSameName(known, key))
      .map((known) => [member, known]),
  )
  // A number without its unit may be meant in another one.
  const within = Object.keys(here).filter((known) => isPartOfName(key, known) && !isQuantity(known))
  // A text under a name in the singular means a member for one value rather than a list: `term` before `filters.terms`.
  const isForLists = (place: string[]) => nodeAt(root, [...path, ...place])?.type === 'array'
  const isOne = typeof holder[key] === 'string'
  const alike = nested.filter((place) => !(isOne && isForLists(place)) || likeness(String(place.at(-1)), key) === 1)
  for (const candidates of [exact.map((known) => [known]), alike, within.map((known) => [known]), nested]) {
    const free = candidates
      .map((candidate) => [...path, ...candidate])
      .filter((place) => isFree(place) && couldBe(nodeAt(root, place), holder[key]))
    const [only, ...others] = free.length > 1 ? free.filter((place) => beginsName(key, String(place.at(-1)))) : free
    if (only !== undefined && others.length === 0) return only
    if (free.length > 0) return undefined
  }
  return undefined
}

/**
 * False for a value that the member accepts in no form: a word far from all in its enum, or a list of several for one
 * value.
 */
function couldBe(node: SchemaNode | undefined, value: unknown): boolean {
  if (node?.enum !== undefined && typeof value === 'string') {
    return closest(value.slice(0, 100), node.enum.map(String), (word) => word, 1).length > 0
  }
  const given = Array.isArray(value) ? 'array' : typeof value
  switch (node?.type) {
    case 'array':
    case 'object':
      return given === node.type || given === 'string'
    case 'string':
      return given === 'string' || isOneOf(value)
    case 'number':
    case 'integer':
      return given === 'number' || given === 'string'
    default:
      return true
  }
}

const isOneOf = (value: unknown): value is [unknown] => Array.isArray(value) && value.length === 1

const MAX_KEYS = 25

function listKeys(members: Record<string, SchemaNode> | undefined): string {
  const known = Object.keys(members ?? {})
  if (known.length === 0) return 'no keys are allowed here; remove it.'
  const more = known.length > MAX_KEYS ? ', …' : ''
  return `the known ${known.length === 1 ? 'key is' : 'keys are'} ${known.slice(0, MAX_KEYS).join(', ')}${more}.`
}

const isPartOfName = (part: string, name: string) => {
  const words = singularWordsOf(name)
  const given = singularWordsOf(part)
  return given.length > 0 && given.every((word) => words.includes(word))
}

const isQuantity = (name: string) => /(?:Hours|Days|Minutes|Seconds)$/.test(name)

const beginsName = (start: string, name: string) =>
  `${singularWordsOf(name).join(' ')} `.startsWith(`${singularWordsOf(start).join(' ')} `)

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

function move(raw: unknown, from: Path, to: Path, node: SchemaNode | undefined): boolean {
  const holder = valueAt(raw, from.slice(0, -1))
  const key = String(from.at(-1))
  const value = valueAt(raw, from)
  if (!isObject(holder)) return false
  let target: Members = holder
  for (const member of to.slice(from.length - 1, -1)) {
    const next = target[String(member)] ?? {}
    if (!isObject(next)) return false
    target[String(member)] = next
    target = next
  }
  target[String(to.at(-1))] = node?.type === 'string' && isOneOf(value) ? value[0] : value
  delete holder[key]
  return true
}
