export type CsvValue = string | number | boolean | null | undefined

/** What spreadsheets take for the beginning of a formula. */
const formula = /^[=+\-@\t\r\n]/
const special = /[",\r\n]/

/**
 * One record of a CSV file (RFC 4180), with its line end. A text that a spreadsheet would take for a formula begins with
 * an apostrophe instead; numbers are unchanged.
 */
export const toCsvRecord = (values: readonly CsvValue[]): string => `${values.map(toField).join(',')}\r\n`

function toField(value: CsvValue): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  const text = formula.test(value) ? `'${value}` : value
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
