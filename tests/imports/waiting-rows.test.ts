import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { hasAllIndexes } from '../../src/findings/deferred-indexes.store.ts'
import { openFacets } from '../../src/findings/facets.store.ts'
import { isFollowed, leaveOutIndexes } from '../../src/imports/apply/stale-imports.ts'
import type { ImportRow } from '../../src/imports/read/import-row.ts'
import { openBlock, packBlock } from '../../src/imports/stage/import-block.ts'
import {
  addImportBlock,
  dropImportRows,
  findStagedBlocks,
  openImportFile,
} from '../../src/imports/stage/imports.store.ts'
import type { PartBlock } from '../../src/imports/stage/staging.ts'
import { insertSource } from '../../src/sources/sources.store.ts'
import type { Store, Writer } from '../../src/store/store.ts'
import { openNewFile } from '../support/new-store.ts'
import { safe } from '../support/safe-text.ts'

let folder: string
let store: Store
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-waiting-'))
  store = openNewFile(join(folder, 'assay.db'), () => 0)
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

const facets: ImportRow['facets'] = {
  detectorType: safe('A'),
  findingType: safe('B'),
  category: safe(''),
  customDetectorKey: safe(''),
  severity: 'LOW',
  status: 'OPEN',
}
/** Blocks of earlier versions can be stored apart from others of their group. */
const addEarlierBlock = (writer: Writer, turn: number, { part, size, data }: Omit<PartBlock, 'group'>) =>
  writer
    .prepare('INSERT INTO import_block (uid, ordinal, size, data) VALUES (?, ?, ?, ?)')
    .run(safe('u'), (part + 1) * 1_000_000 + turn, size, data)
const block = (key: string, size: number) => {
  const told = { key }
  const rows = Array.from(
    { length: size },
    (_, fp): ImportRow => ({
      asset: safe(told),
      facets,
      fp,
      confidence: 1,
      firstDetectedAt: 0,
      lastDetectedAt: null,
      resolvedAt: null,
      undated: 0,
      excerpt: null,
    }),
  )
  return packBlock(rows)
}

it.each([
  [
    'several whole parts of an earlier version at once',
    [[20_000, 1_000], [30_000], [10_000, 9_000], [5_000]],
    [70_000, 5_000],
  ],
  [
    'a large part in pieces, and the next one separately',
    [[40_000, 40_000, 10_000], [30_000]],
    [40_000, 50_000, 30_000],
  ],
  ['one block that is larger than the limit', [[80_000], [1]], [80_000, 1]],
  ['nothing', [], []],
])('returns staged blocks once: %s', (_, parts, expected) => {
  store.write((writer) => {
    openImportFile(writer, 'u', 0)
    parts.forEach((sizes, part) => {
      sizes.forEach((size, turn) => {
        addEarlierBlock(writer, turn, { part, size, data: block(`p${part}`, size) })
      })
    })
  })
  expect(takeStaged()).toEqual(expected)
})

it.each([
  ['several at once', [[[20_000], [1_000]], [[30_000, 10_000]], [[9_000]], [[5_000]]], [70_000, 5_000]],
  [
    'a large one',
    [
      [[40_000, 40_000, 10_000], [30_000]],
      [[30_000], [50_000]],
    ],
    [90_000, 60_000, 50_000],
  ],
])('returns staged groups once and whole: %s', (_, parts, expected) => {
  store.write((writer) => {
    openImportFile(writer, 'u', 0)
    let turn = 0
    for (const [part, groups] of parts.entries()) {
      for (const [group, sizes] of groups.entries()) {
        for (const size of sizes) {
          addImportBlock(writer, 'u', turn++, { part, group, size, data: block(`p${part}`, size) })
        }
      }
    }
  })
  expect(takeStaged()).toEqual(expected)
})

