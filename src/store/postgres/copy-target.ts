import type Database from 'better-sqlite3'
import { AppError, conflict } from '../../kernel/errors.ts'
import { internalText } from '../../kernel/safe-text.ts'
import { openConnection } from '../connection.ts'
import { newestSchema } from '../migrations.ts'
import { toWayOn } from '../move/marker.ts'
import { describeNewSchema, listPlainTables, selectLast, toList } from '../move/sqlite-tables.ts'
import { type CopiedColumn, defineRealBits, hashRows, type TableHash } from '../move/table-hash.ts'
import {
  type Counter,
  keptBehindByServers,
  type MovedTable,
  type MoveTarget,
  type OnTurn,
  requireSameCounters,
  requireSameRows,
} from '../move/target.ts'
import type { Reader, Writer } from '../reader-writer.ts'
import { describePlace, type PostgresAddress } from '../store-place.ts'
import { PostgresError } from './client.ts'
import { PostgresConnection } from './connection.ts'
import { COUNTED_TABLES, findSequences, hashTable, readCounters, toKeyList } from './copied-rows.ts'
import { checkMoveTarget, findUnfinishedMove } from './create-schema.ts'
import { toPostgresSchema } from './schema.ts'
import { findSchema } from './upgrade.ts'

const CACHE_BYTES = 64 * 1024 * 1024
/** Rows are sent in pieces of about this many characters. */
const PIECE_LENGTH = 8 * 1024 * 1024

/** The server may still be busy with the last step of a process that was killed. */
const setup = `SET search_path = main, pg_catalog; SET client_min_messages = warning; SET lock_timeout = 30000;
  SET synchronous_commit = off; SET maintenance_work_mem = '256MB'`

/** `unfinished_step` has the statements that follow when all rows are there. */
const createMark = `CREATE TABLE main.unfinished_move (id text NOT NULL);
  CREATE TABLE main.unfinished_step (at bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, sql text NOT NULL)`
const dropMark = 'DROP TABLE main.unfinished_move, main.unfinished_step'
const lockMark = 'SELECT id FROM main.unfinished_move FOR UPDATE'
const insertStep = 'INSERT INTO main.unfinished_step (name, sql) VALUES (?, ?)'

const selectReferences = `SELECT conrelid::regclass::text AS "table", conname::text AS name, pg_get_constraintdef(oid) AS definition
  FROM pg_constraint WHERE contype = 'f' AND connamespace = 'main'::regnamespace ORDER BY conrelid::regclass::text, conname`

/** What is at the address of a target of a move. */
type TargetState = 'missing' | 'unfinished' | 'complete'

/** Calls `work` with a connection to the target of a move. */
function withTarget<T>(address: PostgresAddress, work: (connection: PostgresConnection) => T): T {
  const connection = new PostgresConnection({ address, setup })
  try {
    return work(connection)
  } catch (error) {
    throw toNamed(error)
  } finally {
    connection.close()
  }
}

/** @throws AppError when a database cannot be moved to this one. */
export const checkServerTarget = (address: PostgresAddress, moveId: string | undefined): void =>
  withTarget(address, (connection) => checkMoveTarget(connection, moveId))

export const readTargetState = (address: PostgresAddress, moveId: string): TargetState =>
  withTarget(address, (connection) => {
    if (findUnfinishedMove(connection) === moveId) return 'unfinished'
    return findSchema(connection) > 0 ? 'complete' : 'missing'
  })

/** Removes the unfinished copy of a move. */
export const removeServerCopy = (address: PostgresAddress, moveId: string): void =>
  withTarget(address, (connection) => {
    if (findUnfinishedMove(connection) === moveId) connection.execute('DROP SCHEMA main CASCADE')
  })

/** A database on a server as the target of a move. */
export class PostgresTarget implements MoveTarget {
  readonly tables: readonly MovedTable[]
  readonly #address: PostgresAddress
  readonly #moveId: string
  readonly #connection: PostgresConnection
  readonly #source: Database.Database

  private constructor(address: PostgresAddress, moveId: string, source: Database.Database) {
    this.#address = address
    this.#moveId = moveId
    this.#source = source
    this.tables = listPlainTables(source)
    this.#connection = new PostgresConnection({ address, setup })
  }

