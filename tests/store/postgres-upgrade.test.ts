import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { AppError } from '../../src/kernel/errors.ts'
import { listMigrations, type Migration, newestSchema } from '../../src/store/migrations.ts'
import { PostgresConnection } from '../../src/store/postgres/connection.ts'
import { listServerDifferences } from '../../src/store/postgres/schema-differences.ts'
import { listServerMigrations, upgradeSchema } from '../../src/store/postgres/upgrade.ts'
import { readAddress } from '../../src/store/store-place.ts'
import { startEntry, untilPrinted } from '../support/entry.ts'
import {
  createDatabase,
  missingPostgres,
  openAdmin,
  openPostgresStore,
  type PostgresServer,
  startPostgres,
} from '../support/postgres.ts'

const PROCESSES = 2
const NOW = Date.UTC(2026, 5, 15)
const entry = new URL('upgrade-entry.ts', import.meta.url)
const newest = newestSchema()
const next = newest + 1

/** Migrations of a later version: the rows of a table are changed, and a table is added. */
const later = (...statements: string[]): Migration[] => [
  ...listServerMigrations(),
  { number: next, name: `${next}-test.sql`, sql: statements.join('\n') },
]
const change = `INSERT INTO word (id, text, folded) VALUES (-1, 'upgraded', 'upgraded'); CREATE TABLE added (id BIGINT PRIMARY KEY);`

it('PostgreSQL has a migration for each of SQLite', () => {
  const numbers = (migrations: readonly Migration[]) => migrations.map(({ number }) => number)
  expect(numbers(listServerMigrations())).toEqual(numbers(listMigrations()))
})

