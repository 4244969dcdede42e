import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openApp } from '../../src/app.ts'
import type { Host } from '../../src/cli/host.ts'
import { serve } from '../../src/commands/serve.ts'
import { work } from '../../src/commands/worker.ts'
import { loadConfig } from '../../src/config.ts'
import { newestSchema } from '../../src/store/migrations.ts'
import { openLastingCommandLine } from '../cli/command-line.ts'
import { firstUrl, makeHome } from '../support/assay.ts'
import { takeFaults } from '../support/endings.ts'
import { missingPrograms, type OwnPostgresServer, openAdmin, startOwnPostgres } from '../support/postgres.ts'
import { ask } from './estate.ts'

/** One key for all processes, as machines need it. */
const ASSAY_KEY = Buffer.alloc(32, 7).toString('base64')
const PATIENCE = { timeout: 60_000, interval: 100 }
const present = newestSchema()
const next = present + 1
const question = { metricSlug: 'total-findings' }

/** Copies the program, and gives the copy one more migration, as the next version would have. */
function makeNextVersion(): string {
  const root = mkdtempSync(join(tmpdir(), 'assay-next-'))
  const here = fileURLToPath(new URL('../../', import.meta.url))
  for (const name of ['package.json', 'dist', 'migrations'])
    cpSync(join(here, name), join(root, name), { recursive: true })
  for (const name of ['node_modules', 'schemas', 'models', 'sample-company'])
    symlinkSync(join(here, name), join(root, name))
  const change = `ALTER TABLE watch ADD COLUMN colour TEXT;\n`
  writeFileSync(join(root, `migrations/sqlite/0${next}-next.sql`), change)
  writeFileSync(join(root, `migrations/postgres/0${next}-next.sql`), `${change}SELECT pg_sleep(1);\n`)
  return root
}

describe.skipIf(missingPrograms !== undefined)(`an upgrade on PostgreSQL ${missingPrograms ?? ''}`, () => {
  let server: OwnPostgresServer
  let env: Record<string, string>
  let admin: ReturnType<typeof openAdmin>
  let root: string
  const homes = Array.from({ length: 5 }, makeHome)
  const homeOf = (number: number) => homes[number]?.home ?? ''
  beforeAll(async () => {
    server = await startOwnPostgres()
    server.run('CREATE DATABASE shared')
    env = { ASSAY_STORE: `${server.url}/shared`, ASSAY_KEY }
    admin = openAdmin(server, 'shared')
    root = makeNextVersion()
  }, 60_000)
  afterAll(() => {
    admin.close()
    server.stop()
    rmSync(root, { recursive: true })
    for (const { remove } of homes) remove()
  })

  /** Starts a server or worker of this version in this process. */
  async function startHere(start: typeof serve, home: string) {
    const config = loadConfig({ home, port: 0, probePort: 0, background: false, logLevel: 'silent' }, env)
    const stopping = new AbortController()
    const stdout = new PassThrough()
    const host = { signal: stopping.signal, stdout } as unknown as Host
    const ended = start(await openApp(config, env), host)
    onTestFinished(() => stopping.abort())
    const url = await firstUrl(
      { stdout } as unknown as ChildProcess,
      ended.then(() => 'it ended'),
    )
    const stop = () => {
      stopping.abort()
      return ended
    }
    return { url, stop }
  }

  /** Starts a command of the next version. */
  function startNext(args: readonly string[], home: string) {
    const child = spawn(process.execPath, [join(root, 'dist/main.js'), ...args], {
      env: { ...process.env, ...env, ASSAY_HOME: home },
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const output = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        output[name] += text
      })
    }
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
    return { child, output, closed }
  }
  const runNext = async (args: readonly string[], home: string) => {
    const { output, closed } = startNext(args, home)
    return { code: await closed, ...output }
  }
  const schema = () => admin.query('SELECT number FROM main.schema_version')[0]?.[0]
  const statusOf = async (url: string) => (await fetch(url)).status

  it('is made by one of the servers that start, while those of the earlier version refuse to go on', async () => {
    const [old, worker] = [await startHere(serve, homeOf(0)), await startHere(work, homeOf(1))]
    expect((await ask(old.url, 'POST', '/semantic/query', question)).status).toBe(200)
    expect(schema()).toBe(present)

    // Commands that others may run anywhere do not upgrade what servers use.
    for (const args of [['token', 'create', '--scope', 'read'], ['doctor']]) {
      const { code, stdout, stderr } = await runNext(args, homeOf(2))
      expect([args, code, `${stdout}${stderr}`]).toEqual([
        ...[args, 1],
        expect.stringMatching(/has schema \d+ of an earlier version of Assay.*pg_dump.*assay init/s),
      ])
    }
    expect(schema()).toBe(present)
    expect(await statusOf(`${old.url}/ready`)).toBe(200)

    const starting = [2, 3].map((number) => startNext(['serve', '--port', '0'], homeOf(number)))
    const urls = await Promise.all(starting.map(({ child }) => firstUrl(child)))
    expect(schema()).toBe(next)
    const logged = starting.map(({ output }) => output.stderr).join('')
    expect(logged.match(/the schema of the database was upgraded/g)).toHaveLength(1)
    expect(logged).toMatch(/processes of an earlier version of Assay are refused from now on/)
    for (const url of urls) {
      expect(await statusOf(`${url}/ready`)).toBe(200)
      expect((await ask(url, 'POST', '/semantic/query', question)).status).toBe(200)
    }

    for (const { url } of [old, worker]) {
      expect(await statusOf(`${url}/health`)).toBe(200)
      await vi.waitFor(async () => expect(await statusOf(`${url}/ready`)).toBe(503), PATIENCE)
    }
    const refused = { status: 503, body: { reason: 'database_newer' } }
    expect(await ask(old.url, 'POST', '/semantic/query', question)).toMatchObject(refused)
    expect(await ask(old.url, 'POST', '/semantic/glossary', { slug: 'x', displayName: 'X' })).toMatchObject(refused)
    const refusedHere = await openLastingCommandLine(env, { home: homeOf(4) }).run(['query', 'total-findings'])
    expect(refusedHere).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('of a newer version of Assay'),
    })

    const sick = await runNext(['doctor'], homeOf(2))
    expect(sick.stdout).toMatch(/warn +other versions: .* connections? for schema \d+/)
    await Promise.all([old.stop(), worker.stop()])
    // A thread that starts meanwhile cannot open the database.
    for (const fault of takeFaults()) expect(fault).toContain('of a newer version of Assay')
    for (const { child, closed } of starting) {
      child.kill('SIGTERM')
      expect(await closed).toBe(0)
    }
    expect(readdirSync(homeOf(2))).not.toContain('assay.db')
  }, 180_000)
})
