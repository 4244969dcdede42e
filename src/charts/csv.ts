type Cell = string | number | null | undefined

/** A cell of CSV; text that a spreadsheet would run as a formula gets a quote before it. */
export function toCell(value: Cell): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const text = value.replaceAll(/^(?=[=+\-@\t\r\n])|(?=[=+\-@])(?<=[;\t\r\n]"*)/g, "'")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export const toCsv = (rows: readonly (readonly Cell[])[]): string =>
  `${rows.map((row) => row.map(toCell).join(',')).join('\r\n')}\r\n`
