import type { z } from 'zod'
import type { Suggestion } from '../../kernel/errors.ts'
import { closest } from '../../kernel/suggest.ts'

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
export function toMessage(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && issue.message.startsWith('Invalid input')) {
    return issue.message.endsWith('received undefined')
      ? `is missing; give ${withArticle(issue.expected)}.`
      : `must be ${withArticle(issue.expected)}.`
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
  return issue.message
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