describe.skipIf(missingPostgres !== undefined)(`the schema in PostgreSQL ${missingPostgres ?? ''}`, () => {
  let server: PostgresServer
  let database: ReturnType<typeof createDatabase>
  let admin: ReturnType<typeof openAdmin>
  beforeAll(async () => {
    server = await startPostgres()
  }, 60_000)
  afterAll(() => server.stop())
  beforeEach(() => {
    database = createDatabase(server)
    admin = openAdmin(server, database.name)
    return () => {
      admin.close()
      database.drop()
    }
  })

  const address = () => readAddress(database.connectionString, {})
  const create = () => openPostgresStore(database.connectionString, () => NOW).close()
  const schema = () => admin.query('SELECT number FROM main.schema_version')[0]?.[0]
  const count = (table: string, where = 'true') =>
    Number(admin.query(`SELECT count(*) FROM main.${table} WHERE ${where}`)[0]?.[0])
  const hasTable = (name: string) => admin.query(`SELECT to_regclass('main.${name}') IS NOT NULL`)[0]?.[0] === 1
  const upgradeElsewhere = (migrations: readonly Migration[]) =>
    startEntry(entry, [database.connectionString, JSON.stringify(migrations)])
  const reasonOf = (work: () => unknown) => {
    try {
      work()
      return undefined
    } catch (error) {
      return error instanceof AppError ? error.facts.reason : error
    }
  }

  /** All objects of the schema as the server describes them, and the number of rows of each table. */
  function describeDatabase(): unknown[] {
    const rows = admin.query(`
      SELECT 'column', format('%s.%s %s %s %s %s %s', c.relname, a.attname, a.attnum, format_type(a.atttypid, a.atttypmod),
          a.attnotnull, a.attidentity, pg_get_expr(d.adbin, d.adrelid))
        FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
        WHERE c.relnamespace = 'main'::regnamespace AND c.relkind IN ('r', 'v') AND a.attnum > 0 AND NOT a.attisdropped
      UNION ALL SELECT 'table', relname || ' ' || coalesce(reloptions::text, '') FROM pg_class WHERE relnamespace = 'main'::regnamespace AND relkind IN ('r', 'S', 'v')
      UNION ALL SELECT 'index', indexdef FROM pg_indexes WHERE schemaname = 'main'
      UNION ALL SELECT 'constraint', conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'main'::regnamespace
      UNION ALL SELECT 'trigger', pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid WHERE c.relnamespace = 'main'::regnamespace AND NOT tgisinternal
      UNION ALL SELECT 'function', pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'main'::regnamespace
      UNION ALL SELECT 'view', definition FROM pg_views WHERE schemaname = 'main'
      UNION ALL SELECT 'operator', oprname || ' ' || oprleft::regtype || ' ' || oprright::regtype FROM pg_operator WHERE oprnamespace = 'main'::regnamespace
      ORDER BY 1, 2`)
    const tables = admin.query(
      `SELECT tablename FROM pg_tables WHERE schemaname = 'main' AND tablename <> 'transaction_outcome' ORDER BY 1`,
    )
    return [...rows, ...tables.map(([name]) => ['rows', `${name} ${count(String(name))}`])]
  }

  it('is upgraded once by many processes that start together, and the others wait', async () => {
    create()
    const migrations = later(change, 'SELECT pg_sleep(0.3);')
    const running = await Promise.all(Array.from({ length: PROCESSES }, () => upgradeElsewhere(migrations)))
    expect(await Promise.all(running.map(({ ended }) => ended))).toEqual(running.map(() => 0))
    const outputs = running.map(({ output }) => output())
    expect(outputs.filter((output) => output !== 'ended null')).toEqual([
      `ended ${JSON.stringify({ from: newest, to: next, others: 0 })}`,
    ])
    expect([schema(), count('word', `text = 'upgraded'`), hasTable('added')]).toEqual([next, 1, true])
    expect(reasonOf(create)).toBe('database_newer')
  }, 60_000)

  it('is left as it was by an upgrade that is killed or fails, and the next attempt succeeds', async () => {
    create()
    const before = describeDatabase()
    const running = await upgradeElsewhere(later(change, 'SELECT pg_sleep(2);'))
    const isAsleep = `SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = '${database.name}'`
    await vi.waitUntil(() => admin.query(isAsleep)[0]?.[0] === 1, { timeout: 20_000 })
    running.child.kill('SIGKILL')
    await running.ended
    await vi.waitUntil(() => admin.query(isAsleep)[0]?.[0] === 0, { timeout: 20_000 })
    expect(describeDatabase()).toEqual(before)
    const fails = () => upgradeSchema(address(), later(change, 'SELECT no_such_function();'))
    expect(fails).toThrow(/could not be upgraded and is what it was \(.*no_such_function.*\); keep the earlier version/)
    expect(describeDatabase()).toEqual(before)
    expect(upgradeSchema(address(), later(change))).toEqual({ from: newest, to: next, others: 0 })
    expect([schema(), hasTable('added')]).toEqual([next, true])
  }, 60_000)

  it('is upgraded after the transactions that write, and from then on those of earlier versions are refused', async () => {
    const store = openPostgresStore(database.connectionString, () => NOW)
    onTestFinished(() => store.close())
    const add = (text: string) =>
      store.write((writer) => writer.prepare(`INSERT INTO word (text, folded) VALUES ('${text}', '')`).run())
    add('before')
    const writing = openAdmin(server, database.name)
    onTestFinished(() => writing.close())
    writing.query(`BEGIN; SET search_path = main, pg_catalog; UPDATE main.write_scope SET version = version + 1 WHERE name = 'access';
      INSERT INTO main.word (id, text, folded) VALUES (-1, 'meanwhile', '')`)
    const copy = `CREATE TABLE words_before AS SELECT text FROM word; ALTER TABLE asset DROP COLUMN url;`
    const running = await upgradeElsewhere(later(copy))
    const waits = `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = '${database.name}'`
    await vi.waitUntil(() => admin.query(waits)[0]?.[0] === 1, { timeout: 20_000 })
    expect(schema()).toBe(newest)
    writing.query('COMMIT')
    await untilPrinted(running, 'ended')
    const others = JSON.parse(running.output().replace('ended ', '')) as { others: number }
    expect(others).toMatchObject({ from: newest, to: next })
    expect(others.others).toBeGreaterThan(0)
    expect(count('words_before', `text IN ('before', 'meanwhile')`)).toBe(2)
    const read = () => store.read((reader) => reader.prepare('SELECT 1').get())
    for (const work of [() => add('after'), read, () => store.openSnapshot(), () => store.dryRun(() => 1)]) {
      expect(reasonOf(work)).toBe('database_newer')
    }
    expect(store.isCurrent()).toBe(false)
    expect(count('word', `text = 'after'`)).toBe(0)
  }, 60_000)

  it('is not upgraded while the database is being moved', () => {
    create()
    const marker = JSON.stringify({ id: 'x', to: 'sqlite:/new/assay.db' })
    admin.query(`INSERT INTO main.install (name, value) VALUES ('moving', '${marker}')`)
    expect(reasonOf(() => upgradeSchema(address(), later(change)))).toBe('moving')
    expect([schema(), hasTable('added')]).toEqual([newest, false])
  })

  it('is made once by many processes that start together on an empty database', async () => {
    const first = openAdmin(server, database.name)
    onTestFinished(() => first.close())
    // Another process is at its beginning.
    first.query('BEGIN; CREATE SCHEMA main')
    const opening = new URL('open-postgres-entry.ts', import.meta.url)
    const running = await Promise.all(
      Array.from({ length: PROCESSES }, () => startEntry(opening, [database.connectionString])),
    )
    const waits = `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = '${database.name}'`
    await vi.waitUntil(() => admin.query(waits)[0]?.[0] === PROCESSES, { timeout: 30_000 })
    first.query('ROLLBACK')
    expect(await Promise.all(running.map(({ ended }) => ended))).toEqual(running.map(() => 0))
    expect(schema()).toBe(newest)
    expect(count('metric')).toBeGreaterThan(5)
  }, 60_000)

  it('is compared with that of this version, by its tables, columns, indexes, keys and functions, and must have no triggers', () => {
    create()
    const connection = new PostgresConnection({ address: address(), setup: 'SET search_path = main, pg_catalog' })
    onTestFinished(() => connection.close())
    const differences = () => listServerDifferences(connection)
    expect(differences()).toEqual([])
    const [[key] = []] = admin.query(
      `SELECT conname FROM pg_constraint WHERE contype = 'f' AND conrelid = 'main.finding'::regclass LIMIT 1`,
    )
    admin.query(`DROP INDEX main.unread_section_by_scan; ALTER TABLE main.asset DROP COLUMN url;
      ALTER TABLE main.finding DROP CONSTRAINT ${key}; DROP FUNCTION main.fold_case; DROP TABLE main.reading CASCADE;
      CREATE FUNCTION main.theirs() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
      CREATE TRIGGER theirs AFTER INSERT ON main.word EXECUTE FUNCTION main.theirs()`)
    expect(differences()).toEqual(
      expect.arrayContaining([
        ...['index unread_section_by_scan', 'column asset.url', 'table reading'].map((name) => `${name} is missing`),
        'function fold_case is missing',
        expect.stringMatching(/^\d foreign keys? (?:is|are) missing$/),
        'trigger theirs does not belong to Assay',
      ]),
    )
  })
})
