import { z } from 'zod'
import { toPath } from '../../kernel/errors.ts'
import { quote } from '../../kernel/shown.ts'

/** A place where the form of the input was adapted to the schema without a change of its meaning. */
export interface Coercion {
  path: string
  message: string
}

/** The part of JSON Schema on which the form of input depends. */
export interface SchemaNode {
  type?: string | string[]
  enum?: unknown[]
  synonyms?: Readonly<Record<string, string>>
  const?: unknown
  pattern?: string
  items?: SchemaNode
  properties?: Record<string, SchemaNode>
  required?: string[]
  additionalProperties?: SchemaNode | boolean
  anyOf?: SchemaNode[]
}

/** Maximum length of a quoted value in a message. */
const MAX_QUOTED_LENGTH = 40

type Path = readonly PropertyKey[]
type Note = (path: Path, message: string) => void

/** Words that are read as a word of an enum; they are no part of the published schema. */
export const wordSynonyms = z.registry<{ synonyms: Readonly<Record<string, string>> }>()

const compiled = new WeakMap<z.ZodType, SchemaNode>()

export function inputNode(schema: z.ZodType): SchemaNode {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const node = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const known = wordSynonyms.get(zodSchema)
      if (known !== undefined) Object.assign(jsonSchema, known)
    },
  }) as SchemaNode
  compiled.set(schema, node)
  return node
}

/**
 * Removes nulls and empty texts from optional members that do not allow null: many programs fill in all members that
 * they do not use.
 */
export function leaveOutEmpty(schema: z.ZodType, raw: unknown): { value: unknown; coerced: Coercion[] } {
  const coerced: Coercion[] = []
  const value = dropEmpty(inputNode(schema), raw, [], (path, message) => coerced.push({ path: toPath(path), message }))
  return { value, coerced }
}

function dropEmpty(node: SchemaNode, value: unknown, path: Path, note: Note): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || node.properties === undefined) return value
  const { properties, required = [] } = node
  const members = Object.entries(value).flatMap(([key, member]) => {
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined
    const isEmpty = member === null || member === ''
    if (isEmpty && known !== undefined && !required.includes(key) && !admitsNull(known)) {
      note([...path, key], `was ${member === null ? 'null' : 'empty'}; treated as absent.`)
      return []
    }
    return [[key, known === undefined ? member : dropEmpty(known, member, [...path, key], note)]]
  })
  return Object.fromEntries(members)
}

function admitsNull({ type, anyOf, enum: words }: SchemaNode): boolean {
  return [type].flat().includes('null') || words?.includes(null) === true || (anyOf ?? []).some(admitsNull)
}

/**
 * Accepts input in forms that programs and language models often use: a list or an object as JSON text, a single value
 * for a list, a number or a boolean as text, an enum in another letter case or with other
 * separators. Keys are never changed, and anything still
 * wrong is left for the schema to refuse.
 */
export function coerce(schema: z.ZodType, raw: unknown): { value: unknown; coerced: Coercion[] } {
  const coerced: Coercion[] = []
  const value = adapt(inputNode(schema), raw, [], (path, message) => coerced.push({ path: toPath(path), message }))
  return { value, coerced }
}

function adapt(node: SchemaNode, value: unknown, path: Path, note: Note): unknown {
  if (value === undefined || value === null) return value
  if (node.anyOf !== undefined) return adapt(chooseBranch(node.anyOf, value), value, path, note)
  switch (node.type) {
    case 'array':
      return adaptList(node, value, path, note)
    case 'object':
      return adaptObject(node, value, path, note)
    case 'number':
    case 'integer':
      return adaptNumber(node.type, value, path, note)
    case 'boolean':
      return adaptBoolean(value, path, note)
    default:
      return adaptWord(node, value, path, note)
  }
}

function adaptList(node: SchemaNode, value: unknown, path: Path, note: Note): unknown {
  const items = node.items ?? {}
  if (Array.isArray(value)) return value.map((item, index) => adapt(items, item, [...path, index], note))
  const parsed = parseJson(value, '[')
  if (Array.isArray(parsed)) {
    note(path, 'was a string containing a JSON list; read as that list.')
    return adaptList(node, parsed, path, note)
  }
  if (typeof value !== 'string') return value
  const parts = value.split(',').map((part) => part.trim())
  if (parts.length > 1 && parts.every((part) => findWord(items, part) !== undefined)) {
    note(path, 'was a comma-separated string; read as a list.')
    return adaptList(node, parts, path, note)
  }
  note(path, 'was a single value; read as a list of one.')
  return [adapt(items, value, [...path, 0], note)]
}

