import type Database from 'better-sqlite3'
import type { MoveOrigin } from '../move/sqlite-origin.ts'
import { describeNewSchema, selectLast, toList } from '../move/sqlite-tables.ts'
import { type CopiedColumn, type TableHash, toHashText } from '../move/table-hash.ts'
import { type Counter, keptBehindByServers, type MovedTable, type OnTurn } from '../move/target.ts'
import type { PostgresAddress } from '../store-place.ts'
import { PostgresConnection } from './connection.ts'

/** Their rows can be large. */
const BLOBS_AT_ONCE = 500

/** Keys in the order of their bytes, which is that of SQLite. */
export const toKeyList = ({ columns, key }: MovedTable, end = ''): string =>
  key
    .map((name) => {
      const isText = columns.find((column) => column.name === name)?.type === 'TEXT'
      return `"${name}"${isText ? ' COLLATE "C"' : ''}${end}`
    })
    .join(', ')

/** The tables of a PostgreSQL database, from which a database file is made. */
class PostgresOrigin implements MoveOrigin {
  readonly objects: MoveOrigin['objects']
  readonly tables: readonly MovedTable[]
  readonly firstTriggers: ReadonlySet<string>
  readonly hasStatistics = false
  readonly #connection: PostgresConnection
  readonly #database: Database.Database

  constructor(connection: PostgresConnection, database: Database.Database) {
    this.#connection = connection
    this.#database = database
    const { objects, tables } = describeNewSchema()
    this.objects = objects
    this.tables = tables
    // Full-text indexes are not on the server.
    this.firstTriggers = new Set(objects.flatMap(({ name }) => (/_text_insert$/.test(name) ? [name] : [])))
  }

  copyBatch(table: MovedTable, limit: number): number {
    const { name, columns, key } = table
    const newest = this.#database.prepare(selectLast(table)).raw().get() as unknown[] | undefined
    if (newest !== undefined && key.length === 0) return 0
    const list = toList(columns.map((column) => column.name))
    const places = (count: number) => Array.from({ length: count }, () => '?').join(', ')
    const after = newest === undefined ? '' : `AND (${toKeyList(table)}) > (${places(key.length)})`
    const atOnce = columns.some(({ type }) => type === 'BLOB') ? Math.min(limit, BLOBS_AT_ONCE) : limit
    const rows = this.#connection
      .prepare(
        `SELECT ${list} FROM main."${name}" WHERE ${keptBehindByServers[name] ?? 'true'} ${after}
         ${key.length === 0 ? '' : `ORDER BY ${toKeyList(table)}`} LIMIT ${atOnce}`,
      )
      .raw()
      .all(...(newest ?? [])) as unknown[][]
    const insert = this.#database.prepare(`INSERT INTO main."${name}" (${list}) VALUES (${places(columns.length)})`)
    for (const row of rows) insert.run(...row)
    return rows.length
  }

  async hash(table: MovedTable, onTurn: OnTurn): Promise<TableHash> {
    const hash = hashTable(this.#connection, table)
    await onTurn({ step: 'comparing', name: table.name, rows: hash.rows })
    return hash
  }

  counters(): Counter[] {
    const numbered = this.objects.filter(({ sql }) => /\bAUTOINCREMENT\b/.test(sql)).map(({ name }) => name)
    return readCounters(this.#connection, numbered)
  }

  close(): void {
    this.#connection.close()
  }
}

const setup = 'SET search_path = main, pg_catalog; SET default_transaction_read_only = on'

/** Opens a database on a server that is copied to a file. */
export const openOrigin = (address: PostgresAddress, database: Database.Database): PostgresOrigin =>
  new PostgresOrigin(new PostgresConnection({ address, setup }), database)

/** The bytes of a database on a server. */
export function readServerSize(address: PostgresAddress): number {
  const connection = new PostgresConnection({ address, setup })
  try {
    return connection.prepare('SELECT pg_database_size(current_database())').pluck().get() as number
  } finally {
    connection.close()
  }
}

/** The hash of all rows of a table on the server, the same as `hashRows` computes in a file. */
export function hashTable(connection: PostgresConnection, { name, columns }: MovedTable): TableHash {
  const half = (from: number) => `(sum(('x' || substr(digest, ${from}, 16))::bit(64)::bigint::numeric))::text`
  const { rows, first, next } = connection
    .prepare(
      `SELECT count(*) AS rows, coalesce(${half(1)}, '0') AS first, coalesce(${half(17)}, '0') AS next
       FROM (SELECT encode(sha256(convert_to(${columns.map(toExactText).join(` || ',' || `)}, 'UTF8')), 'hex') AS digest
         FROM main."${name}" WHERE ${keptBehindByServers[name] ?? 'true'}) digests`,
    )
    .get() as { rows: number; first: string; next: string }
  return { rows, hash: toHashText(BigInt(first), BigInt(next)) }
}

/** As `hashRows` writes a column in a file. */
function toExactText({ name, type }: CopiedColumn): string {
  if (type === 'INTEGER') return `coalesce("${name}"::text, 'NULL')`
  if (type === 'REAL') return `coalesce(encode(float8send("${name}"), 'hex'), 'NULL')`
  const bytes = type === 'BLOB' ? `"${name}"` : `convert_to("${name}", 'UTF8')`
  return `coalesce('X''' || upper(encode(${bytes}, 'hex')) || '''', 'NULL')`
}

/** Tables whose ids are given by a row of `sqlite_sequence`, as in SQLite. */
export const COUNTED_TABLES = ['facet_log', 'asset_log']

/** The largest ids that some tables ever had. */
export function readCounters(connection: PostgresConnection, tables: readonly string[]): Counter[] {
  const selectCounter = 'SELECT seq FROM main.sqlite_sequence WHERE name = ?'
  const sequences = findSequences(connection)
  return tables.map((name) => {
    if (COUNTED_TABLES.includes(name)) return [name, connection.prepare(selectCounter).pluck().get(name) as number]
    const sequence = sequences.find((found) => found.table === name)
    if (sequence === undefined) throw new TypeError(`${name} has no sequence`)
    const last = `SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM ${sequence.name}`
    return [name, connection.prepare(last).pluck().get() as number]
  })
}

/** The sequences of the columns that number rows. */
export const findSequences = (connection: PostgresConnection): { table: string; key: string; name: string }[] =>
  connection
    .prepare(
      `SELECT c.relname::text AS table, a.attname::text AS key, pg_get_serial_sequence('main.' || c.relname, a.attname) AS name
       FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = 'main' AND a.attidentity <> '' AND c.relkind = 'r'`,
    )
    .all() as { table: string; key: string; name: string }[]
