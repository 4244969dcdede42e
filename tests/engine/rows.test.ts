import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FacetTable } from '../../src/engine/index/facets.ts'
import { LooseRows, SortedRows } from '../../src/engine/index/rows.ts'
import { defaultTimeline, Timeline } from '../../src/engine/index/timeline.ts'

const TURN = 2 ** 32
/** Instants in few turns of 2^32 ms, at their borders, and far away on both sides of 1970. */
const instants = fc.oneof(
  fc.integer({ min: -3, max: 3 }).chain((turn) => fc.integer({ min: -2, max: 2 }).map((by) => turn * TURN + by)),
  fc.integer({ min: -2 * TURN, max: 3 * TURN }),
  fc.constantFrom(-(2 ** 45), 2 ** 45, 2 ** 45 + 1),
)

test('rows keep their order and columns when late rows arrive, across the 32-bit boundary of times', () => {
  const lists = fc.array(fc.array(instants, { maxLength: 30 }), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(lists, instants, ([first = [], ...later], asked) => {
      const rows = new SortedRows()
      let plain: { time: number; asset: number }[] = []
      let asset = 0
      for (const time of first.toSorted((a, b) => a - b)) {
        plain.push({ time, asset })
        rows.push(time, 70_000 + asset, asset % 100, asset++, 0)
      }
      for (const times of later) {
        const late = new LooseRows()
        for (const time of times) {
          plain.push({ time, asset })
          late.push(time, 70_000 + asset, asset % 100, asset++, 0)
        }
        const order = times.map((_, index) => index).sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || a - b)
        const places = Uint32Array.from(order, (index, rank) => rows.firstAfter(late.timeOf(index)) + rank)
        rows.insert(late, Uint32Array.from(order), places)
        plain = plain.sort((a, b) => a.time - b.time || a.asset - b.asset)
      }
      const told = Array.from({ length: rows.count }, (_, row) => ({ time: rows.timeOf(row), asset: rows.asset[row] }))
      expect(told).toEqual(plain)
      expect([...rows.combo.subarray(0, rows.count)]).toEqual(plain.map((row) => 70_000 + row.asset))
      expect([...rows.confidence.subarray(0, rows.count)]).toEqual(plain.map((row) => row.asset % 100))
      expect(rows.firstAtOrAfter(asked)).toBe(plain.filter(({ time }) => time < asked).length)
      expect(rows.firstAtOrAfter(Number.POSITIVE_INFINITY)).toBe(plain.length)
      expect(rows.firstAtOrAfter(Number.NEGATIVE_INFINITY)).toBe(0)
    }),
    { numRuns: 300 },
  )
})

test('timelines sort rows given in any order by time, those of one instant as given, and another of the same times', () => {
  fc.assert(
    fc.property(fc.array(instants, { maxLength: 60 }), fc.boolean(), (times, hasInstants) => {
      const facets = new FacetTable()
      const [timeline, other] = [0, 1].map(() => new Timeline(facets, defaultTimeline, hasInstants)) as [
        Timeline,
        Timeline,
      ]
      for (const [asset, time] of times.entries()) {
        timeline.push(time, 0, asset % 100, asset, asset * TURN)
        other.push(time, 0, 0, 1000 + asset, 7)
      }
      other.sort(timeline.sort())
      const sorted = [...times.entries()].sort(([a, before], [b, after]) => before - after || a - b)
      for (const [{ rows, late }, first] of [[timeline, 0] as const, [other, 1000] as const]) {
        expect([rows.count, late.count]).toEqual([times.length, 0])
        const found = sorted.map((_, row) => [rows.asset[row], rows.timeOf(row), rows.id[row]])
        expect(found).toEqual(sorted.map(([asset, time]) => [first + asset, time, first === 0 ? asset * TURN : 7]))
      }
      expect([...timeline.rows.confidence.subarray(0, times.length)]).toEqual(sorted.map(([asset]) => asset % 100))
    }),
    { numRuns: 300 },
  )
})
