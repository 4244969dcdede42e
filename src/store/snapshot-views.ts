/** A row of `pending_import`; numbers only, so that it can be inserted into SQL text. */
type PendingSqlRow = [id: number, source: number, finding: number, asset: number, combo: number, hasEarlier: number]

const selectPending = `SELECT id, source_id, first_finding, first_asset, first_combo, has_earlier
  FROM main.pending_import ORDER BY id`
/** One statement for what nearly every snapshot finds: nothing to hide or to end. */
const selectState = 'SELECT EXISTS (SELECT 1 FROM main.pending_import), (SELECT min(at) FROM main.expiry)'
const selectNextEnd = 'SELECT 1 FROM main.expiry WHERE at > ? AND at < ? LIMIT 1'
const selectEnded = 'SELECT count(*), max(at) FROM main.expiry WHERE at <= ?'
const views = ['finding', 'asset', 'combo', 'status_change', 'expiry'] as const
type ViewName = (typeof views)[number]
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
 * Decisions that have ended and whose end is not in the history yet, with the change of status that will record it.
 * Each combination of facets with the status after a decision exists from the decision on.
 */
const createEnded = `CREATE TEMP TABLE ended (finding_id INTEGER PRIMARY KEY, from_combo INTEGER NOT NULL,
    combo_id INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, from_status INTEGER NOT NULL,
    to_status INTEGER NOT NULL);
  CREATE INDEX ended_by_combo ON ended (combo_id);
  CREATE INDEX ended_by_former ON ended (from_combo);`
const fillEnded = `INSERT INTO temp.ended
  SELECT e.finding_id, k.id, o.id,
    (SELECT coalesce(max(s.seq), 0) + 1 FROM status_change s WHERE s.finding_id = e.finding_id),
    (SELECT max(e.at, coalesce(max(s.at), e.at)) FROM status_change s WHERE s.finding_id = e.finding_id),
    k.status, e.to_status
  FROM main.expiry e CROSS JOIN finding f ON f.id = e.finding_id CROSS JOIN main.combo k ON k.id = f.combo_id
    CROSS JOIN main.combo o ON o.source_id = k.source_id AND o.detector_id = k.detector_id AND o.type_id = k.type_id
      AND o.category_id = k.category_id AND o.custom_key_id = k.custom_key_id AND o.severity = k.severity
      AND o.status = e.to_status
  WHERE e.at <= ? AND k.status IN (2, 3)`
const dropEnded = 'DROP TABLE IF EXISTS temp.ended;'
const ended = (column: string) => `(SELECT n.${column} FROM temp.ended n WHERE n.finding_id = t.id)`

/** The values of a status change that records the end of a decision; its other columns are NULL. */
const endedChange: Readonly<Record<string, string>> = {
  finding_id: 'finding_id',
  seq: 'seq',
  at: 'at',
  from_status: 'from_status',
  to_status: 'to_status',
  actor: "'assay'",
  reason: "'expired'",
  scan_id: '0',
}

interface ViewStatement {
  get(...values: unknown[]): unknown
  all(...values: unknown[]): unknown[]
  run(...values: unknown[]): unknown
  raw(): ViewStatement
  pluck(): ViewStatement
}

/** The part of a connection that views need. */
export interface ViewDatabase {
  prepare(sql: string): ViewStatement
  exec(sql: string): unknown
  pragma(source: string, options?: { simple: boolean }): unknown
}

/**
 * Temporary views by which a connection sees the tables of findings as of a moment: without unpublished imports, and
 * with every decision that has ended by then, even if nothing has recorded its end yet. There are views only while there
 * is something to hide or to end. Writes name the tables themselves, as `main.finding`.
 */
export class SnapshotViews {
  readonly #database: ViewDatabase
  /** What the current views hide and end; undefined when unknown. */
  #shown: string | undefined = ''
  /** The moment up to which decisions are seen as ended; undefined if only recorded ends are seen. */
  #moment: number | undefined
  #hasEnded = false
  /** The columns of the tables, which do not change while they are open. */
  readonly #columns = new Map<ViewName, readonly string[]>()
  #state: ViewStatement | undefined
  #pending: ViewStatement | undefined
  #ended: ViewStatement | undefined
  #changes: ViewStatement | undefined
  #nextEnd: ViewStatement | undefined
  #current: { version: number | undefined; hasPending: boolean; firstEnd: number | null } | undefined

