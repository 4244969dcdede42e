import { expect, it } from 'vitest'
import { cell, fields, linked, table } from '../../src/cli/output/blocks.ts'
import { toCsv, toMarkdown } from '../../src/cli/output/markup.ts'
import { line, showSentence } from '../../src/kernel/shown.ts'
import { hostileNames } from '../support/hostile-names.ts'

const columns = [{ title: line`name` }, { title: line`n`, align: 'right' as const }]

it('CSV has the values of the cells', () => {
  const rows = [
    [cell.name('a, "b"'), cell.number(1234.5, '1,234.5')],
    [cell.name('=1+1'), cell.number(null)],
    [cell.none, cell.number(0)],
    [cell.time('2026-01-31T09:05:00.123Z'), cell.number(-2)],
  ]
  expect(toCsv([line`A title`, table(columns, rows)])).toBe(
    'name,n\r\n"a, ""b""",1234.5\r\n\'=1+1,\r\n,0\r\n2026-01-31T09:05:00.123Z,-2\r\n',
  )
})

it('Markdown has a table, and what else is shown', () => {
  const rows = [[linked(cell.name('a|b*c'), 'https://a.example/(x)'), cell.number(7)]]
  expect(toMarkdown([line`# 1 < 2`, table(columns, rows), fields([line`owner`, cell.name('ada_b')])])).toBe(
    "\\# 1 \\< 2  \n\n| name | n |\n| --- | ---: |\n| ['a\\|b\\*c'](<https://a.example/%28x%29>) | 7 |\n\n- **owner**: ada\\_b\n",
  )
})

it('hostile names are cells of CSV and Markdown, and nothing else', () => {
  const names = hostileNames(500, 77)
  const rows = names.map((name) => [cell.name(name), cell.number(1)])
  const lines = toMarkdown([table(columns, rows), ...names.map((name) => showSentence(name))]).split('\n')
  const cells = lines.slice(2, 2 + names.length)
  expect(cells.filter((each) => !/^\| (?:[^|]|(?<=\\)\|)+ \| 1 \|$/.test(each))).toEqual([])
  const unescaped = lines.slice(2).filter((each) => /(?<!\\)[<`[\]]/.test(each.replaceAll('\\\\', '')))
  expect(unescaped).toEqual([])
  expect(toCsv([table(columns, rows)])).not.toMatch(/(?![\r\n])[\p{Cc}\u202a-\u202e]/u)
})
