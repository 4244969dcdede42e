export type Alignment = 'left' | 'right'

export interface Column {
  title: string
  align?: Alignment
  /** Longer cells are cut with an ellipsis. */
  maxWidth?: number
}

const controls = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** Text from a tenant as it may stand on a terminal: one line, no control or invisible characters. */
export function toLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(controls, '').trim()
}

/** A plain aligned table: a head, a rule, a line a row. */
export function toTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => columns.map((column, index) => cut(toLine(row[index] ?? ''), column.maxWidth)))
  const widths = columns.map((column, index) =>
    Math.max(column.title.length, ...cells.map((row) => [...(row[index] ?? '')].length)),
  )
  const line = (row: readonly string[]) =>
    row
      .map((cell, index) => pad(cell, widths[index] ?? 0, columns[index]?.align ?? 'left'))
      .join('  ')
      .trimEnd()
  return [
    line(columns.map(({ title }) => title)),
    widths.map((width) => '─'.repeat(width)).join('  '),
    ...cells.map(line),
  ].join('\n')
}

function pad(text: string, width: number, align: Alignment): string {
  const blanks = ' '.repeat(Math.max(0, width - [...text].length))
  return align === 'right' ? blanks + text : text + blanks
}

/** Text of at most so many characters. */
export function cut(text: string, maxWidth = Number.POSITIVE_INFINITY): string {
  const characters = [...text]
  return characters.length <= maxWidth ? text : `${characters.slice(0, maxWidth - 1).join('')}…`
}

const blocks = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

/** One block a value, from the least to the most; a value that is not known is a blank. */
export function toSparkline(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null)
  const [least, most] = [Math.min(0, ...known), Math.max(...known, 0)]
  return values
    .map((value) => {
      if (value === null) return ' '
      const share = most === least ? 0 : (value - least) / (most - least)
      return blocks[Math.min(blocks.length - 1, Math.floor(share * blocks.length))] ?? ' '
    })
    .join('')
}