function adaptObject(node: SchemaNode, value: unknown, path: Path, note: Note): unknown {
  const parsed = parseJson(value, '{')
  if (parsed !== undefined && !Array.isArray(parsed)) {
    note(path, 'was a string containing a JSON object; read as that object.')
    return adaptObject(node, parsed, path, note)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const others = typeof node.additionalProperties === 'object' ? node.additionalProperties : {}
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const known = Object.hasOwn(node.properties ?? {}, key) ? node.properties?.[key] : undefined
      return [key, adapt(known ?? others, member, [...path, key], note)]
    }),
  )
}

function adaptNumber(type: 'number' | 'integer', value: unknown, path: Path, note: Note): unknown {
  if (typeof value !== 'string' || !/^\s*-?(?:0|[1-9]\d{0,15})(?:\.\d{1,15})?\s*$/.test(value)) return value
  const number = Number(value)
  if (type === 'integer' && !Number.isSafeInteger(number)) return value
  note(path, 'was a string; read as a number.')
  return number
}

function adaptBoolean(value: unknown, path: Path, note: Note): unknown {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
  if (word !== 'true' && word !== 'false') return value
  note(path, 'was a string; read as a boolean.')
  return word === 'true'
}

function adaptWord(node: SchemaNode, value: unknown, path: Path, note: Note): unknown {
  if (typeof value !== 'string') return value
  const word = findWord(node, value.trim())
  if (word === undefined || word === value) return value
  note(path, `was ${quote(value, MAX_QUOTED_LENGTH)}; read as ${quote(word)}.`)
  return word
}

/** Words with separators. A credential is not respelled, because it would no longer be recognized and masked. */
const plainWords = /^[a-z]{1,16}(?:[ .-][a-z]{1,16})*$/i

/** The spelling that the schema knows for a word: from an enum, or from a pattern that allows capitals only. */
function findWord(node: SchemaNode, text: string): string | undefined {
  const words = node.enum ?? (node.const === undefined ? undefined : [node.const])
  if (words === undefined) {
    if (node.pattern === undefined) return undefined
    const pattern = toPattern(node.pattern)
    const capitals = text.toUpperCase()
    const isWords = !pattern.test('a') && plainWords.test(text)
    const spellings = [text, capitals, ...(isWords ? [capitals.replaceAll(/[ .-]/g, '_')] : [])]
    return spellings.find((spelling) => pattern.test(spelling))
  }
  if (words.includes(text)) return text
  const alike = words.filter((word) => typeof word === 'string' && toLetters(word) === toLetters(text))
  if (alike.length === 1) return String(alike[0])
  const synonym = Object.entries(node.synonyms ?? {}).find(([word]) => word === text.toLowerCase())
  return synonym?.[1]
}

/** A word without letter case and separators. */
const toLetters = (word: string) => word.toLowerCase().replace(/[\s_-]+/g, '')

function toPattern(source: string): RegExp {
  try {
    return new RegExp(source, 'u')
  } catch {
    return new RegExp(source)
  }
}

/** The branch that fits the value best: the same type, with most of its keys. */
function chooseBranch(branches: SchemaNode[], value: unknown): SchemaNode {
  if (typeof value === 'string') {
    const word = branches.find((branch) => findWord(branch, value.trim()) !== undefined)
    const type = { '{': 'object', '[': 'array' }[value.trimStart().slice(0, 1)]
    const parsed = branches.find((branch) => branch.type !== undefined && branch.type === type)
    if (word ?? parsed) return word ?? parsed ?? {}
  }
  const given = Array.isArray(value) ? 'array' : typeof value
  const scores = branches.map((branch) => {
    const same = branch.type === given || (branch.type === 'integer' && given === 'number') ? 1 : 0
    const keys = given === 'object' ? Object.keys(value as object) : []
    return same + keys.filter((key) => Object.hasOwn(branch.properties ?? {}, key)).length
  })
  const best = scores.indexOf(Math.max(...scores))
  const notNull = branches.find((branch) => branch.type !== 'null')
  return (scores[best] ? branches[best] : notNull) ?? {}
}

/** The list or object that a text is as JSON. */
export function parseJson(value: unknown, opening: '[' | '{'): object | undefined {
  if (typeof value !== 'string' || !value.trimStart().startsWith(opening)) return undefined
  try {
    const parsed: unknown = JSON.parse(value)
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined
  } catch {
    return undefined
  }
}
