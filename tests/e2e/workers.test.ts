import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openApp } from '../../src/app.ts'
import type { Host } from '../../src/cli/host.ts'
import { work } from '../../src/commands/worker.ts'
import { loadConfig } from '../../src/config.ts'
import { sampleSourceConfigs } from '../../src/sample/tenants.ts'
import { openLastingCommandLine } from '../cli/command-line.ts'
import { generatedWiki } from '../sample/generated-wiki.ts'
import { startSampleWiki } from '../sample/servers.ts'
import { makeHome, runAssay, serveAssay, startAssay } from '../support/assay.ts'
import { isLong } from '../support/long.ts'
import { missingPrograms, type OwnPostgresServer, openAdmin, startOwnPostgres } from '../support/postgres.ts'
import { ask } from './estate.ts'

const SOURCES = 2
/** One key for all processes, as machines need it. */
const ASSAY_KEY = Buffer.alloc(32, 7).toString('base64')
const PATIENCE = { timeout: 120_000, interval: 100 }

it('a worker refuses a database in the data folder', async () => {
  const { home, remove } = makeHome()
  onTestFinished(remove)
  const { code, stdout, stderr } = await runAssay(['worker'], { home })
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'assay: A worker shares a PostgreSQL database, which ASSAY_STORE must name; on a database in the data folder, `assay serve` runs scheduled work itself.\n',
  })
})