  /** Opens the target of a move of a database file, and creates its tables if they do not exist. */
  static open(address: PostgresAddress, moveId: string, file: string): PostgresTarget {
    const source = openConnection(file, { readonly: true, cacheBytes: CACHE_BYTES })
    defineRealBits(source)
    const target = new PostgresTarget(address, moveId, source)
    try {
      target.#attempt(() => {
        if (findUnfinishedMove(target.#connection) === undefined) target.#create()
      })
      return target
    } catch (error) {
      target.close()
      throw error
    }
  }

  /** Indexes, references and counters follow when all rows are there. */
  #create(): void {
    const connection = this.#connection
    const last = this.#readCounters()
    const { tables, indexes, counters } = toPostgresSchema(describeNewSchema().objects)
    connection.atomically(() => {
      connection.execute(`${tables.sql} ${createMark}`)
      connection.prepare('INSERT INTO main.unfinished_move (id) VALUES (?)').run(internalText(this.#moveId))
      const references = connection.prepare(selectReferences).all() as Record<'table' | 'name' | 'definition', string>[]
      const drops = references.map(({ table, name }) => `ALTER TABLE ${table} DROP CONSTRAINT ${name};`)
      connection.execute(drops.join('\n'))
      const steps = [
        ...indexes,
        ...references.map(({ table, name, definition }) => ({
          name,
          sql: `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`,
        })),
        {
          name: 'counters',
          sql: [
            ...findSequences(connection).map((each) => toCounter(each, last)),
            counters,
            ...last.map(toLogCounter),
          ].join('\n'),
        },
        { name: 'statistics', sql: 'ANALYZE' },
      ]
      const insert = connection.prepare(insertStep)
      for (const { name, sql } of steps) insert.run(internalText(name), internalText(sql))
    })
  }

  #readCounters(): Counter[] {
    return this.#source.prepare('SELECT name, seq FROM main.sqlite_sequence').raw().all() as Counter[]
  }

