import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { APPLICATION_ID } from '../../src/store/migrations.ts'
import { makeHome, runAssay } from '../support/assay.ts'
import { createDatabase, missingPostgres, openAdmin, type PostgresServer, startPostgres } from '../support/postgres.ts'

/** The newest schema that is not upgraded. */
const EARLIER = 199
const refusal =
  /has schema 199 of an earlier version of Assay, which this version does not upgrade; export it with that version \(`assay export .*import it into a new folder or database \(`assay init --home NEW`/
const newHome = makeHome()
afterAll(newHome.remove)

const commands: readonly (readonly string[])[] = [
  ['init'],
  ['serve', '--port', '0'],
  ['mcp'],
  ['query', 'total-findings'],
  ['demo', '--once'],
  ['doctor'],
]
const onFiles: readonly (readonly string[])[] = [
  ['backup'],
  ['move', '--to', `sqlite:${join(newHome.home, 'assay.db')}`],
]

async function expectRefused(args: readonly string[], home: string, env: NodeJS.ProcessEnv = {}): Promise<void> {
  const { code, stdout, stderr } = await runAssay([...args, '--home', home], { home, env })
  expect([args, code, `${stdout}${stderr}`]).toEqual([args, 1, expect.stringMatching(refusal)])
}

describe('a data folder of an earlier version', () => {
  const { home, remove } = makeHome()
  const file = join(home, 'assay.db')
  afterAll(remove)
  beforeAll(() => {
    const database = new Database(file)
    database.pragma('journal_mode = WAL')
    database.pragma(`application_id = ${APPLICATION_ID}`)
    database.pragma(`user_version = ${EARLIER}`)
    database.exec("CREATE TABLE install (name TEXT PRIMARY KEY, value TEXT); INSERT INTO install VALUES ('id', 'i')")
    database.close()
  })

  it('is refused by every command with the way out, and nothing in it changes', async () => {
    const before = readFileSync(file)
    await Promise.all([...commands, ...onFiles].map((args) => expectRefused(args, home)))
    expect(readFileSync(file).equals(before)).toBe(true)
    expect(readdirSync(home).filter((name) => name !== 'logs')).toEqual(['assay.db'])
    expect(existsSync(join(newHome.home, 'assay.db'))).toBe(false)
  }, 60_000)

  it('is refused as a backup, and the present database stays', async () => {
    const backup = join(newHome.home, 'old.db')
    writeFileSync(backup, readFileSync(file))
    const present = makeHome()
    expect((await runAssay(['init'], { home: present.home })).code).toBe(0)
    await expectRefused(['restore', backup], present.home)
    expect((await runAssay(['query', 'total-findings'], { home: present.home })).code).toBe(0)
    present.remove()
  }, 60_000)
})

describe.skipIf(missingPostgres !== undefined)(
  `a PostgreSQL database of an earlier version ${missingPostgres ?? ''}`,
  () => {
    let server: PostgresServer
    let database: ReturnType<typeof createDatabase>
    let admin: ReturnType<typeof openAdmin>
    beforeAll(async () => {
      server = await startPostgres()
      database = createDatabase(server)
      admin = openAdmin(server, database.name)
      admin.query(`CREATE SCHEMA main; CREATE TABLE main.schema_version AS SELECT ${EARLIER}::bigint AS number;
      CREATE TABLE main.install (name text PRIMARY KEY, value text NOT NULL)`)
    }, 60_000)
    afterAll(() => {
      admin.close()
      database.drop()
      server.stop()
    })

    it('is refused by every command with the way out, and nothing in it changes', async () => {
      const { home, remove } = makeHome()
      const env = { ASSAY_STORE: database.connectionString }
      const target = join(newHome.home, 'moved')
      mkdirSync(target)
      const others = [
        ['worker', '--probe-port', '0'],
        ['move', '--to', `sqlite:${join(target, 'assay.db')}`],
      ]
      const all = [...commands.filter(([name]) => name !== 'demo'), ...others]
      await Promise.all(all.map((args) => expectRefused(args, home, env)))
      expect(readdirSync(target)).toEqual([])
      expect(admin.query('SELECT number FROM main.schema_version')).toEqual([[EARLIER]])
      const tables = admin.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'main' ORDER BY 1`)
      expect(tables).toEqual([['install'], ['schema_version']])
      remove()
    }, 120_000)
  },
)
