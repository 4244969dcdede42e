import { defineFunctions } from './migrate.ts'
import { listMigrations } from './migrations.ts'
import { digestSchema, type SchemaDigests, type SchemaRecord } from './schema-check.ts'
import { Database } from './sqlite.ts'

/** Runs every migration in memory and records how each changes the schema. */
export function createSchemaRecord(): SchemaRecord {
  const database = new Database(':memory:')
  defineFunctions(database, () => 0)
  let before: SchemaDigests = new Map()
  const record: SchemaRecord = {}
  for (const { number, sql } of listMigrations()) {
    database.exec(sql)
    const after = digestSchema(database)
    const changed = [...after].filter(([object, digest]) => before.get(object) !== digest)
    const dropped = [...before.keys()].filter((object) => !after.has(object)).map((object) => [object, null])
    record[number] = Object.fromEntries([...changed, ...dropped].sort())
    before = after
  }
  database.close()
  return record
}
