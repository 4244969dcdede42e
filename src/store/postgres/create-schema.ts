import type Database from 'better-sqlite3'
import { AppError, conflict, notFound } from '../../kernel/errors.ts'
import { inNewDatabase, newestSchema, requireUpgradable } from '../migrations.ts'
import { listObjects } from '../move/sqlite-tables.ts'
import type { SchemaUpgrade } from '../store.ts'
import type { PostgresAddress } from '../store-place.ts'
import { PostgresError } from './client.ts'
import type { PostgresConnection } from './connection.ts'
import { READ_ONLY } from './faults.ts'
import { requireProduct } from './product.ts'
import { toPostgresSchema } from './schema.ts'
import { findSchema, upgradeSchema } from './upgrade.ts'

/** How long a process waits for another one that creates the schema. */
const CREATION_TIMEOUT_MS = 60_000
/** The codes of errors where another process has just created the same. */
const EXISTS = /^(?:23505|42P0[67]|42710|42723)$/

/** PostgreSQL 15. */
const MIN_VERSION = 150_000

const unusable = (reason: string, message: string) => new AppError('unavailable', message, { reason })

interface ServerFacts {
  number: number
  version: string
  reads: number
  encoding: string
  /** Tables that neither this program nor an extension has made. */
  others: number
  /** Whether it is an unfinished copy that `assay move` makes. */
  copied: number
  /** Whether the user may create a schema. */
  creates: number
}

const selectFacts = `SELECT current_setting('server_version_num')::bigint AS number,
    current_setting('server_version') AS version,
    pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS reads,
    current_setting('server_encoding') AS encoding,
    (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
        AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')) AS others,
    to_regclass('main.unfinished_move') IS NOT NULL AS copied,
    has_database_privilege(current_database(), 'CREATE') AS creates`

/** @throws AppError `unavailable` when the server cannot be used. */
function examineServer(connection: PostgresConnection): ServerFacts & { schema: number } {
  requireProduct(connection)
  const facts = connection.prepare(selectFacts).get() as ServerFacts
  if (facts.number < MIN_VERSION) {
    const [found = ''] = facts.version.split(' ')
    throw unusable('server_too_old', `The server has PostgreSQL ${found}; use version 15 or later.`)
  }
  if (facts.reads === 1) throw unusable('read_only', READ_ONLY)
  return { ...facts, schema: findSchema(connection) }
}

/** @throws AppError `unavailable` when a database without the schema has anything else. */
function requireEmpty({ others, encoding }: ServerFacts): void {
  if (others > 0) {
    throw unusable(
      'not_a_database',
      'The PostgreSQL database has tables of another program; create one for Assay alone with `createdb`, and name it in ASSAY_STORE.',
    )
  }
  if (encoding !== 'UTF8') {
    throw unusable(
      'database_encoding',
      `The PostgreSQL database has the encoding ${encoding}; create one with \`createdb --encoding UTF8 --template template0\`.`,
    )
  }
}

/**
 * Checks that the server and the database can be used. Returns the number of the schema; 0 for an empty database.
 * @throws AppError `unavailable`
 */
function examineDatabase(connection: PostgresConnection): number {
  const { schema: present, ...facts } = examineServer(connection)
  const newest = newestSchema()
  if (facts.copied === 1) {
    throw unusable(
      'unfinished_copy',
      'The PostgreSQL database is the copy of an unfinished `assay move`; complete the move with the same command, or name another database in ASSAY_STORE.',
    )
  }
  if (present === 0) requireEmpty(facts)
  else if (present > newest) {
    throw unusable(
      'database_newer',
      `The database has schema ${present}, of a newer version of Assay than this one, which knows ${newest}; install that version.`,
    )
  }
  return present
}

const selectMark = 'SELECT id FROM main.unfinished_move'

/** The id of the move whose unfinished copy a database is; undefined for any other one. */
export function findUnfinishedMove(connection: PostgresConnection): string | undefined {
  const exists = connection.prepare(`SELECT to_regclass('main.unfinished_move') IS NOT NULL`).pluck().get()
  return exists === 1 ? (connection.prepare(selectMark).pluck().get() as string | undefined) : undefined
}

/**
 * Checks that a database can be the target of a move, and changes nothing.
 * @param moveId the id of an unfinished move to it
 * @throws AppError
 */
export function checkMoveTarget(connection: PostgresConnection, moveId: string | undefined): void {
  const { schema, ...facts } = examineServer(connection)
  if (schema > 0) {
    const version = schema > newestSchema() ? ', of a newer version' : ''
    throw conflict(
      `The PostgreSQL database already has data of Assay (schema ${schema}${version}); create an empty one with \`createdb\`, and name it.`,
      { reason: 'database_exists' },
    )
  }
  if (facts.copied === 1) {
    if (findUnfinishedMove(connection) === moveId) return
    throw conflict(
      'The PostgreSQL database is left from a move that was cancelled, or from another database; drop it, or name another one.',
      { reason: 'database_exists' },
    )
  }
  requireEmpty(facts)
  if (facts.creates === 1) return
  throw unusable(
    'database_refused',
    'The user may not create a schema in the PostgreSQL database; make it the owner with `ALTER DATABASE … OWNER TO`.',
  )
}

export interface SchemaOptions {
  address: PostgresAddress
  now: () => number
  mustExist?: boolean
  onUpgrade?: (upgrade: SchemaUpgrade) => void
}

/**
 * Creates the schema with the rows that every installation begins with if there is none, and upgrades an older one.
 * @throws AppError `unavailable` for a database that cannot be used, `not_found` for an empty one that must exist
 */
export function prepareSchema(
  connection: PostgresConnection,
  { address, now, mustExist = false, onUpgrade }: SchemaOptions,
): void {
  const present = examineDatabase(connection)
  if (present === newestSchema()) return
  if (present > 0) {
    requireUpgradable(present)
    if (onUpgrade === undefined) {
      throw unusable(
        'database_older',
        `The database has schema ${present} of an earlier version of Assay, and this one needs ${newestSchema()}; copy it with \`pg_dump\`, then upgrade it with \`assay init\`, or by starting \`assay serve\` or \`assay worker\` of this version.`,
      )
    }
    const upgrade = upgradeSchema(address)
    if (upgrade !== undefined) onUpgrade(upgrade)
    return
  }
  if (mustExist) {
    throw notFound(
      'The PostgreSQL database is empty; prepare it with `assay init`, or name another one in ASSAY_STORE.',
      { reason: 'no_database' },
    )
  }
  try {
    connection.atomically(() => {
      connection.execute(`SET LOCAL lock_timeout = ${CREATION_TIMEOUT_MS}`)
      inNewDatabase((source) => fill(connection, source), { now })
    })
  } catch (error) {
    // Of processes that start together, the others wait for the first, whose schema has the same names.
    const isThere = error instanceof PostgresError && EXISTS.test(error.code) && examineDatabase(connection) > 0
    if (!isThere) throw error
  }
}

/** Takes schema and rows from a new database of SQLite, so that they are described once, by its migrations. */
function fill(connection: PostgresConnection, source: Database.Database): void {
  const { tables, indexes, counters } = toPostgresSchema(listObjects(source, 'main'))
  connection.execute([tables.sql, ...indexes.map(({ sql }) => sql)].join('\n'))
  for (const table of tables.names) copyRows(source, connection, table)
  connection.execute(counters)
  connection.execute(`CREATE TABLE main.schema_version AS SELECT ${newestSchema()}::bigint AS number`)
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
