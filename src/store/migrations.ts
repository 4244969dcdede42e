import { readdirSync, readFileSync } from 'node:fs'
import { AppError } from '../kernel/errors.ts'
import { foldCase } from '../kernel/fold.ts'
import { packageFile } from '../runtime/package-files.ts'
import { Database } from './sqlite.ts'

/** The `application_id` of databases of assay: 'ASAY'. */
export const APPLICATION_ID = 0x41534159
/** The `application_id` of an unfinished copy that `assay move` makes: 'ASAM'. */
export const UNFINISHED_COPY_ID = 0x4153414d

const sqliteFolder = packageFile('migrations/sqlite/')

export interface Migration {
  number: number
  name: string
  sql: string
}

/** All migrations of a folder, ordered by number. */
export function listMigrations(folder: URL = sqliteFolder): Migration[] {
  const migrations = readdirSync(folder)
    .filter((name) => /^\d{4}-[a-z0-9-]+\.sql$/.test(name))
    .sort()
    .map((name) => ({ number: Number(name.slice(0, 4)), name, sql: readFileSync(new URL(name, folder), 'utf8') }))
  const wrong = migrations.find(({ number }, index) => index > 0 && number === migrations[index - 1]?.number)
  if (wrong !== undefined) throw new Error(`two migrations have the same number: ${wrong.name}`)
  return migrations
}

let numbers: number[] | undefined

/** The numbers of the schemas that this version of the program knows, ascending. */
export function knownSchemas(): number[] {
  numbers ??= listMigrations().map(({ number }) => number)
  return numbers
}

/** The schema version to which this version of the program migrates. */
export const newestSchema = (): number => knownSchemas().at(-1) ?? 0

/**
 * @param what has the schema, at the beginning of a sentence
 * @throws AppError `unavailable`, reason `database_too_old`, for a schema from before the first migration
 */
export function requireUpgradable(schema: number, what = 'The database'): void {
  const [oldest = 0] = knownSchemas()
  if (schema === 0 || schema >= oldest) return
  throw new AppError(
    'unavailable',
    `${what} has schema ${schema} of an earlier version of Assay, which this version does not upgrade; export it with that version (\`assay export --dir DIR\` for definitions, \`assay findings --format ndjson\` for findings), then import it into a new folder or database (\`assay init --home NEW\`, \`assay apply --dir DIR --home NEW\`, \`assay import FILE --home NEW\`).`,
    { reason: 'database_too_old' },
  )
}

/** Runs `work` on a new database in memory that has the schema of a version. */
export function inNewDatabase<T>(
  work: (database: Database.Database) => T,
  { schema = newestSchema(), now = () => 0 }: { schema?: number; now?: () => number } = {},
): T {
  const database = new Database(':memory:')
  try {
    defineFunctions(database, now)
    for (const { number, sql } of listMigrations()) if (number <= schema) database.exec(sql)
    return work(database)
  } finally {
    database.close()
  }
}

/** Defines the SQL functions that migrations call. */
export function defineFunctions(database: Database.Database, now: () => number): void {
  database.function('now_ms', { deterministic: false }, () => now())
  database.function('new_uid', { deterministic: false }, () => crypto.randomUUID())
  defineFoldCase(database)
}

/** Defines `fold_case(text)`, which every connection has. */
export function defineFoldCase(database: Database.Database): void {
  database.function('fold_case', { deterministic: true }, (text) => (typeof text === 'string' ? foldCase(text) : null))
}
