import type { DEFERRABLE_INDEXES } from '../store/schema-check.ts'
import type { Reader, Writer } from '../store/store.ts'

/**
 * Indexes that are not in insertion order, with their statements from the migrations. While a large import fills a
 * small table, each transaction would rewrite nearly all pages of these indexes; building them once at the end costs a
 * tenth.
 */
const statements = new Map<(typeof DEFERRABLE_INDEXES)[number], string>([
  [
    'finding_by_time',
    'CREATE INDEX main.finding_by_time ON finding (first_detected_at, combo_id, conf_q, asset_id, id)',
  ],
  [
    'finding_by_resolution',
    `CREATE INDEX main.finding_by_resolution ON finding (resolved_at, combo_id, first_detected_at)
      WHERE resolved_at IS NOT NULL`,
  ],
  ['status_change_by_time', 'CREATE INDEX main.status_change_by_time ON status_change (at, finding_id)'],
  ['asset_by_scope', 'CREATE INDEX main.asset_by_scope ON asset (source_id, scope_key, status)'],
  ['asset_by_name', 'CREATE INDEX main.asset_by_name ON asset (source_id, name COLLATE NOCASE)'],
])

const countIndexes = `SELECT count(*) AS n FROM sqlite_schema
  WHERE type = 'index' AND name IN (${[...statements.keys()].map((name) => `'${name}'`).join(', ')})`

/** Whether all indexes exist; without them answers are correct but slower. */
export function hasAllIndexes(reader: Reader): boolean {
  const { n } = reader.prepare(countIndexes).get() as { n: number }
  return n === statements.size
}

/** The index that contains the names of assets, so that its size depends on their length. */
const NAME_INDEX = 'asset_by_name'
const textIndexes = ['asset_by_scope', NAME_INDEX]

/** Drops one existing index, the one on names only if `names`; false if there is none to drop. */
export function dropSomeIndex(writer: Writer, { names }: { names: boolean }): boolean {
  const known = listIndexes(writer)
  for (const name of statements.keys()) {
    if (!known.includes(name) || (name === NAME_INDEX && !names)) continue
    writer.prepare(`DROP INDEX main.${name}`).run()
    return true
  }
  return false
}

/**
 * In files, SQLite sorts as many rows at once as its page cache could hold; those that fit the processor's cache take
 * half as long.
 */
const SORT_KIB = 2_048

/** Creates one missing index, those with texts only if `texts`; false if there is none to create. */
export function createMissingIndex(writer: Writer, { texts }: { texts: boolean }): boolean {
  const known = listIndexes(writer)
  for (const [name, statement] of statements) {
    if (known.includes(name) || (textIndexes.includes(name) && !texts)) continue
    const size = writer.prepare('PRAGMA cache_size').pluck().get()
    writer.prepare(`PRAGMA cache_size = -${SORT_KIB}`).run()
    try {
      writer.prepare(statement).run()
    } finally {
      writer.prepare(`PRAGMA cache_size = ${size}`).run()
    }
    return true
  }
  return false
}

const listIndexes = (reader: Reader) =>
  reader.prepare(`SELECT name FROM sqlite_schema WHERE type = 'index'`).pluck().all()

/** Total length of the names of all assets, in characters. */
export function countNames(reader: Reader): number {
  return Number(reader.prepare('SELECT coalesce(sum(length(name)), 0) FROM main.asset').pluck().get())
}
