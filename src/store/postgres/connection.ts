import { AppError } from '../../kernel/errors.ts'
import { LruMap } from '../../kernel/recent.ts'
import { type Query, toStatement } from '../builder.ts'
import type { CachedStatement, TransactionOptions, Writer } from '../connection.ts'
import { sleepSync } from '../pause.ts'
import { SnapshotViews, type ViewDatabase } from '../snapshot-views.ts'
import {
  PostgresClient,
  PostgresError,
  type PostgresResult,
  type PostgresSettings,
  type PostgresStep,
} from './client.ts'
import { type PostgresSql, toPostgresSql } from './sql.ts'

const MAX_CACHED_STATEMENTS = 500
/** Maximum number of statements that wait to be sent. */
const MAX_WAITING = 1_000

const { names: unnamed } = toPostgresSql('')
const plain = (text: string): PostgresSql => ({ text, names: unnamed })

const beginnings = { read: plain('BEGIN ISOLATION LEVEL REPEATABLE READ'), write: plain('BEGIN') } as const
const relaxed = plain('SET LOCAL synchronous_commit = off')
/** Its lock also numbers the transactions that write. */
const lock = plain('UPDATE main.write_scope SET version = version + 1 RETURNING pg_current_xact_id()::text')
const commit = plain('COMMIT')
const rollback = plain('ROLLBACK')
const selectOutcome = plain('SELECT pg_xact_status($1::xid8)')
/** How long the outcome of a transaction is asked for when the connection was lost while it was committed. */
const OUTCOME_TIMEOUT_MS = 10_000
const OUTCOME_RETRY_MS = 50

/** A statement that waits to be sent, and the number of rows that it changed once it ran. */
interface Waiting {
  step: PostgresStep
  changes?: number
}

/**
 * A connection to PostgreSQL with the interface of one to SQLite; each call blocks the calling thread. Statements
 * without a result are sent with the next one that has one, or with COMMIT, so that many take one round trip; their
 * errors are thrown then.
 */
