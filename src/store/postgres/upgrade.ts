import { AppError } from '../../kernel/errors.ts'
import { packageFile } from '../../runtime/package-files.ts'
import { listMigrations, type Migration } from '../migrations.ts'
import type { Reader, SchemaSessions, SchemaUpgrade } from '../store.ts'
import type { PostgresAddress } from '../store-place.ts'
import { PostgresError } from './client.ts'
import { PostgresConnection } from './connection.ts'

/** How long processes that start wait for the one that upgrades, and that one for transactions of others. */
const LOCK_TIMEOUT_MS = 120_000

const setup = `SET search_path = main, pg_catalog; SET client_min_messages = warning;
  SET lock_timeout = ${LOCK_TIMEOUT_MS}; SET statement_timeout = 0`

const selectSessions = `SELECT application_name, count(*) FROM pg_stat_activity
  WHERE datname = current_database() AND application_name LIKE 'assay schema %' GROUP BY application_name ORDER BY 1`

/** The name under which a server lists the connections of a process that works with a schema. */
export const toSessionName = (schema: number): string => `assay schema ${schema}`

/** The connections of processes of Assay to the database, by the schema that they work with. */
export function listSessions(reader: Pick<Reader, 'prepare'>): SchemaSessions[] {
  const rows = reader.prepare(selectSessions).raw().all() as [name: string, connections: number][]
  return rows.map(([name, connections]) => ({ schema: Number(/\d+$/.exec(name)), connections }))
}

/** The number of the schema in a database; 0 if there is none. */
export function findSchema(connection: Pick<PostgresConnection, 'prepare'>): number {
  if (connection.prepare(`SELECT to_regclass('main.schema_version') IS NOT NULL`).pluck().get() !== 1) return 0
  return connection.prepare('SELECT number FROM main.schema_version').pluck().get() as number
}

/** The migrations of PostgreSQL. The first is empty; each other one makes the change of SQLite's with the same number. */
export const listServerMigrations = (): Migration[] => listMigrations(packageFile('migrations/postgres/'))

/**
 * Upgrades the schema of a database in one transaction under the locks of all scopes: of many processes that start
 * together one does it while the others wait, and one that dies leaves the old schema. Servers of earlier versions wait,
 * too; afterwards their transactions are refused, because they know another number. Undefined if there was nothing to do.
 * @throws AppError `unavailable`
 */
export function upgradeSchema(
  address: PostgresAddress,
  migrations: readonly Migration[] = listServerMigrations(),
): SchemaUpgrade | undefined {
  const connection = new PostgresConnection({ address, setup })
  const upgrade = (): SchemaUpgrade | undefined => {
    const from = findSchema(connection)
    const pending = migrations.filter(({ number }) => number > from)
    const to = pending.at(-1)?.number
    if (to === undefined) return undefined
    for (const { sql } of pending) connection.execute(sql)
    connection.prepare('UPDATE main.schema_version SET number = ?').run(to)
    const others = listSessions(connection)
      .filter(({ schema }) => schema !== to)
      .reduce((sum, { connections }) => sum + connections, 0)
    return { from, to, others }
  }
  try {
    return connection.transaction('write', upgrade, { durable: true })
  } catch (error) {
    if (!(error instanceof PostgresError)) throw error
    throw new AppError(
      'unavailable',
      `The schema of the database could not be upgraded and is what it was (${error.message}); keep the earlier version until that is resolved.`,
      { reason: 'upgrade_failed', cause: error },
    )
  } finally {
    connection.close()
  }
}
