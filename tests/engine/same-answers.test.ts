import { expect, test } from 'vitest'
import { areSame } from '../../src/query/engine/verify.ts'
import { type Cell, emptyPartial } from '../../src/query/plan/cells.ts'

const cell = (change: Partial<Cell> = {}): Cell => ({ ...emptyPartial, bucket: 1, key: [], ...change })

test('a total over nothing is the same answer as none, a group or a number is not', () => {
  expect(areSame([cell()], [])).toBe(true)
  expect(areSame([cell({ n: 1 })], [])).toBe(false)
  expect(areSame([cell({ key: [null] })], [])).toBe(false)
  expect(areSame([cell({ n: 1 })], [cell({ n: 2 })])).toBe(false)
})
