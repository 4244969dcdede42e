import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { whileWanted } from '../../src/store/builder.ts'
import type { Store } from '../../src/store/store.ts'
import { openNewFile } from '../support/new-store.ts'
import { createDatabase, missingPostgres, openPostgresStore, startPostgres } from '../support/postgres.ts'

/** Would take hours. */
const endless = sql<{ rows: number }>`WITH RECURSIVE counted(id) AS
    (SELECT CAST(1 AS BIGINT) UNION ALL SELECT id + 1 FROM counted WHERE id < 1000000000000)
  SELECT count(*) AS "rows" FROM counted c WHERE ${whileWanted('c.id')}`

function openFile(): Store {
  const folder = mkdtempSync(join(tmpdir(), 'assay-unwanted-'))
  const store = openNewFile(join(folder, 'assay.db'), Date.now)
  onTestFinished(() => {
    store.close()
    rmSync(folder, { recursive: true })
  })
  return store
}

async function openServer(): Promise<Store> {
  const server = await startPostgres()
  const database = createDatabase(server)
  const store = openPostgresStore(database.connectionString, Date.now)
  onTestFinished(() => {
    store.close()
    database.drop()
    server.stop()
  })
  return store
}

function endsAtOnce(store: Store): void {
  const startedAt = performance.now()
  const gone = new Error('nobody waits')
  const requireWanted = () => {
    if (performance.now() - startedAt > 200) throw gone
  }
  expect(() => store.read((reader) => reader.all(endless), { requireWanted })).toThrow(gone)
  expect(performance.now() - startedAt).toBeLessThan(10_000)
  const one = () => store.read((reader) => reader.prepare('SELECT 1').pluck().get(), { requireWanted: () => {} })
  expect([one(), one()]).toEqual([1, 1])
}

describe('a statement whose result nobody waits for any more is ended, and the next one runs', () => {
  it('in a file', () => endsAtOnce(openFile()))

  it.skipIf(missingPostgres !== undefined)(
    `on PostgreSQL ${missingPostgres ?? ''}`,
    async () => {
      const store = await openServer()
      endsAtOnce(store)
      const running =
        "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%counted%' AND pid <> pg_backend_pid()"
      expect(store.read((reader) => reader.prepare(running).pluck().get())).toBe(0)
    },
    60_000,
  )
})