  constructor(database: ViewDatabase) {
    this.#database = database
  }

  /** Whether the end of some decision is seen that is not recorded. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /**
   * Hides the imports that are unpublished in the snapshot of the open transaction, and ends the decisions that are due
   * at a moment; without one, decisions last until their end is recorded. `version` is the connection's `dataVersion`.
   */
  apply(moment: number | undefined, version: number | undefined): void {
    const { hasPending, firstEnd } = this.#readState(version)
    const rows = hasPending ? this.#listPending() : []
    const hasDue = moment !== undefined && firstEnd !== null && firstEnd <= moment
    const due = hasDue ? this.#describeEnded(moment, version) : ''
    const wanted = rows.length === 0 && due === '' ? '' : JSON.stringify([rows, due])
    if (wanted !== this.#shown) this.#replaceViews(wanted, rows, due === '' ? undefined : moment)
    this.#moment = moment
  }

  /** Whether some decision that is not seen as ended ends before a moment. */
  hasEndBefore(moment: number): boolean {
    const seen = this.#moment ?? Number.MIN_SAFE_INTEGER
    if (moment - 1 <= seen) return false
    this.#nextEnd ??= this.#database.prepare(selectNextEnd)
    return this.#nextEnd.get(seen, moment) !== undefined
  }

  /** Runs `work` with every decision that ends before a moment seen as ended. */
  seeAsOf<T>(moment: number, version: number | undefined, work: () => T): T {
    const before = this.#moment
    this.apply(moment - 1, version)
    try {
      return work()
    } finally {
      this.apply(before, version)
    }
  }

  /** Drops the views, so that all rows are visible. */
  show(): void {
    if (this.#shown !== '') this.#replaceViews('', [], undefined)
    this.#moment = undefined
  }

  /** To be called after a rollback, which may have restored earlier views. */
  forget(): void {
    this.#shown = undefined
  }

  #readState(version: number | undefined) {
    if (version !== undefined && this.#current?.version === version) return this.#current
    this.#state ??= this.#database.prepare(selectState).raw()
    const [hasPending, firstEnd] = this.#state.get() as [number, number | null]
    this.#current = { version, hasPending: hasPending === 1, firstEnd }
    return this.#current
  }

  #listPending(): PendingSqlRow[] {
    this.#pending ??= this.#database.prepare(selectPending).raw()
    return this.#pending.all() as PendingSqlRow[]
  }

  /** Identifies the ended decisions of this snapshot; a connection that can write has to count its own changes. */
  #describeEnded(moment: number, version: number | undefined): string {
    this.#ended ??= this.#database.prepare(selectEnded).raw()
    const [count, last] = this.#ended.get(moment) as [number, number]
    this.#changes ??= this.#database.prepare('SELECT total_changes()').pluck()
    return [version === undefined ? `own ${this.#changes.get()}` : version, count, last].join(' ')
  }

