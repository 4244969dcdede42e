import { isHeaderRow } from '../documents/text/cells.ts'

/** A cell of a table in plain text; offsets are into that text. */
export interface TextCell {
  text: string
  start: number
  end: number
  /** The heading of its column; absent for headings themselves. */
  column?: string
  /** The first cell of its row, unless it is that cell. */
  row?: string
}

export interface TextTable {
  /** Offsets of the whole table; `end` is the start of the first line after it. */
  start: number
  end: number
  headings: readonly string[]
  /** All non-empty cells below the headings, in text order. */
  cells: readonly TextCell[]
}

const MAX_LINE = 8_000
const MAX_COLUMNS = 1_000
const MAX_ROWS = 5_000
const MAX_CELLS = 20_000
const MAX_HEADING = 60
/** Limit on headings where the separator also occurs in prose, so that only short names count. */
const MAX_BARE_HEADING = 32
const bareHeading = /^["']?[\p{L}\d_#](?:[\p{L}\p{M}\d _./#()-]{0,30}[\p{L}\p{M}\d_#)])?["']?$/u
const ruler = /^[ \t|+:=-]{3,8000}$/

type Separator = '||' | '|' | '\t' | '  ' | ';' | ','

interface Field {
  text: string
  start: number
  end: number
}

interface Line {
  text: string
  start: number
  /** Start of the next line. */
  next: number
}

function readLine(text: string, start: number): Line | undefined {
  if (start >= text.length) return undefined
  const newline = text.indexOf('\n', start)
  const end = newline < 0 ? text.length : newline
  if (end - start > MAX_LINE) return undefined
  const line = text.slice(start, end)
  return { text: line.endsWith('\r') ? line.slice(0, -1) : line, start, next: newline < 0 ? text.length : newline + 1 }
}

/** Whether the row above belongs to the same table, so that this line is one of its rows and not its head. */
function isBelowRow(text: string, start: number, separator: Separator, fields: number): boolean {
  if (separator !== '|' && separator !== '\t') return false
  const lineAbove = (end: number) => {
    const from = text.lastIndexOf('\n', end - 2) + 1
    return end - from > MAX_LINE ? undefined : readLine(text, from)
  }
  let above = start === 0 ? undefined : lineAbove(start)
  if (above !== undefined && isRuler(above.text)) above = above.start === 0 ? undefined : lineAbove(above.start)
  if (above === undefined || isRuler(above.text) || !above.text.includes(separator)) return false
  return splitLine(above, separator).filter((field) => field.text !== '').length >= Math.max(2, fields)
}

const isRuler = (line: string) =>
  ruler.test(line) && (line.includes('--') || line.includes('==') || /\|\s{0,4}:?-/.test(line))

/** Strips whitespace, quotes, and emphasis or code marks from a field. */
function toField(raw: string, start: number): Field {
  let from = 0
  let to = raw.length
  const isMark = (at: number) => /["'`*]/.test(raw.charAt(at))
  while (from < to && /\s/.test(raw.charAt(from))) from++
  while (to > from && /\s/.test(raw.charAt(to - 1))) to--
  while (to - from >= 2 && isMark(from) && raw.charAt(from) === raw.charAt(to - 1)) {
    from++
    to--
  }
  return { text: raw.slice(from, to), start: start + from, end: start + to }
}

function splitLine({ text, start }: Line, separator: Separator): Field[] {
  if (separator === '  ') {
    return [...text.matchAll(/\S+(?: \S+)*/g)]
      .slice(0, MAX_COLUMNS)
      .map(({ 0: raw, index }) => toField(raw, start + index))
  }
  const fields: Field[] = []
  let from = 0
  while (from <= text.length && fields.length < MAX_COLUMNS) {
    const quote = separator === ',' || separator === ';' ? text.charAt(from) === '"' : false
    const closing = quote ? text.indexOf('"', from + 1) : -1
    const at = text.indexOf(separator, closing < 0 ? from : closing)
    const end = at < 0 ? text.length : at
    fields.push(toField(text.slice(from, end), start + from))
    from = end + separator.length
  }
  const isPiped = separator === '|' || separator === '||'
  if (isPiped && fields[0]?.text === '') fields.shift()
  if (isPiped && fields.at(-1)?.text === '') fields.pop()
  return fields
}

function separatorOf(line: string): Separator | undefined {
  if (line.trimStart().startsWith('||')) return '||'
  if (line.includes('|')) return '|'
  if (line.includes('\t')) return '\t'
  if (/\S {2,40}\S/.test(line)) return '  '
  if (line.includes(';')) return ';'
  return line.includes(',') ? ',' : undefined
}

function areHeadings(names: readonly string[], separator: Separator, ruled: boolean): boolean {
  if (separator === '||' || (ruled && separator === '|'))
    return names.some((name) => name !== '' && name.length <= MAX_HEADING)
  if (names.length < 2) return false
  if (separator === '|' || separator === '\t') return isHeaderRow(names)
  return isHeaderRow(names) && names.every((name) => name.length <= MAX_BARE_HEADING && bareHeading.test(name))
}

/** The column of each field in a row; undefined where the line is not a row of the table. */
function columnsOf(
  fields: readonly Field[],
  heads: readonly Field[],
  separator: Separator,
  shift: number,
): number[] | undefined {
  if (separator !== '  ') {
    const exact = separator === ',' || separator === ';'
    const fits = exact ? fields.length === heads.length : fields.length >= Math.min(2, heads.length)
    return fits ? fields.map((_, column) => column) : undefined
  }
  const columns = fields.map(({ start }) => heads.findLastIndex((head) => head.start <= start - shift + 1))
  return columns.includes(-1) || new Set(columns).size < columns.length ? undefined : columns
}

/**
 * Parses the table whose headings are in the line that starts at `start`: Markdown with or without outer bars, wiki
 * markup (`||a||b||`), grids, console output, columns aligned by spaces, and values separated by tabs, semicolons or
 * commas.
 */
export function readTable(text: string, start: number): TextTable | undefined {
  const head = readLine(text, start)
  const separator = head === undefined ? undefined : separatorOf(head.text)
  if (head === undefined || separator === undefined || isRuler(head.text)) return undefined
  const below = readLine(text, head.next)
  if (below === undefined || below.text.trim() === '') return undefined
  const ruled = isRuler(below.text)
  const heads = splitLine(head, separator)
  const headings = heads.map((field) => field.text)
  if (!areHeadings(headings, separator, ruled)) return undefined
  if (!ruled && isBelowRow(text, start, separator, headings.filter((name) => name !== '').length)) return undefined
  const rowSeparator = separator === '||' ? '|' : separator
  const cells: TextCell[] = []
  let at = head.next
  for (let row = 0; row < MAX_ROWS && cells.length < MAX_CELLS; row++) {
    const line = readLine(text, at)
    if (line === undefined || line.text.trim() === '') break
    if (isRuler(line.text)) {
      at = line.next
      continue
    }
    if (!line.text.includes(rowSeparator) && heads.length > 1 && separator !== '  ') break
    if (separator === '|' && heads.length === 1 && !line.text.includes('|')) break
    const fields = splitLine(line, rowSeparator)
    const columns = columnsOf(fields, heads, separator, line.start - head.start)
    if (columns === undefined) break
    for (const [index, field] of fields.entries()) {
      const column = headings[columns[index] ?? -1]
      if (field.text === '') continue
      cells.push({
        ...field,
        ...(column === undefined || column === '' ? {} : { column }),
        ...(index === 0 ? {} : { row: fields[0]?.text ?? '' }),
      })
    }
    at = line.next
  }
  return cells.length === 0 ? undefined : { start, end: at, headings, cells }
}

/** The table cell that contains the offset; undefined outside of tables. */
export function findCell(tables: readonly TextTable[], offset: number): TextCell | undefined {
  const table = tables[lastStart(tables, offset)]
  const cell = table?.cells[lastStart(table.cells, offset)]
  return cell !== undefined && offset < cell.end ? cell : undefined
}

/** Index of the last range that starts at or before the offset. */
function lastStart(ranges: readonly { start: number }[], offset: number): number {
  let low = -1
  let high = ranges.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((ranges[middle]?.start ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}
