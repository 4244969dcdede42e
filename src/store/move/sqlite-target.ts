import { closeSync, existsSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { AppError, conflict } from '../../kernel/errors.ts'
import { Connection, openConnection, type Reader, type Writer } from '../connection.ts'
import { defineFoldCase } from '../migrate.ts'
import { APPLICATION_ID, UNFINISHED_COPY_ID } from '../migrations.ts'
import { listSchemaDifferences } from '../schema-check.ts'
import { syncFile } from '../sync-file.ts'
import { SQLITE_PREFIX, toWayOn } from './marker.ts'
import { type CopiedColumn, hashRows, type TableHash } from './table-hash.ts'
import { toTargetError } from './target-checks.ts'

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

/** What a move is doing: the table or index that it has reached, and the rows of it that are done. */
export interface MoveProgress {
  step: 'copying' | 'indexing' | 'comparing'
  name: string
  rows: number
}

/** Called between two short steps; an error that it throws ends the move. */
export type OnTurn = (progress: MoveProgress) => Promise<void>

/** A database file that is a copy of another in the making. No process opens it before it is complete. */
export class SqliteTarget {
  readonly file: string
  readonly #database: Database.Database
  readonly #tables: readonly MovedTable[]
  readonly #inode: number

  private constructor(file: string, database: Database.Database) {
    this.file = file
    this.#inode = statSync(file).ino
    this.#database = database
    this.#tables = listTables(database)
  }

  /** Opens the target of a move, and creates its tables if they do not exist. */
  static open(source: string, file: string, moveId: string): SqliteTarget {
    let database: Database.Database | undefined
    try {
      if (!existsSync(file)) closeSync(openSync(file, 'wx', 0o600))
      database = new Database(file, { timeout: LOCK_WAIT_MS })
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
      database?.close()
      throw toTargetError(file, error)
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
    const newest = `SELECT ${keys.join(', ')} FROM main."${name}" ORDER BY ${keys.map((column) => `${column} DESC`).join(', ')} LIMIT 1`
    const toStatement = (position: string) => `INSERT INTO main."${name}" (${list}) SELECT ${list} FROM source."${name}"
      WHERE ${keptBehind[name] ?? 'true'} AND ${position} ORDER BY ${keys.join(', ')} LIMIT ?`
    return this.#run(() => {
      const isEmpty = this.#database.prepare(newest).get() === undefined
      const statement = toStatement(isEmpty ? 'true' : `(${keys.join(', ')}) > (${newest})`)
      return this.#database.prepare(statement).run(limit).changes
    })
  }

  /** Sequences, then each missing index, trigger and view; `onTurn` is awaited after each index. */
  async createRest(onTurn: OnTurn): Promise<void> {
    const database = this.#database
    this.#run(() => {
      database.exec(`DELETE FROM main.sqlite_sequence;
        INSERT INTO main.sqlite_sequence SELECT * FROM source.sqlite_sequence`)
    })
    const indexes = listMissing(database, ['index'])
    for (const { name, sql } of indexes) {
      this.#run(() => database.exec(sql))
      database.pragma('wal_checkpoint(TRUNCATE)')
      await onTurn({ step: 'indexing', name, rows: 0 })
    }
    this.#run(() => {
      for (const { sql } of listMissing(database, ['trigger', 'view'])) database.exec(sql)
    })
  }

  /** @throws AppError `internal` when a row, the schema or the file is not as it should be. */
  async verify(schema: number, onTurn: OnTurn): Promise<Map<string, TableHash>> {
    const counted = new Map<string, TableHash>()
    for (const { name, columns } of this.#tables) {
      const where = `WHERE ${keptBehind[name] ?? 'true'}`
      const onRows = (rows: number) => onTurn({ step: 'comparing', name, rows })
      const [there, here] = [
        await hashRows(this.#database, `source."${name}" ${where}`, columns, onRows),
        await hashRows(this.#database, `main."${name}"`, columns, onRows),
      ]
      await onRows(here.rows)
      if (there.rows !== here.rows || there.hash !== here.hash) {
        throw differs(`table ${name} has ${here.rows} rows instead of ${there.rows}, or rows with other contents`)
      }
      counted.set(name, here)
    }
    const sequences: CopiedColumn[] = ['name', 'seq'].map((name) => ({ name, type: '' }))
    const [there, here] = [
      await hashRows(this.#database, 'source.sqlite_sequence', sequences, async () => {}),
      await hashRows(this.#database, 'main.sqlite_sequence', sequences, async () => {}),
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
    const database = this.#openReadonly()
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

  /** Whether the path still names the file that this copies to. */
  isInPlace(): boolean {
    const found = statSync(this.file, { throwIfNoEntry: false })
    return found !== undefined && found.ino === this.#inode
  }

  /** From this transaction on, to which `note` adds, it is the database of its folder. */
  activate(schema: number, note: (writer: Writer) => void): void {
    const connection = new Connection(this.#database, () => {})
    connection.transaction(
      'BEGIN IMMEDIATE',
      (writer) => {
        if (readMark(this.#database) === undefined) return
        this.#database.exec('DROP TABLE main.unfinished_move')
        this.#database.pragma(`main.user_version = ${schema}`)
        this.#database.pragma(`main.application_id = ${APPLICATION_ID}`)
        note(writer)
      },
      { durable: true },
    )
    this.flush()
  }

  close(): void {
    this.#database.close()
  }

  #openReadonly(): Database.Database {
    try {
      return openConnection(this.file, { readonly: true, cacheBytes: CACHE_BYTES })
    } catch (error) {
      throw this.#toError(error)
    }
  }

  #run<T>(work: () => T): T {
    try {
      return this.#database.transaction(work)()
    } catch (error) {
      throw this.#toError(error)
    }
  }

  #toError(error: unknown): unknown {
    if (this.isInPlace()) return toTargetError(this.file, error)
    const message = `The unfinished copy ${this.file} was removed meanwhile; ${toWayOn(`${SQLITE_PREFIX}${this.file}`)}`
    return conflict(message, { reason: 'copy_removed' })
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
function listMissing(database: Database.Database, types: readonly string[]): { name: string; sql: string }[] {
  const missing = `SELECT name, sql FROM source.sqlite_schema WHERE type = ? AND sql IS NOT NULL
    AND name NOT IN (SELECT name FROM main.sqlite_schema) ORDER BY rowid`
  return types.flatMap((type) => database.prepare(missing).all(type) as { name: string; sql: string }[])
}
