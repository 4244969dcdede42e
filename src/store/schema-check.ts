import { showName } from '../kernel/shown.ts'
import { inNewDatabase, knownSchemas } from './migrations.ts'

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

/**
 * The SQL of tables, indexes, triggers and views, keyed by `type name`. Leaves out what SQLite creates itself: statistics,
 * sequences, automatic indexes, shadow tables of FTS5.
 */
function listObjects(database: Preparing): ReadonlyMap<string, string> {
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
  return new Map(own.map((row): [string, string] => [`${row.type} ${row.name}`, toText(row)]))
}

/** White space of indexes is normalised: migrations and imports create them with different line breaks. */
function toText({ type, tbl_name, sql }: SchemaRow): string {
  return `${tbl_name}: ${type === 'index' ? sql?.replace(/\s+/g, ' ') : sql}`
}

/**
 * Differences of a database from a schema version, such as `trigger x does not belong to Assay`; empty when it matches exactly.
 */
export function listSchemaDifferences(database: Preparing, version: number): string[] {
  if (!knownSchemas().includes(version)) return [`no version of assay has schema ${version}`]
  const expected = inNewDatabase(listObjects, { schema: version })
  const present = listObjects(database)
  return [
    ...[...present.keys()]
      .filter((object) => !expected.has(object))
      .map((object) => `${object} does not belong to Assay`),
    ...[...expected].flatMap(([object, text]) => {
      const found = present.get(object)
      if (found === undefined) return [`${object} is missing`]
      return found === text ? [] : [`${object} was changed`]
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
