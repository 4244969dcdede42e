import { chmodSync, closeSync, openSync, statSync, utimesSync } from 'node:fs'
import { dirname } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { AppError } from '../kernel/errors.ts'
import { compileQuery, type Query } from './builder.ts'
import { toDriverError } from './driver.ts'
import { migrate } from './migrate.ts'
import { APPLICATION_ID, newestSchema } from './migrations.ts'
import { pause } from './pause.ts'
import { damaged, requireLocalFolder, requireWholeFile } from './place.ts'
import { Space } from './space.ts'

/** Runs queries inside one snapshot. Everything is synchronous: no transaction can be left open across an `await`. */
export interface Reader {
  all<Row>(query: Query<Row>): Row[]
  first<Row>(query: Query<Row>): Row | undefined
  /** A prepared statement for a hot loop, by its SQL; kept for the life of the connection. */
  prepare(sql: string): Database.Statement
  /** The number of the snapshot on a connection that cannot write; undefined on one that can. */
  readonly turn: number | undefined
}

export interface Writer extends Reader {
  run(query: Query<unknown>): { changes: number; lastInsertRowid: number }
}

export interface WriteOptions {
  /** The caller was told that it is kept: survives a power cut, not only a crash of the process. */
  durable?: boolean
  /** It takes next to no room, or makes some: it is tried on a full disk too. */
  essential?: boolean
}

export interface StoreOptions {
  now: () => number
  /** Use a folder on a network file system, whose locks are known to hold. */
  networkFolder?: boolean
  /** Most memory for pages that were read, of each connection. */
  readCacheBytes?: number
  writeCacheBytes?: number
  /** How much room the disk has; for tests. */
  freeBytes?: () => number
}

const MEGABYTE = 1024 * 1024
const WAL_TRUNCATE_BYTES = 48 * MEGABYTE
const KEPT_STATEMENTS = 500
const SNAPSHOT_CACHE_BYTES = 16 * MEGABYTE
/** How long a write waits for others, and how often it looks. */
const WAIT_MS = 5_000
const LOOK_MS = 1
/** A writer of batches stands back so long for one that waits: several looks. */
const STAND_BACK_MS = 4
/** So long after somebody waited, batches are to be small. */
const AWAITED_MS = 2_000
/** How often a writer of batches looks whether a reader still keeps the log from being emptied. */
const DRAIN_MS = 25

/** One embedded database: a connection that cannot write for questions, one that can for everything else. */
export class Store {
  readonly file: string
  readonly space: Space
  readonly #reader: Connection
  readonly #writer: Connection
  readonly #bell: Bell

  private constructor(file: string, writer: Database.Database, reader: Database.Database, space: Space) {
    this.file = file
    this.space = space
    this.#bell = new Bell(`${file}-bell`)
    this.#writer = new Connection(writer, () => this.#bell.ring())
    this.#reader = new Connection(reader, () => {}, 0)
  }

  /**
   * Opens the database, creating and migrating it when needed; safe when many processes do so at once. A file that is
   * damaged is left as it is: nothing new is ever made in its place.
   * @throws AppError `unavailable` with reason `database_newer`, `database_damaged`, `database_missing`,
   * `not_a_database`, `network_folder` or `busy`.
   */
  static open(file: string, options: StoreOptions): Store {
    if (options.networkFolder !== true) requireLocalFolder(dirname(file))
    requireWholeFile(file)
    const { readCacheBytes = 64 * MEGABYTE, writeCacheBytes = 128 * MEGABYTE } = options
    const before = statSync(file, { throwIfNoEntry: false })?.ino
    let writer: Database.Database | undefined
    try {
      writer = openConnection(file, { cacheBytes: writeCacheBytes })
      // Readable by its owner only, and with it what SQLite puts beside it.
      if (before === undefined) chmodSync(file, 0o600)
      migrate(writer, options.now)
      // From here on the one statement that may wait for others does so by itself.
      writer.pragma('busy_timeout = 0')
      const reader = openConnection(file, { readonly: true, cacheBytes: readCacheBytes })
      const after = statSync(file, { throwIfNoEntry: false })?.ino
      if (before === undefined || before === after)
        return new Store(file, writer, reader, new Space(dirname(file), options.freeBytes))
      reader.close()
      throw new AppError('unavailable', 'The database was replaced at this moment; try again.', { reason: 'busy' })
    } catch (error) {
      writer?.close()
      throw withWayBack(file, toAppError(error))
    }
  }

