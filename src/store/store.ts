import { chmodSync, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MessagePort } from 'node:worker_threads'
import type Database from 'better-sqlite3'
import { AppError } from '../kernel/errors.ts'
import { Connection, LOCK_RETRY_MS, LOCK_TIMEOUT_MS, openConnection, WAL_TRUNCATE_BYTES } from './connection.ts'
import { toAppError, toBusyError, withRecoveryHint } from './faults.ts'
import { FileGuard } from './file-guard.ts'
import { explainBusy, isImporting } from './import-lock.store.ts'
import { migrate } from './migrate.ts'
import { newestSchema } from './migrations.ts'
import { requireUnmoved } from './move/marker.ts'
import { joinOpenFiles, requireSameFiles } from './open-files.ts'
import { requireLocalFolder, requireWholeFile, toDamagedError } from './place.ts'
import type { Reader, ReadOptions, TransactionOptions, Writer } from './reader-writer.ts'
import { listSchemaDifferences } from './schema-check.ts'
import { Space } from './space.ts'
import type { StorePlace } from './store-place.ts'

export type { Reader, RowStatement, StoredValue, Writer, WriteScope, WriteStatement } from './reader-writer.ts'

export interface WriteOptions extends TransactionOptions {
  /** Needs almost no space, or frees some: attempted on a full disk too. */
  essential?: boolean
}

/** An upgrade of the schema of a database on a server. */
export interface SchemaUpgrade {
  from: number
  to: number
  /** The number of connections that processes of other versions have, which are refused everything from now on. */
  others: number
}

export interface StoreOptions {
  now: () => number
  /** Allow a folder on a network file system; its locks must be known to work. */
  networkFolder?: boolean
  /** Open only an existing database. */
  mustExist?: boolean
  /** On a server: called after an older schema was upgraded; without it, such a database is refused. */
  onUpgrade?: (upgrade: SchemaUpgrade) => void
  /** On a server: those to use, from the thread that started this one. */
  connections?: SharedConnections | undefined
  /** Replaces the free-space check in tests. */
  freeBytes?: () => number
}

export interface IntegrityReport {
  integrity: string
  /** Number of rows with a foreign key to a missing row. */
  foreignKeys: number
  schema: number
  /** Differences from the schema of this version. */
  differences: string[]
}

const MEGABYTE = 1024 * 1024
const READ_CACHE_BYTES = 64 * MEGABYTE
const WRITE_CACHE_BYTES = 128 * MEGABYTE
const SNAPSHOT_CACHE_BYTES = 16 * MEGABYTE
/** See `limitCaches`. */
const LOW_CACHE_BYTES = { read: 8 * MEGABYTE, write: 16 * MEGABYTE }
/** How long a batch writer yields to other writers, which retry every LOCK_RETRY_MS. */
const BATCH_YIELD_MS = 3
/** A batch writer continues when the log is smaller than this. */
const MAX_LOG_BYTES_BETWEEN_BATCHES = 32 * MEGABYTE
/** Interval between attempts to empty the log. */
const DRAIN_RETRY_MS = 25
/** At every N-th attempt the checkpoint waits for readers, which blocks all other writers. */
const ATTEMPTS_PER_BLOCKING_CHECKPOINT = 8
/** How long such a checkpoint waits. */
const CHECKPOINT_WAIT_MS = 80
/** A write that leaves a log larger than this also waits for readers. */
const BLOCKING_CHECKPOINT_BYTES = 54 * MEGABYTE

const checks = { quick: 'quick_check(1)', full: 'integrity_check(1)' } as const

