import { expect, test } from 'vitest'
import { AssetTable } from '../../src/engine/index/assets.ts'
import { FacetTable } from '../../src/engine/index/facets.ts'
import { PlaceTable, placeKeys } from '../../src/engine/index/place-table.ts'
import { Timeline } from '../../src/engine/index/timeline.ts'
import { answerFlow } from '../../src/engine/scan/ask.ts'
import type { Shape } from '../../src/engine/scan/shape.ts'
import { SeededRandom } from '../properties/query-data.ts'

const tiny = { markBits: 7, blockBits: 4, shareBits: 6, minLate: 30 }

/** Combinations of 3 detectors, 2 types, 3 severities and 4 statuses. */
function makeFacets(): FacetTable {
  const facets = new FacetTable()
  for (let id = 1; id <= 72; id++) {
    const [detector, type, severity, status] = [
      1 + (id % 3),
      9 + (Math.floor(id / 36) % 2),
      1 + (Math.floor(id / 12) % 3),
      id % 4,
    ]
    facets.add({ id, source: 1, detector, type, category: 0, customKey: 0, severity, status })
  }
  return facets
}

const columnOf = ({ facets }: FacetTable, name: 'detector' | 'severity' | 'status', count: number) =>
  Array.from({ length: count }, (_, combo) => facets[name].valueOf(combo))

/** Groups by severity, of some statuses; nothing is left of what is gone. */
function makeShape(facets: FacetTable, random: SeededRandom, minConfidence: number): Shape {
  const statuses = random.some([0, 1, 2, 3], 3)
  const [severities, own] = [columnOf(facets, 'severity', facets.count), columnOf(facets, 'status', facets.count)]
  const groupOf = Uint32Array.from(severities, (severity, combo) =>
    severity > 0 && statuses.includes(own[combo] ?? 0) ? severity - 1 : 3,
  )
  const cellGroupOf = Uint32Array.from(facets.cells, (combo) => groupOf[combo] ?? 3)
  const members = groupOf.map((_, combo) => combo).filter((combo) => groupOf[combo] !== 3)
  const disjointSets = { disjointSetOf: Uint32Array.of(0, 1, 2), disjointSets: 3 }
  return {
    groups: 3,
    groupOf,
    members,
    cellGroupOf,
    cellPartOf: cellGroupOf,
    minConfidence,
    isWhole: false,
    ...disjointSets,
  }
}

test('counts and sums above a confidence match a full scan while findings change and arrive late', () => {
  const random = new SeededRandom(3)
  const facets = makeFacets()
  const timeline = new Timeline(facets, tiny)
  const assets = new AssetTable()
  const all: { time: number; combo: number; confidence: number; place: number }[] = []
  for (let round = 0; round < 120; round++) {
    for (let left = random.below(60); left > 0; left--) {
      const time = random.chance(0.7) ? round * 1000 + random.below(1000) : random.below((round + 1) * 1000)
      const [combo, confidence] = [
        1 + random.below(72),
        random.chance(0.3) ? 100 * random.below(101) : random.below(10_001),
      ]
      all.push({ time, combo, confidence, place: timeline.push(time, combo, confidence, 0) })
    }
    for (const move of [timeline.flush(), random.chance(0.3) ? timeline.compact() : undefined]) {
      if (move !== undefined) for (const row of all) row.place = move(row.place)
    }
    for (let left = random.below(10); left > 0; left--) {
      const row = random.pick(all)
      const before = { combo: row.combo, confidence: row.confidence }
      row.combo = random.chance(0.2) ? 0 : 1 + random.below(72)
      if (random.chance(0.3)) row.confidence = random.below(10_001)
      const at = timeline.at(row.place)
      at.rows.setCombo(at.row, row.combo)
      at.rows.confidence[at.row] = row.confidence
      if (at.rows === timeline.rows) timeline.tallies.change(at.row, before, row)
    }
    const minConfidence = random.chance(0.6) ? 100 * (1 + random.below(100)) : 1 + random.below(10_000)
    const shape = makeShape(facets, random, minConfidence)
    const [from, to] = [random.below(60_000), 40_000 + random.below(90_000)]
    const edges = random.chance(0.5) ? [from + 5000, from + 20_000] : []
    const numbers = answerFlow({ timeline, assets }, { shape, want: 'sum', from, to: Math.max(from, to), edges })
    const [counts, sums] = [new Float64Array(4 * (edges.length + 1)), new Float64Array(4 * (edges.length + 1))]
    for (const row of all) {
      if (row.time < from || row.time >= to || row.confidence < minConfidence) continue
      const at = 4 * edges.filter((edge) => edge <= row.time).length + (shape.groupOf[row.combo] ?? 3)
      counts[at] = (counts[at] ?? 0) + 1
      sums[at] = (sums[at] ?? 0) + row.confidence
    }
    const told = (values: Float64Array | undefined) => [...(values ?? [])].filter((_, at) => at % 4 !== 3)
    expect({ round, counts: told(numbers?.counts), sums: told(numbers?.sums) }).toEqual({
      round,
      counts: told(counts),
      sums: told(sums),
    })
  }
})

