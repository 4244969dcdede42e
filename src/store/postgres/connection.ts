import { AppError } from '../../kernel/errors.ts'
import { LruMap } from '../../kernel/recent.ts'
import { type Query, toStatement } from '../builder.ts'
import type { CachedStatement, TransactionOptions, Writer } from '../connection.ts'
import { sleepSync } from '../pause.ts'
import { SnapshotViews, type ViewDatabase } from '../snapshot-views.ts'
import { PostgresClient, PostgresError, type PostgresResult, type PostgresSettings } from './client.ts'
import { type PostgresSql, toPostgresSql } from './sql.ts'

const MAX_CACHED_STATEMENTS = 500

const { names: unnamed } = toPostgresSql('')
const plain = (text: string): PostgresSql => ({ text, names: unnamed })

const transactions = {
  read: [plain('BEGIN ISOLATION LEVEL REPEATABLE READ')],
  // The lock also numbers the transactions that write.
  write: [
    plain('BEGIN'),
    plain('UPDATE main.write_scope SET version = version + 1 RETURNING pg_current_xact_id()::text'),
  ],
} as const
const commit = plain('COMMIT')
const rollback = plain('ROLLBACK')
const selectOutcome = plain('SELECT pg_xact_status($1::xid8)')
/** How long the outcome of a transaction is asked for when the connection was lost while it was committed. */
const OUTCOME_TIMEOUT_MS = 10_000
const OUTCOME_RETRY_MS = 50

/** A connection to PostgreSQL with the interface of one to SQLite; each call blocks the calling thread. */
export class PostgresConnection implements Writer {
  readonly #client: PostgresClient
  readonly #views: SnapshotViews
  readonly #now: (() => number) | undefined
  readonly #texts = new LruMap<PostgresSql>(MAX_CACHED_STATEMENTS)
  /** Names of the statements that the server keeps, by their text. */
  readonly #names = new Map<string, string>()
  #lastName = 0
  #open = false
  /** The session that the views and the kept statements are of. */
  #session = 0
  dataVersion: number | undefined

  /** @param now given for a connection that only reads: its snapshots see what decisions have ended by then */
  constructor(settings: PostgresSettings, now?: () => number) {
    this.#client = new PostgresClient(settings)
    this.#now = now
    this.#views = new SnapshotViews(this.#toViewDatabase())
  }

  get seesEnds(): boolean {
    return this.#views.hasEnded
  }

  hasEndBefore(moment: number): boolean {
    return this.#views.hasEndBefore(moment)
  }

  seeAsOf<T>(moment: number, work: () => T): T {
    return this.#views.seeAsOf(moment, this.dataVersion, work)
  }

  transaction<T>(
    kind: keyof typeof transactions,
    work: (connection: this) => T,
    { durable = false, unpublished = false }: TransactionOptions = {},
  ): T {
    if (this.#open) return work(this)
    try {
      const transaction = this.#begin(kind)
      if (!durable && kind === 'write') this.#send(plain('SET LOCAL synchronous_commit = off'))
      if (unpublished) this.#views.show()
      else this.#openViews()
      const result = work(this)
      if (result instanceof Promise)
        throw new TypeError('a transaction must be synchronous: return plain data, not a promise')
      this.#commit(transaction)
      return result
    } catch (error) {
      this.#views.forget()
      try {
        this.#send(rollback)
        this.#forgetStatements()
      } catch {
        // The connection is lost, and the transaction with it.
      }
      throw error
    } finally {
      this.#open = false
    }
  }

  /** Begins a snapshot that lasts until the connection is closed. */
  beginSnapshot(): void {
    this.#begin('read')
    this.#openViews()
  }

  /** Returns the number of a transaction that writes. */
  #begin(kind: keyof typeof transactions): string | undefined {
    let transaction: unknown
    for (const [index, statement] of transactions[kind].entries()) {
      transaction = this.#send(statement, [], { begins: index === 0 }).rows[0]?.[0]
    }
    this.#open = true
    return typeof transaction === 'string' ? transaction : undefined
  }

  #commit(transaction: string | undefined): void {
    try {
      this.#send(commit)
    } catch (error) {
      if (transaction === undefined || !isUnreachable(error) || !this.#hasCommitted(transaction)) throw error
    }
  }

