import { count } from '../../kernel/count.ts'
import { describeNewSchema } from '../move/sqlite-tables.ts'
import type { Reader } from '../reader-writer.ts'
import { toPostgresSchema } from './schema.ts'

const selectObjects = `
  SELECT CASE relkind WHEN 'i' THEN 'index' WHEN 'S' THEN 'sequence' WHEN 'v' THEN 'view' ELSE 'table' END || ' ' || relname
    FROM pg_class WHERE relnamespace = 'main'::regnamespace AND relkind IN ('r', 'p', 'i', 'S', 'v')
  UNION SELECT 'function ' || proname FROM pg_proc WHERE pronamespace = 'main'::regnamespace
  UNION SELECT 'trigger ' || tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
    WHERE relnamespace = 'main'::regnamespace AND NOT tgisinternal AND tgenabled = 'O'
  UNION SELECT 'column ' || table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'main'`

/** How many constraints of each kind the tables have; they have no names of their own. */
const selectConstraints = `SELECT count(*) FILTER (WHERE contype = 'p') AS "primary key",
    count(*) FILTER (WHERE contype = 'u') AS "unique key", count(*) FILTER (WHERE contype = 'f') AS "foreign key"
  FROM pg_constraint WHERE connamespace = 'main'::regnamespace AND convalidated`

const constraintWords = { 'primary key': 'PRIMARY KEY', 'unique key': 'UNIQUE', 'foreign key': 'REFERENCES' }

const CREATED = /\bCREATE (?:UNIQUE )?(TABLE|INDEX|SEQUENCE|VIEW|FUNCTION) (?:IF NOT EXISTS )?(\w+)/g

/**
 * What of the schema of this version a database lacks, such as `index x is missing`, and triggers that it should not
 * have: after a restore that failed in part, or changes by hand.
 */
export function listServerDifferences(reader: Pick<Reader, 'prepare'>): string[] {
  const { objects, tables: described } = describeNewSchema()
  const { tables, indexes, counters } = toPostgresSchema(objects)
  const made = [tables.sql, ...indexes.map(({ sql }) => sql), counters].join('\n')
  const created = [...made.matchAll(CREATED)].map(([, type = '', name]) => `${type.toLowerCase()} ${name}`)
  const columns = described.flatMap(({ name, columns }) => columns.map((column) => `column ${name}.${column.name}`))
  const present = new Set(reader.prepare(selectObjects).pluck().all() as string[])
  const wanted = new Set([...created, 'table schema_version', ...columns])
  const missing = [...wanted.difference(present)]
  const foreign = [...present].filter((object) => object.startsWith('trigger '))
  const found = reader.prepare(selectConstraints).get() as Record<string, number>
  const constraints = Object.entries(constraintWords).flatMap(([kind, words]) => {
    const lacking = (tables.sql.match(new RegExp(`\\b${words}\\b`, 'g')) ?? []).length - (found[kind] ?? 0)
    return lacking > 0 ? [`${count(lacking, kind)} ${lacking === 1 ? 'is' : 'are'} missing`] : []
  })
  return [
    ...missing.map((object) => `${object} is missing`),
    ...constraints,
    ...foreign.map((object) => `${object} does not belong to Assay`),
  ]
}
