/** Numbers of rows in one statement: SQLite takes half as long for a row among 64 as for one alone. */
export const rowCounts = [64, 8, 1]

interface RepeatedRow {
  /** The number of parameters of one row. */
  width: number
  toSql: (rows: number) => string
}

const repeatedRows = new Map<string, RepeatedRow>()

/**
 * An INSERT of one row for several rows. If one of them violates a constraint, the whole transaction is undone: this
 * spares SQLite a copy of every page that the statement changes.
 */
export function repeatRow(sql: string): RepeatedRow {
  let repeated = repeatedRows.get(sql)
  if (repeated === undefined) {
    const undoing = sql.replace(/^INSERT/, 'INSERT OR ROLLBACK')
    const [before, row, after] = undoing.split(/(?<=VALUES\s*)(\([^()]*\))/) as [string, string, string]
    // The same string each time, because a statement is looked up by its text, whose hash V8 keeps.
    const statements = new Map(rowCounts.map((rows) => [rows, before + row + `, ${row}`.repeat(rows - 1) + after]))
    repeated = { width: row.split('?').length - 1, toSql: (rows) => statements.get(rows) as string }
    repeatedRows.set(sql, repeated)
  }
  return repeated
}

type Prepare = (sql: string) => {
  get(...values: readonly unknown[]): unknown
  run(...values: readonly unknown[]): { changes: number; lastInsertRowid: number | bigint }
}

/**
 * Inserts rows, of which the first value is unique, into a table that SQLite numbers, in a transaction. Returns the id
 * of each row; undefined where it conflicts with another one and the statement says to do nothing.
 */
export function insertNumbered(
  prepare: Prepare,
  sql: string,
  rows: readonly (readonly unknown[])[],
): (number | undefined)[] {
  const { toSql } = repeatRow(sql)
  const [, table, first] = /INTO ([\w.]+) \((\w+)/.exec(sql) ?? []
  const ids: (number | undefined)[] = []
  for (const count of rowCounts) {
    while (rows.length - ids.length >= count) {
      const some = rows.slice(ids.length, ids.length + count)
      const values: unknown[] = []
      // V8 takes several times as long for `flat`.
      for (const row of some) values.push(...row)
      const { changes, lastInsertRowid } = prepare(toSql(count)).run(...values)
      // Without AUTOINCREMENT, SQLite gives inserted rows consecutive ids, larger than all before.
      const before = Number(lastInsertRowid) - changes
      if (changes === count) ids.push(...some.map((_, index) => before + 1 + index))
      else {
        const find = prepare(`SELECT id FROM ${table} WHERE ${first} = ?`)
        const stored = some.map(([value]) => find.get(value) as { id: number } | undefined)
        ids.push(...stored.map((row) => (row !== undefined && changes > 0 && row.id > before ? row.id : undefined)))
      }
    }
  }
  return ids
}
