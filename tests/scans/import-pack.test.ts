import fc from 'fast-check'
import { expect, it } from 'vitest'
import { gatherByAsset, type ImportBlock, openBlock, packBlock, partRows } from '../../src/scans/import-block.ts'
import type { ImportRow } from '../../src/scans/import-line.ts'
import { readEarlierRows } from '../../src/scans/import-pack.ts'

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const asset = fc.record({
  key: fc.string({ minLength: 1, maxLength: 3 }),
  kind: maybe(fc.string()),
  name: maybe(fc.string()),
  url: maybe(fc.string()),
  container: maybe(fc.string()),
  contentUpdatedAt: maybe(fc.nat()),
})
const row = fc
  .record({
    fp: fc.maxSafeNat(),
    facets: fc.record({
      detectorType: fc.string(),
      findingType: fc.string(),
      category: fc.string(),
      customDetectorKey: fc.string(),
      severity: fc.constantFrom('LOW' as const, 'HIGH' as const),
      status: fc.constantFrom('OPEN' as const, 'RESOLVED' as const),
    }),
    confidence: fc.nat(10_000),
    firstDetectedAt: fc.integer(),
    lastDetectedAt: fc.option(fc.nat()),
    resolvedAt: fc.option(fc.nat()),
    excerpt: fc.option(fc.string()),
    undated: fc.boolean(),
  })
  .map(({ undated, ...more }) => (undated ? { ...more, undated } : more))
const rows = fc
  .tuple(fc.array(asset, { minLength: 1, maxLength: 4 }), fc.array(fc.tuple(fc.nat(3), row), { maxLength: 30 }))
  .map(([assets, some]) =>
    some.map(([number, one]): ImportRow => ({ ...one, asset: assets[number % assets.length] ?? { key: 'k' } })),
  )

const rowsOf = (list: Pick<ImportBlock, 'size' | 'rowAt'>) =>
  Array.from({ length: list.size }, (_, index) => list.rowAt(index))

it('gives findings back as they were packed', () => {
  fc.assert(
    fc.property(rows, (some) => {
      const packed = packBlock(some)
      expect(rowsOf(openBlock(packed))).toEqual(some)
      // As it comes from the database: a view of a larger buffer, anywhere in it.
      const view = new Uint8Array(packed.length + 3).subarray(3)
      view.set(packed)
      expect(rowsOf(openBlock(view))).toEqual(some)
    }),
  )
})

it('reads what earlier versions left waiting: packed lists, a list of findings, or one', () => {
  fc.assert(
    fc.property(rows, (some) => {
      const told = some.map(({ asset, ...row }) => ({ ...row, asset: JSON.parse(JSON.stringify(asset)) }))
      const flat = told.map(({ facets, ...row }) => ({ ...facets, ...row }))
      expect(rowsOf(readEarlierRows(JSON.stringify(flat)))).toEqual(told)
      for (const one of flat.slice(0, 1)) {
        expect(rowsOf(readEarlierRows(JSON.stringify(one)))).toEqual(told.slice(0, 1))
      }
      const packs = told.map(({ asset, facets, ...row }, at) => [
        told[at - 1]?.asset.key === asset.key && JSON.stringify(told[at - 1]?.asset) === JSON.stringify(asset)
          ? 0
          : [asset.key, asset.kind, asset.name, asset.url, asset.container, asset.contentUpdatedAt],
        row.fp,
        facets.detectorType,
        facets.findingType,
        facets.category,
        facets.customDetectorKey,
        facets.severity,
        facets.status,
        row.confidence,
        row.firstDetectedAt,
        row.lastDetectedAt,
        row.resolvedAt,
        row.excerpt,
        row.undated === true ? 1 : 0,
      ])
      expect(rowsOf(readEarlierRows(JSON.stringify(packs)))).toEqual(told)
    }),
  )
})

it('keeps the order of the findings of an asset, and all of them in one part', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 7 }), (some, count, size) => {
      const blocks = Array.from({ length: Math.ceil(some.length / size) }, (_, at) =>
        openBlock(packBlock(some.slice(at * size, (at + 1) * size))),
      )
      const gathered = rowsOf(gatherByAsset(blocks))
      const parts = partRows(some, count)
      const keys = [...new Set(some.map(({ asset }) => asset.key))]
      const of = (list: readonly ImportRow[], key: string) => list.filter(({ asset }) => asset.key === key)
      expect(gathered).toEqual(keys.flatMap((key) => of(some, key)))
      for (const key of keys) {
        expect(parts.map((part) => of(part, key)).filter((list) => list.length > 0)).toEqual([of(some, key)])
      }
    }),
  )
})
