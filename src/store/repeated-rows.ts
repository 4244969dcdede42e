/** Numbers of rows in one statement: SQLite takes half as long for a row among 64 as for one alone. */
export const rowCounts = [64, 8, 1]

interface RepeatedRow {
  /** The number of parameters of one row. */
  width: number
  toSql: (rows: number) => string
}

const repeatedRows = new Map<string, RepeatedRow>()

/** An INSERT of one row for several rows. */
export function repeatRow(sql: string): RepeatedRow {
  let repeated = repeatedRows.get(sql)
  if (repeated === undefined) {
    const [before, row, after] = sql.split(/(?<=VALUES\s*)(\([^()]*\))/) as [string, string, string]
    // The same string each time, because a statement is looked up by its text, whose hash V8 keeps.
    const statements = new Map(rowCounts.map((rows) => [rows, before + row + `, ${row}`.repeat(rows - 1) + after]))
    repeated = { width: row.split('?').length - 1, toSql: (rows) => statements.get(rows) as string }
    repeatedRows.set(sql, repeated)
  }
  return repeated
}

type Prepare = (sql: string) => {
  run(...values: readonly unknown[]): { changes: number; lastInsertRowid: number | bigint }
}

/**
 * Inserts rows into a table that SQLite numbers, in a transaction. Returns the id of each row; undefined where it
 * conflicts with another one and the statement says to do nothing.
 */
export function insertNumbered(
  prepare: Prepare,
  sql: string,
  rows: readonly (readonly unknown[])[],
): (number | undefined)[] {
  const { toSql } = repeatRow(sql)
  const ids: (number | undefined)[] = []
  for (const count of rowCounts) {
    while (rows.length - ids.length >= count) {
      const some = rows.slice(ids.length, ids.length + count)
      ids.push(...(insertTogether(prepare, toSql(count), some) ?? some.map((row) => insertAlone(prepare, sql, row))))
    }
  }
  return ids
}

function insertAlone(prepare: Prepare, sql: string, row: readonly unknown[]): number | undefined {
  const { changes, lastInsertRowid } = prepare(sql).run(...row)
  return changes === 0 ? undefined : Number(lastInsertRowid)
}

/** SQLite gives the rows of a statement consecutive ids; undefined and nothing done if not all rows were inserted. */
function insertTogether(prepare: Prepare, sql: string, rows: readonly (readonly unknown[])[]): number[] | undefined {
  if (rows.length === 1) return undefined
  prepare('SAVEPOINT rows_together').run()
  const values: unknown[] = []
  // V8 takes several times as long for `flat`.
  for (const row of rows) values.push(...row)
  const { changes, lastInsertRowid } = prepare(sql).run(...values)
  const isComplete = changes === rows.length
  if (!isComplete) prepare('ROLLBACK TO rows_together').run()
  prepare('RELEASE rows_together').run()
  const first = Number(lastInsertRowid) - rows.length + 1
  return isComplete ? rows.map((_, index) => first + index) : undefined
}
