import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { notFound } from '../../src/kernel/errors.ts'
import { call, operation } from '../../src/operation/operation.ts'
import { errorOf, openContext } from '../support/context.ts'

const ask = operation({
  name: 'ask_thing',
  title: 'Ask',
  summary: 'Asks.',
  effect: 'read',
  scope: 'read',
  input: z.strictObject({
    metricSlug: z.string(),
    glossaryTermSlug: z.string().optional(),
    timeZone: z.string().optional(),
    granularity: z.enum(['hour', 'day', 'week', 'month']).optional(),
    limit: z.int().min(1).max(1000).optional(),
    ageHours: z.number().optional(),
    compare: z.union([z.enum(['before']), z.strictObject({ from: z.string(), to: z.string() })]).optional(),
    filters: z
      .strictObject({
        severities: z.array(z.enum(['HIGH', 'LOW'])).optional(),
        categories: z.array(z.string()).optional(),
        statuses: z.array(z.enum(['OPEN'])).optional(),
      })
      .optional(),
  }),
  output: z.unknown(),
  run: (input) => input,
})

const ends = (input: object) => errorOf(call(ask, input, openContext()))

const a = { metricSlug: 'a' }

describe('an error contains a corrected call if there is only one possible correction', () => {
  test.each<[string, object, object]>([
    ['another separator', { metric_slug: 'a' }, { metricSlug: 'a' }],
    ['another letter case', { MetricSlug: 'a', TimeZone: 'UTC' }, { metricSlug: 'a', timeZone: 'UTC' }],
    ['the only key that has these words', { metric: 'a', term: 'b' }, { metricSlug: 'a', glossaryTermSlug: 'b' }],
    ['a singular', { ...a, filters: { severity: 'high' } }, { ...a, filters: { severities: ['HIGH'] } }],
    ['another singular', { ...a, filters: { category: 'x' } }, { ...a, filters: { categories: ['x'] } }],
    ['a member of a member', { ...a, statuses: ['OPEN'] }, { ...a, filters: { statuses: ['OPEN'] } }],
    [
      'a member of an existing member',
      { ...a, severity: 'LOW', filters: { categories: ['x'] } },
      { ...a, filters: { categories: ['x'], severities: ['LOW'] } },
    ],
    ['a key whose name begins with it, beside others', { metric: 'a' }, { metricSlug: 'a' }],
    ['a list of one for one value', { metricSlug: 'a', timeZones: ['UTC'] }, { metricSlug: 'a', timeZone: 'UTC' }],
  ])('%s', async (_, given, corrected) => {
    const error = await ends(given)
    expect(error.code).toBe('invalid_input')
    expect(error.facts.fix).toEqual({ tool: 'ask_thing', arguments: corrected })
    await expect(call(ask, corrected, openContext())).resolves.toEqual(corrected)
  })

  test.each<[string, object]>([
    ['two keys have the word', { slug: 'a' }],
    ['the correct key is given, too', { metricSlug: 'a', metric_slug: 'b' }],
    ['the value is not valid for a similar key', { metricSlug: 'a', zone: ['UTC', 'Europe/Berlin'] }],
    ['no key is similar', { metricSlug: 'a', colour: 'red' }],
    ['there is another problem', { metric_slug: 'a', limit: 'many' }],
    ['a value is out of bounds', { metricSlug: 'a', limit: 5000 }],
    ['a number lacks its unit', { metricSlug: 'a', age: 30 }],
  ])('but not if %s', async (_, given) => {
    expect((await ends(given)).facts.fix).toBeUndefined()
  })
})

test.each<[string, object, string, string]>([
  ['a word that is not in the list', { metricSlug: 'a', granularity: 'weekly' }, 'granularity', 'week'],
  ['a number above the maximum', { metricSlug: 'a', limit: 5000 }, 'limit', '1000'],
  ['a number below the minimum', { metricSlug: 'a', limit: 0 }, 'limit', '1'],
  ['a key at the wrong level', { metricSlug: 'a', severities: ['HIGH'] }, 'severities', 'filters.severities'],
])('%s is answered with a suggestion for its path', async (_, given, path, value) => {
  const error = await ends(given)
  expect(error.facts.issues?.[0]?.path).toBe(path)
  expect(error.facts.suggestions?.[0]?.value).toBe(value)
})

test('input of any type is refused without an internal error', async () => {
  for (const junk of [null, 5, 'text', [], [{}], { filters: 5, filter: {} }]) {
    expect((await ends(junk as object)).code).toBe('invalid_input')
  }
})

const look = operation({
  name: 'look_up',
  title: 'Look up',
  summary: 'Looks up.',
  effect: 'read',
  scope: 'read',
  input: z.strictObject({ id: z.string(), other: z.string().optional() }),
  output: z.unknown(),
  run: ({ id, other = id }) => {
    const suggestions = ['sample-wiki', 'wiki'].map((value) => ({ value, kind: 'source' }))
    throw notFound(`There is no source '${other}'; list them.`, { suggestions })
  },
})

describe('a name that is not found', () => {
  test.each<[string, object, string, object | undefined]>([
    ['is corrected if it is misspelt', { id: 'Sample_Wiki' }, 'id', { id: 'sample-wiki' }],
    [
      'is distinguished from the other names',
      { id: 'a', other: 'sample wiki' },
      'other',
      { id: 'a', other: 'sample-wiki' },
    ],
    ['is reported with its path only if several names are similar', { id: 'sample' }, 'id', undefined],
  ])('%s', async (_, input, path, corrected) => {
    const { facts } = await errorOf(call(look, input, openContext()))
    expect(facts.issues?.map((issue) => issue.path)).toEqual([path])
    expect(facts.fix?.arguments).toEqual(corrected)
  })

  test('has no suggestion when two members have the same value', async () => {
    const { facts } = await errorOf(call(look, { id: 'wiki-x', other: 'wiki-x' }, openContext()))
    expect(facts).not.toHaveProperty('issues')
  })
})

test('an object where one of several forms is an object is explained by its members', async () => {
  const { issues } = (await ends({ ...a, compare: { to: '2026-10-01' } })).facts
  expect(issues).toEqual([{ path: 'compare.from', message: 'is missing; give a string.' }])
  const other = (await ends({ ...a, compare: 'befor' })).facts
  expect(other.issues?.[0]?.message).toBe('must be before, or an object; did you mean before?')
})
