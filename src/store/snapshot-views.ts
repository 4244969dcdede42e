import { Snapshot, type SnapshotDatabase, type SnapshotStatement } from './snapshot.ts'
import { type EndedForm, endedColumns, seenTables, selectEnded, selectSeen } from './snapshot-rows.ts'

const countEnded = 'SELECT count(*), max(at) FROM main.expiry WHERE at <= ?'
const dropViews = seenTables.map((name) => `DROP VIEW IF EXISTS temp.${name};`).join('\n')
const createEnded = `CREATE TEMP TABLE ended (finding_id INTEGER PRIMARY KEY,
    ${endedColumns
      .slice(1)
      .map((column) => `${column} INTEGER NOT NULL`)
      .join(', ')});
  CREATE INDEX ended_by_combo ON ended (combo_id);
  CREATE INDEX ended_by_former ON ended (from_combo);`
const fillEnded = `INSERT INTO temp.ended ${selectEnded('?')}`
const dropEnded = 'DROP TABLE IF EXISTS temp.ended;'
const ended: EndedForm = {
  table: 'temp.ended',
  joins: {},
  column: (name) => `(SELECT n.${name} FROM temp.ended n WHERE n.finding_id = t.id)`,
  count: (side) => `(SELECT count(*) FROM temp.ended n WHERE n.${side} = t.id)`,
}

/** The part of a connection that views need. */
export interface ViewDatabase extends SnapshotDatabase {
  exec(sql: string): unknown
  pragma(source: string, options?: { simple: boolean }): unknown
}

/** Temporary views of SQLite by which a connection sees a snapshot, while there is something to end. */
export class SnapshotViews extends Snapshot<ViewDatabase> {
  /** What the current views end; undefined when unknown. */
  #shown: string | undefined = ''
  protected readonly selectColumns = `SELECT name FROM pragma_table_info(?, 'main')`
  #ended: SnapshotStatement | undefined
  #changes: SnapshotStatement | undefined

  /** To be called after a rollback, which may have restored earlier views. */
  forget(): void {
    this.#shown = undefined
  }

  protected see(moment: number | undefined, version: number | undefined): void {
    const wanted = moment === undefined ? '' : this.#describeEnded(moment, version)
    if (wanted !== this.#shown) this.#replaceViews(wanted, moment)
  }

  /** Identifies the ended decisions of this snapshot; a connection that can write has to count its own changes. */
  #describeEnded(moment: number, version: number | undefined): string {
    this.#ended ??= this.database.prepare(countEnded).raw()
    const [count, last] = this.#ended.get(moment) as [number, number]
    this.#changes ??= this.database.prepare('SELECT total_changes()').pluck()
    return [version === undefined ? `own ${this.#changes.get()}` : version, count, last].join(' ')
  }

  #replaceViews(wanted: string, moment: number | undefined): void {
    const isReadOnly = this.database.pragma('query_only', { simple: true }) === 1
    // Creating temporary views counts as a write.
    if (isReadOnly) this.database.pragma('query_only = OFF')
    try {
      this.#shown = undefined
      this.database.exec(dropViews + dropEnded)
      if (moment !== undefined) {
        this.database.exec(createEnded)
        this.database.prepare(fillEnded).run(moment)
        this.#create()
      }
      this.#shown = wanted
    } finally {
      if (isReadOnly) this.database.pragma('query_only = ON')
    }
  }

  #create(): void {
    const statements = seenTables.map(
      (name) => `CREATE TEMP VIEW ${name} AS ${selectSeen(name, this.columnsOf(name), ended)};`,
    )
    this.database.exec(statements.join('\n'))
  }
}