  copyBatch(table: MovedTable, limit: number): number {
    const { name, columns, key } = table
    return this.#attempt(() => {
      this.#lock()
      const last = selectLast(table, toKeyList(table, ' DESC'))
      const newest = this.#connection.prepare(last).raw().get() as unknown[] | undefined
      if (newest !== undefined && key.length === 0) return 0
      const after = newest === undefined ? '' : `AND (${toList(key)}) > (${key.map(() => '?').join(', ')})`
      const lines = this.#source
        .prepare(
          `SELECT ${columns.map(toCopyText).join(' || char(9) || ')} FROM main."${name}"
           WHERE ${keptBehindByServers[name] ?? 'true'} ${after} ${key.length === 0 ? '' : `ORDER BY ${toList(key)}`} LIMIT ?`,
        )
        .pluck()
        .iterate(...(newest ?? []), limit) as Iterable<string>
      const piece: string[] = []
      let length = 0
      for (const line of lines) {
        piece.push(line)
        length += line.length
        if (length > PIECE_LENGTH) break
      }
      if (piece.length === 0) return 0
      const list = toList(columns.map((column) => column.name))
      this.#connection.copyRows(`COPY main."${name}" (${list}) FROM STDIN`, `${piece.join('\n')}\n`)
      return piece.length
    }, name)
  }

  async createRest(onTurn: OnTurn): Promise<void> {
    const connection = this.#connection
    const next = connection.prepare('SELECT at, name, sql FROM main.unfinished_step ORDER BY at LIMIT 1')
    const remove = connection.prepare('DELETE FROM main.unfinished_step WHERE at = ?')
    for (;;) {
      const name = this.#attempt(() => {
        this.#lock()
        const step = next.get() as { at: number; name: string; sql: string } | undefined
        if (step === undefined) return undefined
        connection.execute(step.sql)
        remove.run(step.at)
        return step.name
      })
      if (name === undefined) return
      await onTurn({ step: 'indexing', name, rows: 0 })
    }
  }

  async verify(onTurn: OnTurn): Promise<Map<string, TableHash>> {
    const counted = new Map<string, TableHash>()
    for (const table of this.tables) {
      const { name, columns } = table
      const onRows = (rows: number) => onTurn({ step: 'comparing', name, rows })
      const from = `main."${name}" WHERE ${keptBehindByServers[name] ?? 'true'}`
      const there = await hashRows(this.#source, from, columns, onRows)
      const here = this.#attempt(() => hashTable(this.#connection, table))
      await onRows(here.rows)
      requireSameRows(name, there, here)
      counted.set(name, here)
    }
    const counters = this.#readCounters()
    const names = counters.map(([name]) => name)
    requireSameCounters(
      counters,
      this.#attempt(() => readCounters(this.#connection, names)),
    )
    return counted
  }

  openSnapshot(): { reader: Reader; close(): void } {
    const reader = new PostgresConnection({ address: this.#address, setup }, { now: () => Number.MIN_SAFE_INTEGER })
    reader.beginSnapshot()
    return { reader, close: () => reader.close() }
  }

  flush(): void {
    this.#attempt(() => {
      this.#connection.execute('SET LOCAL synchronous_commit = on; UPDATE main.unfinished_move SET id = id')
    })
  }

  isInPlace(): boolean {
    return withTarget(this.#address, findUnfinishedMove) === this.#moveId
  }

  activate(note: (writer: Writer) => void): void {
    const writer = new PostgresConnection({ address: this.#address, setup })
    try {
      writer.transaction(
        'write',
        () => {
          if (findUnfinishedMove(writer) !== this.#moveId) return
          writer.execute(`SET LOCAL synchronous_commit = on; ${dropMark};
            CREATE TABLE main.schema_version AS SELECT ${newestSchema()}::bigint AS number`)
          note(writer)
        },
        { durable: true },
      )
    } catch (error) {
      throw toNamed(error)
    } finally {
      writer.close()
    }
  }

  close(): void {
    this.#connection.close()
    this.#source.close()
  }

  /** A process that was killed has ended its last step once its lock is free. */
  #lock(): void {
    if (this.#connection.prepare(lockMark).pluck().get() !== this.#moveId) throw this.#removed()
  }

  /** Runs `work` in a transaction. */
  #attempt<T>(work: () => T, table?: string): T {
    try {
      return this.#connection.atomically(work)
    } catch (error) {
      const named = toNamed(error)
      if (error instanceof PostgresError) {
        if (/^(?:42P01|3F000)$/.test(error.code)) throw this.#removed()
        const of = table === undefined ? '' : ` of table ${table}`
        const message = `PostgreSQL refuses something${of} (${error.message}); undo the move with \`assay move --cancel\`.`
        throw new AppError('unavailable', message, { reason: 'copy_refused', cause: error })
      }
      if (!(named instanceof AppError) || named.facts.reason === 'copy_removed') throw named
      const wayOn = toWayOn(describePlace({ kind: 'postgres', address: this.#address }))
      throw new AppError(named.code, `${named.message} Then ${wayOn}`, { ...named.facts, cause: error })
    }
  }

  #removed(): AppError {
    const to = describePlace({ kind: 'postgres', address: this.#address })
    return conflict(`The unfinished copy in ${to} was removed meanwhile; ${toWayOn(to)}`, { reason: 'copy_removed' })
  }
}

/** Errors name the variable by which a database is selected; a target is named on the command line. */
function toNamed(error: unknown): unknown {
  if (!(error instanceof AppError)) return error
  const message = error.message.replace(/\bASSAY_STORE\b/g, '--to')
  return new AppError(error.code, message, { ...error.facts, cause: error })
}

/** A column as COPY reads it in text format. */
function toCopyText({ name, type }: CopiedColumn): string {
  const value = `"${name}"`
  if (type === 'INTEGER') return `coalesce(CAST(${value} AS TEXT), '\\N')`
  if (type === 'REAL') return `CASE WHEN ${value} IS NULL THEN '\\N' ELSE quote(${value}) END`
  if (type === 'BLOB') return `coalesce('\\\\x' || hex(${value}), '\\N')`
  const escaped = `replace(replace(replace(replace(${value}, '\\', '\\\\'), char(9), '\\t'), char(10), '\\n'), char(13), '\\r')`
  return `coalesce(${escaped}, '\\N')`
}

/** The next id of a table is larger than each that it ever had. */
function toCounter(
  { table, key, name }: { table: string; key: string; name: string },
  counters: readonly Counter[],
): string {
  const last = counters.find(([of]) => of === table)?.[1] ?? 0
  return `SELECT setval('${name}', greatest(max("${key}"), ${last})) FROM main."${table}" HAVING greatest(max("${key}"), ${last}) > 0;`
}

const toLogCounter = ([name, last]: Counter): string =>
  COUNTED_TABLES.includes(name) ? `UPDATE main.sqlite_sequence SET seq = ${last} WHERE name = '${name}';` : ''
