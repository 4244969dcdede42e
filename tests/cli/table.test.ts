import { describe, expect, it } from 'vitest'
import { toSparkline, toTable } from '../../src/cli/table.ts'
import { line, showName } from '../../src/kernel/shown.ts'

describe('toTable', () => {
  it('aligns columns, and keeps text from a tenant on one line', () => {
    const table = toTable(
      [{ title: line`name` }, { title: line`n`, align: 'right' }],
      [
        [showName('a\u001b[31m b\nc'), line`7`],
        [showName('a very long name', 8), line`1200`],
      ],
    )
    expect(table).toEqual([
      'name                   n',
      '──────────────────  ────',
      "'a\\u001b[31m b\\nc'     7",
      "'a ver'…            1200",
    ])
  })
})

describe('toSparkline', () => {
  it.each([
    [[0, 1, 2, 4], '▁▃▅█'],
    [[3, 3], '██'],
    [[0, 0], '▁▁'],
    [[1, null, 2], '▅ █'],
    [[], ''],
  ])('draws %j as %j', (values, line) => {
    expect(toSparkline(values)).toBe(line)
  })
})