/** A database: all data of an installation, in a file or on a server. */
export interface Store {
  /** Where it is; contains the password of a server. */
  readonly place: StorePlace
  /** The files of the database; undefined where a server has them. */
  readonly files: StoreFiles | undefined
  /** What concerns a database only because it is on a server. */
  readonly server?: StoreServer
  /** Runs `work` in one snapshot on a read-only connection. `work` returns plain data, never a promise. */
  read<T>(work: (reader: Reader) => T, options?: ReadOptions): T
  /** Runs `work` in one write transaction: all of it is committed, or nothing. */
  write<T>(work: (writer: Writer) => T, options?: WriteOptions): T
  /** Runs `work` in a write transaction that is always rolled back, and returns its result. */
  dryRun<T>(work: (writer: Writer) => T): T
  /**
   * Opens a snapshot on a connection of its own, for reads across several turns of the event loop; close it soon. One
   * `asRecorded` sees decisions as ended only where that is recorded.
   */
  openSnapshot(options?: { asRecorded?: boolean }): { reader: Reader; close(): void }
  /** Whether the database still has the schema of this version. */
  isCurrent(): boolean
  /** Lets this store write while the move with this id is in progress, which it performs. */
  beginMove(id: string): void
  /**
   * Waits, without blocking the thread, until no other connection writes.
   * @throws AppError `unavailable`, as a write does, after `limitMs`
   */
  waitForWriteLock(options?: { signal?: AbortSignal; limitMs?: number }): Promise<void>
  /** To be awaited between two batches: yields to the event loop and to other writers. */
  yieldBetweenBatches(signal?: AbortSignal): Promise<void>
  close(): void
}

/** How a thread reaches its connections to a server of databases, which one thread holds for the process. */
export interface SharedConnections {
  port: MessagePort
  /** Whether that thread has ended. */
  ended: Int32Array
}

export interface StoreServer {
  /** For a thread that the calling one is about to start. */
  shareConnections(): SharedConnections
  /** Why nothing can be written: the reason that the error of a write would have. */
  findWriteProblem(): 'read_only' | 'database_refused' | undefined
  /** Differences of the tables, indexes, triggers and the like from those of this version. */
  listSchemaDifferences(): string[]
  /** The connections of all processes of Assay to the database. */
  listSessions(): SchemaSessions[]
  /** The number of connections of other processes of Assay to the database. */
  countOtherSessions(): number
}

export interface SchemaSessions {
  /** The schema that the processes work with. */
  schema: number
  connections: number
}

/** What concerns a database only because it is a file. */
export interface StoreFiles {
  /** Path of the database. */
  readonly file: string
  readonly space: Space
  /** Size of the write-ahead log on disk. */
  readonly logBytes: number
  /** Empties the write-ahead log before a large transaction; a read in progress may keep part of it. */
  emptyLog(): void
  /** As `emptyLog`, waiting up to LOCK_TIMEOUT_MS for readers. */
  drainLog(signal?: AbortSignal): Promise<void>
  /** Lowers the limits of the page caches, for work that reads and writes most pages once, however many there are. */
  limitCaches(): void
  /** Checks the whole file; slow on a large one, and slower when `full` also compares indexes with their rows. */
  examine(depth?: 'schema' | 'quick' | 'full'): IntegrityReport
  /** @throws AppError `unavailable` when the open files are no longer those in the data folder. */
  requireSameFiles(): void
}

/** An embedded database: a read-only connection for queries, and one for writes. */
export class FileStore implements Store, StoreFiles {
  readonly file: string
  readonly space: Space
  readonly place: StorePlace
  readonly files = this
  readonly #reader: Connection
  readonly #writer: Connection
  readonly #guard: FileGuard
  readonly #openFiles: { close(): void }
  readonly #now: () => number
  #moveId: string | undefined

  private constructor(
    file: string,
    writer: Database.Database,
    reader: Database.Database,
    { space, now }: { space: Space; now: () => number },
  ) {
    this.file = file
    this.place = { kind: 'file', file }
    this.space = space
    this.#now = now
    this.#openFiles = joinOpenFiles(file)
    this.#guard = new FileGuard(file, () => isWhole(file))
    this.#writer = new Connection(writer)
    this.#reader = new Connection(reader, now)
  }

