import {
  type Compilable,
  type CompiledQuery,
  DummyDriver,
  Kysely,
  type RawBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
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

/** A built query, or a `sql` template. */
export type Query<Row> = Compilable<Row> | RawBuilder<Row>

export function compileQuery<Row>(query: Query<Row>): CompiledQuery<Row> {
  return 'isRawBuilder' in query ? query.compile(db) : query.compile()
}
