import type Database from 'better-sqlite3'

/** A row of `pending_import`; numbers only, so that it can be inserted into SQL text. */
type PendingSqlRow = [id: number, source: number, finding: number, asset: number, combo: number, hasEarlier: number]

const selectPending = `SELECT id, source_id, first_finding, first_asset, first_combo, has_earlier
  FROM main.pending_import ORDER BY id`
const views = ['finding', 'asset', 'combo', 'status_change'] as const
const dropViews = views.map((name) => `DROP VIEW IF EXISTS temp.${name};`).join('\n')

/**
 * Columns of existing rows that an import may change; `earlier_finding` and `earlier_asset` keep their values until it
 * is published.
 */
const changing = {
  finding: ['combo_id', 'conf_q', 'last_detected_at', 'resolved_at', 'location', 'excerpt', 'value_fp'],
  asset: [
    'kind_id',
    'container_id',
    'owner_id',
    'labels_id',
    'name',
    'url',
    'content_updated_at',
    'last_seen_at',
    'last_scanned_at',
  ],
} as const

/**
 * Hides unpublished imports from a connection: while there are any, temporary views shadow the tables of findings, so
 * that no statement sees part of an import. Writes name the tables themselves, as `main.finding`.
 */
export class UnpublishedImports {
  readonly #database: Database.Database
  /** The imports that the current views hide, as JSON; undefined when unknown. */
  #hidden: string | undefined = ''
  #select: Database.Statement | undefined

  constructor(database: Database.Database) {
    this.#database = database
  }

  /** Hides the imports that are unpublished in the snapshot of the open transaction. */
  hide(): void {
    this.#select ??= this.#database.prepare(selectPending).raw()
    const rows = this.#select.all() as PendingSqlRow[]
    const wanted = rows.length === 0 ? '' : JSON.stringify(rows)
    if (wanted !== this.#hidden) this.#replaceViews(wanted, rows)
  }

  /** Drops the views, so that all rows are visible. */
  show(): void {
    if (this.#hidden !== '') this.#replaceViews('', [])
  }

  /** To be called after a rollback, which may have restored earlier views. */
  forget(): void {
    this.#hidden = undefined
  }

  #replaceViews(wanted: string, rows: readonly PendingSqlRow[]): void {
    const isReadOnly = this.#database.pragma('query_only', { simple: true }) === 1
    // Creating temporary views counts as a write.
    if (isReadOnly) this.#database.pragma('query_only = OFF')
    try {
      this.#hidden = undefined
      this.#database.exec(dropViews)
      if (rows.length > 0) this.#database.exec(views.map((name) => this.#toView(name, rows)).join('\n'))
      this.#hidden = wanted
    } finally {
      if (isReadOnly) this.#database.pragma('query_only = ON')
    }
  }

  #toView(name: (typeof views)[number], rows: readonly PendingSqlRow[]): string {
    const columns = this.#database
      .prepare(`SELECT name FROM pragma_table_info(?, 'main')`)
      .pluck()
      .all(name) as string[]
    const changed = rows.filter(([, , , , , hasEarlier]) => hasEarlier === 1).map(([id]) => id)
    const selected = columns.map((column) => (changed.length === 0 ? column : toEarlier(name, column, changed)))
    const conditions = rows.map((row) => toCondition(name, row)).filter((condition) => condition !== '')
    if (name === 'status_change' && changed.length > 0) {
      conditions.push(
        `NOT EXISTS (SELECT 1 FROM ${earlierOf('finding', changed)} = t.finding_id AND e.last_seq < t.seq)`,
      )
    }
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
    return `CREATE TEMP VIEW ${name} AS SELECT ${selected.join(', ')} FROM main.${name} t ${where};`
  }
}

/** The condition that excludes the rows which an import added; '' for none. */
function toCondition(name: (typeof views)[number], [, source, finding, asset, combo]: PendingSqlRow): string {
  const combos = `SELECT id FROM main.combo WHERE source_id = ${source}`
  if (name === 'finding') return `NOT (t.id >= ${finding} AND t.combo_id IN (${combos}))`
  if (name === 'asset') return `NOT (t.id >= ${asset} AND t.source_id = ${source})`
  if (name === 'combo') return `NOT (t.id >= ${combo} AND t.source_id = ${source} AND t.n = 0)`
  // A history is read only together with its finding, which is hidden already.
  return ''
}

const earlierOf = (name: 'finding' | 'asset', imports: readonly number[]) =>
  `main.earlier_${name} e WHERE e.import_id IN (${imports.join(', ')}) AND e.${name}_id`

/** A column with its value before the imports. */
function toEarlier(name: (typeof views)[number], column: string, imports: readonly number[]): string {
  if (name === 'status_change' && column === 'at') {
    const earlier = `SELECT e.last_at FROM ${earlierOf('finding', imports)} = t.finding_id AND e.last_seq = t.seq`
    return `ifnull((${earlier}), t.at) AS at`
  }
  if (name === 'finding' || name === 'asset') {
    if (!(changing[name] as readonly string[]).includes(column)) return `t.${column}`
    const earlier = `FROM ${earlierOf(name, imports)} = t.id`
    return `CASE WHEN EXISTS (SELECT 1 ${earlier}) THEN (SELECT e.${column} ${earlier}) ELSE t.${column} END AS ${column}`
  }
  return `t.${column}`
}
