import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openApp } from '../../src/app.ts'
import type { Check } from '../../src/cli/host.ts'
import { loadConfig } from '../../src/config.ts'
import { examine } from '../../src/doctor/examine.ts'
import { measureClock } from '../../src/doctor/server.store.ts'
import { createOwner } from '../../src/scans/owner.ts'
import type { Reader } from '../../src/store/store.ts'
import { missingPrograms, type OwnPostgresServer, openAdmin, startOwnPostgres } from '../support/postgres.ts'

it('the difference of two clocks is what the time of the answer does not explain', () => {
  const measure = (there: number, ...here: number[]) =>
    measureClock({ time: () => there } as Reader, () => here.shift() ?? 0)
  expect(measure(1_500, 1_000, 2_000)).toBe(0)
  expect(measure(200_000, 1_000, 2_000)).toBe(198_000)
  expect(measure(1_000, 200_000, 201_000)).toBe(-199_000)
})

describe.skipIf(missingPrograms !== undefined)(`assay doctor on PostgreSQL ${missingPrograms ?? ''}`, () => {
  let server: OwnPostgresServer
  let admin: ReturnType<typeof openAdmin>
  let env: Record<string, string>
  let home: string
  const open = (mayUpgrade: boolean) => openApp(config(), env, { mustExist: !mayUpgrade, mayUpgrade })
  const config = () => loadConfig({ home, logLevel: 'silent', port: 0 }, env)
  const look = (changed: Record<string, string> = {}) => {
    const other = { ...env, ...changed }
    return examine({
      config: config(),
      env: other,
      deep: false,
      open: () => openApp(config(), other, { mustExist: true }),
    })
  }
  const see = async (name: string, changed?: Record<string, string>): Promise<Check> => {
    const checks = await look(changed)
    const found = checks.find((check) => check.name === name)
    if (found === undefined) throw new Error(`no check ${name}: ${JSON.stringify(checks)}`)
    return found
  }

  beforeAll(async () => {
    const settings = '-c archive_mode=on -c archive_command=false -c wal_level=replica'
    server = await startOwnPostgres({ settings })
    // An ordinary user sees all that is examined.
    server.run('CREATE ROLE plain LOGIN')
    server.run('CREATE DATABASE findings OWNER plain')
    home = mkdtempSync(join(tmpdir(), 'assay-doctor-'))
    env = { HOME: home, ASSAY_HOME: home, ASSAY_STORE: `${server.url.replace('assay@', 'plain@')}/findings` }
    admin = openAdmin(server, 'findings')
  }, 60_000)
  afterAll(() => {
    admin.close()
    server.stop()
    rmSync(home, { recursive: true })
  })

  it('creates nothing in an empty database, and names the command that does', async () => {
    expect(await see('database')).toMatchObject({ status: 'failed', fix: 'assay init' })
    expect(admin.query(`SELECT to_regnamespace('main') IS NULL`)).toEqual([[1]])
    expect(await see('database', { ASSAY_STORE: `${env.ASSAY_STORE}_2` })).toMatchObject({
      status: 'failed',
      fix: expect.stringMatching(/^createdb -h 127\.0\.0\.1 -p \d+ -U plain .* findings_2 && assay init$/),
    })
    const app = await open(true)
    await app.close()
    expect(readdirSync(home)).not.toContain('assay.db')
  })

  it('passes what is well, as a user without further rights', async () => {
    const checks = await look()
    expect(checks.filter(({ status }) => status === 'failed')).toEqual([])
    // The server of tests does not wait for its disk, and has few connections.
    const warned = checks.filter(({ status }) => status === 'warning').map(({ name }) => name)
    expect(warned).toEqual(expect.arrayContaining(['durability']))
    expect(warned.filter((name) => !['durability', 'backups', 'connections'].includes(name))).toEqual([])
    const details = Object.fromEntries(checks.map(({ name, detail }) => [name, detail]))
    expect(details).toMatchObject({
      database: expect.stringMatching(/^PostgreSQL 1\d.* at 127\.0\.0\.1:\d+\/findings, \d+ MB; watch the free space/),
      schema: expect.stringMatching(/^\d+, with the tables, columns, indexes/),
      owner: 'the user of ASSAY_STORE owns the tables',
      'clock of the server': 'agrees with that of this machine',
      'other versions': 'no process of another version is connected',
      key: expect.stringContaining('decrypts the stored secrets'),
    })
    expect(new Set(checks.map(({ name }) => name)).size).toBe(checks.length)
  })

  /** How each fault is made, what is said of it and how it is undone. */
  const faults: [check: string, status: Check['status'], make: string, says: RegExp, undo: string][] = [
    [
      'schema',
      'failed',
      'ALTER INDEX main.unread_section_by_scan RENAME TO renamed',
      /index unread_section_by_scan is missing/,
      'ALTER INDEX main.renamed RENAME TO unread_section_by_scan',
    ],
    [
      'owner',
      'warning',
      'ALTER TABLE main.word OWNER TO assay',
      /1 table of the database belong/,
      'ALTER TABLE main.word OWNER TO plain',
    ],
    [
      'connections',
      'warning',
      'ALTER ROLE plain CONNECTION LIMIT 9',
      /of 9 are in use/,
      'ALTER ROLE plain CONNECTION LIMIT -1',
    ],
    [
      'durability',
      'warning',
      'ALTER DATABASE findings SET synchronous_commit = off',
      /fsync and synchronous_commit are off/,
      'ALTER DATABASE findings RESET synchronous_commit',
    ],
    ['backups', 'warning', 'SELECT pg_switch_wal()', /could not archive the newest file/, 'SELECT 1'],
    [
      'other versions',
      'warning',
      `SET application_name = 'assay schema 159'`,
      /1 connection for schema 159/,
      'RESET application_name',
    ],
  ]
  it.each(faults)(
    'reports what is wrong with %s',
    async (name, status, make, says, undo) => {
      admin.query('BEGIN; CREATE TABLE IF NOT EXISTS public.noise (n int); DROP TABLE public.noise; COMMIT')
      admin.query(make)
      try {
        await vi.waitFor(
          async () => expect(await see(name)).toMatchObject({ status, detail: expect.stringMatching(says) }),
          {
            timeout: 20_000,
            interval: 500,
          },
        )
        expect((await see(name)).fix).toMatch(/\S{3}/)
      } finally {
        admin.query(undo)
      }
    },
    60_000,
  )

  it('recommends a worker for scheduled work, and judges leases by the clock of the server', async () => {
    const app = await open(false)
    const config = {
      type: 'WIKI',
      required: { base_url: 'http://127.0.0.1:9', account_email: 'a@northfield.dev' },
      masked: { api_token: 'wrong' },
      schedule: { enabled: true, preset: 'hourly' },
      optional: { connection: { max_retries: 0 } },
    }
    const signal = new AbortController().signal
    const context = app.contextFor({ caller: app.caller, signal })
    const create = app.operations.find(({ name }) => name === 'create_source')
    await create?.run({ name: 'dead wiki', config } as never, context)
    await app.close()
    const now = Number(admin.query('SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint')[0]?.[0])
    const dead = createOwner().name.replace(/\/\d+\//, '/4194303/')
    admin.query(`UPDATE main.source SET next_run_at = ${now - 3_600_000}`)
    const advice = {
      status: 'warning',
      fix: 'Keep a worker running, or a server without --no-background: assay worker',
    }
    expect(await see('background loop')).toMatchObject(advice)
    expect(await see('schedules')).toMatchObject({ status: 'warning', fix: 'assay worker' })
    const lease = (holder: string, at: number) =>
      admin.query(
        `DELETE FROM main.lease; INSERT INTO main.lease (name, holder, token, expires_at) VALUES ('loop', '${holder}', 1, ${at})`,
      )
    lease(dead, now + 60_000)
    expect(await see('background loop')).toMatchObject({ status: 'warning', fix: 'assay worker' })
    vi.useFakeTimers({ toFake: ['Date'], now: now + 600_000 })
    onTestFinished(() => void vi.useRealTimers())
    lease('elsewhere/1/mark/loop', now + 60_000)
    expect(await see('background loop')).toMatchObject({ status: 'ok' })
    expect(await see('clock of the server')).toMatchObject({
      status: 'warning',
      detail: expect.stringMatching(/^It is (?:59\d|600) seconds behind that of this machine/),
      fix: expect.stringContaining('timedatectl'),
    })
  }, 60_000)

  it('says what to do about a server that cannot be used', async () => {
    const [, port] = /:(\d+)$/.exec(server.url) ?? []
    expect(await see('database', { ASSAY_STORE: 'postgres://plain@127.0.0.1:1/findings' })).toMatchObject({
      status: 'failed',
      fix: 'See whether the server answers: pg_isready -h 127.0.0.1 -p 1',
    })
    expect(await see('database', { ASSAY_STORE: 'nonsense' })).toMatchObject({
      status: 'failed',
      fix: expect.stringContaining('unset ASSAY_STORE'),
    })
    admin.query('ALTER DATABASE findings SET default_transaction_read_only = on')
    expect(await see('database')).toMatchObject({ status: 'failed', detail: expect.stringContaining('only reads') })
    admin.query('SET default_transaction_read_only = off; ALTER DATABASE findings RESET default_transaction_read_only')
    admin.query('UPDATE main.schema_version SET number = 150')
    expect(await see('database')).toMatchObject({
      status: 'failed',
      fix: expect.stringMatching(/^Export it with the version that made it.*createdb .* assay init$/),
    })
    admin.query('UPDATE main.schema_version SET number = 9999')
    expect(await see('database')).toMatchObject({ status: 'failed', fix: expect.stringContaining('newer version') })
    expect(port).toBeDefined()
  })
})
