import { expect, test } from 'vitest'
import { AssetTable } from '../../src/engine/index/assets.ts'
import { CellConfidences } from '../../src/engine/index/cell-confidences.ts'
import { FacetTable } from '../../src/engine/index/facets.ts'
import { PlaceTable } from '../../src/engine/index/place-table.ts'
import { Timeline } from '../../src/engine/index/timeline.ts'
import { answerFlow } from '../../src/engine/scan/ask.ts'
import type { Shape } from '../../src/engine/scan/shape.ts'
import { SeededRandom } from '../properties/query-data.ts'

const tiny = { markBits: 7, blockBits: 4, minLate: 30 }

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
    facets.add({ id, source: 1, detector, type, category: 0, customKey: 0, severity, status, presence: 0 })
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
      all.push({ time, combo, confidence, place: timeline.push(time, combo, confidence, 0, 0) })
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

function makeAssets(random: SeededRandom, count: number) {
  const assets = new AssetTable()
  const put = (id: number) =>
    assets.put(
      id,
      {
        kind: random.below(2),
        container: random.below(5),
        source: random.below(2),
        audience: random.below(5),
        deleted: 0,
        scanned: 1,
      },
      { owner: random.below(4), labels: 0, dataset: 0 },
    )
  for (let id = 0; id < count; id++) put(id)
  return { assets, put }
}

test('a table by owner is outdated once an asset with findings has another owner', () => {
  const facets = makeFacets()
  const { assets } = makeAssets(new SeededRandom(2), 3)
  const table = PlaceTable.open('owner-bit', facets, assets)
  const place = { kind: 0, container: 0, source: 0, audience: 0, deleted: 0, scanned: 1 }
  assets.put(2, place, { owner: 9, labels: 0, dataset: 0 })
  expect(table?.isCurrent).toBe(true)
  assets.countStatus(2, facets.bitOf(1), 1)
  assets.put(2, place, { owner: 8, labels: 0, dataset: 0 })
  expect([table?.isCurrent, table?.follow(2, 1, 1)]).toEqual([false, false])
})

test('confidences by rank over cells match sorted ones', () => {
  const random = new SeededRandom(6)
  const table = CellConfidences.open(6)
  const all: { cell: number; confidence: number }[] = []
  const draw = () => ({ cell: random.below(6), confidence: random.pick([random.below(10_001), 10_000, 127, 128, 0]) })
  for (let count = 0; count < 400; count++) all.push(draw())
  const cells = Uint16Array.from({ length: 6 }, (_, cell) => cell)
  table?.fill(
    cells,
    Uint16Array.from(all, ({ cell }) => cell),
    Uint16Array.from(all, ({ confidence }) => confidence),
    all.length,
  )
  for (let round = 0; round < 300; round++) {
    const changed = draw()
    if (random.chance(0.6)) all.push(changed)
    const at = random.below(all.length)
    const removed = all.at(-1) === changed ? undefined : all[at]
    if (removed === undefined) table?.add(changed.cell, changed.confidence, 1)
    else {
      table?.add(removed.cell, removed.confidence, -1)
      all.splice(at, 1)
    }
    const [own, least] = [random.some([0, 1, 2, 3, 4, 5], 4), random.pick([0, 0, 128, 9999, random.below(10_001)])]
    const left = all.filter(({ cell, confidence }) => own.includes(cell) && confidence >= least)
    const sorted = left.map(({ confidence }) => confidence).sort((a, b) => a - b)
    expect(own.reduce((sum, cell) => sum + (table?.countFrom(cell, least) ?? 0), 0)).toBe(sorted.length)
    if (sorted.length === 0) continue
    const rank = random.below(sorted.length)
    expect({ own, least, rank, confidence: table?.at(own, rank, least) }).toMatchObject({ confidence: sorted[rank] })
  }
})
