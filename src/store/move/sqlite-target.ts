import { closeSync, existsSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { conflict } from '../../kernel/errors.ts'
import { Connection, openConnection } from '../connection.ts'
import { APPLICATION_ID, defineFoldCase, newestSchema, UNFINISHED_COPY_ID } from '../migrations.ts'
import type { Reader, Writer } from '../reader-writer.ts'
import { listSchemaDifferences } from '../schema-check.ts'
import { Database } from '../sqlite.ts'
import { syncFile } from '../sync-file.ts'
import { SQLITE_PREFIX, toWayOn } from './marker.ts'
import type { MoveOrigin } from './sqlite-origin.ts'
import type { SchemaObject } from './sqlite-tables.ts'
import { defineRealBits, hashRows, type TableHash } from './table-hash.ts'
import {
  type Counter,
  type MovedTable,
  type MoveTarget,
  type OnTurn,
  requireSameCounters,
  requireSameRows,
  toDifference,
} from './target.ts'
import { toTargetError } from './target-checks.ts'

const CACHE_BYTES = 128 * 1024 * 1024
const LOCK_WAIT_MS = 5_000

/** Names the move that an unfinished target belongs to. */
const createMark = 'CREATE TABLE unfinished_move (id TEXT NOT NULL) STRICT'

/** A database file as the target of a move. */
export class SqliteTarget implements MoveTarget {
  readonly file: string
  readonly #database: Database.Database
  readonly #origin: MoveOrigin
  readonly #inode: number

  private constructor(file: string, database: Database.Database, origin: MoveOrigin) {
    this.file = file
    this.#inode = statSync(file).ino
    this.#database = database
    this.#origin = origin
  }

  /** Opens the target of a move, and creates its tables if they do not exist. */
  static open(file: string, moveId: string, openOrigin: (database: Database.Database) => MoveOrigin): SqliteTarget {
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
      defineRealBits(database)
      const origin = openOrigin(database)
      if (readMark(database) === undefined) createTables(database, moveId, origin)
      return new SqliteTarget(file, database, origin)
    } catch (error) {
      database?.close()
      throw toTargetError(file, error)
    }
  }

  get tables(): readonly MovedTable[] {
    return this.#origin.tables
  }

  copyBatch(table: MovedTable, limit: number): number {
    return this.#run(() => this.#origin.copyBatch(table, limit))
  }

  async createRest(onTurn: OnTurn): Promise<void> {
    const database = this.#database
    const insert = database.prepare('INSERT INTO main.sqlite_sequence (name, seq) VALUES (?, ?)')
    this.#run(() => {
      database.exec('DELETE FROM main.sqlite_sequence')
      // The column has no type, so a number would be stored as a real one.
      for (const [name, last] of this.#origin.counters()) insert.run(name, BigInt(last))
    })
    for (const { name, sql } of this.#listMissing(['index'])) {
      this.#run(() => database.exec(sql))
      database.pragma('wal_checkpoint(TRUNCATE)')
      await onTurn({ step: 'indexing', name, rows: 0 })
    }
    this.#run(() => {
      for (const { sql } of this.#listMissing(['trigger', 'view'])) database.exec(sql)
    })
  }

  #listMissing(types: readonly string[]): SchemaObject[] {
    const present = new Set(this.#database.prepare('SELECT name FROM main.sqlite_schema').pluck().all())
    return types.flatMap((type) =>
      this.#origin.objects.filter((object) => object.type === type && !present.has(object.name)),
    )
  }

  async verify(onTurn: OnTurn): Promise<Map<string, TableHash>> {
    const counted = new Map<string, TableHash>()
    for (const table of this.tables) {
      const { name, columns } = table
      const onRows = (rows: number) => onTurn({ step: 'comparing', name, rows })
      const there = await this.#origin.hash(table, onTurn)
      const here = await hashRows(this.#database, `main."${name}"`, columns, onRows)
      await onRows(here.rows)
      requireSameRows(name, there, here)
      counted.set(name, here)
    }
    const counters = this.#database.prepare('SELECT name, seq FROM main.sqlite_sequence').raw().all() as Counter[]
    requireSameCounters(this.#origin.counters(), counters)
    const differences = listSchemaDifferences(this.#database, newestSchema()).filter(
      (difference) => !difference.startsWith('table unfinished_move '),
    )
    if (differences[0] !== undefined) throw toDifference(differences[0])
    const integrity = this.#database.pragma('main.integrity_check(1)', { simple: true })
    if (integrity !== 'ok') throw toDifference(String(integrity))
    return counted
  }

  openSnapshot(): { reader: Reader; close(): void } {
    const database = this.#openReadonly()
    const reader = new Connection(database, () => Number.MIN_SAFE_INTEGER)
    reader.beginSnapshot()
    return { reader, close: () => reader.close() }
  }

  flush(): void {
    this.#database.pragma('wal_checkpoint(TRUNCATE)')
    syncFile(dirname(this.file))
  }

  isInPlace(): boolean {
    const found = statSync(this.file, { throwIfNoEntry: false })
    return found !== undefined && found.ino === this.#inode
  }

  activate(note: (writer: Writer) => void): void {
    const connection = new Connection(this.#database)
    connection.transaction(
      'BEGIN IMMEDIATE',
      (writer) => {
        if (readMark(this.#database) === undefined) return
        this.#database.exec('DROP TABLE main.unfinished_move')
        this.#database.pragma(`main.user_version = ${newestSchema()}`)
        this.#database.pragma(`main.application_id = ${APPLICATION_ID}`)
        note(writer)
      },
      { durable: true },
    )
    this.flush()
  }

  close(): void {
    this.#origin.close()
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

function readMark(database: Database.Database): unknown {
  const exists = database.prepare(`SELECT 1 FROM main.sqlite_schema WHERE name = 'unfinished_move'`).get()
  return exists === undefined ? undefined : database.prepare('SELECT id FROM main.unfinished_move').pluck().get()
}

function createTables(database: Database.Database, moveId: string, origin: MoveOrigin): void {
  const { objects, firstTriggers, hasStatistics } = origin
  const first = objects.filter(({ type, name }) => type === 'table' || firstTriggers.has(name))
  database.transaction(() => {
    database.exec(createMark)
    database.prepare('INSERT INTO main.unfinished_move (id) VALUES (?)').run(moveId)
    for (const { sql } of first) database.exec(sql)
    if (hasStatistics) database.exec('ANALYZE main.sqlite_schema')
    database.pragma(`main.application_id = ${UNFINISHED_COPY_ID}`)
  })()
}