  /** Whether a transaction took place whose COMMIT was not answered. */
  #hasCommitted(transaction: string): boolean {
    const deadline = performance.now() + OUTCOME_TIMEOUT_MS
    while (performance.now() < deadline) {
      try {
        const [[outcome] = []] = this.#send(selectOutcome, [transaction], { begins: true }).rows
        if (outcome !== 'in progress') return outcome === 'committed'
      } catch (error) {
        if (!isUnreachable(error)) throw error
      }
      sleepSync(OUTCOME_RETRY_MS)
    }
    throw new AppError(
      'unavailable',
      'The connection to PostgreSQL was lost while a change was saved; see whether it was saved before you repeat it.',
      { reason: 'outcome_unknown' },
    )
  }

  #openViews(): void {
    if (this.#now !== undefined) {
      this.dataVersion = this.prepare('SELECT version FROM main.write_scope').pluck().get() as number
    }
    this.#views.apply(this.#now?.(), this.dataVersion)
  }

  prepare(sql: string): CachedStatement {
    return new PostgresStatement((values) => this.#execute(sql, values), 'object') as unknown as CachedStatement
  }

  all<Row>(query: Query<Row>): Row[] {
    const { sql, parameters } = toStatement(query)
    return new PostgresStatement((values) => this.#execute(sql, values), 'object').all(...parameters) as Row[]
  }

  first<Row>(query: Query<Row>): Row | undefined {
    return this.all(query)[0]
  }

  run(query: Query<unknown>): void {
    const { sql, parameters } = toStatement(query)
    this.#execute(sql, parameters)
  }

  insert(query: Query<{ id: number }>): number {
    const { sql, parameters } = toStatement(query)
    return this.#execute(sql, parameters).rows[0]?.[0] as number
  }

  /** Runs several statements without parameters. */
  execute(sql: string): void {
    this.#send(plain(sql), [], { begins: !this.#open })
  }

  close(): void {
    this.#client.close()
  }

  #execute(sql: string, values: readonly unknown[]): PostgresResult {
    const statement = this.#texts.use(sql, () => toPostgresSql(sql))
    const { names } = statement
    const given = names === undefined ? values : names.map((name) => (values[0] as Record<string, unknown>)[name])
    return this.#send(statement, given.map(toParameter), { name: this.#nameOf(statement.text) })
  }

  #nameOf(text: string): string {
    const known = this.#names.get(text)
    if (known !== undefined) return known
    if (this.#names.size === MAX_CACHED_STATEMENTS) return ''
    const name = `s${++this.#lastName}`
    this.#names.set(text, name)
    return name
  }

  /** Kept statements would still read the tables after a view of the same name is created. */
  #forgetStatements(): void {
    this.#names.clear()
    this.#send(plain('DEALLOCATE ALL'))
  }

  #send({ text }: PostgresSql, values: readonly unknown[] = [], { name = '', begins = false } = {}): PostgresResult {
    let result: PostgresResult
    try {
      result = this.#client.query({ text, values, name, begins })
    } catch (error) {
      throw toPostgresAppError(error)
    }
    if (result.session !== this.#session) {
      this.#session = result.session
      this.#names.clear()
      this.#views.forget()
    }
    return result
  }

  #toViewDatabase(): ViewDatabase {
    return {
      prepare: (sql) => new PostgresStatement((values) => this.#execute(sql, values), 'object'),
      exec: (sql) => {
        this.#send(plain(toPostgresSql(sql).text))
        this.#forgetStatements()
      },
      pragma: () => 0,
    }
  }
}

type RowForm = 'object' | 'pluck' | 'raw'

/** A statement with the interface of one of better-sqlite3. */
class PostgresStatement {
  readonly reader = true
  readonly #execute: (values: readonly unknown[]) => PostgresResult
  readonly #form: RowForm

  constructor(execute: (values: readonly unknown[]) => PostgresResult, form: RowForm) {
    this.#execute = execute
    this.#form = form
  }

  all(...values: readonly unknown[]): unknown[] {
    const { columns, rows } = this.#execute(values)
    return rows.map((row) => this.#toRow(columns, row))
  }

  get(...values: readonly unknown[]): unknown {
    const { columns, rows } = this.#execute(values)
    const [first] = rows
    return first === undefined ? undefined : this.#toRow(columns, first)
  }

  write(...values: readonly unknown[]): unknown {
    return this.get(...values)
  }

  iterate(...values: readonly unknown[]): IterableIterator<unknown> {
    return this.all(...values).values()
  }

  run(...values: readonly unknown[]): { changes: number } {
    return { changes: this.#execute(values).changes }
  }

  pluck(): PostgresStatement {
    return new PostgresStatement(this.#execute, 'pluck')
  }

  raw(): PostgresStatement {
    return new PostgresStatement(this.#execute, 'raw')
  }

  #toRow(columns: readonly string[], row: readonly unknown[]): unknown {
    const values = row.map((value) => (value instanceof Uint8Array ? toBuffer(value) : value))
    if (this.#form === 'raw') return values
    if (this.#form === 'pluck') return values[0]
    return Object.fromEntries(columns.map((column, index) => [column, values[index]]))
  }
}

/** Integers in PostgreSQL have no infinity; no number of the stores reaches the ends of its 64 bits. */
const toParameter = (value: unknown): unknown =>
  value === Number.POSITIVE_INFINITY
    ? '9223372036854775807'
    : value === Number.NEGATIVE_INFINITY
      ? '-9223372036854775808'
      : value

const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array) => Buffer.from(buffer, byteOffset, byteLength)

const faults: ReadonlyArray<{ code: RegExp; reason: string; message: string }> = [
  { code: /^55P03$/, reason: 'busy', message: 'The database is busy with another process; try again in a moment.' },
  {
    code: /^53100$/,
    reason: 'storage_full',
    message: 'The disk of the database is full: free some space and try again; nothing was written.',
  },
  {
    code: /^(?:08\w{3}|57P0[1-3]|53300|ECONN\w+|ENOTFOUND|ETIMEDOUT|EPIPE)$/,
    reason: 'database_unreachable',
    message: 'The PostgreSQL database cannot be reached; try again when it is back.',
  },
]

const isUnreachable = (error: unknown): boolean =>
  error instanceof AppError && error.facts.reason === 'database_unreachable'

/** Turns an error of PostgreSQL into an `AppError` that states what to do next; returns any other error unchanged. */
function toPostgresAppError(error: unknown): unknown {
  if (!(error instanceof PostgresError)) return error
  const known = faults.find(({ code }) => code.test(error.code))
  if (known === undefined) return error
  return new AppError('unavailable', known.message, { reason: known.reason, cause: error })
}
