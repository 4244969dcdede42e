import type { Reader } from '../store/store.ts'

const ROWS_AT_ONCE = 1_000

/** Columns of integers that are never NULL. The first ones are a key, whose order the rows are read in. */
interface KeyedColumns {
  columns: readonly string[]
  table: string
}

/**
 * Reads the rows with keys greater than `after`, a value for each column of the key, in pages: an array of numbers for each column. The database joins each
 * column of a page into one text, because parsing these takes half as long as the driver takes for an array for each
 * row, and leaves less to collect. Columns of small numbers stay apart from others, so that they are not boxed.
 */
export function* readColumns(
  reader: Reader,
  { columns, table }: KeyedColumns,
  after: readonly number[],
): Generator<readonly (readonly number[])[], void> {
  const key = columns.slice(0, after.length).join(', ')
  const names = columns.map((_, index) => `n${index}`)
  const page = `SELECT ${columns.map((column, index) => `${column} AS ${names[index]}`).join(', ')} FROM ${table}
    WHERE (${key}) > (${after.map(() => '?').join(', ')}) ORDER BY ${key} LIMIT ?`
  const texts = names.map((name) => `'[' || string_agg(CAST(${name} AS TEXT), ',') || ']'`)
  const select = reader.prepare(`SELECT ${texts.join(', ')} FROM (${page}) page`).raw()
  for (let last = after; ; ) {
    const found = select.get(...last, ROWS_AT_ONCE) as (string | null)[]
    if (found[0] === null) return
    const numbers = found.map((text) => JSON.parse(text ?? '[]') as number[])
    const count = numbers[0]?.length ?? 0
    if (numbers.some(({ length }) => length !== count)) throw new RangeError(`a column of ${table} has a NULL`)
    yield numbers
    if (count < ROWS_AT_ONCE) return
    last = numbers.slice(0, after.length).map((column) => column.at(-1) ?? 0)
  }
}
