import { Snapshot } from '../snapshot.ts'
import { type EndedForm, endedColumns, type SeenTable, seenTables, selectEnded, selectSeen } from '../snapshot-rows.ts'
import { toPostgresSql } from './sql.ts'

/** Counts and the ids of findings are read once for a statement, and the rest of `ended` only for these findings. */
const ended: EndedForm = {
  table: 'ended',
  joins: {
    combo: `LEFT JOIN ended_by_combo_id entered ON entered.combo_id = t.id
      LEFT JOIN ended_by_from_combo departed ON departed.from_combo = t.id`,
  },
  column: (name) =>
    `CASE WHEN t.id IN (SELECT finding_id FROM due) THEN (SELECT n.${name} FROM ended n WHERE n.finding_id = t.id) END`,
  count: (side) => `coalesce(${side === 'combo_id' ? 'entered' : 'departed'}.n, 0)`,
}
const countedEnds = ['combo_id', 'from_combo']
  .map((side) => `ended_by_${side} AS MATERIALIZED (SELECT ${side}, count(*) AS n FROM ended GROUP BY ${side})`)
  .join(', ')

/**
 * Puts a snapshot into each statement: its names of tables become those of queries before it (`WITH finding AS …`), while
 * there is something to end. The server plans them as it plans views.
 */
export class StatementViews extends Snapshot {
  protected readonly selectColumns = `SELECT column_name::text FROM information_schema.columns
    WHERE table_schema = 'main' AND table_name = ? ORDER BY ordinal_position`
  /** By name, what statements read instead of the table; undefined while they read the tables. */
  #queries: Map<SeenTable, string> | undefined
  /** The queries that those need. */
  #ended = ''

  protected see(moment: number | undefined): void {
    this.#queries = undefined
    this.#ended = ''
    if (moment === undefined) return
    const query = toPostgresSql(selectEnded(String(moment))).text
    const due = `due AS MATERIALIZED (SELECT finding_id FROM main.expiry WHERE at <= ${moment})`
    this.#ended = `${due}, ended (${endedColumns.join(', ')}) AS NOT MATERIALIZED (${query}), ${countedEnds}, `
    this.#queries = new Map(
      seenTables.map((name) => [name, toPostgresSql(selectSeen(name, this.columnsOf(name), ended)).text] as const),
    )
  }

  /** The text of a statement that sees the snapshot; the same text where that makes no difference. */
  toSeen(text: string): string {
    const queries = [...(this.#queries ?? [])].filter(([name]) => MENTIONS[name].test(text))
    if (queries.length === 0) return text
    const named = queries.map(([name, query]) => `${name} AS NOT MATERIALIZED (${query})`).join(', ')
    const [, start = '', rest = text] = /^\s*(WITH (?:RECURSIVE )?)([\s\S]*)$/i.exec(text) ?? []
    return start === '' ? `WITH ${this.#ended}${named} ${rest}` : `${start}${this.#ended}${named}, ${rest}`
  }
}

const MENTIONS = Object.fromEntries(
  seenTables.map((name) => [name, new RegExp(`(?<![.\\w])"?${name}\\b"?(?!\\.)`)]),
) as Record<SeenTable, RegExp>
