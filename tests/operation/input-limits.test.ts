import { expect, test } from 'vitest'
import { requireWellFormed } from '../../src/operation/input/input-limits.ts'

const nest = (depth: number, inner: unknown): unknown => Array.from({ length: depth }).reduce((value) => [value], inner)

test.each([null, { color: null }, [null, [null]], 'text 🙂', 12, nest(60, null)])('%j is accepted', (value) => {
  expect(() => requireWellFormed(value)).not.toThrow()
})

test.each([
  ['too_deep', nest(70, 1)],
  ['malformed_text', { name: '\ud83d' }],
  ['malformed_text', { '\ude00': 1 }],
  ['prototype_named', JSON.parse('[{"a": {"__proto__": {"b": 1}}}]')],
  ['malformed_length', { slug: { length: { valueOf: null, toString: 1 } } }],
])('%s is refused', (reason, value) => {
  expect(() => requireWellFormed(value)).toThrow(
    expect.objectContaining({ facts: expect.objectContaining({ reason }) }),
  )
})
