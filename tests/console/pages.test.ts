import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compare, flatten, toPathText } from '../../src/console/flatten.ts'
import { listInputs } from '../../src/console/lineage.ts'
import {
  type FormSchema,
  findVariant,
  listVariants,
  read,
  toBody,
  toChange,
  toFieldPath,
  toPatch,
  toVariant,
  toVariantName,
  write,
} from '../../src/console/schema.ts'

describe('members of nested values', () => {
  test('are listed by path, lists of scalars as one', () => {
    expect(flatten({ a: { b: 1, c: ['x', 'y'] }, d: [{ e: true }], f: null, g: [] })).toEqual([
      { path: 'a.b', text: '1' },
      { path: 'a.c', text: 'x, y' },
      { path: 'd 1.e', text: 'true' },
    ])
  })

  test('that are equal have no difference, for any values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(compare(value, structuredClone(value)).filter(({ before, after }) => before !== after)).toEqual([])
      }),
    )
  })

  test('that were added, changed or removed differ', () => {
    expect(compare({ a: 1, b: 2 }, { b: 3, c: 4 })).toEqual([
      { path: 'b', before: '2', after: '3' },
      { path: 'c', before: undefined, after: '4' },
      { path: 'a', before: '1', after: undefined },
    ])
  })

  test.each([
    ['required.base_url', 'base url'],
    ['numerator.timeField', 'numerator › time field'],
  ])('%s is called %s', (path, words) => expect(toPathText(path)).toBe(words))
})

describe('the inputs of a metric', () => {
  test.each([
    ['SIMPLE', { aggregation: 'COUNT', entity: 'asset' }, [], ['assets']],
    ['RATIO', { numerator: { metricSlug: 'a' }, denominator: { entity: 'finding' } }, ['a'], ['findings']],
    ['DERIVED', { formula: 'a / b', inputs: ['a', 'b'] }, ['a', 'b'], []],
    ['TREND', { baseMetricSlug: 'a', currentWindow: '7d', compareWindow: '7d' }, ['a'], []],
  ] as const)('of type %s', (type, definition, metrics, entities) => {
    expect(listInputs({ type, definition })).toEqual({ metrics, entities })
  })
})

describe('a form made from a schema', () => {
  const text = { type: 'string' }
  const wiki = {
    type: 'object',
    properties: { type: { const: 'WIKI' }, required: { type: 'object', properties: { base_url: text } } },
    required: ['type', 'required'],
  }
  const toBi = (mode: string) => ({
    type: 'object',
    properties: {
      type: { const: 'BI_PLATFORM' },
      required: {
        type: 'object',
        properties: { auth_mode: { const: mode }, tenant_id: text },
        required: ['auth_mode'],
      },
    },
    required: ['type', 'required'],
  })
  const schema: FormSchema = { oneOf: [wiki, { anyOf: [toBi('APP'), toBi('TOKEN')] }] }
  const variants = listVariants(schema)

  test('offers every alternative, nested ones too, by what is fixed in it', () => {
    expect(variants.map(toVariantName)).toEqual(['WIKI', 'BI_PLATFORM APP', 'BI_PLATFORM TOKEN'])
  })

  test.each(variants.map((each) => [toVariantName(each), each] as const))(
    'knows a value of the alternative %s, and keeps what is common when another is chosen',
    (name, variant) => {
      expect(toVariantName(findVariant(variants, toVariant(variant, {})))).toBe(name)
      const moved = toVariant(variant, { type: 'BI_PLATFORM', required: { auth_mode: 'TOKEN', tenant_id: 'a' } })
      expect(toBody(schema, moved)).toMatchObject(name === 'WIKI' ? {} : { required: { tenant_id: 'a' } })
    },
  )

  test('sends what was filled in, without what is empty, and numbers and texts as they were typed', () => {
    const form: FormSchema = {
      type: 'object',
      properties: {
        name: text,
        limit: { type: 'integer' },
        tags: { type: 'array', items: text },
        more: { type: 'object', properties: { a: text } },
        version: { type: 'number', readOnly: true },
      },
      required: ['name'],
    }
    const filled = { name: ' Ada ', limit: 'many', tags: ['x', '', ' y'], more: { a: '' }, version: 3 }
    expect(toBody(form, filled)).toEqual({ name: 'Ada', limit: 'many', tags: ['x', 'y'], more: {} })
    expect(toBody(form, {})).toEqual({})
    expect(toBody(form, { name: 'Ada', nmae: 'x' })).toEqual({ name: 'Ada', nmae: 'x' })
  })

  test('sends of a change what differs, and null for what was removed', () => {
    const before = { a: { b: 1, c: 2 }, d: [1], e: 'x' }
    expect(toChange(before, { ...before, a: { c: 2, b: 1 } })).toEqual({})
    expect(toPatch(before, { a: { b: 3 }, d: [1], f: true })).toEqual({ a: { b: 3, c: null }, e: null, f: true })
  })

  test('reads back what it wrote at any path', () => {
    const key = fc.stringMatching(/^[a-z]{1,4}$/)
    fc.assert(
      fc.property(
        fc.array(key, { minLength: 1, maxLength: 4 }),
        fc.dictionary(key, fc.oneof(fc.dictionary(key, fc.jsonValue()), fc.string())),
        fc.jsonValue(),
        (path, whole, value) => {
          expect(read(write(whole, path.join('.'), value), path.join('.'))).toEqual(value)
        },
      ),
    )
    expect(write({ list: [1, 2, 3] }, 'list.1', undefined)).toEqual({ list: [1, 3] })
  })

  test('finds the field that a path of the server means', () => {
    expect(toFieldPath('config.detectors[0].type')).toBe('config.detectors.0.type')
  })
})
