import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Check } from '../../src/cli/host.ts'
import { checkNode } from '../../src/doctor/machine.ts'
import { createOwner } from '../../src/scans/owner.ts'
import { spawnAssay } from '../support/assay.ts'
import { listIllnesses } from './illnesses.ts'
import { admit, commandOf } from './ward.ts'

const machine = vi.hoisted(() => ({
  fileSystem: undefined as number | undefined,
  freeBytes: undefined as number | undefined,
  localhost: '127.0.0.1',
  walBytes: 0,
}))
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  const statfsSync = (path: string) => {
    const found = fs.statfsSync(path)
    const { fileSystem = found.type, freeBytes } = machine
    return { ...found, type: fileSystem, ...(freeBytes === undefined ? {} : { bavail: freeBytes, bsize: 1 }) }
  }
  const statSync = (path: string, options?: { throwIfNoEntry?: false }) => {
    const found = fs.statSync(path, options)
    if (found !== undefined && path.endsWith('-wal') && machine.walBytes > 0) found.size = machine.walBytes
    return found
  }
  return { ...fs, statfsSync, statSync }
})
vi.mock('node:dns/promises', () => ({ lookup: async () => ({ address: machine.localhost, family: 4 }) }))

function recover(): void {
  Object.assign(machine, { fileSystem: undefined, freeBytes: undefined, localhost: '127.0.0.1', walBytes: 0 })
  vi.useRealTimers()
}

describe('the version of Node', () => {
  it.each([
    ['24.21.0', '2026-11-01', expect.stringMatching(/^Node 24\.21\.0 on \S+ \S+, supported until 2028-04-30$/)],
    ['22.23.3', '2027-05-01', { warning: expect.stringContaining('maintenance ended on 2027-04-30') }],
    ['27.1.0', '2027-05-01', { warning: expect.stringContaining('not tested on') }],
    ['20.20.2', '2026-11-01', { failed: expect.stringContaining('Assay needs Node.js 22.21, 24.5 or 26') }],
  ])('%s on %s', (version, today, found) => {
    const checked = checkNode(version, today)
    expect(checked).toEqual(typeof checked === 'string' ? found : expect.objectContaining(found))
    if (typeof checked !== 'string') expect(checked.fix).toContain('nvm install 24')
  })
})

describe('a healthy data folder', () => {
  it('passes every check', async () => {
    const patient = await admit()
    patient.backUp()
    const checks = await patient.examine({ deep: true })
    expect(checks.filter(({ status }) => status !== 'ok')).toEqual([])
    expect(checks.length).toBeGreaterThanOrEqual(25)
    expect(new Set(checks.map(({ name }) => name)).size).toBe(checks.length)
  })

  it('is repaired by deleting the snapshot of the columnar index', async () => {
    const patient = await admit()
    const folder = join(patient.home, 'engine')
    mkdirSync(folder)
    writeFileSync(join(folder, 'a.columns'), 'damaged')
    const checks = await patient.examine({ repair: true })
    expect(checks.filter(({ status }) => status === 'failed')).toEqual([])
    expect(checks.map(({ name }) => name)).toContain('snapshot of the index')
    expect(readdirSync(folder)).toEqual([])
  })

  it('that does not exist is reported and not created', async () => {
    const patient = await admit()
    const home = join(patient.person, 'new')
    const sick = await patient.see('data folder', { home })
    expect([sick.status, existsSync(home)]).toEqual(['failed', false])
    mkdirSync(home, { mode: 0o700 })
    expect(await patient.see('database', { home })).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('contains no database'),
    })
    expect(readdirSync(home)).toEqual([])
    patient.shell(commandOf(sick))
    expect(await patient.see('database', { home })).toMatchObject({ status: 'ok' })
  }, 60_000)
})

