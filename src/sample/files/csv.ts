const quote = (value: string | number) =>
  /[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value)

/** Comma-separated values (RFC 4180). */
export function toCsv(rows: readonly (readonly (string | number)[])[]): Uint8Array {
  return Buffer.from(`${rows.map((row) => row.map(quote).join(',')).join('\r\n')}\r\n`)
}
