import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AppError } from '../../src/kernel/errors.ts'
import { parseInput } from '../../src/operation/operation.ts'

const Input = z.strictObject({
  slug: z.string(),
  limit: z.int().max(500).optional(),
  severity: z.enum(['CRITICAL', 'HIGH', 'LOW']).optional(),
  of: z.strictObject({ size: z.enum(['S', 'L']) }).optional(),
  filters: z.strictObject({ names: z.array(z.string()) }).optional(),
  kind: z.literal('term').optional(),
  compare: z.union([z.enum(['previous_period', 'previous_year']), z.strictObject({ from: z.string() })]).optional(),
  names: z.array(z.string().min(2)).min(1).optional(),
})

const issuesOf = (raw: unknown) => {
  try {
    parseInput(Input, raw)
  } catch (error) {
    if (error instanceof AppError) return error.facts.issues
    throw error
  }
  return []
}

describe('parseInput', () => {
  it.each([
    ['a missing key', {}, 'slug', 'is missing; give a string.'],
    ['a missing word', { slug: 'a', of: {} }, 'of.size', 'is missing; give one of S, L.'],
    ['a wrong type', { slug: 1 }, 'slug', 'must be a string.'],
    ['a number out of bounds', { slug: 'a', limit: 501 }, 'limit', 'must be at most 500.'],
    ['a text that is too short', { slug: 'a', names: ['b'] }, 'names[0]', 'must be at least 2 characters long.'],
    ['a list that is too short', { slug: 'a', names: [] }, 'names', 'must contain at least 1 item.'],
    [
      'a word instead of a known word or an object',
      { slug: 'a', compare: 'previous year' },
      'compare',
      'must be one of previous_period, previous_year, or an object; did you mean previous_year?',
    ],
    ['a part of a number', { slug: 'a', limit: 1.5 }, 'limit', 'must be a whole number.'],
    [
      'a word that is not in the list',
      { slug: 'a', severity: 'HIHG' },
      'severity',
      'must be one of CRITICAL, HIGH, LOW; did you mean HIGH?',
    ],
    [
      'a word unlike any in the list',
      { slug: 'a', severity: 'zzz' },
      'severity',
      'must be one of CRITICAL, HIGH, LOW.',
    ],
    ['the only allowed word', { slug: 'a', kind: 'metric' }, 'kind', 'must be term.'],
    ['an item deep inside', { slug: 'a', filters: { names: ['x', 3] } }, 'filters.names[1]', 'must be a string.'],
    [
      'an unknown key deep inside',
      { slug: 'a', filters: { names: [], nmaes: [] } },
      'filters.nmaes',
      'is not a known key; the known key is names.',
    ],
  ])('reports %s with its path', (_name, raw, path, message) => {
    expect(issuesOf(raw)).toEqual([{ path, message }])
  })

  it('reports all problems at once', () => {
    expect(
      issuesOf({ limit: 'x', other: 1 })
        ?.map(({ path }) => path)
        .sort(),
    ).toEqual(['limit', 'other', 'slug'])
  })
})
