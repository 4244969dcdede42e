import { line, type PrintableText } from '../kernel/shown.ts'

export type Alignment = 'left' | 'right'

export interface Column {
  title: PrintableText
  align?: Alignment
}

/** A plain aligned table as lines: header, rule, and one line for each row. */
export function toTable(columns: readonly Column[], rows: readonly (readonly PrintableText[])[]): PrintableText[] {
  const widths = columns.map(({ title }, index) =>
    Math.max(title.length, ...rows.map((row) => [...(row[index] ?? '')].length)),
  )
  const toRow = (row: readonly PrintableText[]) =>
    row
      .map((cell, index) => pad(cell, widths[index] ?? 0, columns[index]?.align ?? 'left'))
      .join('  ')
      .trimEnd() as PrintableText
  const rule = widths.map((width) => '─'.repeat(width)).join('  ') as PrintableText
  return [toRow(columns.map(({ title }) => title)), rule, ...rows.map(toRow)]
}

function pad(text: string, width: number, align: Alignment): string {
  const blanks = ' '.repeat(Math.max(0, width - [...text].length))
  return align === 'right' ? blanks + text : text + blanks
}

const blocks = [line`▁`, line`▂`, line`▃`, line`▄`, line`▅`, line`▆`, line`▇`, line`█`]

/** One block character for each value, scaled from the least to the greatest, including 0; null is a blank. */
export function toSparkline(values: readonly (number | null)[]): PrintableText {
  const known = values.filter((value) => value !== null)
  const [least, most] = [Math.min(0, ...known), Math.max(...known, 0)]
  return values
    .map((value) => {
      if (value === null) return ' '
      const share = most === least ? 0 : (value - least) / (most - least)
      return blocks[Math.min(blocks.length - 1, Math.floor(share * blocks.length))] ?? ' '
    })
    .join('') as PrintableText
}
