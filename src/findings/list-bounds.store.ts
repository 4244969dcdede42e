import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Reader } from '../store/store.ts'

/**
 * Bounds that exclude later insertions from the following pages of a list: findings with ids above the first number,
 * and those of imports that are not published, each by its source and its first id.
 */
export function readListBounds(reader: Reader): number[] {
  const newest = reader.prepare('SELECT coalesce(max(id), 0) FROM main.finding').pluck().get() as number
  const pending = reader.prepare('SELECT source_id, first_finding FROM pending_import').raw().all() as number[][]
  return [newest, ...pending.flat()]
}

/** The condition on `f` and `c` for these bounds; true if there are none. */
export function withinListBounds([newest, ...pending]: readonly number[]): RawBuilder<SqlBool> {
  if (newest === undefined) return sql<SqlBool>`1`
  const conditions = [sql<SqlBool>`f.id <= ${newest}`]
  for (let index = 0; index < pending.length; index += 2) {
    conditions.push(sql<SqlBool>`NOT (c.source_id = ${pending[index]} AND f.id >= ${pending[index + 1]})`)
  }
  return sql<SqlBool>`(${sql.join(conditions, sql` AND `)})`
}
