import { readdirSync, readFileSync } from 'node:fs'
import { packageFile } from '../runtime/package-files.ts'

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

let newest: number | undefined

/** The schema version to which this version of the program migrates. */
export function newestSchema(): number {
  newest ??= listMigrations().at(-1)?.number ?? 0
  return newest
}
