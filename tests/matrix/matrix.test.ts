import { existsSync, readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readTitles } from '../support/titles.ts'

interface Shown {
  /** From the root of the project. */
  file: string
  /** The title of a test or of a group of tests in that file, as it is written there. */
  test: string
}

/** Where a time or a percentile is measured: a benchmark, by its name. */
interface Measured {
  bench: string
}

const folder = new URL('./', import.meta.url)
const root = new URL('../../', folder)
const files = readdirSync(folder).filter((file) => !file.endsWith('.test.ts'))
const maps = await Promise.all(
  files.map(async (file) => {
    const { rows } = (await import(new URL(file, folder).href)) as {
      rows: Record<string, readonly (Shown | Measured)[]>
    }
    return { file: basename(file), rows }
  }),
)

const span = (letter: string, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${letter}${from + index}`)
const left = new Set(['T17', 'T21', 'T22'])
const ids = [...span('R', 1, 34), ...span('R', 39, 42), ...span('T', 1, 27)].filter((id) => !left.has(id))
const shown = maps.flatMap(({ file, rows }) =>
  Object.entries(rows).flatMap(([id, tests]) => tests.map((test) => ({ id, from: file, ...test }))),
)

const titlesByFile = new Map<string, ReadonlySet<string>>()

function titlesOf(file: string): ReadonlySet<string> {
  const titles = titlesByFile.get(file) ?? readTitles(fileURLToPath(new URL(file, root)))
  titlesByFile.set(file, titles)
  return titles
}

describe('the matrix', () => {
  it.each(ids)('names a test for %s', (id) => {
    expect(shown.filter((row) => row.id === id && 'test' in row)).not.toEqual([])
  })

  it('has no row that nobody asks for', () => {
    expect(shown.filter(({ id }) => !ids.includes(id))).toEqual([])
  })

  it.each(maps)('names tests that exist in $file', ({ file }) => {
    const rows = shown.filter((row) => row.from === file && 'test' in row) as (Shown & { from: string })[]
    expect(rows.filter((row) => !existsSync(new URL(row.file, root)))).toEqual([])
    expect(rows.filter((row) => !titlesOf(row.file).has(row.test))).toEqual([])
  })

  it('names benchmarks that exist', () => {
    const benches = shown.flatMap((row) => ('bench' in row ? [row.bench] : []))
    expect(benches).not.toEqual([])
    expect(benches.filter((name) => !existsSync(new URL(`tests/bench/${name}.ts`, root)))).toEqual([])
  })
})