  #replaceViews(wanted: string, rows: readonly PendingSqlRow[], moment: number | undefined): void {
    const isReadOnly = this.#database.pragma('query_only', { simple: true }) === 1
    // Creating temporary views counts as a write.
    if (isReadOnly) this.#database.pragma('query_only = OFF')
    try {
      this.#shown = undefined
      this.#database.exec(dropViews + dropEnded)
      if (rows.length > 0) this.#create(rows, false)
      this.#hasEnded = moment !== undefined
      if (moment !== undefined) {
        this.#database.exec(createEnded)
        this.#database.prepare(fillEnded).run(moment)
        this.#database.exec(dropViews)
        this.#create(rows, true)
      }
      this.#shown = wanted
    } finally {
      if (isReadOnly) this.#database.pragma('query_only = ON')
    }
  }

  #create(rows: readonly PendingSqlRow[], hasEnded: boolean): void {
    this.#database.exec(views.map((name) => this.#toView(name, rows, hasEnded)).join('\n'))
  }

  #columnsOf(name: ViewName): readonly string[] {
    const known = this.#columns.get(name)
    if (known !== undefined) return known
    const listed = this.#database.prepare(`SELECT name FROM pragma_table_info(?, 'main')`).pluck().all(name) as string[]
    this.#columns.set(name, listed)
    return listed
  }

  #toView(name: ViewName, rows: readonly PendingSqlRow[], hasEnded: boolean): string {
    const columns = this.#columnsOf(name)
    const changed = rows.filter(([, , , , , hasEarlier]) => hasEarlier === 1).map(([id]) => id)
    const selected = columns.map((column) => {
      const visible = changed.length === 0 ? `t.${column}` : toEarlier(name, column, changed)
      return `${hasEnded ? toEnded(name, column, visible) : visible} AS ${column}`
    })
    const conditions = rows.map((row) => toCondition(name, row, hasEnded)).filter((condition) => condition !== '')
    if (name === 'status_change' && changed.length > 0) {
      conditions.push(
        `NOT EXISTS (SELECT 1 FROM ${earlierOf('finding', changed)} = t.finding_id AND e.last_seq < t.seq)`,
      )
    }
    if (name === 'expiry' && hasEnded) conditions.push('t.finding_id NOT IN (SELECT finding_id FROM temp.ended)')
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
    const added =
      name === 'status_change' && hasEnded
        ? `UNION ALL SELECT ${columns.map((column) => endedChange[column] ?? 'NULL').join(', ')} FROM temp.ended`
        : ''
    return `CREATE TEMP VIEW ${name} AS SELECT ${selected.join(', ')} FROM main.${name} t ${where} ${added};`
  }
}

/** The condition that excludes the rows which an import added; '' for none. */
function toCondition(name: ViewName, [, source, finding, asset, combo]: PendingSqlRow, hasEnded: boolean): string {
  const combos = `SELECT id FROM main.combo WHERE source_id = ${source}`
  const isEntered = hasEnded ? ' AND t.id NOT IN (SELECT combo_id FROM temp.ended)' : ''
  if (name === 'finding') return `NOT (t.id >= ${finding} AND t.combo_id IN (${combos}))`
  if (name === 'asset') return `NOT (t.id >= ${asset} AND t.source_id = ${source})`
  if (name === 'combo') return `NOT (t.id >= ${combo} AND t.source_id = ${source} AND t.n = 0${isEntered})`
  // The others are read only together with their finding, which is hidden already.
  return ''
}

const earlierOf = (name: 'finding' | 'asset', imports: readonly number[]) =>
  `main.earlier_${name} e WHERE e.import_id IN (${imports.join(', ')}) AND e.${name}_id`

/** A column with its value before the imports. */
function toEarlier(name: ViewName, column: string, imports: readonly number[]): string {
  if (name === 'status_change' && column === 'at') {
    const earlier = `SELECT e.last_at FROM ${earlierOf('finding', imports)} = t.finding_id AND e.last_seq = t.seq`
    return `coalesce((${earlier}), t.at)`
  }
  if (name === 'finding' || name === 'asset') {
    if (!(changing[name] as readonly string[]).includes(column)) return `t.${column}`
    const earlier = `FROM ${earlierOf(name, imports)} = t.id`
    return `CASE WHEN EXISTS (SELECT 1 ${earlier}) THEN (SELECT e.${column} ${earlier}) ELSE t.${column} END`
  }
  return `t.${column}`
}

/** A column with its value after the decisions that have ended. */
function toEnded(name: ViewName, column: string, visible: string): string {
  if (name === 'finding' && column === 'combo_id') return `coalesce(${ended('combo_id')}, ${visible})`
  if (name === 'finding' && column === 'resolved_at') {
    return `CASE ${ended('to_status')} WHEN 0 THEN NULL WHEN 1 THEN ${ended('at')} ELSE ${visible} END`
  }
  if (name === 'combo' && column === 'n') {
    const count = (side: string) => `(SELECT count(*) FROM temp.ended n WHERE n.${side} = t.id)`
    return `${visible} + ${count('combo_id')} - ${count('from_combo')}`
  }
  return visible
}