describe('each problem is reported with the command that fixes it', () => {
  it.each(Object.entries(listIllnesses(machine)))(
    '%s',
    async (_name, illness) => {
      onTestFinished(recover)
      const { status = 'failed', deep = false, command, run } = illness
      const patient = await admit()
      await illness.infect(patient)
      const sick = await patient.see(illness.check, { deep, home: patient.home })
      expect(sick).toMatchObject({ status, detail: expect.stringMatching(illness.says) })
      const told = commandOf(sick)
      if (command !== undefined) {
        expect(told).toMatch(command)
        return
      }
      if (run !== undefined) await run(told, patient)
      else await patient.follow(told)
      const home = illness.homeAfter?.(patient) ?? patient.home
      expect(await patient.see(illness.check, { deep, home })).toMatchObject({ status: 'ok' })
    },
    60_000,
  )

  it('a port that is in use', async () => {
    const patient = await admit()
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    onTestFinished(() => void other.close())
    const { port } = other.address() as { port: number }
    const sick = await patient.see('port', { port })
    expect(sick).toMatchObject({ status: 'warning', detail: expect.stringContaining(`:${port} is in use`) })
    expect(commandOf(sick)).toBe('assay serve --port 0')
  })

  it('names the folder in each command when it is not the default one', async () => {
    const patient = await admit()
    delete patient.env.ASSAY_HOME
    const sick = await patient.see('backups')
    expect(commandOf(sick)).toBe(`assay backup --home '${patient.home}'`)
    await patient.run(commandOf(sick))
    expect(await patient.see('backups')).toMatchObject({ status: 'ok' })
  }, 60_000)

  const wiki = (port = 9) => ({
    type: 'WIKI',
    required: { base_url: `http://127.0.0.1:${port}`, account_email: 'a@northfield.dev' },
    masked: { api_token: 'wrong' },
    optional: { connection: { max_retries: 0 } },
  })

  it('a list that leaves detectors out', async () => {
    const patient = await admit()
    await patient.operate('create_source', { name: 'all of it', config: wiki() })
    expect(await patient.see('detectors')).toMatchObject({ status: 'ok' })
    const config = { ...wiki(), detectors: [{ type: 'SECRETS', enabled: true }] }
    await patient.operate('create_source', { name: 'part of it', config })
    const sick = await patient.see('detectors')
    expect(sick).toMatchObject({
      status: 'warning',
      detail: expect.stringMatching(/^By its list of detectors, 'part of it' does not run .*PII.*\.$/),
    })
    expect(sick.detail).not.toMatch(/all of it|SECRETS/)
    await patient.run(commandOf(sick))
    expect(await patient.see('detectors')).toMatchObject({ status: 'ok' })
  }, 60_000)

  it('schedules that no process runs', async () => {
    const patient = await admit()
    const config = { ...wiki(), schedule: { enabled: true, preset: 'nightly' } }
    await patient.operate('create_source', { name: 'nightly wiki', config })
    expect(await patient.see('background loop')).toMatchObject({
      status: 'warning',
      detail: 'No process runs the scheduled scans of nightly wiki.',
      fix: expect.stringContaining('assay service install'),
    })
    const until = Date.now() + 60_000
    patient.tamper(
      `INSERT INTO lease (name, holder, token, expires_at) VALUES ('loop', '${createOwner().name}', 1, ${until})`,
    )
    expect(await patient.see('background loop')).toMatchObject({ status: 'ok' })
  })

  it('a source that does not answer, after a limited wait, with the step that failed', async () => {
    const patient = await admit()
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await new Promise((resolve) => silent.once('listening', resolve))
    onTestFinished(() => void silent.close())
    const { port } = silent.address() as { port: number }
    await patient.operate('create_source', { name: 'gone', config: wiki() })
    expect(await patient.see('source gone')).toMatchObject({
      status: 'failed',
      detail: expect.stringMatching(/^sign in: failed, 127\.0\.0\.1:9 could not be reached/),
    })
    await patient.operate('create_source', { name: 'silent', config: wiki(port) })
    const start = performance.now()
    expect(await patient.see('source silent', { limits: { maxWaitMs: 200 } })).toMatchObject({
      status: 'failed',
      detail: 'sign in: no answer within 0.2 s',
      fix: expect.stringMatching(/^To wait longer: assay sources test [\w-]+/),
    })
    expect(performance.now() - start).toBeLessThan(5_000)
  }, 60_000)

  it('a database larger than the limit, which is read as a whole only by --full', async () => {
    const patient = await admit()
    patient.backUp()
    patient.tamper(`INSERT INTO placement (dashboard_id, metric_id, size, position) VALUES (4242, 4242, 'md', 1)`)
    const limits = { maxQuickBytes: 1 }
    for (const name of ['database', 'references']) {
      expect(await patient.see(name, { limits })).toMatchObject({
        status: 'ok',
        detail: expect.stringMatching(/not read as a whole; `assay doctor --full` does$/),
      })
    }
    expect(await patient.see('references')).toMatchObject({ status: 'failed' })
    expect(await patient.see('references', { limits, deep: true })).toMatchObject({ status: 'failed' })
  })

  it('a late schedule, a dead loop process and an abandoned scan are fixed by starting a server', async () => {
    const patient = await admit()
    const config = {
      type: 'WIKI',
      required: { base_url: 'http://127.0.0.1:9', account_email: 'a@northfield.dev' },
      masked: { api_token: 'wrong' },
      schedule: { enabled: true, preset: 'hourly' },
      optional: { connection: { max_retries: 0 } },
    }
    await patient.operate('create_source', { name: 'dead wiki', config })
    await patient.operate('start_scan', { id: 'dead wiki' })
    const dead = createOwner().name.replace(/\/\d+\//, '/4194303/')
    const past = Date.now() - 3_600_000
    patient.tamper(`UPDATE source SET next_run_at = ${past};
      UPDATE scan SET status = 'RUNNING', owner = '${dead}', heartbeat_at = ${past}, started_at = ${past};
      INSERT OR REPLACE INTO lease (name, holder, token, expires_at) VALUES ('loop', '${dead}', 1, ${Date.now() + 60_000})`)
    const sick = await patient.examine()
    const found = Object.fromEntries(sick.map((check) => [check.name, check]))
    for (const name of ['background loop', 'schedules', 'scans']) {
      expect(found[name]).toMatchObject({ status: 'warning', fix: 'assay serve' })
    }
    const source = found['source dead wiki']
    expect(source).toMatchObject({
      status: 'failed',
      fix: expect.stringMatching(/assay sources test [\w-]+$/),
    })
    const server = spawnAssay(['serve', '--port', '0'], { home: patient.home })
    onTestFinished(() => void server.kill('SIGKILL'))
    const closed = new Promise((resolve) => server.once('close', resolve))
    const isWell = async () => {
      const checks = await patient.examine()
      return ['background loop', 'schedules', 'scans'].every(
        (name) => checks.find((check) => check.name === name)?.status === 'ok',
      )
    }
    await vi.waitUntil(isWell, { timeout: 60_000, interval: 500 })
    server.kill('SIGTERM')
    await closed
  }, 120_000)
})

describe('assay doctor', () => {
  it('prints the checks, and exits with 1 only when one has failed', async () => {
    const patient = await admit()
    const warned = patient.shell('assay doctor')
    expect(warned).toContain('warn  backups: There is no backup.\n      → assay backup\n')
    patient.backUp()
    rmSync(join(patient.home, 'assay.key'))
    const failed = spawnSync('sh', ['-c', 'assay doctor --deep --json'], { env: patient.env, encoding: 'utf8' })
    expect(failed).toMatchObject({ status: 1, stderr: expect.stringMatching(/^assay: 1 check failed;/) })
    const told = (JSON.parse(failed.stdout) as { checks: Check[] }).checks.find(({ name }) => name === 'key')
    expect(told).toMatchObject({ status: 'failed', fix: expect.stringContaining('install -m 600') })
  }, 60_000)
})
