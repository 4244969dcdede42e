import { readdirSync, readFileSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { AppError } from '../kernel/errors.ts'
import { packageFile } from '../kernel/installation.ts'

/** Marks the file as ours: 'ASAY'. */
const APPLICATION_ID = 0x41534159
/** Earlier versions can lose commits when two connections checkpoint at once (sqlite.org/wal.html, "WAL-reset"). */
const OLDEST_SQLITE = [3, 51, 3]

const folder = packageFile('migrations/sqlite/')

interface Migration {
  number: number
  name: string
  sql: string
}

function listMigrations(): Migration[] {
  const migrations = readdirSync(folder)
    .filter((name) => /^\d{4}-[a-z0-9-]+\.sql$/.test(name))
    .sort()
    .map((name) => ({ number: Number(name.slice(0, 4)), name, sql: readFileSync(new URL(name, folder), 'utf8') }))
  const wrong = migrations.find(({ number }, index) => index > 0 && number === migrations[index - 1]?.number)
  if (wrong !== undefined) throw new Error(`two migrations have one number: ${wrong.name}`)
  return migrations
}

let newest: number | undefined

/** The schema that this version works with. */
export function newestMigration(): number {
  newest ??= listMigrations().at(-1)?.number ?? 0
  return newest
}

/**
 * Brings the schema up to date. Each migration is one transaction that starts by taking the write lock and looking
 * at the version again, so that of many processes starting together exactly one runs it.
 * SQL in a migration may call `now_ms()` and `new_uid()`.
 */
export function migrate(database: Database.Database, now: () => number): void {
  const version = database.prepare('SELECT sqlite_version()').pluck().get() as string
  if (!isAtLeast(version.split('.').map(Number), OLDEST_SQLITE)) {
    throw new AppError(
      'unavailable',
      `SQLite ${version} is too old; install a build with ${OLDEST_SQLITE.join('.')} or later.`,
    )
  }
  const migrations = listMigrations()
  const newest = migrations.at(-1)?.number ?? 0
  const present = () => database.pragma('user_version', { simple: true }) as number
  if (present() === newest) return
  database.function('now_ms', { deterministic: false }, () => now())
  database.function('new_uid', { deterministic: false }, () => crypto.randomUUID())
  for (const migration of migrations) {
    if (present() >= migration.number) continue
    database.exec('BEGIN IMMEDIATE')
    try {
      if (present() < migration.number) {
        database.exec(migration.sql)
        database.pragma(`user_version = ${migration.number}`)
        database.pragma(`application_id = ${APPLICATION_ID}`)
      }
      database.exec('COMMIT')
    } catch (error) {
      if (database.inTransaction) database.exec('ROLLBACK')
      throw error
    }
  }
  if (present() > newest) {
    throw new AppError(
      'unavailable',
      `The database has schema ${present()}, but this version of assay knows only ${newest}; install a newer assay.`,
      { reason: 'database_newer' },
    )
  }
}

function isAtLeast(version: number[], least: number[]): boolean {
  for (const [index, wanted] of least.entries()) {
    const part = version[index] ?? 0
    if (part !== wanted) return part > wanted
  }
  return true
}