  /**
   * Opens the database, creating and migrating it when needed; safe when many processes do so at once. A damaged file
   * is left unchanged, and no new one is created in its place.
   * @throws AppError `unavailable` with reason `database_newer`, `database_too_old`, `database_damaged`, `database_missing`,
   * `not_a_database`, `network_folder` or `busy`.
   */
  static open(file: string, options: StoreOptions): FileStore {
    if (options.networkFolder !== true) requireLocalFolder(dirname(file))
    requireWholeFile(file)
    if (options.mustExist === true && !existsSync(file)) {
      throw toDamagedError(file, 'database_missing', 'The database file is missing;')
    }
    const before = statSync(file, { throwIfNoEntry: false })?.ino
    let writer: Database.Database | undefined
    let reader: Database.Database | undefined
    try {
      requireSameFiles(file)
      writer = openConnection(file, { cacheBytes: WRITE_CACHE_BYTES })
      // Readable by the owner only; SQLite creates its files beside it with the same mode.
      if (before === undefined) chmodSync(file, 0o600)
      migrate(writer, options.now)
      // From here on `Connection` itself waits for the write lock.
      writer.pragma('busy_timeout = 0')
      reader = openConnection(file, { readonly: true, cacheBytes: READ_CACHE_BYTES })
      const after = statSync(file, { throwIfNoEntry: false })?.ino
      if (before === undefined || before === after) {
        const space = new Space(dirname(file), options.freeBytes)
        return new FileStore(file, writer, reader, { space, now: options.now })
      }
      throw new AppError('unavailable', 'The database was just replaced; try again.', { reason: 'busy' })
    } catch (error) {
      writer?.close()
      reader?.close()
      throw withRecoveryHint(file, toAppError(error))
    }
  }

