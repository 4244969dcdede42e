import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { labelWords } from '../../src/detectors/label-words.ts'
import { findCell, readTable, type TextTable } from '../../src/detectors/text-tables.ts'

describe('words of a label', () => {
  it.each([
    ['user_password', 'user password'],
    ['userPassword', 'user password'],
    ['DBPassword', 'db password'],
    ['APIKeyID', 'api key id'],
    ['spring.datasource.password', 'spring datasource password'],
    ['Geburts-Datum', 'geburts datum'],
    ["clé d'API", 'clé d api'],
    ['cle\u0301 secre\u0300te', 'clé secrète'],
    ['password2', 'password2'],
    ['customerDateOfBirth', 'customer date of birth'],
    ['date of last birth', 'date of last birth'],
    ['ŚcieżkaHasła', 'ścieżka hasła'],
    ['Пароль_от базы', 'пароль от базы'],
    ['數據庫密碼', '數據庫密碼'],
    ['--token--', 'token'],
    ['', ''],
  ])('are split from %s', (name, words) => expect(labelWords(name).join(' ')).toBe(words))
})

/** All tables of a text, in order. */
function readTables(text: string): TextTable[] {
  const tables: TextTable[] = []
  for (let at = 0; at < text.length; ) {
    const table = readTable(text, at)
    if (table !== undefined) tables.push(table)
    const newline = text.indexOf('\n', at)
    at = table?.end ?? (newline < 0 ? text.length : newline + 1)
  }
  return tables
}

/** What is said of a cell: `column/row=text`. */
const cellsOf = (text: string) =>
  readTables(text).flatMap(({ cells }) =>
    cells.map((cell) => `${cell.column ?? ''}/${cell.row ?? ''}=${text.slice(cell.start, cell.end)}`),
  )

describe('tables in running text', () => {
  it.each([
    ['Markdown', '| host | secret |\n|---|:--:|\n| db1 | `x1` |\n| db2 | **y2** |\n\nend'],
    ['Markdown without outer bars', 'host | secret\n--- | ---\ndb1 | x1\ndb2 | y2\n'],
    ['a table of bars alone', '| host | secret |\n| db1 | x1 |\n| db2 | y2 |\n'],
    ['wiki marks', '||host||secret||\n|db1|x1|\n|db2|y2|\n'],
    [
      'a grid',
      '+------+--------+\n| host | secret |\n+======+========+\n| db1  | x1     |\n+------+--------+\n| db2  | y2     |\n+------+--------+\n',
    ],
    ['a console', ' host | secret \n------+--------\n db1  | x1\n db2  | y2\n(2 rows)\n'],
    ['aligned columns', 'host     secret\ndb1      x1\ndb2      y2\n'],
    ['aligned columns with a ruler', 'host     secret\n=======  ======\ndb1      x1\ndb2      y2\n'],
    ['tabs', 'host\tsecret\ndb1\tx1\ndb2\ty2\n'],
    ['semicolons', 'host;secret\ndb1;x1\ndb2;y2'],
    ['commas', 'host,secret\ndb1,"x1"\r\ndb2,y2\n'],
  ])('%s', (_, text) => {
    const cells = ['host/=db1', 'secret/db1=x1', 'host/=db2', 'secret/db2=y2']
    expect(cellsOf(text)).toEqual(cells)
    expect(cellsOf(`Some prose, before it.\n\n${text}`)).toEqual(cells)
  })

  it('omit empty cells and keep the columns of the others', () => {
    expect(cellsOf('a\tb\tc\n1\t\t3\n')).toEqual(['a/=1', 'c/1=3'])
    expect(cellsOf('name   first   last\nx              z\n')).toEqual(['name/=x', 'last/x=z'])
  })

  it.each([
    ['prose with commas', 'First, we went home, and slept.\nThen, of course, we woke up.\n'],
    ['code', 'const a = 1, b = 2;\nconst c = 3, d = 4;\n'],
    ['a list of numbers', '1,2,3\n4,5,6\n'],
    ['one line', '| a | b |'],
    ['a ruler alone', '|---|---|\n|---|---|\n'],
  ])('%s is not a table', (_, text) => expect(cellsOf(text)).toEqual([]))

  it('return the cell that contains an offset', () => {
    const text = 'see\n\n| host | secret |\n|---|---|\n| db1 | x1 |\n\nx1 again'
    const tables = readTables(text)
    expect(findCell(tables, text.indexOf('x1'))).toMatchObject({ column: 'secret', row: 'db1', text: 'x1' })
    expect(findCell(tables, text.lastIndexOf('x1'))).toBeUndefined()
    expect(findCell(tables, text.indexOf('secret'))).toBeUndefined()
    expect(findCell([], 3)).toBeUndefined()
  })

  it('contain the text at their offsets, in order, for any text', () => {
    const piece = fc.constantFrom('a', 'b1', 'key', '|', '||', '\t', '\n', '  ', ',', ';', '"', '---', '*', 'é', '🙂')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const text = pieces.join('')
        let from = 0
        for (const { start, end, cells } of readTables(text)) {
          expect(start).toBeGreaterThanOrEqual(from)
          let at = start
          for (const cell of cells) {
            expect(text.slice(cell.start, cell.end)).toBe(cell.text)
            expect(cell.start).toBeGreaterThanOrEqual(at)
            at = cell.end
          }
          expect(end).toBeGreaterThanOrEqual(at)
          from = end
        }
      }),
    )
  })

  it('are limited: long lines are not rows, and excess columns and rows are ignored', () => {
    expect(readTables(`${'a|'.repeat(20_000)}\n${'b|'.repeat(20_000)}\n`)).toEqual([])
    const wide = readTables(`${Array.from({ length: 1_500 }, (_, at) => `c${at}`).join('|')}\n${'1|'.repeat(1_500)}\n`)
    expect(wide[0]?.cells.length).toBe(1_000)
    const long = readTables(`a|b\n${'1|2\n'.repeat(30_000)}`)
    expect(long[0]?.cells.length).toBeLessThanOrEqual(20_000)
  })
})
