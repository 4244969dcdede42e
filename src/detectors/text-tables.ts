import { isHeaderRow } from '../documents/text/cells.ts'

/** A cell of a table that is written in running text; offsets are into that text. */
export interface TextCell {
  text: string
  start: number
  end: number
  /** The heading of its column; absent for the headings themselves. */
  column?: string
  /** The first cell of its row, where it is another one. */
  row?: string
}

export interface TextTable {
  /** Offsets of the whole table; `end` is where the first line begins that is no part of it. */
  start: number
  end: number
  headings: readonly string[]
  /** Every cell below the headings that is not empty, in the order of the text. */
  cells: readonly TextCell[]
}

const MAX_LINE = 8_000
const MAX_COLUMNS = 1_000
const MAX_ROWS = 5_000
const MAX_CELLS = 20_000
const MAX_HEADING = 60
/** Separators that prose has too: there a heading is a short name. */
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
  /** Where the next line begins. */
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

const isRuler = (line: string) =>
  ruler.test(line) && (line.includes('--') || line.includes('==') || /\|\s{0,4}:?-/.test(line))

/** A field without the blanks, quotes and marks of emphasis or code around it. */
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

/** Which column each field of a row stands in; undefined where the line is no row of the table. */
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
 * The table whose headings stand in the line that begins at `start`: Markdown with or without outer bars, wiki marks
 * (`||a||b||`), grids, what consoles print, columns aligned by blanks, and values parted by tabs, semicolons or commas.
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

/** Every table in a text, in order. Linear: a line is read as a heading once and as a row once. */
export function readTables(text: string): TextTable[] {
  const tables: TextTable[] = []
  for (let at = 0; at < text.length; ) {
    const table = readTable(text, at)
    if (table !== undefined) tables.push(table)
    const newline = text.indexOf('\n', at)
    at = table?.end ?? (newline < 0 ? text.length : newline + 1)
  }
  return tables
}

/** The cell that holds the offset, where it stands in one of the tables. */
export function findCell(tables: readonly TextTable[], offset: number): TextCell | undefined {
  const table = tables[lastStart(tables, offset)]
  const cell = table?.cells[lastStart(table.cells, offset)]
  return cell !== undefined && offset < cell.end ? cell : undefined
}

/** Index of the last range that begins at or before the offset. */
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
