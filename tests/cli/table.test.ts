import { describe, expect, it } from 'vitest'
import { toLine, toSparkline, toTable } from '../../src/cli/table.ts'

describe('toTable', () => {
  it('aligns columns, cuts long cells and keeps text from a tenant on one line', () => {
    const table = toTable(
      [
        { title: 'name', maxWidth: 8 },
        { title: 'n', align: 'right' },
      ],
      [
        ['a\u001b[31m b\nc', '7'],
        ['a very long name', '1200'],
      ],
    )
    expect(table.split('\n')).toEqual(['name         n', '────────  ────', 'a[31m b…     7', 'a very …  1200'])
  })
})

describe('toLine', () => {
  it('takes control and invisible characters out', () => {
    expect(toLine('a\u200bb\u202ec\u0007 \t d\u3164\u{e0041}')).toBe('abc d')
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
