import { expect, test } from 'vitest'
import { AssetTable, NumberMap } from '../../src/engine/index/assets.ts'
import { SeededRandom } from '../properties/query-data.ts'

test('counts of assets by facets of their findings match a plain count', () => {
  const random = new SeededRandom(7)
  const table = new AssetTable()
  const plain = new Map<number, number[]>()
  const all: { asset: number; bit: number }[] = []
  for (let step = 0; step < 60_000; step++) {
    if (step % 10 === 0)
      table.put(1 + step * 3, {
        kind: random.below(3),
        container: random.below(9),
        source: 1,
        audience: 0,
        deleted: 0,
        scanned: 1,
      })
    const going = random.chance(0.3) ? all.splice(random.below(all.length), 1)[0] : undefined
    // One asset has so many findings that a byte cannot count them.
    const { asset, bit } = going ?? {
      asset: random.chance(0.2) ? 0 : random.below(table.count),
      bit: 4 + random.below(20),
    }
    const by = going === undefined ? 1 : -1
    if (going === undefined) all.push({ asset, bit })
    table.countStatus(asset, bit, by)
    const counts = plain.get(asset) ?? new Array<number>(24).fill(0)
    counts[bit] = (counts[bit] ?? 0) + by
    plain.set(asset, counts)
  }
  for (let round = 0; round < 50; round++) {
    const bits = random.below(2 ** 24)
    const expected = [...plain.values()].filter((counts) => counts.some((n, bit) => n > 0 && (bits >> bit) % 2 === 1))
    expect(table.countWithAny(bits)).toBe(expected.length)
  }
})

test('the map from ids to numbers works for ids that are close together or far apart', () => {
  const map = new NumberMap()
  const ids = [1, 2, 5000, 900_000, 2 ** 40, 3]
  for (const [number, id] of ids.entries()) map.set(id, number)
  expect(ids.map((id) => map.get(id))).toEqual([0, 1, 2, 3, 4, 5])
  expect([map.get(4), map.get(2 ** 41)]).toEqual([undefined, undefined])
  map.renumber((number) => number + 10)
  expect(ids.map((id) => map.get(id))).toEqual([10, 11, 12, 13, 14, 15])
})

test('ids in any order are stored in an array when their number is known in advance', () => {
  const map = new NumberMap()
  map.reserve(3_000_000, 1_000_000)
  const { bytes } = map
  map.set(2_999_999, 1)
  map.set(7, 2)
  expect([map.get(2_999_999), map.get(7), map.get(8)]).toEqual([1, 2, undefined])
  expect(map.bytes).toBe(bytes)
})
