export type CsvValue = string | number | boolean | null | undefined

/**
 * What spreadsheets take for the beginning of a formula: at the beginning of a cell, and where another separator than the
 * comma is expected, after that separator or a line break.
 */
const formula = /^(?=[=+\-@\t\r\n])|(?=[=+\-@])(?<=[;\t\r\n]"*)/g
const special = /[",\r\n]/

/**
 * One record of a CSV file (RFC 4180), with its line end. Where a spreadsheet would take text for a formula, there is an
 * apostrophe before it; numbers are unchanged.
 */
export const toCsvRecord = (values: readonly CsvValue[]): string => `${values.map(toField).join(',')}\r\n`

export const toCsv = (records: readonly (readonly CsvValue[])[]): string => records.map(toCsvRecord).join('')

function toField(value: CsvValue): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  const text = value.replaceAll(formula, "'")
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
