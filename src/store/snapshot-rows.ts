/** A row of `pending_import`; numbers only, so that it can be inserted into SQL text. */
export type PendingSqlRow = [
  id: number,
  source: number,
  finding: number,
  asset: number,
  combo: number,
  hasEarlier: number,
]

/** The tables of findings that are seen as of a moment. */
export const seenTables = ['finding', 'asset', 'combo', 'status_change', 'expiry'] as const
export type SeenTable = (typeof seenTables)[number]

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

/** How a query reads the table `ended`, which has the decisions that are seen as ended though nothing has recorded it. */
export interface EndedForm {
  table: string
  /** What a query of a table joins for the columns below. */
  joins: Partial<Record<SeenTable, string>>
  /** A column of the row about the finding `t`; NULL without one. */
  column(name: string): string
  /** How many rows have the combination `t` after, or before, the end. */
  count(side: 'combo_id' | 'from_combo'): string
}

export const endedColumns = ['finding_id', 'from_combo', 'combo_id', 'seq', 'at', 'from_status', 'to_status'] as const

/**
 * The rows of `ended`, with the change of status that will record each. Each combination of facets with the status after
 * a decision exists from the decision on.
 */
export const selectEnded = (moment: string, finding = 'finding', statusChange = 'status_change') => `
  SELECT e.finding_id, k.id, o.id,
    (SELECT coalesce(max(s.seq), 0) + 1 FROM ${statusChange} s WHERE s.finding_id = e.finding_id),
    (SELECT max(e.at, coalesce(max(s.at), e.at)) FROM ${statusChange} s WHERE s.finding_id = e.finding_id),
    k.status, e.to_status
  FROM main.expiry e CROSS JOIN ${finding} f ON f.id = e.finding_id CROSS JOIN main.combo k ON k.id = f.combo_id
    CROSS JOIN main.combo o ON o.source_id = k.source_id AND o.detector_id = k.detector_id AND o.type_id = k.type_id
      AND o.category_id = k.category_id AND o.custom_key_id = k.custom_key_id AND o.severity = k.severity
      AND o.status = e.to_status
  WHERE e.at <= ${moment} AND k.status IN (2, 3)`

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

/**
 * A query for the rows of a table without those of imports that are not published, and with the values before them.
 * @param ended given to see those decisions as ended, too
 */
export function selectSeen(
  name: SeenTable,
  { columns, rows, ended }: { columns: readonly string[]; rows: readonly PendingSqlRow[]; ended?: EndedForm },
): string {
  const changed = rows.filter(([, , , , , hasEarlier]) => hasEarlier === 1).map(([id]) => id)
  const selected = columns.map((column) => {
    const visible = changed.length === 0 ? `t.${column}` : toEarlier(name, column, changed)
    return `${ended === undefined ? visible : toEnded(name, column, { visible, ended })} AS ${column}`
  })
  const conditions = rows.map((row) => toCondition(name, row, ended)).filter((condition) => condition !== '')
  if (name === 'status_change' && changed.length > 0) {
    conditions.push(`NOT EXISTS (SELECT 1 FROM ${earlierOf('finding', changed)} = t.finding_id AND e.last_seq < t.seq)`)
  }
  if (name === 'expiry' && ended !== undefined) {
    conditions.push(`t.finding_id NOT IN (SELECT finding_id FROM ${ended.table})`)
  }
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  const added =
    name === 'status_change' && ended !== undefined
      ? `UNION ALL SELECT ${columns.map((column) => endedChange[column] ?? 'NULL').join(', ')} FROM ${ended.table}`
      : ''
  return `SELECT ${selected.join(', ')} FROM main.${name} t ${ended?.joins[name] ?? ''} ${where} ${added}`
}

/** The condition that excludes the rows which an import added; '' for none. */
function toCondition(
  name: SeenTable,
  [, source, finding, asset, combo]: PendingSqlRow,
  ended: EndedForm | undefined,
): string {
  const combos = `SELECT id FROM main.combo WHERE source_id = ${source}`
  const isEntered = ended === undefined ? '' : ` AND t.id NOT IN (SELECT combo_id FROM ${ended.table})`
  if (name === 'finding') return `NOT (t.id >= ${finding} AND t.combo_id IN (${combos}))`
  if (name === 'asset') return `NOT (t.id >= ${asset} AND t.source_id = ${source})`
  if (name === 'combo') return `NOT (t.id >= ${combo} AND t.source_id = ${source} AND t.n = 0${isEntered})`
  // The others are read only together with their finding, which is hidden already.
  return ''
}

const earlierOf = (name: 'finding' | 'asset', imports: readonly number[]) =>
  `main.earlier_${name} e WHERE e.import_id IN (${imports.join(', ')}) AND e.${name}_id`

/** A column with its value before the imports. */
function toEarlier(name: SeenTable, column: string, imports: readonly number[]): string {
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
function toEnded(name: SeenTable, column: string, { visible, ended }: { visible: string; ended: EndedForm }): string {
  if (name === 'finding' && column === 'combo_id') return `coalesce(${ended.column('combo_id')}, ${visible})`
  if (name === 'finding' && column === 'resolved_at') {
    return `CASE ${ended.column('to_status')} WHEN 0 THEN NULL WHEN 1 THEN ${ended.column('at')} ELSE ${visible} END`
  }
  if (name === 'combo' && column === 'n') {
    return `${visible} + ${ended.count('combo_id')} - ${ended.count('from_combo')}`
  }
  return visible
}
