import type { StoredValue, Writer } from './store.ts'

/** Numbers of rows in one statement: SQLite takes half as long for a row among 64 as for one alone. */
const sizes = [64, 8, 1]

/** Runs an INSERT that ends with the parameters of one row for many rows, whose values follow each other. */
export function insertMany(writer: Writer, sql: string, values: readonly StoredValue[]): void {
  const row = sql.slice(sql.lastIndexOf('('))
  const width = row.split('?').length - 1
  let from = 0
  for (const size of sizes) {
    const length = width * size
    for (; values.length - from >= length; from += length) {
      writer.prepare(sql + `, ${row}`.repeat(size - 1)).run(...values.slice(from, from + length))
    }
  }
}
