import type { DocumentBuilder } from './flow.ts'

/** Limit on cells with a part of their own; further rows of a larger sheet become plain text. */
export const MAX_CELLS = 10_000

/** The letters of a 0-based column: 0 is A, 26 is AA. */
export function toColumnName(column: number): string {
  let name = ''
  for (let left = column + 1; left > 0; left = Math.floor((left - 1) / 26)) {
    name = String.fromCharCode(65 + ((left - 1) % 26)) + name
  }
  return name
}

/**
 * Whether a row looks like column names: every cell has a short text, all are distinct, and none looks like a value.
 */
export function isHeaderRow(cells: readonly string[]): boolean {
  const names = cells.map((cell) => cell.trim())
  if (names.length === 0 || names.some((name) => name === '' || name.length > 60)) return false
  if (new Set(names).size !== names.length) return false
  return !names.some((name) => /^[-+(]?[\d.,\s/:-]+%?\)?$/.test(name) || name.includes('@') || name.includes('://'))
}

export interface DocumentCell {
  text: string
  column: number
  /** Writes the cell's text to the flow. */
  write: (flow: DocumentBuilder) => void
  at: number
}

/** Returns a writer for the rows of one sheet, called top to bottom, that emits cells labelled with their column. */
export function createSheet(
  flow: DocumentBuilder,
  sheet?: string,
): (row: number, cells: readonly DocumentCell[]) => void {
  const prefix = sheet === undefined ? '' : `${sheet}!`
  let header: Map<number, string> | undefined
  let written = 0
  let overflowing = false

  return (row, cells) => {
    const isHeader = header === undefined && isHeaderRow(cells.map(({ text }) => text))
    if (header === undefined) header = new Map(isHeader ? cells.map(({ column, text }) => [column, text.trim()]) : [])
    if (written + cells.length > MAX_CELLS) {
      if (!overflowing) flow.startSection(`${prefix}rows from ${row}`)
      overflowing = true
      for (const [index, cell] of cells.entries()) {
        if (index > 0) flow.made('\t', cell.at, 0)
        cell.write(flow)
      }
      flow.breakLine(cells.at(-1)?.at ?? 0)
      return
    }
    const rowName = cells[0]?.text.trim()
    for (const cell of cells) {
      if (cell.text.trim() === '') continue
      written++
      const label = isHeader ? undefined : header.get(cell.column)
      const named = label === undefined && cell !== cells[0] && header.size === 0 && (rowName?.length ?? 99) <= 60
      const end = flow.capture('cell', {
        path: `${prefix}${toColumnName(cell.column)}${row}`,
        label: named ? rowName : label,
      })
      cell.write(flow)
      end()
    }
  }
}