export class PostgresConnection implements Writer {
  readonly #client: PostgresClient
  readonly #views: SnapshotViews
  readonly #now: (() => number) | undefined
  readonly #texts = new LruMap<PostgresSql>(MAX_CACHED_STATEMENTS)
  /** Names of the statements that the server keeps, by their text. */
  readonly #names = new Map<string, string>()
  #lastName = 0
  #open = false
  #waiting: Waiting[] = []
  /** Whether the next statements begin a transaction, for which a lost connection may be opened again. */
  #begins = false
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
    kind: keyof typeof beginnings,
    work: (connection: this) => T,
    { durable = false, unpublished = false }: TransactionOptions = {},
  ): T {
    if (this.#open) return work(this)
    try {
      const transaction = this.#begin(kind, durable)
      if (unpublished) this.#views.show()
      else this.#openViews()
      const result = work(this)
      if (result instanceof Promise)
        throw new TypeError('a transaction must be synchronous: return plain data, not a promise')
      this.#commit(transaction)
      return result
    } catch (error) {
      this.#views.forget()
      this.#waiting = []
      this.#begins = false
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
    this.#begin('read', false)
    this.#openViews()
  }

  /** Returns the number of a transaction that writes. */
  #begin(kind: keyof typeof beginnings, durable: boolean): string | undefined {
    this.#begins = true
    this.#sendLater(beginnings[kind])
    this.#open = true
    if (kind === 'read') return undefined
    if (!durable) this.#sendLater(relaxed)
    return this.#send(lock).rows[0]?.[0] as string
  }

  #commit(transaction: string | undefined): void {
    try {
      this.#send(commit)
    } catch (error) {
      this.#open = false
      if (transaction === undefined || !isUnreachable(error) || !this.#hasCommitted(transaction)) throw error
    }
  }

  /** Whether a transaction took place whose COMMIT was not answered. */
  #hasCommitted(transaction: string): boolean {
    const deadline = performance.now() + OUTCOME_TIMEOUT_MS
    while (performance.now() < deadline) {
      try {
        const [[outcome] = []] = this.#send(selectOutcome, [transaction]).rows
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
    return this.#prepare(sql) as unknown as CachedStatement
  }

  all<Row>(query: Query<Row>): Row[] {
    const { sql, parameters } = toStatement(query)
    return this.#prepare(sql).all(...parameters) as Row[]
  }

  first<Row>(query: Query<Row>): Row | undefined {
    return this.all(query)[0]
  }

  run(query: Query<unknown>): void {
    const { sql, parameters } = toStatement(query)
    this.#prepare(sql).run(...parameters)
  }

  insert(query: Query<{ id: number }>): number {
    const { sql, parameters } = toStatement(query)
    return this.#execute(sql, parameters).rows[0]?.[0] as number
  }

  /** Runs several statements without parameters. */
  execute(sql: string): void {
    this.#sendScript(sql)
  }

  close(): void {
    this.#client.close()
  }

  #prepare(sql: string): PostgresStatement {
    return new PostgresStatement({
      execute: (values) => this.#execute(sql, values),
      executeLater: (values) => this.#executeLater(sql, values),
      insert: (values) => this.#execute(`${sql} RETURNING id`, values),
    })
  }

  #execute(sql: string, values: readonly unknown[]): PostgresResult {
    return this.#sendStep(this.#toStep(sql, values))
  }

  /** Outside of a transaction the statement is run at once. */
  #executeLater(sql: string, values: readonly unknown[]): { readonly changes: number } {
    if (!this.#open) return this.#execute(sql, values)
    const waiting = this.#addWaiting(this.#toStep(sql, values))
    const send = () => this.#sendWaiting()
    return {
      get changes() {
        if (waiting.changes === undefined) send()
        return waiting.changes ?? 0
      },
    }
  }

  #toStep(sql: string, values: readonly unknown[]): PostgresStep {
    const { text, names } = this.#texts.use(sql, () => toPostgresSql(sql))
    const given = names === undefined ? values : names.map((name) => (values[0] as Record<string, unknown>)[name])
    return { text, values: given.map(toParameter), name: this.#nameOf(text) }
  }

  #addWaiting(step: PostgresStep): Waiting {
    const waiting: Waiting = { step }
    this.#waiting.push(waiting)
    if (this.#waiting.length >= MAX_WAITING) this.#sendWaiting()
    return waiting
  }

  #sendWaiting(): void {
    const last = this.#waiting.pop()
    if (last !== undefined) last.changes = this.#sendStep(last.step).changes
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

  #send({ text }: PostgresSql, values: readonly unknown[] = []): PostgresResult {
    return this.#sendStep({ text, values, name: '' })
  }

  #sendLater({ text }: PostgresSql): void {
    this.#addWaiting({ text, values: [], name: '' })
  }

  /** Runs several statements without parameters. */
  #sendScript(text: string): void {
    this.#sendWaiting()
    this.#send(plain(text))
  }

  /** Runs a statement after all that wait. */
  #sendStep(step: PostgresStep): PostgresResult {
    const [waiting, begins] = [this.#waiting, this.#begins || !this.#open]
    this.#waiting = []
    this.#begins = false
    let result: PostgresResult
    try {
      result = this.#client.query({ ...step, before: waiting.map((each) => each.step), begins })
    } catch (error) {
      throw toPostgresAppError(error)
    }
    for (const [index, each] of waiting.entries()) each.changes = result.changesBefore[index] ?? 0
    if (result.session !== this.#session) {
      this.#session = result.session
      this.#names.clear()
      this.#views.forget()
    }
    return result
  }

  #toViewDatabase(): ViewDatabase {
    return {
      prepare: (sql) => this.#prepare(sql),
      exec: (sql) => {
        this.#sendScript(toPostgresSql(sql).text)
        this.#forgetStatements()
      },
      pragma: () => 0,
    }
  }
}

type RowForm = 'object' | 'pluck' | 'raw'

/** Ways to run a statement on its connection. */
interface StatementCalls {
  execute: (values: readonly unknown[]) => PostgresResult
  executeLater: (values: readonly unknown[]) => { readonly changes: number }
  insert: (values: readonly unknown[]) => PostgresResult
}

/** A statement with the interface of one of better-sqlite3. */
class PostgresStatement {
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
const toParameter = (value: unknown): unknown =>
  value === Number.POSITIVE_INFINITY
    ? '9223372036854775807'
    : value === Number.NEGATIVE_INFINITY
      ? '-9223372036854775808'
      : // The statement may be sent later, when the caller has changed its bytes.
        value instanceof Uint8Array
        ? Uint8Array.from(value)
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
