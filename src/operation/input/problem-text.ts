import type { z } from 'zod'
import type { Suggestion } from '../../kernel/errors.ts'
import { closest } from '../../kernel/suggest.ts'
import type { SchemaNode } from './coerce.ts'

/** Members that a message lists; larger objects list theirs when one of them is wrong. */
const MAX_MEMBERS = 12

/** Valid values in place of the given one. */
export function suggestValues(issue: z.core.$ZodIssue, given: unknown): Suggestion[] {
  const words = wordsFor(issue)
  if (words.length > 0 && typeof given === 'string') {
    const known = words.filter((value) => typeof value === 'string')
    return closest(given.slice(0, 100), known, (value) => value, 3).map((value) => ({ value, kind: 'value' }))
  }
  if (issue.code === 'too_big' && typeof given === 'number') return [{ value: String(issue.maximum), kind: 'value' }]
  if (issue.code === 'too_small' && typeof given === 'number') return [{ value: String(issue.minimum), kind: 'value' }]
  return []
}

/** The allowed words, when the schema has a closed list of them. */
function wordsFor(issue: z.core.$ZodIssue): readonly unknown[] {
  if (issue.code === 'invalid_value') return issue.values
  return issue.code === 'invalid_union' ? issue.errors.flat().flatMap(wordsFor) : []
}

/** The message of an issue in plain words; messages that a schema defines itself are kept. */
export function toMessage(issue: z.core.$ZodIssue, node: SchemaNode = {}): string {
  if (issue.code === 'invalid_type' && issue.message.startsWith('Invalid input')) {
    const wanted = withArticle(issue.expected) + showShape(node)
    return issue.message.endsWith('received undefined') ? `is missing; give ${wanted}.` : `must be ${wanted}.`
  }
  if (issue.code === 'too_big' && issue.message.startsWith('Too big')) return toBound('at most', issue.maximum, issue)
  if (issue.code === 'too_small' && issue.message.startsWith('Too small')) {
    return toBound('at least', issue.minimum, issue)
  }
  const words = wordsFor(issue).map(String)
  if (words.length > 0 && issue.message.startsWith('Invalid')) {
    const types = issue.code === 'invalid_union' ? issue.errors.flat().flatMap(toType) : []
    const other = [...new Set(types)].map((type) => `, or ${type}`).join('')
    const given =
      typeof issue.input === 'string' ? closest(issue.input.slice(0, 100), words, (word) => word, 1)[0] : undefined
    const meant = given === undefined ? '' : `; did you mean ${given}?`
    const choice = `${words.length === 1 ? '' : 'one of '}${words.join(', ')}${other}`
    if (issue.input === undefined) return `is missing; give ${choice}.`
    return `must be ${choice}${meant === '' ? '.' : meant}`
  }
  return ofLibrary.test(issue.message) ? toPlainMessage(issue) : issue.message
}

/** What a list consists of, or which members an object has, two levels deep. */
function showShape(node: SchemaNode): string {
  const { enum: words } = node.items ?? {}
  if (words !== undefined) return ` of ${words.join(' or ')}`
  if (node.items?.type === 'string') return ' of strings'
  const members = Object.entries(node.properties ?? {})
  if (members.length === 0 || members.length > MAX_MEMBERS) return ''
  const shown = members.map(([name, { properties = {} }]) => {
    const inner = Object.keys(properties)
    return inner.length === 0 ? name : `${name}: {${inner.join(', ')}}`
  })
  return ` {${shown.join(', ')}}`
}

/** How messages of the schema library begin, for issues whose schema has no message of its own. */
const ofLibrary = /^(?:Invalid|Too |Unrecognized|Expected)/

const formatWords: Readonly<Record<string, string>> = {
  email: 'must be an email address.',
  url: 'must be an address, such as https://host.example.',
  uuid: 'must be a UUID.',
  guid: 'must be a UUID.',
  date: 'must be a day such as 2026-01-31.',
  datetime: 'must be an ISO 8601 timestamp such as 2026-01-31T09:00:00Z.',
  ipv4: 'must be an IP address.',
  ipv6: 'must be an IP address.',
  cidrv4: 'must be a network such as 10.0.0.0/8.',
  cidrv6: 'must be a network such as fd00::/8.',
}

function toPlainMessage(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_format':
      return formatWords[issue.format] ?? 'does not have the expected form.'
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}.`
    case 'unrecognized_keys':
      return 'contains a key that is not known; remove it.'
    case 'invalid_key':
      return 'contains a key that is not allowed.'
    case 'invalid_union':
      return toUnionMessage(issue)
    default:
      return 'is not valid.'
  }
}

function toUnionMessage(issue: z.core.$ZodIssueInvalidUnion): string {
  const { options } = issue as { options?: unknown }
  if (Array.isArray(options)) return `must be one of ${options.join(', ')}.`
  const types = [...new Set(issue.errors.flat().flatMap((inner) => (inner.path.length === 0 ? toType(inner) : [])))]
  return types.length === 0 ? 'has none of the accepted forms.' : `must be ${types.join(' or ')}.`
}

const toType = (issue: z.core.$ZodIssue) => (issue.code === 'invalid_type' ? [withArticle(issue.expected)] : [])

function toBound(bound: 'at most' | 'at least', amount: number | bigint, { origin }: { origin: string }): string {
  const unit = amount === 1 ? '' : 's'
  if (origin === 'string') return `must be ${bound} ${amount} character${unit} long.`
  if (origin === 'array' || origin === 'set') return `must contain ${bound} ${amount} item${unit}.`
  return `must be ${bound} ${amount}.`
}

function withArticle(expected: string): string {
  const type = expected === 'int' ? 'whole number' : expected
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}