  /** Opens one snapshot on a connection of its own, for reading in many turns; it must be closed soon. */
  openSnapshot(): { reader: Reader; close(): void } {
    const database = openConnection(this.file, { readonly: true, cacheBytes: SNAPSHOT_CACHE_BYTES })
    try {
      database.exec('BEGIN')
      database.prepare('SELECT 1 FROM install').get()
    } catch (error) {
      database.close()
      throw toAppError(error)
    }
    return { reader: new Connection(database, () => {}, 0), close: () => database.close() }
  }

  /** Runs `work` in one snapshot, on a connection that cannot write. `work` returns plain data, never a promise. */
  read<T>(work: (reader: Reader) => T): T {
    return this.#reader.transaction('BEGIN', work)
  }

  /** Runs `work` in one write transaction: all of it is kept, or none. */
  write<T>(work: (writer: Writer) => T, { durable = false, essential = false }: WriteOptions = {}): T {
    if (!essential) this.space.require()
    const result = this.#try(() => this.#writer.transaction('BEGIN IMMEDIATE', work, durable))
    this.#boundWal()
    return result
  }

  /** Runs `work` in a write transaction that is undone whatever happens, and gives what it came to. */
  rehearse<T>(work: (writer: Writer) => T): T {
    const undone = new Error('undone')
    let outcome: { result: T } | undefined
    try {
      this.#writer.transaction('BEGIN IMMEDIATE', (writer) => {
        outcome = { result: work(writer) }
        throw undone
      })
    } catch (error) {
      if (error !== undone || outcome === undefined) throw error
    }
    if (outcome === undefined) throw undone
    return outcome.result
  }

  /** Looks the whole file over; slow on a large one, and slower when `deep` also compares indexes with their rows. */
  examine(deep = false): { integrity: string; foreignKeys: number; schema: number } {
    const pragma = (name: string) => this.#reader.prepare(`PRAGMA ${name}`)
    return {
      integrity: String(
        pragma(deep ? 'integrity_check(1)' : 'quick_check(1)')
          .pluck()
          .get(),
      ),
      foreignKeys: pragma('foreign_key_check').all().length,
      schema: Number(pragma('user_version').pluck().get()),
    }
  }

  /** Whether the file still has the schema that this version works with. */
  isCurrent(): boolean {
    return Number(this.#reader.prepare('PRAGMA user_version').pluck().get()) === newestSchema()
  }

  close(): void {
    this.#reader.close()
    this.#writer.close()
  }

  /** True while others have lately waited to write: batches are to be small then. */
  get isAwaited(): boolean {
    return this.#bell.rangSince(Date.now() - AWAITED_MS)
  }

  /**
   * Between two batches of many: gives others their turn, lets a waiting writer of any process or thread go first, and
   * waits while a long read keeps the write-ahead log from being emptied.
   */
  async giveWay(signal?: AbortSignal): Promise<void> {
    if (this.#bell.rang()) await sleep(STAND_BACK_MS)
    else await nextTurn()
    while (this.#walBytes() > WAL_TRUNCATE_BYTES && !this.#writer.checkpoint() && signal?.aborted !== true) {
      await sleep(DRAIN_MS)
    }
  }

  #walBytes(): number {
    return statSync(`${this.file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  }
  /** On a disk that is full to the last byte the ballast goes, so that the next try has room. */
  #try<T>(write: () => T): T {
    try {
      return write()
    } catch (error) {
      if (error instanceof AppError && error.facts.reason === 'storage_full') this.space.dropBallast()
      throw error
    }
  }

  #boundWal(): void {
    if (this.#walBytes() > WAL_TRUNCATE_BYTES) this.#writer.checkpoint()
  }
}

/** Tells writers of batches, in whichever process, that somebody waits: by the time of change of an empty file. */
class Bell {
  readonly #file: string
  #heardAt = 0

  constructor(file: string) {
    this.#file = file
    this.#heardAt = this.#rangAt()
  }

  ring(): void {
    try {
      const now = new Date()
      try {
        utimesSync(this.#file, now, now)
      } catch {
        closeSync(openSync(this.#file, 'a', 0o600))
      }
      this.#heardAt = this.#rangAt()
    } catch {
      // Without a bell one waits a little longer.
      return
    }
  }

  /** Whether another has rung since the last look. */
  rang(): boolean {
    const at = this.#rangAt()
    if (at === this.#heardAt) return false
    this.#heardAt = at
    return true
  }

  rangSince(at: number): boolean {
    return this.#rangAt() >= at
  }

  #rangAt(): number {
    return statSync(this.#file, { throwIfNoEntry: false })?.mtimeMs ?? 0
  }
}

class Connection implements Writer {
  readonly #database: Database.Database
  readonly #statements = new Map<string, Database.Statement>()
  readonly #onWait: () => void
  #open = false
  turn: number | undefined

  constructor(database: Database.Database, onWait: () => void, turn?: number) {
    this.#database = database
    this.#onWait = onWait
    this.turn = turn
  }

  transaction<T>(begin: string, work: (connection: this) => T, durable = false): T {
    if (this.#open) return work(this)
    try {
      if (durable) this.#database.pragma('synchronous = FULL')
      this.#begin(begin)
    } catch (error) {
      if (durable) this.#database.pragma('synchronous = NORMAL')
      throw toAppError(error)
    }
    this.#open = true
    if (this.turn !== undefined) this.turn += 1
    try {
      const result = work(this)
      if (result instanceof Promise) throw new TypeError('a transaction must not wait: return plain data')
      this.#database.exec('COMMIT')
      return result
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK')
      throw toAppError(error)
    } finally {
      this.#open = false
      if (durable) this.#database.pragma('synchronous = NORMAL')
    }
  }

  /** SQLite's own waiting grows to long pauses in which others overtake; this one looks again at once. */
  #begin(begin: string): void {
    const deadline = performance.now() + WAIT_MS
    for (let waited = false; ; waited = true) {
      try {
        this.#database.exec(begin)
        return
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw error
        if (!waited) this.#onWait()
        pause(LOOK_MS)
      }
    }
  }

  prepare(sql: string): Database.Statement {
    const kept = this.#statements.get(sql)
    if (kept !== undefined) return kept
    if (this.#statements.size >= KEPT_STATEMENTS) {
      const oldest = this.#statements.keys().next().value
      if (oldest !== undefined) this.#statements.delete(oldest)
    }
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  all<Row>(query: Query<Row>): Row[] {
    const { sql, parameters } = compileQuery(query)
    const statement = this.prepare(sql)
    if (!statement.reader) {
      statement.run(...parameters)
      return []
    }
    return statement.all(...parameters) as Row[]
  }

  first<Row>(query: Query<Row>): Row | undefined {
    return this.all(query)[0]
  }

  run(query: Query<unknown>): { changes: number; lastInsertRowid: number } {
    const { sql, parameters } = compileQuery(query)
    const { changes, lastInsertRowid } = this.prepare(sql).run(...parameters)
    return { changes, lastInsertRowid: Number(lastInsertRowid) }
  }

  /** Empties the write-ahead log; false while somebody reads from it. */
  checkpoint(): boolean {
    const [row] = this.#database.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
    return row?.busy === 0
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }
}

const isBusy = (error: unknown) =>
  error instanceof Error && 'code' in error && /^SQLITE_BUSY(?:_RECOVERY|_TIMEOUT)?$/.test(String(error.code))

function openConnection(file: string, options: { readonly?: boolean; cacheBytes: number }): Database.Database {
  let database: Database.Database
  try {
    database = new Database(file, { readonly: options.readonly ?? false, timeout: 5000 })
  } catch (error) {
    throw toDriverError(error) ?? toAppError(error)
  }
  try {
    database.pragma('busy_timeout = 5000')
    if (!options.readonly) requireOurs(database)
    if (options.readonly) {
      database.pragma('query_only = ON')
    } else {
      database.pragma('page_size = 8192')
      turnToWal(database)
      database.pragma('synchronous = NORMAL')
      database.pragma('foreign_keys = ON')
      database.pragma(`journal_size_limit = ${WAL_TRUNCATE_BYTES}`)
      database.pragma('wal_autocheckpoint = 4000')
      database.pragma('secure_delete = ON')
    }
    database.pragma(`cache_size = -${Math.round(options.cacheBytes / 1024)}`)
    database.pragma('temp_store = MEMORY')
    database.pragma('trusted_schema = OFF')
    return database
  } catch (error) {
    database.close()
    throw toAppError(error)
  }
}

/** Of many that make a new database at once, one turns it to WAL; SQLite lets the others not wait for that by itself. */
function turnToWal(database: Database.Database): void {
  const until = performance.now() + WAIT_MS
  for (;;) {
    try {
      database.pragma('journal_mode = WAL')
      return
    } catch (error) {
      const isBusy = error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')
      if (!isBusy || performance.now() > until) throw error
      pause(LOOK_MS)
    }
  }
}

/** Looks before the first pragma that could write: another program's database is not ours to change. */
function requireOurs(database: Database.Database): void {
  const id = database.pragma('application_id', { simple: true })
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined
  if (id === APPLICATION_ID || isEmpty) return
  throw new AppError(
    'unavailable',
    'The file `assay.db` in the data folder is the database of another program; choose another folder with --home.',
    { reason: 'not_a_database' },
  )
}

/** Says how to come back from damage, with the newest backup by name. */
function withWayBack(file: string, error: unknown): unknown {
  if (!(error instanceof AppError)) return error
  const { reason } = error.facts
  if (reason === 'database_damaged' && error.cause !== undefined) {
    return damaged(file, reason, 'The database file is damaged and was left as it is;', error.cause)
  }
  if (reason === 'not_a_database' && error.cause !== undefined) {
    return damaged(file, reason, 'The file `assay.db` is not a database any more, and was left as it is;', error.cause)
  }
  return error
}

const plainErrors: ReadonlyArray<{ code: RegExp; reason: string; message: string }> = [
  {
    code: /^SQLITE_BUSY/,
    reason: 'busy',
    message: 'The database is busy with another process; try again in a moment.',
  },
  {
    code: /^SQLITE_FULL/,
    reason: 'storage_full',
    message: 'The disk is full: free some space and try again; nothing was written.',
  },
  {
    code: /^SQLITE_(CORRUPT|IOERR)/,
    reason: 'database_damaged',
    message: 'The database file could not be read; run `assay doctor` to see what is wrong with it.',
  },
  {
    code: /^SQLITE_NOTADB/,
    reason: 'not_a_database',
    message:
      'The file `assay.db` in the data folder is not a database; move it away or choose another folder with --home.',
  },
  {
    code: /^SQLITE_(CANTOPEN|READONLY)/,
    reason: 'not_writable',
    message: 'The data folder cannot be written to; choose another one with --home.',
  },
]

function toAppError(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const known = plainErrors.find((candidate) => candidate.code.test(code))
  return known === undefined
    ? error
    : new AppError('unavailable', known.message, { reason: known.reason, cause: error })
}
