import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Caller } from '../../src/operation/context.ts'
import { decodeCursor, encodeCursor } from '../../src/operation/cursor.ts'
import { localPerson, NOON, openContext } from '../support/context.ts'

/** Data folders that were made at different times have different keys. */
const open = (now = NOON) => {
  const context = openContext({ now })
  const as = (caller: Caller) => ({ ...context, caller })
  const write = (keys: number[], caller = localPerson, list = 'findings') =>
    context.read((reader) => encodeCursor(reader, as(caller), list, keys))
  const read = (cursor: string, caller = localPerson, list = 'findings', length = 2) =>
    context.read((reader) => decodeCursor(reader, as(caller), list, cursor, length))
  return { context, write, read }
}
const refused = expect.objectContaining({ code: 'invalid_input' })

describe('a cursor', () => {
  it('continues the list at the place where it was issued', () => {
    const { write, read } = open()
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 2, maxLength: 2 }), (keys) => {
        expect(read(write(keys))).toEqual(keys)
      }),
      { numRuns: 50 },
    )
  })

  it('is refused with any single character changed, removed or added', () => {
    const { write, read } = open()
    const cursor = write([NOON, 42])
    for (let at = 0; at < cursor.length; at++) {
      for (const put of [cursor[at] === 'A' ? 'B' : 'A', '', `${cursor[at]}A`, '.']) {
        const other = cursor.slice(0, at) + put + cursor.slice(at + 1)
        if (other !== cursor) expect(() => read(other), `${at} ${put}`).toThrow(refused)
      }
    }
  })

  it.each(['', '.', '..', 'e30.', 'WyJmaW5kaW5ncyIsMSwyLDNd', 'null', '💥', 'a'.repeat(500)])(
    'is refused when it was not issued: %j',
    (cursor) => {
      expect(() => open().read(cursor)).toThrow(refused)
    },
  )

  it('is valid only for its list, its caller and its data folder', () => {
    const { write, read } = open()
    const cursor = write([1, 2])
    const token: Caller = { ...localPerson, id: 'token/1' }
    expect(() => read(cursor, localPerson, 'assets')).toThrow(refused)
    expect(() => read(cursor, localPerson, 'findings', 1)).toThrow(refused)
    expect(() => read(cursor, token)).toThrow(refused)
    expect(() => read(cursor, { ...localPerson, name: 'other' })).toThrow(refused)
    expect(() => open(NOON + 3_600_000).read(cursor)).toThrow(refused)
    expect(read(write([1, 2], token), token)).toEqual([1, 2])
  })

  it('expires after a day', () => {
    const { context, write, read } = open()
    const cursor = write([1, 2])
    context.clock.now = NOON + 24 * 3_600_000 - 1
    expect(read(cursor)).toEqual([1, 2])
    context.clock.now += 1
    expect(() => read(cursor)).toThrow(refused)
  })
})
