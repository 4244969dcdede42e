import {
  type Compilable,
  DummyDriver,
  Kysely,
  type RawBuilder,
  type SqlBool,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import type { SafeText } from '../kernel/safe-text.ts'
import type { Tables } from './schema.ts'

/** Builds queries without a connection; a `Reader` or `Writer` of the store runs them. */
export const db = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (instance) => new SqliteIntrospector(instance),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
})

/** A text that a column is compared with and that is not stored, so it need not be a `SafeText`. */
export const comparand = (text: string | RawBuilder<string>): RawBuilder<SafeText> => sql<SafeText>`${text}`

/** Compares with the numbers of a parameter that is a JSON array, so that many rows are read at once. */
export const IN_NUMBERS = 'IN (SELECT CAST(value AS BIGINT) FROM json_each(?))'

/** The same for queries that are built. */
export const numbersIn = (list: string): RawBuilder<number> =>
  sql<number>`(SELECT CAST(value AS BIGINT) FROM json_each(${list}))`

/**
 * A condition on the rows that a long query reads, by a column with their ids, which is always true. Where a read may be
 * cancelled, some of the rows ask whether it was.
 */
export const whileWanted = (id: string): RawBuilder<SqlBool> => sql`(${sql.ref(id)} & 1023 <> 0 OR is_wanted())`

/** A query from the kysely builder, or a `sql` template. */
export type BuiltQuery<Row> = Compilable<Row> | RawBuilder<Row>
/** Anything a reader or writer can run. */
export type Query<Row> = BuiltQuery<Row> | Statement<Row>

/** Compiled SQL with its parameter values in order. */
export class Statement<Row> {
  readonly sql: string
  readonly parameters: readonly unknown[]
  declare readonly row: Row

  constructor(sql: string, parameters: readonly unknown[]) {
    this.sql = sql
    this.parameters = parameters
  }
}

export function toStatement<Row>(query: Query<Row>): Statement<Row> {
  if (query instanceof Statement) return query
  const { sql, parameters } = 'isRawBuilder' in query ? query.compile(db) : query.compile()
  return new Statement(sql, parameters)
}
