import type { PostgresResult } from './client.ts'
import { withoutNul } from './sql.ts'

type RowForm = 'object' | 'pluck' | 'raw'

/** Ways to run a statement on its connection. */
interface StatementCalls {
  execute: (values: readonly unknown[]) => PostgresResult
  executeLater: (values: readonly unknown[]) => { readonly changes: number }
  insert: (values: readonly unknown[]) => PostgresResult
}

/** A statement with the interface of one of better-sqlite3. */
export class PostgresStatement {
  readonly reader = true
  readonly #calls: StatementCalls
  readonly #form: RowForm

  constructor(calls: StatementCalls, form: RowForm = 'object') {
    this.#calls = calls
    this.#form = form
  }

  all(...values: readonly unknown[]): unknown[] {
    const { columns, rows } = this.#calls.execute(values)
    return rows.map((row) => this.#toRow(columns, row))
  }

  get(...values: readonly unknown[]): unknown {
    const { columns, rows } = this.#calls.execute(values)
    const [first] = rows
    return first === undefined ? undefined : this.#toRow(columns, first)
  }

  insert(...values: readonly unknown[]): number | undefined {
    return this.#calls.insert(values).rows[0]?.[0] as number | undefined
  }

  write(...values: readonly unknown[]): unknown {
    return this.get(...values)
  }

  iterate(...values: readonly unknown[]): IterableIterator<unknown> {
    return this.all(...values).values()
  }

  /** Reading `changes` sends the statement, which waits otherwise. */
  run(...values: readonly unknown[]): { readonly changes: number } {
    return this.#calls.executeLater(values)
  }

  pluck(): PostgresStatement {
    return new PostgresStatement(this.#calls, 'pluck')
  }

  raw(): PostgresStatement {
    return new PostgresStatement(this.#calls, 'raw')
  }

  #toRow(columns: readonly string[], row: readonly unknown[]): unknown {
    const values = row.map((value) => (value instanceof Uint8Array ? toBuffer(value) : value))
    if (this.#form === 'raw') return values
    if (this.#form === 'pluck') return values[0]
    return Object.fromEntries(columns.map((column, index) => [column, values[index]]))
  }
}

/** Integers in PostgreSQL have no infinity; no number of the stores reaches the ends of its 64 bits. */
export const toParameter = (value: unknown): unknown =>
  value === Number.POSITIVE_INFINITY
    ? '9223372036854775807'
    : value === Number.NEGATIVE_INFINITY
      ? '-9223372036854775808'
      : // The statement may be sent later, when the caller has changed its bytes.
        value instanceof Uint8Array
        ? Uint8Array.from(value)
        : // As the driver of SQLite does.
          Number.isNaN(value)
          ? null
          : typeof value === 'string'
            ? withoutNul(value)
            : value

const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array) => Buffer.from(buffer, byteOffset, byteLength)
