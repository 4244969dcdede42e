import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { coerce, leaveOutEmpty } from '../../src/operation/input/coerce.ts'

const schema = z.strictObject({
  names: z.array(z.string()).optional(),
  severities: z.array(z.enum(['HIGH', 'LOW'])).optional(),
  detectors: z.array(z.string().regex(/^[A-Z][A-Z0-9_]*$/)).optional(),
  slug: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .optional(),
  filters: z.strictObject({ statuses: z.array(z.enum(['OPEN'])).optional(), least: z.number().optional() }).optional(),
  limit: z.int().optional(),
  enabled: z.boolean().optional(),
  period: z.union([z.enum(['previous_year']), z.strictObject({ from: z.string() })]).optional(),
  text: z.string().optional(),
})

test.each<[string, unknown, unknown, string[]]>([
  ['a list as JSON text', { names: '["a","b"]' }, { names: ['a', 'b'] }, ['names']],
  ['one value for a list', { names: 'a, b' }, { names: ['a, b'] }, ['names']],
  [
    'known words with commas',
    { severities: 'high, LOW' },
    { severities: ['HIGH', 'LOW'] },
    ['severities', 'severities[0]'],
  ],
  ['letter case of an enum', { severities: ['High'] }, { severities: ['HIGH'] }, ['severities[0]']],
  ['letter case of a name in capitals', { detectors: ['pii'] }, { detectors: ['PII'] }, ['detectors[0]']],
  ['letter case of a name in small letters stays', { slug: 'Open-Findings' }, { slug: 'Open-Findings' }, []],
  ['an object as JSON text', { filters: '{"least":"0.5"}' }, { filters: { least: 0.5 } }, ['filters', 'filters.least']],
  ['a number as text', { limit: '10' }, { limit: 10 }, ['limit']],
  ['a fraction for an integer remains a number', { limit: '1.5' }, { limit: '1.5' }, []],
  ['a number that text would round stays', { limit: '123456789012345678' }, { limit: '123456789012345678' }, []],
  ['a boolean as text', { enabled: 'True' }, { enabled: true }, ['enabled']],
  [
    'nested members',
    { filters: { statuses: 'open' } },
    { filters: { statuses: ['OPEN'] } },
    ['filters.statuses', 'filters.statuses[0]'],
  ],
  ['a union uses the matching branch', { period: 'PREVIOUS_YEAR' }, { period: 'previous_year' }, ['period']],
  ['a union of objects', { period: '{"from":"2026-01-01"}' }, { period: { from: '2026-01-01' } }, ['period']],
  ['keys are never changed', { Names: 'a', severity: 'high' }, { Names: 'a', severity: 'high' }, []],
  ['text stays text', { text: '["a"]' }, { text: '["a"]' }, []],
  ['null stays null', { names: null }, { names: null }, []],
  ['an object instead of a list stays', { names: { a: 1 } }, { names: { a: 1 } }, []],
  [
    'a valid value is not reported',
    { names: ['a'], limit: 3, enabled: false },
    { names: ['a'], limit: 3, enabled: false },
    [],
  ],
])('%s', (_, given, expected, paths) => {
  const { value, coerced } = coerce(schema, given)
  expect(value).toEqual(expected)
  expect(coerced.map(({ path }) => path)).toEqual(paths)
})

test('input that the schema accepts is never changed', () => {
  const valid = fc.record(
    {
      names: fc.array(fc.string()),
      severities: fc.array(fc.constantFrom('HIGH', 'LOW')),
      limit: fc.integer(),
      enabled: fc.boolean(),
      text: fc.string(),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(valid, (input) => {
      expect(coerce(schema, input)).toEqual({ value: input, coerced: [] })
    }),
  )
})

test('any junk is coerced without an exception, and coercing it again changes nothing', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...Object.keys(schema.shape), '__proto__'), fc.jsonValue()), (junk) => {
      const once = coerce(schema, junk).value
      expect(coerce(schema, once).value).toEqual(once)
    }),
  )
})

const outer = schema.extend({ owner: z.string().nullable().optional(), name: z.string() })

test.each<[string, unknown, unknown, string[]]>([
  ['null for an optional member', { name: 'a', names: null, limit: null }, { name: 'a' }, ['names', 'limit']],
  ['null within a member', { name: 'a', filters: { least: null } }, { name: 'a', filters: {} }, ['filters.least']],
  ['null for a required member stays', { name: null }, { name: null }, []],
  ['null where it has a meaning stays', { name: 'a', owner: null }, { name: 'a', owner: null }, []],
  ['null for an unknown key stays', { name: 'a', other: null }, { name: 'a', other: null }, []],
  ['a value that is not an object stays', [null], [null], []],
])('%s', (_, given, expected, paths) => {
  const { value, coerced } = leaveOutEmpty(outer, given)
  expect(value).toEqual(expected)
  expect(coerced.map(({ path }) => path)).toEqual(paths)
})
