import { chmodSync, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type Database from 'better-sqlite3'
import { AppError } from '../kernel/errors.ts'
import {
  Connection,
  compactFile,
  LOOK_MS,
  openConnection,
  type Reader,
  type TransactionOptions,
  WAIT_MS,
  WAL_TRUNCATE_BYTES,
  type Writer,
} from './connection.ts'
import { toAppError, withWayBack } from './faults.ts'
import { FileGuard } from './file-guard.ts'
import { migrate } from './migrate.ts'
import { newestSchema } from './migrations.ts'
import { damaged, requireLocalFolder, requireWholeFile } from './place.ts'
import { listSchemaDifferences } from './schema-check.ts'
import { Space } from './space.ts'
import { WriterSignal } from './writer-signal.ts'

export type { Reader, Writer } from './connection.ts'

export interface WriteOptions extends TransactionOptions {
  /** It takes next to no room, or makes some: it is tried on a full disk too. */
  essential?: boolean
}

export interface StoreOptions {
  now: () => number
  /** Use a folder on a network file system, whose locks are known to hold. */
  networkFolder?: boolean
  /** Only open a database that is there. */
  mustExist?: boolean
  /** Most memory for pages that were read, of each connection. */
  readCacheBytes?: number
  writeCacheBytes?: number
  /** How much room the disk has; for tests. */
  freeBytes?: () => number
}

export interface Examined {
  integrity: string
  /** Rows that refer to nothing. */
  foreignKeys: number
  schema: number
  /** In what the schema is not the one that this version makes. */
  differences: string[]
}

const MEGABYTE = 1024 * 1024
const SNAPSHOT_CACHE_BYTES = 16 * MEGABYTE
/** A writer of batches stands back so long for one that waits, which looks every millisecond. */
const STAND_BACK_MS = 4
/** So long after somebody waited, batches are to be small. */
const AWAITED_MS = 2_000
/** A writer of batches goes on when the log is below this. */
const DRAINED_BYTES = 32 * MEGABYTE
/** How often it looks whether a reader still keeps the log from being emptied. */
const DRAIN_MS = 25
/** At every so many of these looks it waits for those who read, with everybody else who wants to write behind it. */
const LOOKS_TO_PATIENCE = 8
/** How long it waits for them. */
const PATIENCE_MS = 80
/** And so does every write that leaves a log of this size. */
const CROWDED_BYTES = 54 * MEGABYTE

/** One embedded database: a connection that cannot write for questions, one that can for everything else. */
export class Store {
  readonly file: string
  readonly space: Space
  readonly #reader: Connection
  readonly #writer: Connection
  readonly #bell: WriterSignal
  readonly #guard: FileGuard

  private constructor(file: string, writer: Database.Database, reader: Database.Database, space: Space) {
    this.file = file
    this.space = space
    this.#bell = new WriterSignal(`${file}-bell`)
    this.#guard = new FileGuard(file, () => isWhole(file))
    this.#writer = new Connection(writer, () => this.#bell.signal())
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
    if (options.mustExist === true && !existsSync(file)) {
      throw damaged(file, 'database_missing', 'The database file is gone;')
    }
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
      if (before === undefined || before === after) {
        return new Store(file, writer, reader, new Space(dirname(file), options.freeBytes))
      }
      reader.close()
      throw new AppError('unavailable', 'The database was replaced at this moment; try again.', { reason: 'busy' })
    } catch (error) {
      writer?.close()
      throw withWayBack(file, toAppError(error))
    }
  }

  /** Opens one snapshot on a connection of its own, for reading in many turns; it must be closed soon. */
  openSnapshot(): { reader: Reader; close(): void } {
    this.#guard.check()
    const database = openConnection(this.file, { readonly: true, cacheBytes: SNAPSHOT_CACHE_BYTES })
    const reader = new Connection(database, () => {}, 0)
    try {
      this.#guard.check()
      reader.beginSnapshot()
    } catch (error) {
      reader.close()
      throw toAppError(error)
    }
    return { reader, close: () => reader.close() }
  }

  /** Runs `work` in one snapshot, on a connection that cannot write. `work` returns plain data, never a promise. */
  read<T>(work: (reader: Reader) => T): T {
    this.#guard.checkLately()
    return this.#reader.transaction('BEGIN', work)
  }

  /**
   * Runs `work` in one write transaction: all of it is kept, or none.
   * @throws AppError `unavailable` when the database was removed or replaced meanwhile, too.
   */
  write<T>(work: (writer: Writer) => T, { essential = false, ...options }: WriteOptions = {}): T {
    if (!essential) this.space.require()
    this.#guard.check()
    const result = this.#try(() => this.#writer.transaction('BEGIN IMMEDIATE', work, options))
    this.#guard.check()
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
  examine(deep = false): Examined {
    const pragma = (name: string) => this.#reader.prepare(`PRAGMA ${name}`)
    const schema = Number(pragma('user_version').pluck().get())
    return {
      integrity: String(
        pragma(deep ? 'integrity_check(1)' : 'quick_check(1)')
          .pluck()
          .get(),
      ),
      foreignKeys: pragma('foreign_key_check').all().length,
      schema,
      differences: listSchemaDifferences(this.#reader, schema),
    }
  }

  /** @throws AppError `unavailable` when the files that are open are not those of the data folder any more. */
  requireFiles(): void {
    this.#guard.check()
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
    return this.#bell.wasSignalledSince(Date.now() - AWAITED_MS)
  }

  /**
   * Lets the thread go on with other things while somebody else writes; to be awaited before a write, which then hardly
   * waits. Resolves after so long in any case: the write itself says that the database is busy.
   */
  async untilFree(signal?: AbortSignal): Promise<void> {
    const deadline = performance.now() + WAIT_MS
    for (let rung = false; !this.#writer.isFree() && performance.now() < deadline; rung = true) {
      if (signal?.aborted === true) return
      if (!rung) this.#bell.signal()
      await sleep(LOOK_MS)
    }
  }

  /**
   * Between two batches of many: gives others their turn, lets a waiting writer of any process or thread go first, and
   * waits while a long read keeps the write-ahead log from being emptied.
   */
  async giveWay(signal?: AbortSignal): Promise<void> {
    if (this.#bell.wasSignalled()) await sleep(STAND_BACK_MS)
    else await nextTurn()
    await this.#drain(DRAINED_BYTES, Number.POSITIVE_INFINITY, signal)
  }

  /** Empties the write-ahead log, and waits some seconds for those who read from it: one transaction may fill it. */
  async untilLogIsEmpty(signal?: AbortSignal): Promise<void> {
    await this.#drain(0, WAIT_MS / DRAIN_MS, signal)
  }

  async #drain(most: number, mostLooks: number, signal?: AbortSignal): Promise<void> {
    for (let looks = 0; this.logBytes > most && looks < mostLooks && signal?.aborted !== true; looks++) {
      if (this.#checkpoint(looks % LOOKS_TO_PATIENCE === 1 ? PATIENCE_MS : 0)) break
      await sleep(DRAIN_MS)
    }
  }

  /** Empties the write-ahead log before a large transaction; a read that goes on may keep some of it. */
  emptyLog(): void {
    if (this.logBytes > 0) this.#checkpoint()
  }

  /**
   * Writes the database anew and empties the log, so that nothing of what was written over is left in either.
   * @throws AppError `unavailable` when there is no room for it, or another process reads from the log all the time.
   */
  compact(): void {
    this.#guard.check()
    try {
      compactFile(this.file)
    } catch (error) {
      throw toAppError(error)
    }
    this.#guard.check()
  }

  #checkpoint(patienceMs = 0): boolean {
    this.#guard.check()
    const done = this.#writer.checkpoint(patienceMs)
    this.#guard.check()
    return done
  }

  /** What the write-ahead log takes on the disk. */
  get logBytes(): number {
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

  /** What was written is kept whatever comes of this: a log that cannot be emptied now is emptied later. */
  #boundWal(): void {
    const bytes = this.logBytes
    try {
      if (bytes > WAL_TRUNCATE_BYTES) this.#checkpoint(bytes > CROWDED_BYTES ? PATIENCE_MS : 0)
    } catch {
      // Such as a disk without room: the next write says so.
    }
  }
}

/** Reads every page anew: a connection that is open already may have them in memory. */
function isWhole(file: string): boolean {
  let database: Database.Database | undefined
  try {
    database = openConnection(file, { readonly: true, cacheBytes: SNAPSHOT_CACHE_BYTES })
    // A file that was cut to nothing passes for an empty database.
    database.prepare('SELECT 1 FROM install').get()
    return database.pragma('quick_check(1)', { simple: true }) === 'ok'
  } catch {
    return false
  } finally {
    database?.close()
  }
}
