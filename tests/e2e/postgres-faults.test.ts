import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { sampleSourceConfigs } from '../../src/sample/tenants.ts'
import { openLastingCommandLine } from '../cli/command-line.ts'
import { generatedWiki } from '../sample/generated-wiki.ts'
import { startSampleWiki } from '../sample/servers.ts'
import { makeHome, runAssay, type ServingProcess, serveAssay, startAssay } from '../support/assay.ts'
import { isLong } from '../support/long.ts'
import { missingPrograms, type OwnPostgresServer, openAdmin, startOwnPostgres } from '../support/postgres.ts'
import { ask } from './estate.ts'

const ASSAY_KEY = Buffer.alloc(32, 7).toString('base64')
const PATIENCE = { timeout: 90_000, interval: 200 }
const question = { metricSlug: 'total-findings' }

/** A server of an earlier version: another one whose version is changed in what it sends. */
async function startOldServer(url: string): Promise<{ url: string; close: () => void }> {
  const { hostname, port } = new URL(url)
  const older = (bytes: Buffer) =>
    Buffer.from(
      bytes
        .toString('latin1')
        .replace(/\b1[5-9](\d{4})\b/g, '14$1')
        .replace(/\b1[5-9]\.(\d+)/g, '14.$1'),
      'latin1',
    )
  const proxy = createServer((client) => {
    const there = connect(Number(port), hostname)
    client.pipe(there)
    there.on('data', (bytes) => client.write(older(bytes)))
    for (const socket of [client, there]) {
      socket.on('error', () => {})
      socket.on('close', () => (socket === client ? there : client).destroy())
    }
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const address = proxy.address() as { port: number }
  return { url: url.replace(`:${port}`, `:${address.port}`), close: () => void proxy.close() }
}

describe.skipIf(missingPrograms !== undefined)(`faults of PostgreSQL ${missingPrograms ?? ''}`, () => {
  let server: OwnPostgresServer
  let admin: ReturnType<typeof openAdmin>
  let env: Record<string, string>
  /** A server without background work. */
  let url: string
  let stop = () => {}
  const homes = Array.from({ length: 3 }, makeHome)
  const homeOf = (number: number) => homes[number]?.home ?? ''
  /** Runs a command in this process. */
  const runHere = (args: readonly string[], changed: Record<string, string> = {}) =>
    openLastingCommandLine({ ...env, ...changed }, { home: homeOf(0) }).run(args)
  const started = (serving: ServingProcess) => {
    onTestFinished(() => void serving.child.kill('SIGKILL'))
    return serving
  }
  const work = async (home: number) =>
    started(await startAssay(['worker', '--probe-port', '0'], { home: homeOf(home), env }))

  beforeAll(async () => {
    server = await startOwnPostgres()
    server.run('CREATE DATABASE shared')
    // Triggers name tables without their schema.
    server.run('ALTER DATABASE shared SET search_path = main, pg_catalog')
    env = { ASSAY_STORE: `${server.url}/shared`, ASSAY_KEY }
    expect(await runHere(['init'])).toMatchObject({ code: 0 })
    admin = openAdmin(server, 'shared')
    const serving = await serveAssay(homeOf(0), ['--no-background'], env)
    url = serving.url
    stop = () => void serving.child.kill('SIGKILL')
  }, 120_000)
  afterAll(() => {
    stop()
    admin.close()
    server.stop()
    for (const { remove } of homes) remove()
  })

  it('a version before 15 is refused', async () => {
    const old = await startOldServer(`${server.url}/shared`)
    onTestFinished(old.close)
    // In a process of its own, because the former server is in this one.
    const { code, stderr } = await runAssay(['init'], { home: homeOf(0), env: { ...env, ASSAY_STORE: old.url } })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/The server has PostgreSQL 14\.\d+; use version 15 or later/),
    })
  }, 60_000)

  it('a server that is not PostgreSQL itself is refused', async () => {
    server.run('CREATE DATABASE like_citus')
    const admin = openAdmin(server, 'like_citus')
    onTestFinished(() => admin.close())
    admin.query('SET allow_system_table_mods = on')
    admin.query(`INSERT INTO pg_extension VALUES (99999, 'citus', 10, 2200, false, '13.0', NULL, NULL)`)
    expect(await runHere(['init'], { ASSAY_STORE: `${server.url}/like_citus` })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('PostgreSQL with Citus, on which Assay is not tested'),
    })
    expect(admin.query(`SELECT to_regclass('main.install')`)).toEqual([[null]])
  }, 60_000)

  it('a standby server is refused', async () => {
    const standby = await server.startStandby()
    onTestFinished(standby.stop)
    const { code, stderr } = await runHere(['query', 'total-findings'], { ASSAY_STORE: `${standby.url}/shared` })
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('name the primary server') })
  }, 60_000)

  it('a server that becomes read-only still answers questions, and accepts changes once it does not', async () => {
    const add = (slug: string) =>
      ask(url, 'POST', '/semantic/glossary', { slug, displayName: slug, filterMapping: { severities: ['HIGH'] } })
    expect((await add('one')).status).toBe(201)
    const setReadOnly = (value: string) =>
      admin.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`) && admin.query('SELECT pg_reload_conf()')
    admin.query('SET default_transaction_read_only = off')
    setReadOnly('on')
    await vi.waitFor(
      async () => expect(await add('two')).toMatchObject({ status: 503, body: { reason: 'read_only' } }),
      PATIENCE,
    )
    expect((await ask(url, 'POST', '/semantic/query', question)).status).toBe(200)
    setReadOnly('off')
    await vi.waitFor(async () => expect((await add('two')).status).toBe(201), PATIENCE)
  }, 120_000)

  it('a question whose connection ends is refused or answered, and the next one is answered', async () => {
    expect((await ask(url, 'GET', '/findings')).status).toBe(200)
    const locking = openAdmin(server, 'shared')
    onTestFinished(() => locking.close())
    locking.query('BEGIN; LOCK TABLE main.finding IN ACCESS EXCLUSIVE MODE')
    const asked = ask(url, 'GET', '/findings')
    const waits = `FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = 'shared'`
    await vi.waitUntil(() => Number(admin.query(`SELECT count(*) ${waits}`)[0]?.[0]) > 0, PATIENCE)
    admin.query(`SELECT pg_terminate_backend(pid) ${waits}`)
    locking.query('ROLLBACK')
    expect(await asked).toMatchObject({ status: 503, body: { reason: 'database_unreachable' } })
    await vi.waitFor(async () => expect((await ask(url, 'GET', '/findings')).status).toBe(200), PATIENCE)
  }, 120_000)

  it('a server with another key says so and leaves the other one alone', async () => {
    const changed = { ...env, ASSAY_KEY: Buffer.alloc(32, 8).toString('base64') }
    const other = started(await serveAssay(homeOf(0), ['--no-background'], changed))
    expect(await ask(url, 'GET', '/ready')).toMatchObject({ status: 200, body: { checks: { key: 'ok' } } })
    expect(await ask(other.url, 'GET', '/ready')).toMatchObject({ status: 503, body: { checks: { key: 'failed' } } })
    expect((await ask(other.url, 'POST', '/semantic/query', question)).status).toBe(200)
    const doctor = await runAssay(['doctor'], { home: homeOf(0), env: changed })
    expect(doctor).toMatchObject({ code: 1, stdout: expect.stringMatching(/FAIL +key: Key mismatch/) })
  }, 120_000)

  it('commands for a database in a file are refused, and the key is not changed while others use the database', async () => {
    for (const args of [['backup'], ['restore', 'x.db']]) {
      const { code, stderr } = await runHere(args)
      expect([args, code, stderr]).toEqual([
        args,
        1,
        expect.stringMatching(/^assay: The database is on a PostgreSQL server: [^\n]+\.\n$/),
      ])
    }
    const newKey = join(homeOf(0), 'new.key')
    const lost = { ASSAY_KEY: Buffer.alloc(32, 8).toString('base64') }
    for (const [args, changed] of [
      [['key', 'rotate', '--to', newKey], {}],
      [['key', 'replace', '--yes'], lost],
    ] as const) {
      const { code, stderr } = await runHere(args, changed)
      expect([args, code, stderr]).toEqual([
        args,
        1,
        expect.stringMatching(/^assay: Other processes use .*start them again\.\n$/),
      ])
    }
    expect(existsSync(newKey)).toBe(false)
    expect((await runHere(['key', 'status'])).code).toBe(0)
    server.run('CREATE DATABASE unused')
    const empty = await runHere(['key', 'status'], { ASSAY_STORE: `${server.url}/unused` })
    expect(empty).toMatchObject({ code: 1, stderr: expect.stringContaining('assay init') })
  }, 60_000)

  it('the key of a database that nobody else uses is rotated, and replaced when it is lost', async () => {
    server.run('CREATE DATABASE keyed')
    const keyed = { ASSAY_STORE: `${server.url}/keyed` }
    const run = (args: readonly string[], changed: Record<string, string> = {}, stdin?: string) =>
      openLastingCommandLine({ ...env, ...keyed, ...changed }, { home: homeOf(0) }).run(args, stdin)
    const statusWith = async (changed: Record<string, string>) => {
      const { code, stdout } = await run(['key', 'status', '--json'], changed)
      return { code, ...(JSON.parse(stdout) as { secrets: number; problem?: string }) }
    }
    const wiki = await startSampleWiki()
    onTestFinished(() => wiki.close())
    const { config } = sampleSourceConfigs({ wikiUrl: wiki.url, biUrl: wiki.url, authorityUrl: wiki.url }).wiki
    const source = { name: 'wiki', config: { ...config, detectors: [{ type: 'SECRETS', enabled: true }] } }
    expect((await run(['call', 'create_source', '-'], {}, JSON.stringify(source))).code).toBe(0)
    expect(await run(['key', 'rotate'])).toMatchObject({ code: 1, stderr: expect.stringContaining('--to') })

    const file = join(homeOf(0), 'rotated.key')
    expect(await run(['key', 'rotate', '--to', file])).toEqual({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/1 secret re-encrypted\.\n.*every server and worker/s),
    })
    const rotated = { ASSAY_KEY_FILE: file }
    expect(await statusWith(rotated)).toMatchObject({ code: 0, secrets: 1 })
    expect(await statusWith({})).toMatchObject({ code: 1, problem: expect.stringContaining('Key mismatch') })
    expect((await run(['sources', 'test', 'wiki'], rotated)).code).toBe(0)

    expect(await run(['key', 'replace', '--yes'], rotated)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not lost'),
    })
    expect(await run(['key', 'replace', '--yes'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 source'),
    })
    expect(await statusWith({})).toMatchObject({ code: 0, secrets: 0 })
  }, 60_000)

  it.runIf(isLong)(
    'a scan goes on after the database was away, and a process that starts meanwhile says why it cannot',
    async () => {
      const wiki = await startSampleWiki({ tenant: generatedWiki({ pages: 30, sentences: 4 }), latencyMs: 60 })
      onTestFinished(() => wiki.close())
      const { config } = sampleSourceConfigs({ wikiUrl: wiki.url, biUrl: wiki.url, authorityUrl: wiki.url }).wiki
      await work(1)
      for (const name of ['calm', 'interrupted']) {
        const detectors = [
          { type: 'SECRETS', enabled: true },
          { type: 'PII', enabled: true },
        ]
        expect((await ask(url, 'POST', '/sources', { name, config: { ...config, detectors } })).status).toBe(201)
      }
      const scan = async (name: string) => {
        const { body } = await ask(url, 'POST', `/sources/${name}/scans`, {})
        return (body as { id: string }).id
      }
      const stateOf = (id: string) =>
        admin.query(
          `SELECT status, (SELECT count(*) FROM main.asset a WHERE a.source_id = s.source_id) FROM main.scan s WHERE uid = '${id}'`,
        )[0] ?? []
      const rowsOf = (id: string) =>
        admin.query(`SELECT a.key, k.detector_id, k.type_id, count(*), sum(f.conf_q) FROM main.scan s JOIN main.asset a ON a.source_id = s.source_id
        LEFT JOIN main.finding f ON f.asset_id = a.id LEFT JOIN main.combo k ON k.id = f.combo_id WHERE s.uid = '${id}'
        GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`)
      const calm = await scan('calm')
      await vi.waitFor(() => expect(stateOf(calm)[0]).toBe('COMPLETED'), PATIENCE)
      const interrupted = await scan('interrupted')
      await vi.waitUntil(() => Number(stateOf(interrupted)[1]) > 0, PATIENCE)
      expect(stateOf(interrupted)[0]).toBe('RUNNING')
      server.halt()
      expect(await runHere(['query', 'total-findings'])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('cannot be reached'),
      })
      const refused = await runAssay(['worker', '--probe-port', '0'], { home: homeOf(2), env })
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be reached') })
      server.resume()
      await vi.waitFor(() => expect(stateOf(interrupted)[0]).toBe('COMPLETED'), PATIENCE)
      expect(rowsOf(interrupted).length).toBeGreaterThan(30)
      expect(rowsOf(interrupted)).toEqual(rowsOf(calm))
    },
    240_000,
  )
})
