import { accessSync, closeSync, constants, existsSync, openSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { AppError, conflict, invalidInput } from '../../kernel/errors.ts'
import { Connection, openConnection, type Reader } from '../connection.ts'
import { toAppError } from '../faults.ts'
import { defineFoldCase } from '../migrate.ts'
import { APPLICATION_ID, UNFINISHED_COPY_ID } from '../migrations.ts'
import { describeFolderLocation } from '../place.ts'
import { listSchemaDifferences } from '../schema-check.ts'
import { MIN_FREE_BYTES, readFreeBytes } from '../space.ts'
import { syncFile } from '../sync-file.ts'
import { SQLITE_PREFIX } from './marker.ts'
import { type CopiedColumn, hashRows, type TableHash } from './table-hash.ts'

const FILE_NAME = 'assay.db'
const CACHE_BYTES = 128 * 1024 * 1024
const LOCK_WAIT_MS = 5_000

/** Names the move that an unfinished target belongs to. */
const createMark = 'CREATE TABLE unfinished_move (id TEXT NOT NULL) STRICT'

/** Rows that describe the old place, and are neither copied nor compared. */
const keptBehind: Readonly<Record<string, string>> = {
  install: `name NOT IN ('moving', 'moved_to')`,
  // Leases belong to processes of the old folder.
  lease: 'false',
}

/** A table whose rows are copied. */
export interface MovedTable {
  name: string
  columns: readonly CopiedColumn[]
  /** The columns that order and identify its rows. */
  key: readonly string[]
}

/** @throws AppError `invalid_input` when the address is not that of a file that can be the database of a folder. */
export function parseTarget(to: string): string {
  const path = to.startsWith(SQLITE_PREFIX) ? to.slice(SQLITE_PREFIX.length) : ''
  if (path === '') {
    throw invalidInput(`${to} is not the address of a database; name a file as sqlite:/new/folder/${FILE_NAME}.`)
  }
  const file = resolve(path)
  if (basename(file) === FILE_NAME) return file
  throw invalidInput(
    `The database of a data folder is named ${FILE_NAME}; name the file sqlite:${dirname(file)}/${FILE_NAME}.`,
  )
}

export interface TargetChecks {
  /** Allow a folder on a network file system. */
  networkFolder: boolean
  /** Replaces the free-space check in tests. */
  freeBytes?: (folder: string) => number
}

/**
 * Checks that a database can be moved to a file, and changes nothing.
 * @param moveId the id of an unfinished move to this file
 * @throws AppError
 */
export function checkTarget(source: string, file: string, moveId: string | undefined, checks: TargetChecks): void {
  const folder = dirname(file)
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found?.isDirectory() !== true) {
    throw invalidInput(`The folder ${folder} does not exist; create it first.`, { reason: 'folder_missing' })
  }
  const own = statSync(dirname(source))
  if (own.dev === found.dev && own.ino === found.ino) {
    throw invalidInput('The database is in this folder already; name a file in another folder.', {
      reason: 'same_folder',
    })
  }
  const { network } = describeFolderLocation(folder)
  if (network !== undefined && !checks.networkFolder) {
    const message = `The folder ${folder} is on ${network}, where two processes can damage the database; name a folder on a disk of this machine.`
    throw new AppError('unavailable', message, { reason: 'network_folder' })
  }
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw new AppError('unavailable', `The folder ${folder} cannot be written to; name another one.`, {
      reason: 'not_writable',
      cause,
    })
  }
  requireRoom(source, file, checks.freeBytes ?? readFreeBytes)
  const id = readUnfinished(file)
  if (id === undefined) return
  if (id === 'other') {
    throw conflict(`${file} already exists and is not an unfinished move of this database; name another folder.`, {
      reason: 'file_exists',
    })
  }
  if (id !== moveId) {
    throw conflict(
      `${file} is left from a move that was cancelled, or from another database; delete it, or name another folder.`,
      {
        reason: 'file_exists',
      },
    )
  }
}

function requireRoom(source: string, file: string, freeBytes: (folder: string) => number): void {
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  const present = sizeOf(file) + sizeOf(`${file}-wal`)
  const needed = Math.max(0, sizeOf(source) + sizeOf(`${source}-wal`) - present) + MIN_FREE_BYTES
  const free = freeBytes(dirname(file))
  if (free >= needed) return
  const toMb = (bytes: number) => Math.ceil(bytes / 1024 / 1024)
  const message = `The disk of ${dirname(file)} has too little space: ${toMb(free)} MB are free, and the move needs ${toMb(needed)} MB; free some, or name a folder on another disk.`
  throw new AppError('unavailable', message, { reason: 'storage_full' })
}

