import { isHeaderRow } from '../text/cells.ts'
import type { DocumentBuilder } from '../text/flow.ts'
import { type Close, findAttribute, type MarkupElement } from './markup.ts'

interface Row {
  cells: { text: string; head: boolean }[]
  column: number
  isHeader: boolean
}

interface Table {
  header: (string | undefined)[]
  rows: number
  inHead: boolean
  row: Row | undefined
}

const MAX_SPAN = 100
const MAX_ROW_NAME = 60

/** Turns table markup into cell parts labelled with their column or row header. */
export function createTableReader(flow: DocumentBuilder): (element: MarkupElement) => Close | undefined {
  const tables: Table[] = []

  const openCell = (element: MarkupElement, table: Table): Close => {
    table.row ??= { cells: [], column: 0, isHeader: false }
    const { row } = table
    const head = element.name === 'th'
    const span = Math.min(MAX_SPAN, Math.max(1, Number.parseInt(findAttribute(element, 'colspan') ?? '1', 10) || 1))
    const first = row.cells[0]
    const rowName = first !== undefined && first.text.length <= MAX_ROW_NAME ? first.text : undefined
    const columnName = head && table.inHead ? undefined : table.header[row.column]
    row.column += span
    const own = columnName ?? (first?.head === true || table.header.length === 0 ? rowName : undefined)
    const end = flow.capture('cell', {
      label: () => (row.isHeader ? undefined : own),
      under: columnName === undefined ? undefined : rowName,
    })
    const takeText = flow.listen()
    return () => {
      end()
      const cell = { text: takeText(), head }
      row.cells.push(...Array.from({ length: span }, () => cell))
    }
  }

  return (element) => {
    if (element.name === 'table') {
      tables.push({ header: [], rows: 0, inHead: false, row: undefined })
      return (at) => {
        tables.pop()
        flow.breakLine(at)
      }
    }
    const table = tables.at(-1)
    if (table === undefined) return undefined
    if (element.name === 'thead') {
      table.inHead = true
      return () => {
        table.inHead = false
      }
    }
    if (element.name === 'tr') {
      table.row = { cells: [], column: 0, isHeader: false }
      return () => {
        const cells = table.row?.cells ?? []
        table.rows++
        const marked = table.inHead || cells.every(({ head }) => head)
        const reads = table.rows === 1 && cells.length > 2 && isHeaderRow(cells.map(({ text }) => text))
        const isHeader = cells.length > 1 && (marked || reads)
        if (table.row !== undefined) table.row.isHeader = isHeader
        if (isHeader) table.header = cells.map(({ text }) => (text === '' ? undefined : text))
        table.row = undefined
      }
    }
    return element.name === 'td' || element.name === 'th' ? openCell(element, table) : undefined
  }
}
