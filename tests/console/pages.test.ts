import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compare, flatten, toPathText } from '../../src/console/flatten.ts'
import { listInputs } from '../../src/console/lineage.ts'
import { findKind, sourceKinds, toConfig, toValues } from '../../src/console/source-fields.ts'

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

describe('the form of a source', () => {
  const values = {
    'required.base_url': ' https://example.atlassian.net ',
    'required.account_email': 'you@example.com',
    'masked.api_token': 'secret',
    'optional.scope.spaces.keys': 'DOCS, OPS,',
    schedule: 'nightly',
  }
  const wiki = sourceKinds.wiki
  if (wiki === undefined) throw new Error('no wiki')

  test('is converted to the payload', () => {
    expect(toConfig(wiki, values, false)).toEqual({
      type: 'WIKI',
      required: { base_url: 'https://example.atlassian.net', account_email: 'you@example.com' },
      masked: { api_token: 'secret' },
      optional: { scope: { spaces: { keys: ['DOCS', 'OPS'] } } },
      schedule: { enabled: true, preset: 'nightly' },
    })
  })

  test('never gets a secret back, and keeps the stored one when it stays empty', () => {
    const stored = { ...toConfig(wiki, values, false), masked: { api_token: '********' } }
    const shown = toValues(wiki, stored)
    expect(shown['masked.api_token']).toBe('')
    expect(toConfig(wiki, shown, true).masked).toEqual({})
    expect(toConfig(wiki, { ...shown, schedule: '' }, true).schedule).toEqual({ enabled: false })
  })

  test.each(Object.entries(sourceKinds))('knows stored payloads of the kind %s', (name, kind) => {
    expect(findKind(toConfig(kind, {}, false))).toBe(name)
  })
})
