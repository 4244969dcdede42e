import { AppError } from '../kernel/errors.ts'
import { LruMap } from '../kernel/recent.ts'
import { sleepSync } from '../runtime/pause.ts'
import { type Query, toStatement } from './builder.ts'
import { toAppError } from './faults.ts'
import { APPLICATION_ID, defineFoldCase, requireUpgradable, UNFINISHED_COPY_ID } from './migrations.ts'
import type {
  CachedStatement,
  ReadOptions,
  RowStatement,
  StoredValue,
  TransactionOptions,
  Writer,
  WriteStatement,
} from './reader-writer.ts'
import { SnapshotViews } from './snapshot-views.ts'
import { Database } from './sqlite.ts'

/** The write-ahead log is truncated when it is larger than this. */
export const WAL_TRUNCATE_BYTES = 48 * 1024 * 1024
const MAX_CACHED_STATEMENTS = 500
/** How long a write waits for the write lock, and the interval at which it retries. */
export const LOCK_TIMEOUT_MS = 5_000
export const LOCK_RETRY_MS = 1
/** The page cache of a large transaction: a page that does not fit is written and read again. */
const LARGE_CACHE_BYTES = 48 * 1024 * 1024

/** A statement whose values are unchecked: those of queries are checked by the types of their tables. */
interface CompiledStatement extends Pick<Database.Statement, 'all' | 'get' | 'iterate' | 'run' | 'reader'> {
  insert(...values: unknown[]): number | undefined
  write(...values: unknown[]): unknown
  pluck(): CompiledStatement
  raw(): CompiledStatement
}

type RowForm = 'object' | 'pluck' | 'raw'

export class Connection implements Writer {
  readonly #database: Database.Database
  readonly #statements = new LruMap<CompiledStatement>(MAX_CACHED_STATEMENTS)
  readonly #views: SnapshotViews
  readonly #now: (() => number) | undefined
  #open = false
  #cacheSize = 0
  #requireWanted: ReadOptions['requireWanted']
  dataVersion: number | undefined

  /** @param now given for a connection that only reads: its snapshots see what decisions have ended by then */
  constructor(database: Database.Database, now?: () => number) {
    this.#database = database
    this.#views = new SnapshotViews(database)
    this.#now = now
    database.function('is_wanted', () => {
      this.#requireWanted?.()
      return 1
    })
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
    begin: string,
    work: (connection: this) => T,
    { durable = false, large = false, requireWanted }: TransactionOptions & ReadOptions = {},
  ): T {
    if (this.#open) return work(this)
    // None of these can be changed within a transaction.
    const restore = () => {
      if (durable) this.#database.pragma('synchronous = NORMAL')
      if (large) this.#endLarge()
    }
    try {
      if (durable) this.#database.pragma('synchronous = FULL')
      if (large) this.#beginLarge()
      this.#begin(begin)
    } catch (error) {
      restore()
      throw toAppError(error)
    }
    this.#open = true
    this.#requireWanted = requireWanted
    try {
      this.#openViews()
      const result = work(this)
      if (result instanceof Promise)
        throw new TypeError('a transaction must be synchronous: return plain data, not a promise')
      this.#keep('COMMIT', 'object').run()
      return result
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK')
      this.#views.forget()
      throw toAppError(error)
    } finally {
      this.#open = false
      this.#requireWanted = undefined
      restore()
    }
  }

  #beginLarge(): void {
    this.#cacheSize = this.#database.pragma('cache_size', { simple: true }) as number
    this.#database.pragma(toCacheSize(LARGE_CACHE_BYTES))
    this.#database.pragma('temp_store = FILE')
  }