describe.skipIf(missingPrograms !== undefined)(`workers on PostgreSQL ${missingPrograms ?? ''}`, () => {
  let server: OwnPostgresServer
  let wiki: Awaited<ReturnType<typeof startSampleWiki>>
  let env: Record<string, string>
  let admin: ReturnType<typeof openAdmin>
  const homes = Array.from({ length: 4 }, makeHome)
  const [{ home } = { home: '' }] = homes
  const query = (text: string) => admin.query(text)
  /** Runs a command in this process. */
  const run = (args: readonly string[], stdin?: string) => openLastingCommandLine(env, { home }).run(args, stdin)

  beforeAll(async () => {
    server = await startOwnPostgres()
    server.run('CREATE DATABASE shared')
    // Triggers name tables without their schema.
    server.run('ALTER DATABASE shared SET search_path = main, pg_catalog')
    env = { ASSAY_STORE: `${server.url}/shared`, ASSAY_KEY }
    wiki = await startSampleWiki({ tenant: generatedWiki({ pages: 16, sentences: 4 }), latencyMs: 30 })
    const { config } = sampleSourceConfigs({ wikiUrl: wiki.url, biUrl: wiki.url, authorityUrl: wiki.url }).wiki
    const schedule = { enabled: true, preset: 'weekly', timezone: 'Etc/UTC' }
    expect((await run(['init'])).code).toBe(0)
    const create = async (operation: string, input: object) =>
      expect(await run(['call', operation, '-'], JSON.stringify(input))).toMatchObject({ code: 0 })
    for (let number = 0; number < SOURCES; number++) {
      const detectors = [{ type: 'SECRETS', enabled: true }]
      await create('create_source', { name: `wiki ${number}`, config: { ...config, schedule, detectors } })
    }
    const watch = {
      ...{ slug: 'daily', displayName: 'Daily', metricSlug: 'open-findings', cron: '0 0 * * *' },
      condition: { kind: 'above', value: 1_000_000 },
    }
    await create('create_watch', watch)
    admin = openAdmin(server, 'shared')
  }, 300_000)
  afterAll(async () => {
    admin.close()
    await wiki.close()
    server.stop()
    for (const { remove } of homes) remove()
  })

  /** What a failed test leaves. */
  const children = new Set<ChildProcess>()
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL')
  })
  const startServer = async (...args: string[]) => {
    const started = await serveAssay(homes[3]?.home ?? '', args, env)
    children.add(started.child)
    return started
  }
  const startWorker = async (folder: number) => {
    const started = await startAssay(['worker', '--probe-port', '0', '--log-level', 'info'], {
      home: homes[folder]?.home ?? '',
      env,
    })
    children.add(started.child)
    return started
  }
  const makeDue = () => query('UPDATE main.source SET next_run_at = 1 WHERE next_run_at IS NOT NULL')
  /** The scans of each source, oldest first: status and who started them. */
  const listScans = () =>
    query(`SELECT string_agg(status || ' ' || requested_by, ',' ORDER BY scan.id)
      FROM main.source LEFT JOIN main.scan ON scan.source_id = source.id GROUP BY source.id ORDER BY source.id`).map(
      ([scans]) => String(scans ?? ''),
    )
  /** The same after one more scheduled scan of each. */
  const withOneMore = (scans: readonly string[]) =>
    scans.map((each) => `${each}${each === '' ? '' : ','}COMPLETED schedule`)

  /** The processes that run scans. */
  const listOwners = () =>
    query(`SELECT owner FROM main.scan WHERE status = 'RUNNING' AND owner IS NOT NULL`).map(
      ([owner]) => String(owner).split('/')[1],
    )

  /** The process that runs the loop. */
  const listHolders = () =>
    query(`SELECT holder FROM main.lease WHERE name = 'loop'`).map(([holder]) => String(holder).split('/')[1])
  /** It goes on in the next test. */
  let left: Awaited<ReturnType<typeof startWorker>>

  it('share scheduled work with a server, each job done once, and one takes over the scan of another that was killed', async () => {
    const { url, stop } = await startServer()
    const [one, other] = [await startWorker(1), await startWorker(2)]
    const once = withOneMore(listScans())
    makeDue()
    query('UPDATE main.watch_run SET due_at = 1, evaluations = 0')
    await vi.waitFor(() => expect(listScans()).toEqual(once), PATIENCE)
    await vi.waitFor(() => expect(query('SELECT due_at > 1 FROM main.watch_run')).toEqual([[1]]), PATIENCE)
    const pids = [one, other].map(({ child }) => String(child.pid))
    expect((await ask(url, 'GET', '/ready')).status).toBe(200)
    await stop()
    await vi.waitFor(() => expect(pids).toContain(listHolders()[0]), PATIENCE)

    const twice = withOneMore(once)
    // Pages without a checksum are read again.
    query(`UPDATE main.asset SET checksum = ''`)
    makeDue()
    const findOwner = () => [one, other].find(({ child }) => listOwners().includes(String(child.pid)))
    await vi.waitFor(() => expect(findOwner()).toBeDefined(), PATIENCE)
    const killed = findOwner()
    killed?.child.kill('SIGKILL')
    await killed?.closed
    left = killed === one ? other : one
    await vi.waitFor(() => expect(listScans()).toEqual(twice), PATIENCE)
  }, 300_000)

  it('say whether they can work, also while the database does not answer', async () => {
    const worker = left
    const ready = async () => (await fetch(`${worker.url}/ready`)).status
    await vi.waitFor(async () => expect(await ready()).toBe(200), PATIENCE)
    const readMetrics = async (headers: Record<string, string> = {}) =>
      (await fetch(`${worker.url}/metrics`, { headers })).status
    expect(await readMetrics()).toBe(200)
    const forwarded = { 'x-forwarded-for': '192.0.2.1' }
    expect(await readMetrics(forwarded)).toBe(401)
    const created = await run(['token', 'create', '--scope', 'read', '--name', 'metrics'])
    const token = created.stdout.trim().split(/\s+/).at(-1)
    expect(await readMetrics({ ...forwarded, authorization: `Bearer ${token}` })).toBe(200)
    query('DELETE FROM main.access_token')
    expect(await readMetrics({ ...forwarded, authorization: `Bearer ${token}` })).toBe(401)
    expect((await fetch(`${worker.url}/sources`)).status).toBe(404)
    server.halt()
    expect(await ready()).toBe(503)
    server.resume()
    await vi.waitFor(async () => expect(await ready()).toBe(200), PATIENCE)

    const { url, stop } = await startServer('--no-background', '--lockdown')
    await ask(url, 'GET', '/semantic/metrics')
    server.pause()
    onTestFinished(() => server.unpause())
    const waiting = ask(url, 'GET', '/semantic/metrics')
    // Lockdown looks up for which word a code was shown.
    const filters = { findingTypes: ['code:0123456789ab'] }
    const masked = ask(url, 'POST', '/semantic/query', { metricSlug: 'total-findings', filters })
    await sleep(1_500)
    const since = performance.now()
    const answers = await Promise.all(
      [`${url}/health`, `${worker.url}/health`, `${url}/ready`].map((each) => fetch(each)),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 503])
    // The lookup of /ready may take two seconds.
    expect(performance.now() - since).toBeLessThan(10_000)
    expect(await ready()).toBe(503)
    server.unpause()
    expect([(await waiting).status, (await masked).status]).toEqual([200, 200])
    await vi.waitFor(
      async () => expect([await ready(), (await ask(url, 'GET', '/ready')).status]).toEqual([200, 200]),
      PATIENCE,
    )
    await worker.stop()
    await stop()
    expect([listHolders(), listOwners()]).toEqual([[], []])
  }, 300_000)

  // It waits for 30 seconds, so it runs in the long suite.
  it.runIf(isLong)(
    'lose their scan to another one when they are paused for longer than its lease',
    async () => {
      const workers = [await startWorker(1), await startWorker(2)]
      const complete = withOneMore(listScans())
      query(`UPDATE main.asset SET checksum = ''`)
      makeDue()
      const findOwner = () => workers.find(({ child }) => listOwners().includes(String(child.pid)))
      await vi.waitFor(() => expect(findOwner()).toBeDefined(), PATIENCE)
      const paused = findOwner()
      paused?.child.kill('SIGSTOP')
      await vi.waitFor(() => expect(listScans()).toEqual(complete), PATIENCE)
      expect(listOwners()).toEqual([])
      paused?.child.kill('SIGCONT')
      for (const worker of workers) await worker.stop()
      expect(listScans()).toEqual(complete)
    },
    300_000,
  )

  it('do not start where they cannot work', async () => {
    const start = async (probePort: number, changed: Record<string, string> = {}) => {
      const its = { ...env, ...changed }
      const app = await openApp(loadConfig({ home, probePort, logLevel: 'silent' }, its), its)
      return work(app, { signal: AbortSignal.timeout(10_000), stdout: new PassThrough() } as unknown as Host)
    }
    await expect(start(0, { ASSAY_KEY: Buffer.alloc(32, 8).toString('base64') })).rejects.toThrow(/\bkey\b/)
    const taken = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void taken.close())
    await once(taken, 'listening')
    const address = taken.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    await expect(start(port)).rejects.toThrow(`Port ${port} on 127.0.0.1 is already in use`)
  }, 60_000)
})