/** How many findings are returned at once, until there are no more. */
function takeStaged(): number[] {
  const given: number[] = []
  for (let after = 0; ; ) {
    const waiting = store.read((reader) => findStagedBlocks(reader, 'u', after))
    if (waiting === undefined) return given
    given.push(waiting.packed.reduce((sum, packed) => sum + openBlock(packed).size, 0))
    // Whether those before are there still makes no difference.
    if (given.length % 2 === 0) store.write((writer) => dropImportRows(writer, 'u', waiting.ordinal))
    after = waiting.ordinal
  }
}

const PADDING = new Uint8Array(9 * 1024 * 1024)

it.each([
  ['blocks of the previous version, limited by bytes, too', block('k', 1), [1, 1]],
  ['blocks of earlier versions, by count', new Uint8Array(Buffer.from(`${'-'.repeat(8 + 43)}{"assets":[["k"`)), [2]],
])('returns blocks by size: %s', (_, data, expected) => {
  store.write((writer) => {
    openImportFile(writer, 'u', 0)
    for (const turn of [0, 1]) {
      const padded = new Uint8Array(Buffer.concat([data, PADDING]))
      addEarlierBlock(writer, turn, { part: 0, size: 1, data: padded })
    }
  })
  const given: number[] = []
  for (let after = 0; ; ) {
    const waiting = store.read((reader) => findStagedBlocks(reader, 'u', after))
    if (waiting === undefined) break
    given.push(waiting.packed.length)
    after = waiting.ordinal
  }
  expect(given).toEqual(expected)
})

const ALL = 'asset_by_name asset_by_scope finding_by_resolution finding_by_time status_change_by_time'
const NONE = ''
const MB = 1024 * 1024

it.each([
  ['a large file', { u: [200_000, 0] }, [NONE, NONE]],
  ['a small one', { u: [99_999, 0] }, [ALL, 'asset_by_scope']],
  ['long texts', { u: [200_000, 33 * MB] }, ['asset_by_name', NONE]],
  ['more rows than indexes are rebuilt for', { u: [1_500_001, 0] }, [ALL, ALL]],
  ['more rows than that together with other imports', { u: [800_000, 0], v: [800_000, 0] }, [ALL, ALL]],
])('chooses the indexes to drop when all or only some exist: %s', async (_, files, [whole, partly]) => {
  store.write((writer) => {
    for (const [uid, [rows = 0, bytes = 0]] of Object.entries(files)) {
      openImportFile(writer, uid, 0)
      const add = 'INSERT INTO import_block (uid, ordinal, size, data) VALUES (?, 1, ?, zeroblob(?))'
      writer.prepare(add).run(safe(uid), rows, rows * 43 + bytes)
    }
  })
  const change = { uid: 'u', write: store.write.bind(store), signal: new AbortController().signal }
  const listLeft = () =>
    store
      .read((reader) =>
        reader.prepare(`SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY name`).pluck().all(),
      )
      .filter((name) => ALL.split(' ').includes(String(name)))
      .join(' ')
  expect(store.read(isFollowed)).toBe(true)
  await leaveOutIndexes(store, change)
  expect(listLeft()).toBe(whole)
  expect(store.read(isFollowed)).toBe(whole === ALL)
  store.write((writer) => {
    for (const name of ALL.split(' ')) {
      if (name !== 'asset_by_scope') writer.prepare(`DROP INDEX IF EXISTS ${name}`).run()
    }
  })
  await leaveOutIndexes(store, change)
  expect(listLeft()).toBe(partly)
  expect(store.read(hasAllIndexes)).toBe(partly === ALL)
})

it.each([
  [49_999, false],
  [50_000, true],
])('changes of %i findings are logged while indexes are missing: %s', (findings, expected) => {
  store.write((writer) => {
    const draft = { uid: 'u', name: 's', type: 'WIKI', config: {}, secrets: {}, nextRunAt: null }
    const sourceId = insertSource(writer, draft, 0)
    const id = openFacets(writer).comboId({ sourceId, ...facets })
    writer.prepare('UPDATE combo SET n = ? WHERE id = ?').run(findings, id)
    writer.prepare('DROP INDEX finding_by_time').run()
  })
  expect(store.read(isFollowed)).toBe(expected)
})
