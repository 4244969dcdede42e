import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ByteTable } from '../../src/imports/stage/byte-table.ts'

const key = fc.oneof(
  fc.constantFrom('', 'a', 'ab', 'abc', 'abcd', 'abcde', 'abcd\0'),
  fc.string({ maxLength: 12 }),
  fc.string({ minLength: 1_000, maxLength: 1_100 }),
)
const step = fc.record({ key, user: fc.nat(2), value: fc.integer({ min: -5, max: 5 }) })

it('numbers keys for all of its users as a map does, as long as there is room', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 40 }),
      fc.constantFrom(1, 4, 64),
      fc.constantFrom(8, 64, 9_000),
      (steps, capacity, bytes) => {
        const memory = ByteTable.allocate(capacity, bytes)
        const users = [0, 1, 2].map(() => new ByteTable(memory))
        const known = new Map<string, { number: number; value: number }>()
        for (const { key, user, value } of steps) {
          const table = users[user] ?? new ByteTable(memory)
          const text = Buffer.from(`..${key}.`)
          const [from, end] = [2, text.length - 1]
          const before = known.get(key)
          expect(table.find(text, from, end)).toBe(before?.number ?? -1)
          const number = table.add(text, from, end, value)
          if (before !== undefined && number >= 0) expect(number).toBe(before.number)
          if (number < 0) {
            const used = [...known.keys()].reduce((sum, each) => sum + Math.ceil(Buffer.byteLength(each) / 4) * 4, 0)
            const isFull = known.size >= capacity / 2 || used + end - from > bytes / 2
            expect(isFull || end - from > ByteTable.MAX_KEY_BYTES).toBe(true)
          } else if (before === undefined) {
            known.set(key, { number, value })
          }
          for (const [, each] of known) expect(table.valueOf(each.number)).toBe(each.value)
        }
        const [one] = users
        one?.clear()
        for (const each of known.keys()) {
          const text = Buffer.from(each)
          expect(one?.find(text, 0, text.length)).toBe(-1)
        }
        expect(one?.add(Buffer.from('a'), 0, 1, 7)).toBe(0)
        expect(new Set([...known.values()].map(({ number }) => number)).size).toBe(known.size)
      },
    ),
    { numRuns: 200 },
  )
})
