import type Database from 'better-sqlite3'
import { describeTables, listObjects, type SchemaObject, selectLast, toList } from './sqlite-tables.ts'
import { hashRows, type TableHash } from './table-hash.ts'
import { type Counter, keptBehind, type MovedTable, type OnTurn } from './target.ts'

/** What a database file is copied from. */
export interface MoveOrigin {
  /** The schema that the copy gets, in the order of its creation. */
  readonly objects: readonly SchemaObject[]
  readonly tables: readonly MovedTable[]
  /** Triggers that fill something else that is not copied, and so exist before the rows. */
  readonly firstTriggers: ReadonlySet<string>
  readonly hasStatistics: boolean
  /** Copies up to `limit` rows after the last one of the copy. */
  copyBatch(table: MovedTable, limit: number): number
  hash(table: MovedTable, onTurn: OnTurn): Promise<TableHash>
  counters(): Counter[]
  close(): void
}

/** Another database file, attached as `source`. */
export class FileOrigin implements MoveOrigin {
  readonly objects: readonly SchemaObject[]
  readonly tables: readonly MovedTable[]
  readonly firstTriggers: ReadonlySet<string> = new Set()
  readonly hasStatistics: boolean
  readonly #database: Database.Database

  constructor(database: Database.Database, file: string) {
    this.#database = database
    database.prepare('ATTACH ? AS source').run(file)
    this.objects = listObjects(database, 'source')
    this.tables = describeTables(database, 'source', { withVirtual: true }).map(toMovedTable)
    this.hasStatistics = this.tables.some(({ name }) => name === 'sqlite_stat1')
  }

  copyBatch(table: MovedTable, limit: number): number {
    const { name, columns, key } = table
    const [list, keys] = [toList(columns.map((column) => column.name)), toList(key)]
    const newest = selectLast(table)
    const isEmpty = this.#database.prepare(newest).get() === undefined
    const position = isEmpty ? 'true' : `(${keys}) > (${newest})`
    return this.#database
      .prepare(
        `INSERT INTO main."${name}" (${list}) SELECT ${list} FROM source."${name}"
         WHERE ${keptBehind[name] ?? 'true'} AND ${position} ORDER BY ${keys} LIMIT ?`,
      )
      .run(limit).changes
  }

  hash({ name, columns }: MovedTable, onTurn: OnTurn): Promise<TableHash> {
    const from = `source."${name}" WHERE ${keptBehind[name] ?? 'true'}`
    return hashRows(this.#database, from, columns, (rows) => onTurn({ step: 'comparing', name, rows }))
  }

  counters(): Counter[] {
    return this.#database.prepare('SELECT name, seq FROM source.sqlite_sequence').raw().all() as Counter[]
  }

  close(): void {}
}

/** A table whose key is not its row id is copied with that. */
function toMovedTable({ name, hasRowid, columns, primary }: ReturnType<typeof describeTables>[number]): MovedTable {
  const isRowid = primary.length === 1 && columns.find((column) => column.name === primary[0])?.type === 'INTEGER'
  if (!hasRowid || isRowid) return { name, columns, key: primary }
  return { name, columns: [{ name: 'rowid', type: 'INTEGER' }, ...columns], key: ['rowid'] }
}
