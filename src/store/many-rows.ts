import { repeatRow, rowCounts } from './repeated-rows.ts'
import type { StoredValue, Writer } from './store.ts'

/** Runs an INSERT of one row for many rows in SQLite; their values follow each other. */
export function insertMany(writer: Writer, sql: string, values: readonly StoredValue[]): void {
  const { toSql, width } = repeatRow(sql)
  let from = 0
  for (const count of rowCounts) {
    const length = width * count
    for (; values.length - from >= length; from += length) {
      writer.prepare(toSql(count)).run(...values.slice(from, from + length))
    }
  }
}