test.each(placeKeys)('counts by %s from the table of assets match a full scan', (key) => {
  const random = new SeededRandom(5)
  const facets = makeFacets()
  const assets = new AssetTable()
  const put = (id: number) =>
    assets.put(id, {
      kind: random.below(2),
      container: random.below(5),
      source: random.below(2),
      deleted: 0,
      scanned: 1,
    })
  for (let id = 0; id < 40; id++) put(id)
  const rows = Array.from({ length: 500 }, () => ({ asset: random.below(40), combo: random.below(73) }))
  const table = PlaceTable.open(key, facets, assets)
  table?.fill(
    Uint32Array.from(rows, ({ asset }) => asset),
    Uint16Array.from(rows, ({ combo }) => combo),
    rows.length,
  )
  let served = 0
  for (let round = 0; round < 60; round++) {
    if (round % 10 === 9) put(100 + round)
    const added = { asset: random.below(assets.count), combo: 1 + random.below(72) }
    rows.push(added)
    if (table?.follow(added.asset, facets.cellOf[added.combo] ?? 0, 1) !== true) break
    const whole = makeShape(facets, random, 0)
    const byDetector = random.chance(0.3)
    const cells = facets.cells
    const detectors = columnOf(facets, 'detector', facets.count)
    const cellPartOf = byDetector
      ? Uint32Array.from(cells, (combo, cell) => (cell === 0 ? 3 : (detectors[combo] ?? 0) - 1))
      : (whole.cellPartOf ?? new Uint32Array())
    const facet = random.pick(['container', 'container', 'source'] as const)
    const column = assets.facets[facet]
    const width = column.values.length + 1
    const partOf = Uint32Array.from({ length: assets.placeCount }, (_, place) =>
      column.column[place] === 1 ? width - 1 : (column.column[place] ?? 0),
    )
    const none = 3 * width
    const groupOf = Uint32Array.from({ length: 4 * width }, (_, at) =>
      at >= none || at % width === width - 1 ? none : at,
    )
    const out = new Float64Array(none + 1)
    const shape = { ...whole, groups: none, cellPartOf, places: { isByAsset: false, partOf, parts: width, groupOf } }
    if (!table.count(shape, out)) continue
    served++
    const plain = new Float64Array(none + 1)
    for (const { asset, combo } of rows) {
      const at = (cellPartOf[facets.cellOf[combo] ?? 0] ?? 0) * width + (partOf[assets.placeOf[asset] ?? 0] ?? 0)
      const group = groupOf[at] ?? none
      plain[group] = (plain[group] ?? 0) + 1
    }
    expect([...out.subarray(0, none)]).toEqual([...plain.subarray(0, none)])
  }
  expect(served).toBeGreaterThan(15)
})
