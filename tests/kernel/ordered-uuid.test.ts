import fc from 'fast-check'
import { expect, it } from 'vitest'
import { orderedUuid } from '../../src/kernel/ordered-uuid.ts'

it('creates UUIDs of version 7 in ascending order, regardless of the clock', () => {
  let last = ''
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 2 ** 45 }), { maxLength: 50 }), (times) => {
      for (const at of times) {
        const uuid = orderedUuid(at)
        expect(uuid).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
        expect(uuid > last).toBe(true)
        last = uuid
      }
    }),
  )
})

it('keeps UUIDs unique and in order when more are created in a millisecond than its counter holds', () => {
  const made = Array.from({ length: 20_000 }, () => orderedUuid(1_700_000_000_000))
  expect(new Set(made).size).toBe(made.length)
  expect(made.toSorted()).toEqual(made)
})
