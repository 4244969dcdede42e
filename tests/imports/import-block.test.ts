import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ImportRow } from '../../src/imports/read/import-row.ts'
import { packEarlierRows } from '../../src/imports/stage/earlier-rows.ts'
import {
  type BlockOrder,
  findBounds,
  openBlock,
  packBlock,
  partOf,
  replaceTexts,
  unpackFacets,
} from '../../src/imports/stage/import-block.ts'
import { safe } from '../support/safe-text.ts'
import { rowsOf } from './sorted.ts'

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const asset = fc.record({
  key: fc.string({ minLength: 1, maxLength: 3 }),
  kind: maybe(fc.string()),
  name: maybe(fc.string()),
  url: maybe(fc.string()),
  container: maybe(fc.string()),
  contentUpdatedAt: maybe(fc.nat()),
})
const row = fc.record({
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
  undated: fc.constantFrom(0, 1),
})
const rows = fc
  .tuple(fc.array(asset, { minLength: 1, maxLength: 4 }), fc.array(fc.tuple(fc.nat(3), row), { maxLength: 30 }))
  .map(([assets, some]) =>
    some.map(([number, one]): ImportRow => safe({ ...one, asset: assets[number % assets.length] ?? { key: 'k' } })),
  )

it('returns findings unchanged from a block', () => {
  fc.assert(
    fc.property(rows, (some) => {
      const packed = packBlock(some, 'given')
      expect(rowsOf([packed])).toEqual(some)
      // As it comes from the database: a view of a larger buffer, anywhere in it.
      const view = new Uint8Array(packed.length + 3).subarray(3)
      view.set(packed)
      expect(rowsOf([view])).toEqual(some)
    }),
  )
})

it('reads staged rows of earlier versions: packed lists, a list of findings, or one', () => {
  fc.assert(
    fc.property(rows, (some) => {
      const told = some.map(({ asset, ...row }) => ({ ...row, asset: JSON.parse(JSON.stringify(asset)) }))
      const flat = told.map(({ facets, undated, ...row }) => ({
        ...facets,
        ...row,
        ...(undated === 1 ? { undated: true } : {}),
      }))
      expect(rowsOf([packEarlierRows(JSON.stringify(flat))])).toEqual(told)
      for (const one of flat.slice(0, 1)) {
        expect(rowsOf([packEarlierRows(JSON.stringify(one))])).toEqual(told.slice(0, 1))
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
        row.undated,
      ])
      expect(openBlock(packEarlierRows(JSON.stringify(packs))).order).toBe(packs.length === 0 ? 'given' : 'arrival')
      expect(rowsOf([packEarlierRows(JSON.stringify(packs))])).toEqual(byAsset(told, 'arrival'))
    }),
  )
})

/** By asset, in the order that is asked for: the naive way. */
function byAsset<Row extends Pick<ImportRow, 'asset'>>(some: readonly Row[], order: BlockOrder): Row[] {
  const keys = [...new Set(some.map(({ asset }) => asset.key))]
  if (order === 'key') keys.sort()
  return keys.flatMap((key) => some.filter(({ asset }) => asset.key === key))
}

it.each<BlockOrder>(['key', 'arrival', 'given'])('sorts findings of many blocks: %s', (order) => {
  fc.assert(
    fc.property(rows, fc.integer({ min: 1, max: 7 }), (some, size) => {
      const blocks = Array.from({ length: Math.ceil(some.length / size) }, (_, at) =>
        packBlock(some.slice(at * size, (at + 1) * size), order),
      )
      expect(rowsOf(blocks)).toEqual(order === 'given' ? some : byAsset(some, order))
    }),
  )
})

it('opens blocks in the format of the previous version', () => {
  const told = [
    ['b', 'k', 'n', null, 'c', 5],
    ['a', null, null, 'u', null, null],
  ]
  const facets = [['D', 'F', '', '', 'LOW', 'OPEN']]
  const bytes = new Uint8Array(8 + 2 * 43)
  const text = Buffer.from(JSON.stringify({ assets: told, facets }))
  new Uint32Array(bytes.buffer, 0, 2).set([2, text.length])
  new Float64Array(bytes.buffer, 8 + 8 * 2 * 2, 4).fill(Number.NaN)
  new Uint32Array(bytes.buffer, 8 + 32 * 2, 2).set([0, 1])
  expect(rowsOf([Buffer.concat([bytes, text])]).map(({ asset }) => asset)).toEqual([
    { key: 'b', kind: 'k', name: 'n', container: 'c', contentUpdatedAt: 5 },
    { key: 'a', url: 'u' },
  ])
})

it('opens blocks of the previous version, in which each converter of a file numbered the assets of a group', () => {
  const facets = [['D', 'F', '', '', 'LOW', 'OPEN']]
  const toBlock = (converter: number, from: number, names: readonly string[], asset: readonly number[]) => {
    const added = { words: [], key: names, ...Object.fromEntries(packed.map((name) => [name, names.map(() => null)])) }
    const text = Buffer.from(JSON.stringify({ assets: { converter, from, added }, facets }))
    const size = asset.length
    const bytes = new Uint8Array(8 + size * 43)
    new Uint32Array(bytes.buffer, 0, 2).set([size, text.length])
    new Uint32Array(bytes.buffer, 8 + 32 * size, size).set(asset)
    return Buffer.concat([bytes, text])
  }
  const packed = ['name', 'url', 'kind', 'container', 'owner', 'labels', 'contentUpdatedAt']
  const blocks = [toBlock(1, 0, ['b'], [0]), toBlock(2, 0, ['c', 'a'], [1, 0]), toBlock(1, 1, ['d'], [1, 0])]
  const nextGroup = [toBlock(1, 0, ['y'], [0]), toBlock(1, 1, ['x'], [1, 0, 1])]
  const keysOf = (some: readonly Uint8Array[]) => rowsOf(some).map(({ asset }) => asset.key)
  const expected = ['a', 'b', 'b', 'c', 'd', 'x', 'x', 'y', 'y']
  expect(keysOf([...blocks, ...nextGroup])).toEqual(expected)
  const masked = [...blocks, ...nextGroup].map((packed) => {
    const block = openBlock(packed)
    return replaceTexts(block, { ...block, facets: block.facets.map(unpackFacets) })
  })
  expect(keysOf(masked)).toEqual(expected)
  expect(() => rowsOf(blocks.slice(1))).toThrow('another block of the staged findings is missing')
})

it('keeps all findings of an asset in one part, with the parts in order of the keys', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: 1, max: 5 }), (some, count) => {
      const keys = some.slice(0, 8).map(({ asset }) => String(asset.key))
      const bounds = findBounds(keys, count)
      expect(bounds.length).toBeLessThan(count)
      const parts = Array.from({ length: count }, (_, part) =>
        some.filter(({ asset }) => partOf(asset.key, bounds) === part),
      )
      expect(parts.flatMap((part) => byAsset(part, 'key'))).toEqual(byAsset(some, 'key'))
    }),
  )
})
