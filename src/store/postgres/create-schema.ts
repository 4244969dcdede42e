import Database from 'better-sqlite3'
import { AppError } from '../../kernel/errors.ts'
import { migrate } from '../migrate.ts'
import { newestSchema } from '../migrations.ts'
import type { PostgresConnection } from './connection.ts'
import { type SchemaObject, toPostgresSchema } from './schema.ts'

/** Held while the schema is created, by whichever process comes first. */
const CREATION_LOCK = 0x41534159

/** The number of the schema in a database; 0 if there is none. */
export function findSchema(connection: PostgresConnection): number {
  const found = `SELECT EXISTS (SELECT 1 FROM information_schema.tables
    WHERE table_schema = 'main' AND table_name = 'schema_version')`
  if (connection.prepare(found).pluck().get() !== 1) return 0
  return connection.prepare('SELECT number FROM main.schema_version').pluck().get() as number
}

/** Creates the schema with the rows that every installation begins with, unless it exists. */
export function createSchema(connection: PostgresConnection, now: () => number): void {
  try {
    connection.execute(`BEGIN; SELECT pg_advisory_xact_lock(${CREATION_LOCK})`)
    const [present, newest] = [findSchema(connection), newestSchema()]
    if (present === 0) fill(connection, now)
    else if (present !== newest) {
      throw new AppError(
        'unavailable',
        `The database has schema ${present}, but this version of Assay needs ${newest}.`,
        { reason: present > newest ? 'database_newer' : 'database_older' },
      )
    }
    connection.execute('COMMIT')
  } catch (error) {
    try {
      connection.execute('ROLLBACK')
    } catch {
      // The connection is lost, and the transaction with it.
    }
    throw error
  }
}

const listObjects = `SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid`

/** Takes schema and rows from a new database of SQLite, so that they are described once, by its migrations. */
function fill(connection: PostgresConnection, now: () => number): void {
  const source = new Database(':memory:')
  try {
    migrate(source, now)
    const { tables, triggers } = toPostgresSchema(source.prepare(listObjects).all() as SchemaObject[])
    connection.execute(tables.sql)
    for (const table of tables.names) copyRows(source, connection, table)
    connection.execute(triggers)
    connection.execute(`CREATE TABLE main.schema_version AS SELECT ${newestSchema()}::bigint AS number`)
  } finally {
    source.close()
  }
}

function copyRows(source: Database.Database, connection: PostgresConnection, table: string): void {
  const select = source.prepare(`SELECT * FROM ${table}`).raw()
  const names = select.columns().map(({ name }) => `"${name}"`)
  const places = names.map(() => '?')
  const insert = connection.prepare(`INSERT INTO main.${table} (${names.join(', ')}) VALUES (${places.join(', ')})`)
  for (const row of select.all() as (number | null)[][]) insert.run(...row)
  const [key = ''] = names
  const sequence = connection
    .prepare(`SELECT pg_get_serial_sequence('main.${table}', attname) FROM pg_attribute
      WHERE attrelid = 'main.${table}'::regclass AND attidentity <> ''`)
    .pluck()
    .get()
  if (typeof sequence !== 'string') return
  connection.prepare(`SELECT setval('${sequence}', max(${key})) FROM main.${table} HAVING max(${key}) > 0`).get()
}
