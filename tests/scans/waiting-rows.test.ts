import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openBlock, packBlock } from '../../src/scans/import-block.ts'
import type { ImportRow } from '../../src/scans/import-line.ts'
import { addImportBlock, dropImportRows, findWaitingBlocks, openImportFile } from '../../src/scans/imports.store.ts'
import { Store } from '../../src/store/store.ts'

let folder: string
let store: Store
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-waiting-'))
  store = Store.open(join(folder, 'assay.db'), { now: () => 0 })
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

const facets: ImportRow['facets'] = {
  detectorType: 'A',
  findingType: 'B',
  category: '',
  customDetectorKey: '',
  severity: 'LOW',
  status: 'OPEN',
}
const block = (key: string, size: number) => {
  const told = { key }
  const rows = Array.from(
    { length: size },
    (_, fp): ImportRow => ({
      asset: told,
      facets,
      fp,
      confidence: 1,
      firstDetectedAt: 0,
      lastDetectedAt: null,
      resolvedAt: null,
      excerpt: null,
    }),
  )
  return packBlock(rows)
}

it.each([
  ['whole parts together', [[20_000, 1_000], [30_000], [10_000, 9_000], [5_000]], [70_000, 5_000]],
  ['a large part in pieces, and the next by itself', [[40_000, 40_000, 10_000], [30_000]], [40_000, 50_000, 30_000]],
  ['one block that is larger than all together', [[80_000], [1]], [80_000, 1]],
  ['nothing', [], []],
])('gives %s, and all of it once', (_, parts, expected) => {
  store.write((writer) => {
    openImportFile(writer, 'u', 0)
    parts.forEach((sizes, part) => {
      sizes.forEach((size, turn) => {
        addImportBlock(writer, 'u', turn, { part, size, data: block(`p${part}`, size) })
      })
    })
  })
  const given: number[] = []
  for (let after = 0; ; ) {
    const waiting = store.read((reader) => findWaitingBlocks(reader, 'u', after))
    if (waiting === undefined) break
    given.push(waiting.packed.reduce((sum, packed) => sum + openBlock(packed).size, 0))
    // Whether those before are there still makes no difference.
    if (given.length % 2 === 0) store.write((writer) => dropImportRows(writer, 'u', waiting.ordinal))
    after = waiting.ordinal
  }
  expect(given).toEqual(expected)
})
