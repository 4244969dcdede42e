import type { z } from 'zod'
import { invalidInput } from '../../../kernel/errors.ts'

export const badFile = (what: string, facts: object = {}) =>
  invalidInput(`Nothing was imported: ${what}`, { ...facts, reason: 'bad_file' })

const MAX_ISSUES = 20

/** @throws AppError `invalid_input`, reason `bad_file`; the paths of its issues begin with `place`. */
export function check<T>(schema: z.ZodType<T>, value: unknown, place: string): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => ({ path: [place, ...path].filter((part) => part !== '').join('.'), message }))
  throw badFile('the file is not a SARIF 2.1.0 log.', { issues })
}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The item of a list in a log; undefined for no list, and for an index that is absent or not in it. */
export const itemAt = (list: unknown, index: number | undefined): unknown =>
  index !== undefined && index >= 0 ? listOf(list)[index] : undefined

/** A member of an object in a log; undefined for no object, or what it inherits. */
export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined

/** A text that is not empty. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined
