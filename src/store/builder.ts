import {
  type Compilable,
  DummyDriver,
  Kysely,
  type RawBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import type { SafeText } from '../kernel/safe-text.ts'
import type { Tables } from './schema.ts'

/** Builds queries; it holds no connection. A `Reader` or `Writer` of the store runs what it builds. */
export const db = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (instance) => new SqliteIntrospector(instance),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
})

/** A text that a column is compared with, which is not kept. */
export const comparand = (text: string | RawBuilder<string>): RawBuilder<SafeText> => sql<SafeText>`${text}`

/** A query as its builder gives it, or a `sql` template. */
export type BuiltQuery<Row> = Compilable<Row> | RawBuilder<Row>
/** What a reader or writer runs. */
export type Query<Row> = BuiltQuery<Row> | Statement<Row>

/** SQL with the values of its parameters, in their order. */
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