/** The id of the move to an unfinished target; undefined: there is none yet; `other`: the file is something else. */
export function readUnfinished(file: string): string | undefined {
  if (!existsSync(file)) return existsSync(`${file}-wal`) ? 'other' : undefined
  let database: Database.Database | undefined
  try {
    database = new Database(file, { readonly: true, timeout: LOCK_WAIT_MS })
    const id = database.pragma('application_id', { simple: true })
    if (id === UNFINISHED_COPY_ID) return database.prepare('SELECT id FROM unfinished_move').pluck().get() as string
    const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined
    return id === 0 && isEmpty ? undefined : 'other'
  } catch {
    return 'other'
  } finally {
    database?.close()
  }
}

export function deleteUnfinished(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
}

/** A database file that is a copy of another in the making. No process opens it before it is complete. */
export class SqliteTarget {
  readonly file: string
  readonly #database: Database.Database
  readonly #tables: readonly MovedTable[]

  private constructor(file: string, database: Database.Database) {
    this.file = file
    this.#database = database
    this.#tables = listTables(database)
  }

  /** Opens the target of a move, and creates its tables if they do not exist. */
  static open(source: string, file: string, moveId: string): SqliteTarget {
    if (!existsSync(file)) closeSync(openSync(file, 'wx', 0o600))
    const database = new Database(file, { timeout: LOCK_WAIT_MS })
    try {
      database.pragma('page_size = 8192')
      database.pragma('journal_mode = WAL')
      database.pragma('synchronous = NORMAL')
      database.pragma('foreign_keys = OFF')
      database.pragma('wal_autocheckpoint = 4000')
      database.pragma('trusted_schema = OFF')
      database.pragma(`cache_size = -${CACHE_BYTES / 1024}`)
      defineFoldCase(database)
      database.prepare('ATTACH ? AS source').run(source)
      if (readMark(database) === undefined) createTables(database, moveId)
      return new SqliteTarget(file, database)
    } catch (error) {
      database.close()
      throw toAppError(error)
    }
  }

  get tables(): readonly MovedTable[] {
    return this.#tables
  }

  /**
   * Copies up to `limit` further rows in one transaction, and returns their number. The last row of the target is the
   * position, so that a batch is never repeated or skipped.
   */
  copyBatch({ name, columns, key }: MovedTable, limit: number): number {
    const list = columns.map((column) => `"${column.name}"`).join(', ')
    const keys = key.map((column) => `"${column}"`)
    const last = `SELECT ${keys.join(', ')} FROM main."${name}" ORDER BY ${keys.map((column) => `${column} DESC`).join(', ')} LIMIT 1`
    const isEmpty = this.#database.prepare(last).get() === undefined
    const position = isEmpty ? 'true' : `(${keys.join(', ')}) > (${last})`
    const statement = `INSERT INTO main."${name}" (${list}) SELECT ${list} FROM source."${name}"
      WHERE ${keptBehind[name] ?? 'true'} AND ${position} ORDER BY ${keys.join(', ')} LIMIT ?`
    return this.#run(() => this.#database.prepare(statement).run(limit).changes)
  }

