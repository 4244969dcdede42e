import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { putRatioTable, ratioRows, toRatioTable } from '../bench/all/ratios.ts'

const results = {
  query: { warm: 25, leastWarm: 1.5 },
  write: { rescans: [{ name: 'a plain upsert table', timeAgainstOurs: 3.6 }], importAgainstDuckDb: 5.2 },
  mixed: {
    assay: [
      { phase: 'idle', p99: 4 },
      { phase: 'steady', p99: 6 },
    ],
  },
  start: {
    ratios: [
      {
        what: 'start to the first tools/list, with an open database',
        rival: 'hello on @modelcontextprotocol/sdk',
        ratio: 0.83,
      },
    ],
  },
}

test('the table of ratios compares every measured one with its target, and shows what was not measured', () => {
  const lines = toRatioTable(results).split('\n')
  expect(lines).toHaveLength(2 + ratioRows.length)
  const ends = (part: string) =>
    lines
      .find((line) => line.includes(part))
      ?.split('| ')
      .slice(-3)
      .join('| ')
  expect(ends('geometric mean (`query`)')).toBe('25 | at least 20 | yes |')
  expect(ends('the slowest of them')).toBe('1.50 | at least 2 | no |')
  expect(ends('plain table with upserts')).toBe('3.60 | at least 3 | yes |')
  expect(ends('read_ndjson')).toBe('5.20 | at most 5 | no |')
  expect(ends('beside 500 findings')).toBe('1.50 | at most 4 | yes |')
  expect(ends('first `tools/list`')).toBe('0.83 | at most 1 | yes |')
  expect(ends('`/health`')).toBe('– | at most 2 |  |')
})

test('the table replaces the one in docs/performance.md and leaves the rest of the page as it is', () => {
  const page = readFileSync(new URL('../../docs/performance.md', import.meta.url), 'utf8')
  const changed = putRatioTable(page, '| a table |')
  expect(changed).toContain('\n\n| a table |\n\n')
  expect(putRatioTable(changed, '| a table |')).toBe(changed)
  const [before = ''] = page.split('<!-- ratios')
  expect(changed.startsWith(before)).toBe(true)
  expect(() => putRatioTable('no marks', '')).toThrow(RangeError)
})