  #endLarge(): void {
    this.#database.pragma('temp_store = MEMORY')
    this.#database.pragma(`cache_size = ${this.#cacheSize}`)
    this.#database.pragma('shrink_memory')
  }

  /** Begins a snapshot that lasts until the connection is closed. */
  beginSnapshot(): void {
    this.#database.exec('BEGIN')
    this.#open = true
    this.#openViews()
  }

  #openViews(): void {
    if (this.#now !== undefined) this.dataVersion = this.#keep('PRAGMA data_version', 'pluck').get() as number
    this.#views.apply(this.#now?.(), this.dataVersion)
  }

  /** Whether no other connection holds the write lock at this moment. */
  isWriteLockFree(): boolean {
    if (this.#open) return true
    try {
      this.#database.exec('BEGIN IMMEDIATE')
    } catch (error) {
      if (isBusy(error)) return false
      throw toAppError(error)
    }
    this.#database.exec('ROLLBACK')
    return true
  }

  /** Retries every LOCK_RETRY_MS: SQLite's busy handler backs off to long pauses, in which other writers overtake. */
  #begin(begin: string): void {
    const deadline = performance.now() + LOCK_TIMEOUT_MS
    for (;;) {
      try {
        this.#keep(begin, 'object').run()
        return
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw error
        sleepSync(LOCK_RETRY_MS)
      }
    }
  }

  prepare(sql: string): CachedStatement {
    return this.#keep(sql, 'object') as unknown as CachedStatement
  }

  #keep(sql: string, form: RowForm): CompiledStatement {
    return this.#statements.use(form === 'object' ? sql : `${form} ${sql}`, () => {
      const statement = this.#database.prepare(sql)
      if (form !== 'object') statement[form]()
      let [plucked, raw]: (CompiledStatement | undefined)[] = []
      return Object.assign(statement, {
        insert: (...values: unknown[]) => {
          const { changes, lastInsertRowid } = statement.run(...values)
          return changes === 0 ? undefined : Number(lastInsertRowid)
        },
        write: (...values: unknown[]) => statement.get(...values),
        pluck: () => (plucked ??= this.#keep(sql, 'pluck')),
        raw: () => (raw ??= this.#keep(sql, 'raw')),
      })
    })
  }

  all<Row>(query: Query<Row>): Row[] {
    const { sql, parameters } = toStatement(query)
    const statement = this.#keep(sql, 'object')
    if (!statement.reader) {
      statement.run(...parameters)
      return []
    }
    return statement.all(...parameters) as Row[]
  }

  first<Row>(query: Query<Row>): Row | undefined {
    return this.all(query)[0]
  }

  run(query: Query<unknown>): void {
    const { sql, parameters } = toStatement(query)
    this.#keep(sql, 'object').run(...parameters)
  }

  firstOfEach<Row>({ sql }: RowStatement, rows: readonly (readonly unknown[])[]): (Row | undefined)[] {
    const statement = this.#keep(sql, 'raw')
    return rows.map((values) => statement.get(...values) as Row | undefined)
  }

  runRow({ sql }: WriteStatement, values: readonly StoredValue[]): void {
    this.#keep(sql, 'object').run(...values)
  }

  insertRows({ sql }: RowStatement, rows: readonly (readonly StoredValue[])[]): (number | undefined)[] {
    const statement = this.#keep(sql, 'object')
    return rows.map((values) => statement.insert(...values))
  }

  insert(query: Query<{ id: number }>): number {
    const { sql, parameters } = toStatement(query)
    return this.#keep(sql, 'pluck').write(...parameters) as number
  }

  /**
   * Truncates the write-ahead log; false when a reader still uses it. With many readers one nearly always does, unless
   * `patienceMs` is given: readers that begin during the wait read from the database file alone. The wait blocks all
   * other writers.
   */
  checkpoint(patienceMs = 0): boolean {
    if (patienceMs > 0) this.#database.pragma(`busy_timeout = ${patienceMs}`)
    try {
      const [row] = this.#database.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
      return row?.busy === 0
    } catch (error) {
      throw toAppError(error)
    } finally {
      if (patienceMs > 0) this.#database.pragma('busy_timeout = 0')
    }
  }

  limitCache(bytes: number): void {
    this.#database.pragma(toCacheSize(bytes))
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }
}
export const isBusy = (error: unknown) =>
  error instanceof Error && 'code' in error && /^SQLITE_BUSY(?:_RECOVERY|_TIMEOUT)?$/.test(String(error.code))

const toCacheSize = (bytes: number): string => `cache_size = -${Math.round(bytes / 1024)}`

export function openConnection(file: string, options: { readonly?: boolean; cacheBytes: number }): Database.Database {
  let database: Database.Database
  try {
    database = new Database(file, { readonly: options.readonly ?? false, timeout: 5000 })
  } catch (error) {
    throw toAppError(error)
  }
  try {
    database.pragma('busy_timeout = 5000')
    if (!options.readonly) requireOwnDatabase(database)
    if (options.readonly) {
      database.pragma('query_only = ON')
    } else {
      database.pragma('page_size = 8192')
      enableWal(database)
      database.pragma('synchronous = NORMAL')
      database.pragma('foreign_keys = ON')
      database.pragma(`journal_size_limit = ${WAL_TRUNCATE_BYTES}`)
      database.pragma('wal_autocheckpoint = 4000')
      database.pragma('secure_delete = ON')
    }
    database.pragma(toCacheSize(options.cacheBytes))
    database.pragma('temp_store = MEMORY')
    database.pragma('trusted_schema = OFF')
    defineFoldCase(database)
    return database
  } catch (error) {
    database.close()
    throw toAppError(error)
  }
}

/**
 * When several processes create a database at once, one switches it to WAL; SQLite does not make the others wait for
 * that, so they retry here.
 */
function enableWal(database: Database.Database): void {
  const until = performance.now() + LOCK_TIMEOUT_MS
  for (;;) {
    try {
      database.pragma('journal_mode = WAL')
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > until) throw error
      sleepSync(LOCK_RETRY_MS)
    }
  }
}

/**
 * Checked before the first pragma that could write, so that the database of another program or of an earlier version is
 * never changed.
 */
export function requireOwnDatabase(database: Database.Database): void {
  // Order matters: another process may initialise an empty file between the two checks.
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined
  const id = database.pragma('application_id', { simple: true })
  if (isEmpty) return
  if (id === APPLICATION_ID) {
    requireUpgradable(database.pragma('user_version', { simple: true }) as number)
    return
  }
  if (id === UNFINISHED_COPY_ID) {
    const message =
      'The database in this folder is an unfinished copy of another data folder; run the same `assay move` there again to complete it, or undo it there with `assay move --cancel`.'
    throw new AppError('unavailable', message, { reason: 'moving' })
  }
  throw new AppError(
    'unavailable',
    'The file `assay.db` in the data folder is the database of another program; choose another folder with --home.',
    { reason: 'not_a_database' },
  )
}
