import { internalText, type SafeText } from '../kernel/safe-text.ts'
import type { Writer } from '../store/store.ts'
import type { StoredTextTable } from './stored-columns.ts'

const ROWS_AT_ONCE = 2000

/** Masks every text of a table; returns the number of changed rows. */
export function maskTable(writer: Writer, table: StoredTextTable): number {
  const { name, key, columns, also = [] } = table
  const selected = [...new Set([...key, ...also, ...Object.keys(columns)])].map(quote).join(', ')
  const order = key.map(quote).join(', ')
  const select = (where: string) =>
    writer.prepare(`SELECT ${selected} FROM main.${name} ${where} ORDER BY ${order} LIMIT ${ROWS_AT_ONCE}`)
  const following = `WHERE (${order}) > (${key.map(() => '?').join(', ')})`
  let changed = 0
  let rows = select('').all() as Record<string, unknown>[]
  for (let last = rows.at(-1); last !== undefined; last = rows.at(-1)) {
    for (const row of rows) if (passRow(writer, table, row)) changed++
    const at = last
    rows = select(following).all(...key.map((column) => at[column])) as Record<string, unknown>[]
  }
  return changed
}

function passRow(writer: Writer, table: StoredTextTable, row: Record<string, unknown>): boolean {
  const safe: [column: string, text: SafeText | null][] = []
  for (const [column, toSafe] of Object.entries(table.columns)) {
    const stored = row[column]
    if (typeof stored !== 'string' || stored === '') continue
    const text = toSafe(stored, row)
    if (text !== stored) safe.push([column, text])
  }
  if (safe.length > 0) writeRow(writer, table, row, safe)
  return safe.length > 0
}

function writeRow(
  writer: Writer,
  { name, key, isCache = false }: StoredTextTable,
  row: Record<string, unknown>,
  safe: readonly [string, SafeText | null][],
): void {
  const where = key.map((column) => `${quote(column)} = ?`).join(' AND ')
  const place = key.map((column) => row[column] as number | SafeText)
  const set = safe.map(([column]) => `${quote(column)} = ?`).join(', ')
  const update = writer.prepare(`UPDATE OR IGNORE main.${name} SET ${set} WHERE ${where}`)
  const write = (texts: readonly (SafeText | null)[]) => update.run(...texts, ...place).changes > 0
  if (write(safe.map(([, text]) => text))) return
  if (isCache) {
    writer.prepare(`DELETE FROM main.${name} WHERE ${where}`).run(...place)
    return
  }
  // Another row already has the masked name.
  for (let number = 2; ; number++) {
    if (
      write(
        safe.map(([column, text]) => (isName(column) && text !== null ? internalText(`${text} (${number})`) : text)),
      )
    )
      return
  }
}

const isName = (column: string) => column === 'name' || column === 'key'

const quote = (column: string) => `"${column}"`

/** Rebuilds the full-text indexes, which otherwise still contain the overwritten texts. */
export function rebuildTextIndexes(writer: Writer): void {
  for (const index of ['term_text', 'metric_text']) {
    writer.prepare(`INSERT INTO ${index} (${index}) VALUES ('rebuild')`).run()
  }
}
