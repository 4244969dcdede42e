/** The tables of findings that are seen as of a moment. */
export const seenTables = ['finding', 'combo', 'status_change', 'expiry'] as const
export type SeenTable = (typeof seenTables)[number]

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
export const selectEnded = (moment: string) => `
  SELECT e.finding_id, k.id, o.id,
    (SELECT coalesce(max(s.seq), 0) + 1 FROM main.status_change s WHERE s.finding_id = e.finding_id),
    (SELECT max(e.at, coalesce(max(s.at), e.at)) FROM main.status_change s WHERE s.finding_id = e.finding_id),
    k.status, e.to_status
  FROM main.expiry e CROSS JOIN main.finding f ON f.id = e.finding_id CROSS JOIN main.combo k ON k.id = f.combo_id
    CROSS JOIN main.combo o ON o.source_id = k.source_id AND o.detector_id = k.detector_id AND o.type_id = k.type_id
      AND o.category_id = k.category_id AND o.custom_key_id = k.custom_key_id AND o.severity = k.severity
      AND o.presence = k.presence AND o.status = e.to_status
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

/** A query for the rows of a table with the decisions that have ended seen as ended. */
export function selectSeen(name: SeenTable, columns: readonly string[], ended: EndedForm): string {
  const selected = columns.map((column) => `${toEnded(name, column, ended)} AS ${column}`)
  const where = name === 'expiry' ? `WHERE t.finding_id NOT IN (SELECT finding_id FROM ${ended.table})` : ''
  const added =
    name === 'status_change'
      ? `UNION ALL SELECT ${columns.map((column) => endedChange[column] ?? 'NULL').join(', ')} FROM ${ended.table}`
      : ''
  return `SELECT ${selected.join(', ')} FROM main.${name} t ${ended.joins[name] ?? ''} ${where} ${added}`
}

/** A column with its value after the decisions that have ended. */
function toEnded(name: SeenTable, column: string, ended: EndedForm): string {
  const recorded = `t.${column}`
  if (name === 'finding' && column === 'combo_id') return `coalesce(${ended.column('combo_id')}, ${recorded})`
  if (name === 'finding' && column === 'resolved_at') {
    return `CASE ${ended.column('to_status')} WHEN 0 THEN NULL WHEN 1 THEN ${ended.column('at')} ELSE ${recorded} END`
  }
  if (name === 'combo' && column === 'n') {
    return `${recorded} + ${ended.count('combo_id')} - ${ended.count('from_combo')}`
  }
  return recorded
}
