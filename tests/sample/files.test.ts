import { describe, expect, test } from 'vitest'
import { readDocument } from '../../src/documents/reader.ts'
import { toCsv } from '../../src/sample/files/csv.ts'
import { toDocx, toXlsx } from '../../src/sample/files/office.ts'
import { toPdf } from '../../src/sample/files/pdf.ts'

async function textOf(bytes: Uint8Array, filename: string): Promise<string> {
  const read = await readDocument(bytes, { mime: 'application/octet-stream', filename })
  if (!('document' in read)) throw new Error(read.reason)
  return read.document.parts.map(({ text }) => text).join('\n')
}

describe('files have the format of their extension', () => {
  test('a PDF with brackets, backslashes and long lines over several pages', async () => {
    const lines = Array.from(
      { length: 120 },
      (_, index) => `Line ${index} (with \\ brackets) ${'word '.repeat(index % 30)}`,
    )
    const text = await textOf(toPdf('Title', lines), 'a.pdf')
    expect(text).toContain('Title')
    expect(text).toContain('Line 0 (with \\ brackets)')
    expect(text).toContain('Line 119')
  })

  test('a Word document with headings and tables', async () => {
    const text = await textOf(
      toDocx([
        { heading: 'Head' },
        'Some <text> & more',
        {
          table: [
            ['a', 'b'],
            ['1', '2'],
          ],
        },
      ]),
      'a.docx',
    )
    for (const words of ['Head', 'Some <text> & more', '1', '2']) expect(text).toContain(words)
  })

  test('a workbook with several sheets, texts and numbers', async () => {
    const text = await textOf(
      toXlsx({
        One: [
          ['Name', 'Count'],
          ['"x" & y', 12.5],
        ],
        Two: [['Only']],
      }),
      'a.xlsx',
    )
    for (const words of ['"x" & y', '12.5', 'Only']) expect(text).toContain(words)
  })

  test('a CSV file with quotes, commas and line breaks', async () => {
    const text = await textOf(
      toCsv([
        ['name', 'note'],
        ['a', 'x, "y"\nz'],
      ]),
      'a.csv',
    )
    expect(text).toContain('x, "y"\nz')
  })
})

test('equal bytes for equal content', () => {
  expect(toDocx(['a'])).toEqual(toDocx(['a']))
  expect(toXlsx({ A: [['a']] })).toEqual(toXlsx({ A: [['a']] }))
})
