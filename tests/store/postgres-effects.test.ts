import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { insertScan } from '../../src/scans/scans.store.ts'
import { PostgresClient } from '../../src/store/postgres/client.ts'
import type { PostgresStore } from '../../src/store/postgres/store.ts'
import { TransactionEnd } from '../../src/store/postgres/transaction-end.ts'
import type { Writer } from '../../src/store/store.ts'
import { readAddress } from '../../src/store/store-place.ts'
import { plant } from '../query/estate.ts'
import {
  createDatabase,
  missingPostgres,
  openAdmin,
  openPostgresStore,
  type PostgresServer,
  startPostgres,
} from '../support/postgres.ts'

const NOW = Date.UTC(2026, 5, 15)

describe.skipIf(missingPostgres !== undefined)(`on PostgreSQL, ${missingPostgres ?? ''}`, () => {
  let server: PostgresServer
  let database: ReturnType<typeof createDatabase>
  let admin: ReturnType<typeof openAdmin>
  let store: PostgresStore
  beforeAll(async () => {
    server = await startPostgres()
    database = createDatabase(server)
    store = openPostgresStore(database.connectionString, () => NOW)
    admin = openAdmin(server, database.name)
    plant(store, {
      sources: [{ name: 's' }],
      assets: [{ key: 'a' }, { key: 'b' }],
      findings: [{ asset: 'a', status: 'IGNORED', firstDetectedAt: NOW - 10, until: NOW - 1, endsAs: 'OPEN' }],
    })
  }, 60_000)
  afterAll(() => {
    store.close()
    admin.close()
    database.drop()
    server.stop()
  })

  const find = (sql: string) => admin.query(sql)[0]?.[0]
  const counts = () =>
    ['definition_count', 'watch_signal'].flatMap((table) => admin.query(`SELECT * FROM main.${table}`)[0] ?? [])
  const logged = () => admin.query('SELECT seq, asset_id FROM main.asset_log ORDER BY seq')
  const run = (sql: string, times = 1) =>
    store.write((writer) => {
      for (let time = 0; time < times; time++) writer.prepare(sql).run()
    })
  /** How much a statement increases the numbers of definitions, ended scans and revisions of watches. */
  const increases = (sql: string) => {
    const before = counts()
    run(sql)
    return counts().map((value, index) => Number(value) - Number(before[index]))
  }

  it('writes increase the numbers that readers compare, unless they write no row', () => {
    expect(increases(`UPDATE metric SET unit = 'd' WHERE slug = 'open-findings'`)).toEqual([1, 0, 0])
    expect(increases(`UPDATE metric SET unit = 'd' WHERE slug = 'none'`)).toEqual([0, 0, 0])
    expect(increases(`UPDATE main.source SET deleted_at = 1 WHERE name = 's'`)).toEqual([1, 1, 0])
    expect(increases(`UPDATE source SET deleted_at = 1 WHERE name = 's'`)).toEqual([1, 0, 0])
    expect(increases(`UPDATE source SET deleted_at = NULL WHERE name = 's'`)).toEqual([1, 1, 0])
    const scan = { trigger: 'MANUAL', requestedBy: 't', configHash: 'c', detectorsHash: 'd', seed: 1 } as const
    store.write((writer) => insertScan(writer, { sourceId: 1, sampled: false, uid: 'x', ...scan }, NOW))
    expect(increases(`UPDATE scan SET status = 'RUNNING' WHERE uid = 'x'`)).toEqual([0, 0, 0])
    expect(increases(`UPDATE scan SET status = 'FAILED' WHERE uid = 'x'`)).toEqual([0, 1, 0])
    expect(increases(`UPDATE scan SET status = 'FAILED' WHERE uid = 'x'`)).toEqual([0, 0, 0])
  })

  it('COMMIT logs each asset once of which a logged column changed, in the order of the commits and without gaps', () => {
    const before = logged()
    const last = Number(before.at(-1)?.[0])
    expect(last).toBe(Number(find(`SELECT seq FROM main.sqlite_sequence WHERE name = 'asset_log'`)))
    const [[first, second] = []] = admin.query('SELECT min(id), max(id) FROM main.asset')
    run(`UPDATE main.asset SET missed = missed + 1`)
    run(`UPDATE main.asset SET status = status, kind_id = kind_id`)
    expect(logged()).toEqual(before)
    run(`UPDATE main.asset SET owner_id = owner_id + 1 WHERE id = ${first}`, 3)
    expect(() =>
      store.write((writer: Writer) => {
        writer.prepare('UPDATE main.asset SET owner_id = owner_id + 1').run()
        throw new Error('stopped')
      }),
    ).toThrow('stopped')
    run(`UPDATE main.asset SET dataset_id = 9`)
    expect(logged().slice(before.length)).toEqual([
      [last + 1, first],
      [last + 2, first],
      [last + 3, second],
    ])
    expect(find('SELECT count(*) FROM main.asset_change')).toBe(0)
  })

  it('a new source has the row that its writers lock', () => {
    const scopes = `SELECT count(*) FROM main.write_scope JOIN main.source ON write_scope.name = 'source/' || source.id`
    expect(find(scopes)).toBe(find('SELECT count(*) FROM main.source'))
  })

  it('the schema has no triggers and no deferred constraints, and a session has no objects of its own', () => {
    const select = 'SELECT k.status, f.resolved_at FROM finding f JOIN combo k ON k.id = f.combo_id'
    store.read((reader) => {
      expect(reader.seesEnds).toBe(true)
      expect(reader.prepare(select).raw().get()).toEqual([0, null])
      expect(find(select.replace('finding f JOIN combo', 'main.finding f JOIN main.combo'))).toBe(3)
    })
    expect(admin.query('SELECT tgname FROM pg_trigger WHERE NOT tgisinternal')).toEqual([])
    expect(admin.query('SELECT conname FROM pg_constraint WHERE condeferrable OR condeferred')).toEqual([])
    expect(admin.query(`SELECT relname FROM pg_class WHERE relpersistence = 't'`)).toEqual([])
  })

  it('a COMMIT whose answer was lost either took place, or can no longer do so', () => {
    const client = new PostgresClient({
      address: readAddress(database.connectionString, {}),
      setup: `SET search_path = main, pg_catalog`,
    })
    onTestFinished(() => client.close())
    const ask = (end: TransactionEnd) => end.hasCommitted((step) => client.query({ ...step, begins: true }).rows)
    const begin = () => {
      const end = new TransactionEnd()
      end.begin()
      admin.query('BEGIN')
      return end
    }
    const send = (end: TransactionEnd) => {
      for (const { text, values } of end.steps()) admin.query(text, values)
    }
    const saved = begin()
    send(saved)
    admin.query('COMMIT')
    expect([ask(saved), ask(saved)]).toEqual([true, true])
    const late = begin()
    expect([ask(late), ask(late)]).toEqual([false, false])
    expect(() => send(late)).toThrow('duplicate key')
    admin.query('ROLLBACK')
    const running = begin()
    send(running)
    admin.query(`SET LOCAL idle_in_transaction_session_timeout = 200`)
    expect(ask(running)).toBe(false)
  })

  it('a statement runs again that was sent after one that failed', () => {
    const select = (writer: Writer) => writer.prepare('SELECT count(*) + 4242 FROM word').pluck().get()
    const fail = () =>
      store.write((writer) => {
        writer.prepare(`INSERT INTO word (id, text, folded) VALUES (1, 'failing', '')`).run()
        return select(writer)
      })
    for (let time = 0; time < 2; time++) expect(fail).toThrow('duplicate key')
    expect(store.write(select)).toBeGreaterThan(4242)
  })

  it('rows about outcomes are removed by later transactions of their connections, or after a week', () => {
    admin.query(`DELETE FROM main.transaction_outcome`)
    admin.query(`INSERT INTO main.transaction_outcome (id, committed, at) VALUES
      (gen_random_uuid(), false, now() - interval '8 days'), (gen_random_uuid(), false, now() - interval '6 days')`)
    const other = openPostgresStore(database.connectionString, () => NOW)
    for (let time = 0; time < 5; time++) other.write((writer) => writer.prepare('SELECT 1').get())
    other.close()
    expect(find('SELECT count(*) FROM main.transaction_outcome')).toBe(2)
  })
})