  /** Sequences, then each missing index, trigger and view; `onTurn` is awaited after each index. */
  async createRest(onTurn: () => Promise<void>): Promise<void> {
    const database = this.#database
    this.#run(() => {
      database.exec(`DELETE FROM main.sqlite_sequence;
        INSERT INTO main.sqlite_sequence SELECT * FROM source.sqlite_sequence`)
    })
    const indexes = listMissing(database, ['index'])
    for (const sql of indexes) {
      this.#run(() => database.exec(sql))
      database.pragma('wal_checkpoint(TRUNCATE)')
      await onTurn()
    }
    this.#run(() => {
      for (const sql of listMissing(database, ['trigger', 'view'])) database.exec(sql)
    })
  }

  /** @throws AppError `internal` when a row, the schema or the file is not as it should be. */
  async verify(schema: number, onTurn: () => Promise<void>): Promise<Map<string, TableHash>> {
    const counted = new Map<string, TableHash>()
    for (const { name, columns } of this.#tables) {
      const where = `WHERE ${keptBehind[name] ?? 'true'}`
      const [there, here] = [
        await hashRows(this.#database, `source."${name}" ${where}`, columns, onTurn),
        await hashRows(this.#database, `main."${name}"`, columns, onTurn),
      ]
      if (there.rows !== here.rows || there.hash !== here.hash) {
        throw differs(`table ${name} has ${here.rows} rows instead of ${there.rows}, or rows with other contents`)
      }
      counted.set(name, here)
    }
    const sequences: CopiedColumn[] = ['name', 'seq'].map((name) => ({ name, type: '' }))
    const [there, here] = [
      await hashRows(this.#database, 'source.sqlite_sequence', sequences, onTurn),
      await hashRows(this.#database, 'main.sqlite_sequence', sequences, onTurn),
    ]
    if (there.hash !== here.hash) throw differs('the counters of ids differ')
    const differences = listSchemaDifferences(this.#database, schema).filter(
      (difference) => !difference.startsWith('table unfinished_move '),
    )
    if (differences[0] !== undefined) throw differs(differences[0])
    const integrity = this.#database.pragma('main.integrity_check(1)', { simple: true })
    if (integrity !== 'ok') throw differs(String(integrity))
    return counted
  }

  /** Opens a snapshot of the rows as they are recorded. */
  openSnapshot(): { reader: Reader; close(): void } {
    const database = openConnection(this.file, { readonly: true, cacheBytes: CACHE_BYTES })
    const reader = new Connection(
      database,
      () => {},
      () => Number.MIN_SAFE_INTEGER,
    )
    reader.beginSnapshot()
    return { reader, close: () => reader.close() }
  }

  /** Everything written so far survives a power cut. */
  flush(): void {
    this.#database.pragma('wal_checkpoint(TRUNCATE)')
    syncFile(dirname(this.file))
  }

  /** From this transaction on it is the database of its folder. */
  activate(schema: number): void {
    this.#database.pragma('synchronous = FULL')
    this.#run(() => {
      this.#database.exec('DROP TABLE main.unfinished_move')
      this.#database.pragma(`main.user_version = ${schema}`)
      this.#database.pragma(`main.application_id = ${APPLICATION_ID}`)
    })
    this.flush()
  }

  close(): void {
    this.#database.close()
  }

  #run<T>(work: () => T): T {
    try {
      return this.#database.transaction(work)()
    } catch (error) {
      throw toAppError(error)
    }
  }
}

const differs = (what: string) =>
  new AppError(
    'internal',
    `The copy differs from the database (${what}); run \`assay move --cancel\` and start again.`,
    {
      reason: 'copy_differs',
    },
  )

function readMark(database: Database.Database): unknown {
  const exists = database.prepare(`SELECT 1 FROM main.sqlite_schema WHERE name = 'unfinished_move'`).get()
  return exists === undefined ? undefined : database.prepare('SELECT id FROM main.unfinished_move').pluck().get()
}

function createTables(database: Database.Database, moveId: string): void {
  const statements = database
    .prepare(
      `SELECT s.sql FROM source.sqlite_schema s JOIN pragma_table_list t ON t.schema = 'source' AND t.name = s.name
       WHERE s.type = 'table' AND t.type IN ('table', 'virtual') AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY s.rowid`,
    )
    .pluck()
    .all() as string[]
  const hasStatistics = database.prepare(`SELECT 1 FROM source.sqlite_schema WHERE name = 'sqlite_stat1'`).get()
  database.transaction(() => {
    database.exec(createMark)
    database.prepare('INSERT INTO main.unfinished_move (id) VALUES (?)').run(moveId)
    for (const sql of statements) database.exec(sql)
    if (hasStatistics !== undefined) database.exec('ANALYZE main.sqlite_schema')
    database.pragma(`main.application_id = ${UNFINISHED_COPY_ID}`)
  })()
}

function listTables(database: Database.Database): MovedTable[] {
  const tables = database
    .prepare(
      `SELECT name, wr, type FROM pragma_table_list WHERE schema = 'source' AND type IN ('table', 'virtual')
       AND (name NOT LIKE 'sqlite\\_%' ESCAPE '\\' OR name = 'sqlite_stat1') ORDER BY name`,
    )
    .all() as { name: string; wr: number; type: string }[]
  const columnsOf = database.prepare(
    `SELECT name, type, pk FROM pragma_table_xinfo(?, 'source') WHERE hidden = 0 ORDER BY cid`,
  )
  return tables.map(({ name, wr }) => {
    const columns = columnsOf.all(name) as (CopiedColumn & { pk: number })[]
    const primary = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
    const isRowid = primary.length === 1 && primary[0]?.type === 'INTEGER'
    if (wr === 1 || isRowid) return { name, columns, key: primary.map((column) => column.name) }
    return { name, columns: [{ name: 'rowid', type: 'INTEGER' }, ...columns], key: ['rowid'] }
  })
}

/** The statements of objects that the target does not have. */
function listMissing(database: Database.Database, types: readonly string[]): string[] {
  const missing = `SELECT sql FROM source.sqlite_schema WHERE type = ? AND sql IS NOT NULL
    AND name NOT IN (SELECT name FROM main.sqlite_schema) ORDER BY rowid`
  return types.flatMap((type) => database.prepare(missing).pluck().all(type) as string[])
}
