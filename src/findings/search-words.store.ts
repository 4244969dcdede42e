import { type Expression, type SqlBool, sql } from 'kysely'
import { db, whileWanted } from '../store/builder.ts'

const MAX_WORDS = 10

/** Findings with the tables that a search reads. */
export const searchedFindings = () =>
  db
    .selectFrom('finding as f')
    .innerJoin('combo as c', 'c.id', 'f.combo_id')
    .innerJoin('asset as a', 'a.id', 'f.asset_id')
    .innerJoin('word as type', 'type.id', 'c.type_id')
    .innerJoin('word as container', 'container.id', 'a.container_id')
    .where(whileWanted('f.id'))

/** What a search of findings reads, by the aliases of its tables. */
export const findingColumns = ['f.excerpt', 'a.name', 'a.url', 'type.text', 'container.text'] as const

/** A LIKE pattern for each word of a search. */
export function toPatterns(search: string | undefined): string[] {
  const words = (search ?? '').split(/\s+/).filter(Boolean)
  return words.slice(0, MAX_WORDS).map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`)
}

/** Whether any of the columns matches a pattern. */
export function contains(pattern: string, columns: readonly string[]): Expression<SqlBool> {
  const found = columns.map((column) => sql<SqlBool>`${sql.ref(column)} LIKE ${pattern} ESCAPE '\\'`)
  return sql<SqlBool>`(${sql.join(found, sql` OR `)})`
}
