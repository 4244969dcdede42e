import { AppError } from '../../kernel/errors.ts'
import type { PostgresConnection } from './connection.ts'

const selectProduct = `SELECT version() AS version, EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS citus`

/**
 * Another product than PostgreSQL that speaks its protocol, by what `version()` returns, as its vendor documents it;
 * undefined for PostgreSQL itself.
 */
export function findOtherProduct(version: string, hasCitus: boolean): string | undefined {
  if (version.startsWith('CockroachDB')) return 'CockroachDB'
  if (/-YB-/.test(version)) return 'YugabyteDB'
  return hasCitus ? 'PostgreSQL with Citus' : undefined
}

/** @throws AppError `unavailable`, reason `database_product`, when the server is not PostgreSQL itself */
export function requireProduct(connection: PostgresConnection): void {
  const { version, citus } = connection.prepare(selectProduct).get() as { version: string; citus: number }
  const found = findOtherProduct(version, citus === 1)
  if (found === undefined) return
  throw new AppError(
    'unavailable',
    `The server is ${found}, on which Assay is not tested; use PostgreSQL 15 or later.`,
    {
      reason: 'database_product',
    },
  )
}
