import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FacetTable } from '../../src/engine/index/facets.ts'
import { LooseRows, SortedRows } from '../../src/engine/index/rows.ts'
import { defaultTimeline, Timeline, type TimelineRows } from '../../src/engine/index/timeline.ts'

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

test('timelines sort rows given in any order by time, those of one instant as given', () => {
  fc.assert(
    fc.property(fc.array(instants, { maxLength: 60 }), fc.boolean(), (times, hasInstants) => {
      const timeline = new Timeline(new FacetTable(), defaultTimeline, hasInstants)
      for (const [asset, time] of times.entries()) timeline.push(time, 0, asset % 100, asset, asset * TURN)
      timeline.sort()
      const sorted = [...times.entries()].sort(([a, before], [b, after]) => before - after || a - b)
      const { rows, late } = timeline
      expect([rows.count, late.count]).toEqual([times.length, 0])
      const found = sorted.map((_, row) => [rows.asset[row], rows.timeOf(row), rows.id[row], rows.confidence[row]])
      expect(found).toEqual(sorted.map(([asset, time]) => [asset, time, asset * TURN, asset % 100]))
    }),
    { numRuns: 300 },
  )
})

test('changes have the combinations that they leave and enter, in order and late, across 2^16 combinations', () => {
  const steps = fc.array(fc.record({ time: instants, merges: fc.boolean() }), { maxLength: 60 })
  fc.assert(
    fc.property(steps, fc.boolean(), (pushed, sorts) => {
      const facets = new FacetTable()
      const timeline = new Timeline(facets, { ...defaultTimeline, minLate: 5 })
      const all: { time: number; asset: number; left: number; entered: number; place: number }[] = []
      for (const [asset, { time, merges }] of pushed.entries()) {
        const [left, entered] = [
          asset % 3 === 0 ? 70_000 + asset : asset,
          asset % 4 === 0 ? 80_000 + asset : 500 + asset,
        ]
        all.push({ time, asset, left, entered, place: timeline.push(time, left, 7, asset, asset, entered) })
        const move = merges ? timeline.compact() : undefined
        if (move !== undefined) for (const row of all) row.place = move(row.place)
      }
      if (sorts) {
        timeline.sort()
        all.sort((a, b) => a.time - b.time || a.asset - b.asset)
      }
      const read = ({ rows, late }: TimelineRows) =>
        [rows, late].flatMap((own) =>
          Array.from({ length: own.count }, (_, row) => [own.asset[row], own.timeOf(row), own.combo[row]]),
        )
      const [leaves, enters] = [read(timeline), read(timeline.entered)]
      const known = new Map(all.map((row) => [row.asset, row]))
      expect(leaves.map(([asset = 0]) => asset).sort((a, b) => a - b)).toEqual(pushed.map((_, asset) => asset))
      expect(leaves).toEqual(leaves.map(([asset = 0]) => [asset, known.get(asset)?.time, known.get(asset)?.left]))
      expect(enters).toEqual(leaves.map(([asset = 0]) => [asset, known.get(asset)?.time, known.get(asset)?.entered]))
      if (sorts) expect(leaves.map(([asset]) => asset)).toEqual(all.map(({ asset }) => asset))
      else {
        const placed = all.map(({ place }) => timeline.at(place)).map(({ rows, row }) => rows.asset[row])
        expect(placed).toEqual(all.map(({ asset }) => asset))
      }
    }),
    { numRuns: 200 },
  )
})

test('values take memory once a finding has one, and stay with their findings', () => {
  const timeline = new Timeline(new FacetTable(), { ...defaultTimeline, minLate: 1 }, true)
  const { rows } = timeline
  for (let asset = 0; asset < 100; asset++) timeline.push(1000 + asset, 0, 0, asset, asset)
  expect(rows.value.length).toBe(0)
  for (const [asset, value] of [
    [100, 0],
    [101, 9],
    [102, 0],
  ] as const) {
    timeline.push(asset, 0, 0, asset, asset, value)
  }
  timeline.merge()
  for (let asset = 103; asset < 200; asset++) timeline.push(5000, 0, 0, asset, asset, asset % 2)
  const told = Array.from({ length: rows.count }, (_, row) => rows.value[row])
  const expected = Array.from({ length: rows.count }, (_, row) => {
    const asset = rows.asset[row] as number
    return asset === 101 ? 9 : asset > 102 ? asset % 2 : 0
  })
  expect(told).toEqual(expected)
})
