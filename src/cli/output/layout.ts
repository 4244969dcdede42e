import { styleText } from 'node:util'
import wrapAnsi from 'wrap-ansi'
import { shell } from '../../runtime/shell.ts'
import { type Block, type Fields, type Span, type TableBlock, type Tone, withUtcTimes } from './blocks.ts'
import { fitColumns } from './columns.ts'
import { cutText, wrapText } from './fit-text.ts'
import { toHarmlessLink } from './links.ts'
import { readersZone } from './times.ts'
import { widthOf } from './width.ts'

/** What the output is shown on; a pipe has no width. */
export interface Screen {
  width: number
  hasColor: boolean
  hasLinks: boolean
}

const GAP = '  '

/** Blocks as lines, none wider than the screen. */
export function layOut(blocks: readonly Block[], screen: Screen): string[] {
  const paint = createPainter(screen)
  const isTerminal = Number.isFinite(screen.width)
  const lines = (isTerminal ? blocks : withUtcTimes(blocks)).flatMap((block) => layOutBlock(block, screen, paint))
  return isTerminal && blocks.some(hasTimes) ? [...lines, ...layOutBlock(toZoneNote(), screen, paint)] : lines
}

const toZoneNote = (): Block => ({ text: `Times are in ${readersZone()}.` as Span['text'], tone: 'quiet' })

function hasTimes(block: Block): boolean {
  if (typeof block !== 'object' || !('kind' in block)) return false
  if (block.kind === 'table') return block.rows.some((row) => row.some(({ isTime }) => isTime))
  return block.kind === 'fields' && block.fields.some(([, { isTime }]) => isTime)
}

function layOutBlock(block: Block, screen: Screen, paint: Painter): string[] {
  if (typeof block === 'string') return wrapLine(block, screen.width)
  if (isSpans(block)) {
    return wrapLine(
      block.map((each) => (typeof each === 'string' ? each : paint(each.text, each))).join(''),
      screen.width,
    )
  }
  if (!('kind' in block)) return wrapLine(paint(block.text, block), screen.width)
  switch (block.kind) {
    case 'table':
      return layOutTable(block, screen, paint)
    case 'fields':
      return layOutFields(block, screen, paint)
    case 'command':
      return wrapCommand(block.text, screen.width)
  }
}

const isSpans = (block: Block): block is readonly (Span['text'] | Span)[] => Array.isArray(block)

/** Lines of a paragraph; the further ones are indented as the first, and a little more. */
function wrapLine(text: string, width: number): string[] {
  if (widthOf(text) <= width) return [text]
  const indent = ' '.repeat(Math.min(/^ */.exec(text)?.[0].length ?? 0, width >> 2))
  const [first = '', ...more] = wrapAnsi(text.trimStart(), width - indent.length, wrapOptions).split('\n')
  if (indent === '') return [first, ...more]
  return [first, ...more].map((line) => indent + line)
}

const wrapOptions = { hard: true } as const

function wrapCommand(text: string, width: number): string[] {
  const { continued } = shell
  if (widthOf(text) <= width || continued === undefined) return [text]
  const indent = /^ */.exec(text)?.[0] ?? ''
  const room = width - indent.length - 4
  // Within quotes the shell would keep the backslash.
  const joined = text.trimStart().replaceAll(/'[^']*'|"[^"]*"/g, (quoted) => quoted.replaceAll(' ', '\u00a0'))
  const lines = wrapAnsi(joined, room).replaceAll('\u00a0', ' ').split('\n')
  // Terminals copy a line that they wrap themselves as one line.
  if (lines.some((line) => widthOf(line) > room)) return [text]
  return lines.map((line, at) => `${indent}${at === 0 ? '' : GAP}${line}${at < lines.length - 1 ? continued : ''}`)
}

function layOutTable({ columns, rows }: TableBlock, screen: Screen, paint: Painter): string[] {
  const widths = fitColumns(columns, rows, screen.width)
  if (widths === undefined) return layOutRecords({ kind: 'table', columns, rows }, screen, paint)
  const shown = columns.flatMap((column, at) => {
    const width = widths[at]
    return width === undefined ? [] : [{ column, at, width }]
  })
  const toLines = (cells: readonly Span[]): string[] => {
    const parts = shown.map(({ column, at, width }) => {
      const cell = cells[at]
      const text = cell?.text ?? ''
      return { cell, width, column, lines: column.isCut ? [cutText(text, width)] : wrapText(text, width) }
    })
    const height = Math.max(1, ...parts.map(({ lines }) => lines.length))
    return Array.from({ length: height }, (_, row) => {
      let written = ''
      let blanks = ''
      for (const [index, { cell, width, column, lines }] of parts.entries()) {
        const text = lines[row] ?? ''
        const room = ' '.repeat(width - widthOf(text))
        if (index > 0) blanks += GAP
        if (text !== '') {
          written += (column.align === 'right' ? blanks + room : blanks) + paint(text, cell ?? {})
          blanks = column.align === 'right' ? '' : room
        } else blanks += room
      }
      return written
    })
  }
  const heading = columns.map(({ title }): Span => ({ text: title, tone: 'heading' }))
  const rule = shown.map(({ width }) => '─'.repeat(width)).join(GAP)
  return [...toLines(heading), paint(rule, { tone: 'quiet' }), ...rows.flatMap(toLines)]
}

/** One line for each cell, for screens on which not even the narrowest columns fit beside each other. */
function layOutRecords({ columns, rows }: TableBlock, screen: Screen, paint: Painter): string[] {
  return rows.flatMap((row, at) => {
    const pairs = row.flatMap((cell, index) => {
      const title = columns[index]?.title
      return title === undefined || cell.text === '' ? [] : [[title, cell] as const]
    })
    return [...(at === 0 ? [] : ['']), ...layOutFields({ kind: 'fields', fields: pairs }, screen, paint)]
  })
}

function layOutFields({ fields }: Fields, screen: Screen, paint: Painter): string[] {
  const width = Math.max(0, ...fields.map(([title]) => widthOf(title)))
  return fields.flatMap(([title, cell]) => {
    const head = `${title}:${' '.repeat(width - widthOf(title))} `
    const room = screen.width - head.length
    const isBeside = room >= MIN_VALUE || widthOf(cell.text) <= room
    const indent = isBeside ? ' '.repeat(head.length) : GAP
    const lines = wrapText(cell.text, screen.width - indent.length, '')
    const painted = lines.map((line) => paint(line, cell))
    const [first = '', ...more] = painted
    const named = paint(head.trimEnd(), { tone: 'quiet' }) + head.slice(head.trimEnd().length)
    return isBeside
      ? [named + first, ...more.map((line) => indent + line)]
      : [paint(head.trimEnd(), { tone: 'quiet' }), ...painted.map((line) => indent + line)]
  })
}

/** Narrowest room for a value beside its name. */
const MIN_VALUE = 16

const styles: Record<Tone, Parameters<typeof styleText>[0]> = {
  good: 'green',
  notice: 'yellow',
  bad: 'red',
  worst: ['bold', 'red'],
  quiet: 'dim',
  heading: 'bold',
}

type Painter = (text: string, style: Pick<Span, 'tone' | 'link'>) => string

function createPainter({ hasColor, hasLinks }: Screen): Painter {
  return (text, { tone, link }) => {
    if (text === '') return text
    const painted = tone === undefined || !hasColor ? text : styleText(styles[tone], text, { validateStream: false })
    const address = hasLinks && link !== undefined ? toHarmlessLink(link) : undefined
    return address === undefined ? painted : `\u001b]8;;${address}\u001b\\${painted}\u001b]8;;\u001b\\`
  }
}
