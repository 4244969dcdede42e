import { hash } from 'node:crypto'
import { db } from './builder.ts'
import { newestSchema } from './migrations.ts'
import type { Reader, Store, Writer } from './store.ts'

const SEALED = 'sealed_schema'

/** By kind of definition, as in the audit trail: the query for the row that defines it. */
const rowQueries: Record<string, string> = {
  term: 'SELECT * FROM term WHERE slug = @name',
  metric: 'SELECT * FROM metric WHERE slug = @name',
  placement: `SELECT dashboard.*, placement.*, metric.slug FROM placement
              JOIN dashboard ON dashboard.id = dashboard_id JOIN metric ON metric.id = metric_id
              WHERE dashboard.name || '/' || metric.slug = @name`,
  custom_detector: 'SELECT * FROM custom_detector WHERE key = @name',
  sla: 'SELECT * FROM sla_policy WHERE name = @name',
  watch: 'SELECT * FROM watch WHERE slug = @name',
}

/** The rows of other tables that belong to a definition, in a fixed order; their member of the row that is hashed. */
const partQueries: Record<string, { member: string; query: string }> = {
  metric: {
    member: 'versions',
    query: `SELECT version, at, actor, via, snapshot FROM metric_version
            WHERE metric_id = (SELECT id FROM metric WHERE slug = ?) ORDER BY version`,
  },
  watch: {
    member: 'receivers',
    query: `SELECT uid, format, address, has_secret FROM watch_receiver
            WHERE watch_id = (SELECT id FROM watch WHERE slug = ?) ORDER BY ordinal`,
  },
}

const nameQuery = `
  SELECT 'term' AS kind, slug AS name FROM term
  UNION ALL SELECT 'metric', slug FROM metric
  UNION ALL SELECT 'placement', dashboard.name || '/' || metric.slug FROM placement
    JOIN dashboard ON dashboard.id = dashboard_id JOIN metric ON metric.id = metric_id
  UNION ALL SELECT 'custom_detector', key FROM custom_detector
  UNION ALL SELECT 'watch', slug FROM watch
  UNION ALL SELECT 'sla', name FROM sla_policy`

interface Named {
  kind: string
  name: string
}

function toDigest(reader: Reader, { kind, name }: Named): string | undefined {
  const query = rowQueries[kind]
  const row = query === undefined ? undefined : (reader.prepare(query).get({ name }) as object | undefined)
  if (row === undefined) return undefined
  const parts = partQueries[kind]
  const content =
    parts === undefined ? row : { ...row, [parts.member]: JSON.stringify(reader.prepare(parts.query).raw().all(name)) }
  return hash('sha256', JSON.stringify(content))
}

/** Stores the SHA-256 of a definition that was just written, or deletes it when the definition no longer exists. */
export function sealDefinition(writer: Writer, { kind, name }: Named): void {
  if (rowQueries[kind] === undefined) return
  const named = { kind, name }
  const digest = toDigest(writer, named)
  if (digest === undefined) {
    writer.run(db.deleteFrom('definition_digest').where('kind', '=', named.kind).where('name', '=', named.name))
    return
  }
  writer.run(
    db
      .insertInto('definition_digest')
      .values({ ...named, digest })
      .onConflict((conflict) => conflict.columns(['kind', 'name']).doUpdateSet({ digest })),
  )
}

/** Seals the definitions that migrations created or changed; once per schema version. */
export function sealDefinitions(store: Store): void {
  // An opened database has the newest schema.
  const schema = String(newestSchema())
  const isSealed = (reader: Reader) => {
    const row = reader.first(db.selectFrom('install').select('value').where('name', '=', SEALED))
    return row?.value === schema
  }
  if (store.read(isSealed)) return
  store.write(
    (writer) => {
      if (isSealed(writer)) return
      for (const named of writer.prepare(nameQuery).all() as Named[]) sealDefinition(writer, named)
      writer.run(
        db
          .insertInto('install')
          .values({ name: SEALED, value: schema })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: schema })),
      )
    },
    { essential: true },
  )
}

/** Definitions that do not match their stored digest: changed outside of assay, or lost. */
export function listDamagedDefinitions(reader: Reader): string[] {
  const sealed = reader.all(db.selectFrom('definition_digest').selectAll())
  const known = new Set(sealed.map(({ kind, name }) => `${kind} ${name}`))
  const present = reader.prepare(nameQuery).all() as Named[]
  return [
    ...sealed.filter(({ digest, ...named }) => toDigest(reader, named) !== digest),
    ...present.filter(({ kind, name }) => !known.has(`${kind} ${name}`)),
  ].map(({ kind, name }) => `${kind} ${name}`)
}
