import type Database from 'better-sqlite3'
import { AppError } from '../kernel/errors.ts'
import { backUpBeforeMigration } from './backup.ts'
import { APPLICATION_ID, defineFunctions, listMigrations, type Migration } from './migrations.ts'
import { requireMoveEnded } from './move/marker.ts'

/** Earlier versions can lose commits when two connections checkpoint at once (sqlite.org/wal.html, "WAL-reset"). */
const OLDEST_SQLITE = [3, 51, 3]
const MIGRATION_LOCK_TIMEOUT_MS = 120_000

/**
 * Migrates the schema in one transaction, which takes the write lock and then reads the version again: of many
 * processes that start together exactly one migrates, and one that dies leaves the old schema. A database that has
 * a schema is backed up first. SQL in a migration may call `now_ms()`, `new_uid()` and `fold_case(text)`.
 */
export function migrate(
  database: Database.Database,
  now: () => number,
  migrations: readonly Migration[] = listMigrations(),
): void {
  const version = database.prepare('SELECT sqlite_version()').pluck().get() as string
  if (!isAtLeast(version.split('.').map(Number), OLDEST_SQLITE)) {
    throw new AppError(
      'unavailable',
      `SQLite ${version} is too old; install a build with ${OLDEST_SQLITE.join('.')} or later.`,
    )
  }
  const newest = migrations.at(-1)?.number ?? 0
  const present = () => database.pragma('user_version', { simple: true }) as number
  if (present() === newest) return
  if (present() > newest) {
    throw new AppError(
      'unavailable',
      `The database has schema ${present()}, but this version of Assay knows only ${newest}; install a newer version.`,
      { reason: 'database_newer' },
    )
  }
  defineFunctions(database, now)
  // Copying and migrating a large database takes long, and other processes wait for it here.
  database.pragma(`busy_timeout = ${MIGRATION_LOCK_TIMEOUT_MS}`)
  database.exec('BEGIN IMMEDIATE')
  try {
    const pending = migrations.filter(({ number }) => number > present())
    if (pending.length > 0 && present() > 0) {
      requireMoveEnded(database)
      backUpBeforeMigration(database.name, present(), now())
    }
    for (const { sql } of pending) database.exec(sql)
    database.pragma(`user_version = ${newest}`)
    database.pragma(`application_id = ${APPLICATION_ID}`)
    database.exec('COMMIT')
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK')
    throw error
  }
  database.pragma('busy_timeout = 5000')
}

function isAtLeast(version: number[], least: number[]): boolean {
  for (const [index, wanted] of least.entries()) {
    const part = version[index] ?? 0
    if (part !== wanted) return part > wanted
  }
  return true
}
