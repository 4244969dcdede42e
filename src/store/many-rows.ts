import type { StoredValue, Writer } from './connection.ts'

/** Numbers of rows in one statement: SQLite takes half as long for a row among 64 as for one alone. */
const sizes = [64, 8, 1]

/** Runs an INSERT of one row for many rows, whose values follow each other. */
export function insertMany(writer: Pick<Writer, 'prepare'>, sql: string, values: readonly StoredValue[]): void {
  const { toSql, width } = repeatRow(sql)
  let from = 0
  for (const size of sizes) {
    const length = width * size
    for (; values.length - from >= length; from += length) {
      writer.prepare(toSql(size)).run(...values.slice(from, from + length))
    }
  }
}

type Prepare = (sql: string) => {
  run(...values: readonly unknown[]): { changes: number; lastInsertRowid: number | bigint }
}

/**
 * As `insertMany`, for a table that SQLite numbers, in a transaction. Returns the id of each row; undefined where it
 * conflicts with another one and the statement says to do nothing.
 */
export function insertNumbered(
  prepare: Prepare,
  sql: string,
  rows: readonly (readonly StoredValue[])[],
): (number | undefined)[] {
  const { toSql } = repeatRow(sql)
  const ids: (number | undefined)[] = []
  for (const size of sizes) {
    while (rows.length - ids.length >= size) {
      const some = rows.slice(ids.length, ids.length + size)
      ids.push(...(insertTogether(prepare, toSql(size), some) ?? some.map((row) => insertAlone(prepare, sql, row))))
    }
  }
  return ids
}

function insertAlone(prepare: Prepare, sql: string, row: readonly StoredValue[]): number | undefined {
  const { changes, lastInsertRowid } = prepare(sql).run(...row)
  return changes === 0 ? undefined : Number(lastInsertRowid)
}

/** SQLite gives the rows of a statement consecutive ids; undefined and nothing done if not all rows were inserted. */
function insertTogether(
  prepare: Prepare,
  sql: string,
  rows: readonly (readonly StoredValue[])[],
): number[] | undefined {
  if (rows.length === 1) return undefined
  prepare('SAVEPOINT rows_together').run()
  const values: StoredValue[] = []
  // V8 takes several times as long for `flat`.
  for (const row of rows) values.push(...row)
  const { changes, lastInsertRowid } = prepare(sql).run(...values)
  const isComplete = changes === rows.length
  if (!isComplete) prepare('ROLLBACK TO rows_together').run()
  prepare('RELEASE rows_together').run()
  const first = Number(lastInsertRowid) - rows.length + 1
  return isComplete ? rows.map((_, index) => first + index) : undefined
}

/** An INSERT of one row: the number of its parameters, and the same statement for more rows. */
interface RepeatedRow {
  width: number
  toSql: (size: number) => string
}

const repeatedRows = new Map<string, RepeatedRow>()

function repeatRow(sql: string): RepeatedRow {
  let repeated = repeatedRows.get(sql)
  if (repeated === undefined) {
    const [before, row, after] = sql.split(/(?<=VALUES\s*)(\([^()]*\))/) as [string, string, string]
    // Kept, because a statement is found by its text, which is hashed once.
    const statements = new Map(sizes.map((size) => [size, before + row + `, ${row}`.repeat(size - 1) + after]))
    repeated = { width: row.split('?').length - 1, toSql: (size) => statements.get(size) as string }
    repeatedRows.set(sql, repeated)
  }
  return repeated
}
