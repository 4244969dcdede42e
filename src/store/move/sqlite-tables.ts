import type Database from 'better-sqlite3'
import { inNewDatabase } from '../migrations.ts'
import type { CopiedColumn } from './table-hash.ts'
import type { MovedTable } from './target.ts'

/** A table, index, trigger or view as SQLite stores it. */
export interface SchemaObject {
  type: string
  name: string
  sql: string
}

/** The objects of a schema in their order of creation, without those that SQLite creates itself. */
export function listObjects(database: Database.Database, schema: 'main' | 'source'): SchemaObject[] {
  const virtual = `SELECT name FROM pragma_table_list WHERE schema = '${schema}' AND type = 'shadow'`
  return database
    .prepare(
      `SELECT type, name, sql FROM ${schema}.sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
       AND name NOT IN (${virtual}) ORDER BY rowid`,
    )
    .all() as SchemaObject[]
}

/** A table as `pragma_table_list` has it, and its columns with their places in the primary key. */
interface FoundTable {
  name: string
  hasRowid: boolean
  columns: CopiedColumn[]
  primary: string[]
}

export function describeTables(
  database: Database.Database,
  schema: 'main' | 'source',
  { withVirtual }: { withVirtual: boolean },
): FoundTable[] {
  const types = withVirtual ? `'table', 'virtual'` : `'table'`
  const tables = database
    .prepare(
      `SELECT name, wr FROM pragma_table_list WHERE schema = '${schema}' AND type IN (${types})
       AND (name NOT LIKE 'sqlite\\_%' ESCAPE '\\' OR name = 'sqlite_stat1') ORDER BY name`,
    )
    .all() as { name: string; wr: number }[]
  const columnsOf = database.prepare(
    `SELECT name, type, pk FROM pragma_table_xinfo(?, '${schema}') WHERE hidden = 0 ORDER BY cid`,
  )
  return tables.map(({ name, wr }) => {
    const columns = columnsOf.all(name) as (CopiedColumn & { pk: number })[]
    const primary = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
    return { name, hasRowid: wr === 0, columns, primary: primary.map((column) => column.name) }
  })
}

/** The tables of a schema without what only SQLite has: row ids, full-text indexes and statistics. */
export const listPlainTables = (database: Database.Database): MovedTable[] =>
  describeTables(database, 'main', { withVirtual: false })
    .filter(({ name }) => name !== 'sqlite_stat1')
    .map(({ name, columns, primary }) => ({ name, columns, key: primary }))

/** The schema of this version, as an empty database has it. */
export const describeNewSchema = (): { objects: SchemaObject[]; tables: MovedTable[] } =>
  inNewDatabase((database) => ({ objects: listObjects(database, 'main'), tables: listPlainTables(database) }))

/**
 * A query for the last row of a copied table, which is the position of a move: its key, or 1 where it has none.
 * @param descending the key in the order of a copy, backwards
 */
export function selectLast({ name, key }: Pick<MovedTable, 'name' | 'key'>, descending = toList(key, ' DESC')): string {
  const order = key.length === 0 ? '' : `ORDER BY ${descending}`
  return `SELECT ${toList(key) || '1'} FROM main."${name}" ${order} LIMIT 1`
}

export const toList = (names: readonly string[], end = ''): string => names.map((name) => `"${name}"${end}`).join(', ')
