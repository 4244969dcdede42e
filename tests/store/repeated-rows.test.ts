import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { openNewFile } from '../support/new-store.ts'
import { safe } from '../support/safe-text.ts'

let folder: string
let store: Store
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-rows-'))
  store = openNewFile(join(folder, 'assay.db'), () => 0)
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

const insertWord = {
  sql: 'INSERT INTO word (text, folded) VALUES (?, ?) ON CONFLICT (text) DO NOTHING',
  types: ['text', 'text'] as const,
}
const toWord = (number: number) => [safe(`word ${number}`), safe(`word ${number}`)]
const findId = 'SELECT id FROM word WHERE text = ?'

it.each([
  ['none', 150, []],
  ['one', 150, [70]],
  ['the first and the last', 150, [0, 149]],
  ['all', 73, [...Array(73).keys()]],
])('returns the ids of inserted rows, of which %s are stored already', (_, count, known) => {
  const rows = Array.from({ length: count }, (_, number) => toWord(number))
  store.write((writer) => writer.insertRows(insertWord, known.map(toWord)))
  const ids = store.write((writer) => writer.insertRows(insertWord, rows))
  const stored = store.read((reader) => rows.map(([text]) => reader.prepare(findId).pluck().get(text)))
  expect(new Set(stored).size).toBe(count)
  expect(ids).toEqual(stored.map((id, number) => (known.includes(number) ? undefined : id)))
})
