import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { showName } from '../kernel/shown.ts'
import { packageFile } from '../runtime/package-files.ts'

/** Digests of tables, indexes, triggers and views, keyed by `type name`. */
export type SchemaDigests = ReadonlyMap<string, string>

/**
 * What each migration adds, changes and drops: by migration number, the digest of each object, or null when it is
 * dropped.
 */
export const SCHEMA_RECORD = 'migrations/sqlite/schemas.json'
export type SchemaRecord = Record<string, Record<string, string | null>>

/** Suffixes of the shadow tables of an FTS5 table. */
const SHADOW_TABLES = ['data', 'idx', 'content', 'docsize', 'config']

interface SchemaRow {
  type: string
  name: string
  tbl_name: string
  sql: string | null
}

interface Preparing {
  prepare(sql: string): { all(): unknown[] }
}

/** Leaves out what SQLite creates itself: statistics, sequences, automatic indexes, shadow tables of FTS5. */
export function digestSchema(database: Preparing): SchemaDigests {
  const rows = database.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema').all() as SchemaRow[]
  const shadows = new Set(
    rows
      .filter(({ sql }) => /^CREATE VIRTUAL TABLE \w+ USING fts5\b/.test(sql ?? ''))
      .flatMap(({ name }) => SHADOW_TABLES.map((part) => `${name}_${part}`)),
  )
  const own = rows.filter(({ type, name, sql }) => {
    if (type === 'table') return !/^sqlite_(?:sequence|stat[134])$/.test(name) && !shadows.has(name)
    return !(type === 'index' && name.startsWith('sqlite_autoindex_') && sql === null)
  })
  return new Map(own.map((row): [string, string] => [`${row.type} ${row.name}`, toDigest(row)]))
}

/** White space of indexes is normalised: migrations and imports create them with different line breaks. */
function toDigest({ type, tbl_name, sql }: SchemaRow): string {
  const text = type === 'index' ? sql?.replace(/\s+/g, ' ') : sql
  return hash('sha256', JSON.stringify([tbl_name, text])).slice(0, 32)
}

/** The objects of a schema version; undefined for an unknown version. */
function findExpected(version: number): SchemaDigests | undefined {
  const record = JSON.parse(readFileSync(packageFile(SCHEMA_RECORD), 'utf8')) as SchemaRecord
  if (!Object.hasOwn(record, version)) return undefined
  const expected = new Map<string, string>()
  for (const [number, changes] of Object.entries(record)) {
    if (Number(number) > version) continue
    for (const [object, digest] of Object.entries(changes)) {
      if (digest === null) expected.delete(object)
      else expected.set(object, digest)
    }
  }
  return expected
}

/**
 * Differences of a database from a schema version, such as `trigger x does not belong to Assay`; empty when it matches exactly.
 */
export function listSchemaDifferences(database: Preparing, version: number): string[] {
  const expected = findExpected(version)
  if (expected === undefined) return [`no version of assay has schema ${version}`]
  const present = digestSchema(database)
  return [
    ...[...present.keys()]
      .filter((object) => !expected.has(object))
      .map((object) => `${object} does not belong to Assay`),
    ...[...expected].flatMap(([object, digest]) => {
      const found = present.get(object)
      if (found === undefined) return [`${object} is missing`]
      return found === digest ? [] : [`${object} was changed`]
    }),
  ]
}

const MAX_NAMED = 3
const MAX_NAME_LENGTH = 80

/** The first MAX_NAMED differences as part of a sentence. */
export function describeDifferences(differences: readonly string[]): string {
  const named = differences.slice(0, MAX_NAMED).map((text) => showName(text, MAX_NAME_LENGTH))
  const more = differences.length - named.length
  return `${named.join(', ')}${more > 0 ? `, and ${more} more` : ''}`
}
