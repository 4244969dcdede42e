import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ImportRow } from '../../src/scans/import-line.ts'
import { gatherByAsset, packRows, partRows, unpackRows } from '../../src/scans/import-pack.ts'

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
    detectorType: fc.string(),
    findingType: fc.string(),
    category: fc.string(),
    customDetectorKey: fc.string(),
    severity: fc.constantFrom('LOW' as const, 'HIGH' as const),
    status: fc.constantFrom('OPEN' as const, 'RESOLVED' as const),
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

it('gives findings back as they were packed', () => {
  fc.assert(
    fc.property(rows, (some) => {
      expect(unpackRows(packRows(some)).rows).toEqual(some)
    }),
  )
})

it('reads what an earlier version staged: a list of findings, or one', () => {
  fc.assert(
    fc.property(rows, (some) => {
      const text = JSON.stringify(some)
      expect(unpackRows(text)).toEqual({ rows: JSON.parse(text), isPacked: false })
    }),
  )
  expect(unpackRows('{"fp":1}')).toEqual({ rows: [{ fp: 1 }], isPacked: false })
})

it('keeps the order of the findings of an asset, and all of them in one part', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: 1, max: 5 }), (some, count) => {
      const parts = partRows(some, count)
      const keys = new Set(some.map(({ asset }) => asset.key))
      for (const key of keys) {
        const own = (list: readonly ImportRow[]) => list.filter((one) => one.asset.key === key)
        expect(own(gatherByAsset(some))).toEqual(own(some))
        expect(parts.map(own).filter((list) => list.length > 0)).toEqual([own(some)])
      }
      const gathered = gatherByAsset(some).map((one) => one.asset.key)
      expect(gathered.filter((key, at) => key !== gathered[at - 1])).toHaveLength(keys.size)
    }),
  )
})