  openSnapshot({ asRecorded = false } = {}): { reader: Reader; close(): void } {
    this.#guard.check()
    const database = openConnection(this.file, { readonly: true, cacheBytes: SNAPSHOT_CACHE_BYTES })
    const reader = new Connection(database, asRecorded ? () => Number.MIN_SAFE_INTEGER : this.#now)
    try {
      this.#guard.check()
      reader.beginSnapshot()
    } catch (error) {
      reader.close()
      throw toAppError(error)
    }
    return { reader, close: () => reader.close() }
  }

  read<T>(work: (reader: Reader) => T, options?: ReadOptions): T {
    this.#guard.checkIfStale()
    return this.#reader.transaction('BEGIN', work, options)
  }

  /**
   * Runs `work` in one write transaction: all of it is committed, or nothing.
   * @throws AppError `unavailable` also when the database was removed or replaced meanwhile, or is or was moved.
   */
  write<T>(work: (writer: Writer) => T, { essential = false, ...options }: WriteOptions = {}): T {
    if (!essential) this.space.require()
    this.#guard.check()
    const guarded = (writer: Writer) => {
      requireUnmoved(writer, this.#moveId)
      return work(writer)
    }
    const run = () => this.#writer.transaction('BEGIN IMMEDIATE', guarded, options)
    const result = this.#try(run)
    this.#guard.check()
    this.#boundWal()
    return result
  }

  beginMove(id: string): void {
    this.#moveId = id
  }

  dryRun<T>(work: (writer: Writer) => T): T {
    const undone = new Error('undone')
    let outcome: { result: T } | undefined
    try {
      this.#writer.transaction('BEGIN IMMEDIATE', (writer) => {
        requireUnmoved(writer, this.#moveId)
        outcome = { result: work(writer) }
        throw undone
      })
    } catch (error) {
      if (error !== undone || outcome === undefined) throw error
    }
    if (outcome === undefined) throw undone
    return outcome.result
  }

  examine(depth: 'schema' | 'quick' | 'full' = 'quick'): IntegrityReport {
    const pragma = (name: string) => this.#reader.prepare(`PRAGMA ${name}`)
    const schema = Number(pragma('user_version').pluck().get())
    return {
      integrity: depth === 'schema' ? 'ok' : String(pragma(checks[depth]).pluck().get()),
      foreignKeys: depth === 'schema' ? 0 : pragma('foreign_key_check').all().length,
      schema,
      differences: listSchemaDifferences(this.#reader, schema),
    }
  }

  requireSameFiles(): void {
    this.#guard.check()
  }

  isCurrent(): boolean {
    return Number(this.#reader.prepare('PRAGMA user_version').pluck().get()) === newestSchema()
  }

  close(): void {
    // The last writer to close moves its log into the database and removes it, unless a reader is open. A log that may
    // have writes which this process does not see is left; one that was removed is only in this process.
    const isOwnLog = this.#guard.isIntact() || this.logBytes === 0
    for (const connection of isOwnLog ? [this.#reader, this.#writer] : [this.#writer, this.#reader]) connection.close()
    this.#openFiles.close()
  }

  async waitForWriteLock({
    signal,
    limitMs = Number.POSITIVE_INFINITY,
  }: {
    signal?: AbortSignal
    limitMs?: number
  } = {}) {
    const deadline = performance.now() + limitMs
    while (!this.#writer.isWriteLockFree()) {
      if (signal?.aborted === true) return
      if (performance.now() >= deadline) throw this.#explainBusy(toBusyError())
      await sleep(LOCK_RETRY_MS)
    }
  }

  /**
   * To be awaited between two batches: yields to the event loop, lets a waiting writer of any process or thread go
   * first, and waits while a long read keeps the write-ahead log from being emptied.
   */
  async yieldBetweenBatches(signal?: AbortSignal): Promise<void> {
    await sleep(BATCH_YIELD_MS)
    await this.#drain(MAX_LOG_BYTES_BETWEEN_BATCHES, Number.POSITIVE_INFINITY, signal)
  }

  /**
   * Empties the write-ahead log, waiting up to LOCK_TIMEOUT_MS for its readers; call it before a transaction that may
   * fill the log.
   */
  async drainLog(signal?: AbortSignal): Promise<void> {
    await this.#drain(0, LOCK_TIMEOUT_MS / DRAIN_RETRY_MS, signal)
  }

  async #drain(maxBytes: number, maxAttempts: number, signal?: AbortSignal): Promise<void> {
    for (let attempts = 0; this.logBytes > maxBytes && attempts < maxAttempts && signal?.aborted !== true; attempts++) {
      if (this.#checkpoint(attempts % ATTEMPTS_PER_BLOCKING_CHECKPOINT === 1 ? CHECKPOINT_WAIT_MS : 0)) break
      await sleep(DRAIN_RETRY_MS)
    }
  }

  /** Empties the write-ahead log before a large transaction; a read in progress may keep part of it. */
  emptyLog(): void {
    if (this.logBytes > 0) this.#checkpoint()
  }

  #checkpoint(patienceMs = 0): boolean {
    this.#guard.check()
    const done = this.#writer.checkpoint(patienceMs)
    this.#guard.check()
    return done
  }

  limitCaches(): void {
    this.#writer.limitCache(LOW_CACHE_BYTES.write)
    this.#reader.limitCache(LOW_CACHE_BYTES.read)
  }

  get logBytes(): number {
    return statSync(`${this.file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  }

  /** On a completely full disk deletes the ballast file, so that the next attempt has space. */
  #try<T>(write: () => T): T {
    try {
      return write()
    } catch (error) {
      if (error instanceof AppError && error.facts.reason === 'storage_full') this.space.dropBallast()
      throw this.#explainBusy(error)
    }
  }

  #explainBusy(error: unknown): unknown {
    return explainBusy(error, () => this.read(isImporting))
  }

  /** The write is already committed, so a failure is ignored: a log that cannot be emptied now is emptied later. */
  #boundWal(): void {
    const bytes = this.logBytes
    try {
      if (bytes > WAL_TRUNCATE_BYTES) this.#checkpoint(bytes > BLOCKING_CHECKPOINT_BYTES ? CHECKPOINT_WAIT_MS : 0)
    } catch {
      // For example a full disk, which the next write reports.
    }
  }
}

/** Opens the database of a data folder. */
export const Store = { open: FileStore.open }

/** Reads every page from disk: a connection that is already open may have them cached. */
function isWhole(file: string): boolean {
  let database: Database.Database | undefined
  try {
    database = openConnection(file, { readonly: true, cacheBytes: SNAPSHOT_CACHE_BYTES })
    // A file truncated to zero bytes would pass for an empty database.
    database.prepare('SELECT 1 FROM install').get()
    return database.pragma('quick_check(1)', { simple: true }) === 'ok'
  } catch {
    return false
  } finally {
    database?.close()
  }
}
