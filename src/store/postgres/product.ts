import { AppError } from '../../kernel/errors.ts'
import type { PostgresProfile } from '../store-place.ts'
import type { PostgresConnection } from './connection.ts'

const names: Readonly<Record<PostgresProfile, string>> = {
  postgres: 'PostgreSQL',
  citus: 'PostgreSQL with Citus',
  yugabytedb: 'YugabyteDB',
  cockroachdb: 'CockroachDB',
}

const selectProduct = `SELECT version() AS version, EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS citus`

/** Which product a server is, by what `version()` returns, as its vendor documents it. */
export function toProfile(version: string, hasCitus: boolean): PostgresProfile {
  if (version.startsWith('CockroachDB')) return 'cockroachdb'
  if (/-YB-/.test(version)) return 'yugabytedb'
  return hasCitus ? 'citus' : 'postgres'
}

/** @throws AppError `unavailable`, reason `database_product`, when the server is not the product of the profile */
export function requireProduct(connection: PostgresConnection, profile: PostgresProfile = 'postgres'): void {
  const { version, citus } = connection.prepare(selectProduct).get() as { version: string; citus: number }
  const found = toProfile(version, citus === 1)
  if (found === profile) return
  throw new AppError(
    'unavailable',
    found === 'postgres'
      ? `The server is PostgreSQL, not ${names[profile]}; remove \`profile\` from the address of the database.`
      : `The server is ${names[found]}, on which Assay is not tested; use PostgreSQL 15 or later. To try it with data that may be lost, add profile=${found} to the address of the database.`,
    { reason: 'database_product' },
  )
}
