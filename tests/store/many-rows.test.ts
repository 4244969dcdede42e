import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { insertMany } from '../../src/store/many-rows.ts'
import type { Store } from '../../src/store/store.ts'
import { openNewStore } from '../support/new-store.ts'
import { safe } from '../support/safe-text.ts'

let folder: string
let store: Store
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-rows-'))
  store = openNewStore(join(folder, 'assay.db'), () => 0)
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

const find = "SELECT text, folded FROM word WHERE text LIKE 'row %' ORDER BY id"

it.each([0, 1, 7, 8, 9, 63, 64, 65, 200])('inserts %d rows in their order', (count) => {
  const rows = Array.from({ length: count }, (_, number) => [safe(`row ${number}`), safe(`folded ${number}`)])
  store.write((writer) => insertMany(writer, 'INSERT INTO word (text, folded) VALUES (?, ?)', rows.flat()))
  const stored = store.read((reader) => reader.prepare(find).raw().all())
  expect(stored).toEqual(rows)
})

it('inserts nothing if a row cannot be inserted', () => {
  const rows = [...Array(70).keys(), 3].map((number) => [safe(`row ${number}`), safe('')])
  const insert = () =>
    store.write((writer) => insertMany(writer, 'INSERT INTO word (text, folded) VALUES (?, ?)', rows.flat()))
  expect(insert).toThrow()
  expect(store.read((reader) => reader.prepare(find).all())).toEqual([])
})
