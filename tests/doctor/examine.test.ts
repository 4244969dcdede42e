import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Check } from '../../src/cli/host.ts'
import { createOwner } from '../../src/scans/owner.ts'
import { spawnAssay } from '../support/assay.ts'
import { admit, commandOf, type Patient } from './ward.ts'

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

interface Illness {
  check: string
  status?: 'failed' | 'warning'
  deep?: boolean
  port?: number
  infect: (patient: Patient) => unknown
  /** What the detail says. */
  says: RegExp
  /** The command, where it is not run here. */
  command?: RegExp
  /** Changes the command into what runs without a person. */
  run?: (command: string, patient: Patient) => unknown
  /** Where the data folder is afterwards. */
  homeAfter?: (patient: Patient) => string
}

const database = (patient: Patient) => join(patient.home, 'assay.db')
const overwrite = (file: string, at: number, bytes: number) => {
  const handle = openSync(file, 'r+')
  writeSync(handle, Buffer.alloc(bytes, 0x55), 0, bytes, at)
  closeSync(handle)
}
const atHome = ({ person }: Patient) => join(person, 'assay-data')
const unset = (command: string, { env }: Patient) => {
  expect(command).toMatch(/^unset [A-Z_a-z ]+$/)
  for (const name of command.split(' ').slice(1)) delete env[name]
}
const backedUp = (damage: (patient: Patient) => unknown) => (patient: Patient) => {
  patient.backUp()
  return damage(patient)
}

const illnesses: Record<string, Illness> = {
  'a file in the place of the data folder': {
    check: 'data folder',
    infect: ({ home }) => {
      rmSync(home, { recursive: true })
      writeFileSync(home, '')
    },
    says: /EEXIST|not a directory|exists/i,
  },
  'a data folder that cannot be made': {
    check: 'data folder',
    infect: (patient) => {
      const { home, env } = patient
      rmSync(home, { recursive: true })
      writeFileSync(home, '')
      env.ASSAY_HOME = join(home, 'below a file')
      patient.home = env.ASSAY_HOME
    },
    says: /ENOTDIR/,
    command: /^assay doctor --home ~\/assay-data$/,
  },
  'a data folder that others can read': {
    check: 'permissions',
    status: 'warning',
    infect: ({ home }) => chmodSync(home, 0o755),
    says: /Others can read the folder/,
  },
  'a network file system': {
    check: 'file system',
    infect: () => {
      machine.fileSystem = 0x6969
    },
    says: /NFS/,
    run: (command, patient) => {
      patient.shell(command.replace(/ && assay doctor.*$/, ''))
      machine.fileSystem = undefined
    },
    homeAfter: atHome,
  },
  'a folder that is copied elsewhere': {
    check: 'file system',
    status: 'warning',
    infect: (patient) => {
      const inside = join(patient.person, 'Dropbox', 'data')
      mkdirSync(join(patient.person, 'Dropbox'))
      renameSync(patient.home, inside)
      patient.home = inside
      patient.env.ASSAY_HOME = inside
    },
    says: /Dropbox/,
    run: (command, patient) => patient.shell(command),
    homeAfter: atHome,
  },
  'a full disk': {
    check: 'room',
    infect: () => {
      machine.freeBytes = 10_000_000
    },
    says: /Only 9 MB/,
    run: (command, patient) => {
      expect(patient.shell(command)).toContain('assay.db')
      machine.freeBytes = undefined
    },
  },
  'little room': {
    check: 'room',
    status: 'warning',
    infect: () => {
      machine.freeBytes = 100_000_000
    },
    says: /Only 95 MB/,
    command: /^du -ah /,
  },
  'an interrupted copy': {
    check: 'leftovers',
    status: 'warning',
    infect: ({ home }) => writeFileSync(join(home, 'assay-x.db.draft'), ''),
    says: /1 draft/,
  },
  'an interrupted change of the key': {
    check: 'leftovers',
    status: 'warning',
    infect: ({ home }) => writeFileSync(join(home, 'assay.key.next'), Buffer.alloc(32, 7), { mode: 0o600 }),
    says: /interrupted/,
  },
  'a damaged database with a backup': {
    check: 'database',
    infect: backedUp((patient) => overwrite(database(patient), 8192, 8192 * 3)),
    says: /malformed|damaged|integrity|not|page|btree/i,
  },
  'a database cut off, without a backup': {
    check: 'database',
    infect: (patient) => truncateSync(database(patient), 8192 * 3),
    says: /cut off/,
  },
  'a database that is something else': {
    check: 'database',
    infect: backedUp((patient) => writeFileSync(database(patient), 'not a database at all '.repeat(1000))),
    says: /not a database/,
  },
  'a database of a newer version': {
    check: 'database',
    infect: ({ tamper }) => tamper('PRAGMA user_version = 9999'),
    says: /schema 9999/,
    command: /^npm install --global assay@latest$/,
  },
  'rows that refer to nothing': {
    check: 'references',
    infect: backedUp(({ tamper }) =>
      tamper(`INSERT INTO placement (dashboard_id, metric_id, size, position) VALUES (4242, 4242, 'md', 1)`),
    ),
    says: /refer to nothing/,
  },
  'a log of writes that nobody empties': {
    check: 'log of writes',
    status: 'warning',
    infect: () => {
      machine.walBytes = 80 * 1024 * 1024
    },
    says: /80 MB/,
    command: /^pgrep -af assay$/,
  },
  'no backup': { check: 'backups', status: 'warning', infect: () => {}, says: /none/ },
  'an old backup': {
    check: 'backups',
    status: 'warning',
    infect: ({ home, backUp }) => {
      backUp()
      const [name = ''] = readdirSync(join(home, 'backups'))
      const old = new Date(Date.now() - 45 * 86_400_000)
      utimesSync(join(home, 'backups', name), old, old)
      renameSync(join(home, 'backups', name), join(home, 'backups', 'assay-20260101T000000Z.db'))
    },
    says: /45 days/,
  },
  'an edited audit trail': {
    check: 'audit trail',
    infect: backedUp(({ tamper }) =>
      tamper(`DROP TRIGGER audit_is_append_only_update; UPDATE audit SET actor = 'somebody else' WHERE rowid = 3`),
    ),
    says: /changed at entry/,
  },
  'an edited definition': {
    check: 'definitions',
    deep: true,
    infect: backedUp(({ tamper }) =>
      tamper(
        `UPDATE term SET filter_mapping = replace(filter_mapping, 'CRITICAL', 'LOW') WHERE slug = 'critical-findings'`,
      ),
    ),
    says: /critical-findings/,
  },
  'a lost key': {
    check: 'key',
    infect: ({ home, person }) => renameSync(join(home, 'assay.key'), join(person, 'copy.key')),
    says: /key/,
    run: (command, { shell }) => shell(command.replace('COPY-OF-THE-KEY', 'copy.key')),
  },
  'a wrong key': {
    check: 'key',
    infect: ({ home, person }) => {
      copyFileSync(join(home, 'assay.key'), join(person, 'copy.key'))
      writeFileSync(join(home, 'assay.key'), Buffer.alloc(32, 9))
    },
    says: /mismatch/,
    run: (command, { shell }) => shell(command.replace('COPY-OF-THE-KEY', 'copy.key')),
  },
  'a key that others can read': {
    check: 'key',
    infect: ({ home }) => chmodSync(join(home, 'assay.key'), 0o644),
    says: /Others can read/,
  },
  'a clock that stands at its beginning': {
    check: 'clock',
    infect: () => {
      vi.useFakeTimers({ toFake: ['Date'], now: 0 })
    },
    says: /^1970/,
    command: /timedatectl|sntp|w32tm/,
  },
  'a clock that went back': {
    check: 'clock and rows',
    status: 'warning',
    infect: () => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 10 * 86_400_000 })
    },
    says: /newest row/,
    command: /timedatectl|sntp|w32tm/,
  },
  'names that lead elsewhere': {
    check: 'names',
    infect: () => {
      machine.localhost = '10.0.0.1'
    },
    says: /another machine/,
    command: /\/etc\/hosts$/,
  },
  'a proxy': {
    check: 'proxy',
    status: 'warning',
    infect: ({ env }) => {
      env.https_proxy = 'http://proxy:8080'
    },
    says: /https_proxy/,
    run: unset,
  },
  'certificates that are not looked at': {
    check: 'certificates',
    infect: ({ env }) => {
      env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    },
    says: /pose/,
    run: unset,
  },
  'certificates that are not there': {
    check: 'certificates',
    infect: ({ env }) => {
      env.NODE_EXTRA_CA_CERTS = '/nowhere.pem'
    },
    says: /not there/,
    run: unset,
  },
  'an assistant that cannot read its configuration': {
    check: 'assistants',
    status: 'warning',
    infect: ({ person }) => {
      mkdirSync(join(person, '.cursor'))
      writeFileSync(join(person, '.cursor', 'mcp.json'), '{"mcpServers": ')
    },
    says: /left as it was|left as it is/,
    command: /^assay mcp install cursor$/,
  },
  'an assistant that starts what is gone': {
    check: 'assistants',
    status: 'warning',
    infect: ({ person }) => {
      mkdirSync(join(person, '.codex'))
      const text = '[mcp_servers.assay]\ncommand = "node"\nargs = ["/gone/dist/main.js", "mcp"]\n'
      writeFileSync(join(person, '.codex', 'config.toml'), text)
    },
    says: /\/gone\/dist\/main\.js/,
    run: (command, { shell }) => shell(`${command} --yes`),
  },
  'a token that ends soon': {
    check: 'tokens',
    status: 'warning',
    infect: ({ shell }) => shell('assay token create --scope triage,author --name nightly --expires 12h'),
    says: /nightly/,
    run: (command, { shell }) => {
      expect(command).toContain('--scope triage,author')
      shell(command)
    },
  },
}

function recover(): void {
  Object.assign(machine, { fileSystem: undefined, freeBytes: undefined, localhost: '127.0.0.1', walBytes: 0 })
  vi.useRealTimers()
}

describe('a healthy data folder', () => {
  it('passes every check', async () => {
    const patient = await admit()
    patient.backUp()
    const checks = await patient.examine({ deep: true })
    expect(checks.filter(({ status }) => status !== 'ok')).toEqual([])
    expect(checks.length).toBeGreaterThanOrEqual(25)
    expect(new Set(checks.map(({ name }) => name)).size).toBe(checks.length)
  })

  it('is healthy when it was not there before', async () => {
    const patient = await admit()
    const checks = await patient.examine({ home: join(patient.person, 'new') })
    expect(checks.filter(({ status }) => status === 'failed')).toEqual([])
  })
})

describe('what is wrong is told, with the command that mends it', () => {
  it.each(Object.entries(illnesses))(
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
      if (run === undefined) patient.shell(told)
      else await run(told, patient)
      const home = illness.homeAfter?.(patient) ?? patient.home
      expect(await patient.see(illness.check, { deep, home })).toMatchObject({ status: 'ok' })
    },
    60_000,
  )

  it('a port that is taken', async () => {
    const patient = await admit()
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    onTestFinished(() => void other.close())
    const { port } = other.address() as { port: number }
    const sick = await patient.see('port', { port })
    expect(sick).toMatchObject({ status: 'warning', detail: expect.stringContaining(`:${port} is taken`) })
    expect(commandOf(sick)).toBe('assay serve --port 0')
  })

  it('names the folder in each command when it is not the usual one', async () => {
    const patient = await admit()
    delete patient.env.ASSAY_HOME
    const sick = await patient.see('backups')
    expect(commandOf(sick)).toBe(`assay backup --home '${patient.home}'`)
    patient.shell(commandOf(sick))
    expect(await patient.see('backups')).toMatchObject({ status: 'ok' })
  }, 60_000)

  it('a late schedule, a dead driver and a scan left behind: one server mends them', async () => {
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
    for (const name of ['driver of scans', 'schedules', 'scans']) {
      expect(found[name]).toMatchObject({ status: 'warning', fix: 'assay serve' })
    }
    const source = found['source dead wiki']
    expect(source).toMatchObject({
      status: 'failed',
      fix: expect.stringMatching(/assay call test_source '\{"id":"[^"]+"\}'$/),
    })
    const server = spawnAssay(['serve', '--port', '0'], { home: patient.home })
    onTestFinished(() => void server.kill('SIGKILL'))
    const closed = new Promise((resolve) => server.once('close', resolve))
    const isWell = async () => {
      const checks = await patient.examine()
      return ['driver of scans', 'schedules', 'scans'].every(
        (name) => checks.find((check) => check.name === name)?.status === 'ok',
      )
    }
    await vi.waitUntil(isWell, { timeout: 60_000, interval: 500 })
    server.kill('SIGTERM')
    await closed
  }, 120_000)
})

describe('assay doctor', () => {
  it('prints the checks, and ends with 1 only when one failed', async () => {
    const patient = await admit()
    const warned = patient.shell('assay doctor')
    expect(warned).toContain('warn  backups: There is none.\n      → assay backup\n')
    patient.shell('assay backup')
    const { checks } = JSON.parse(patient.shell('assay doctor --deep --json')) as { checks: Check[] }
    expect(checks.every(({ status }) => status === 'ok')).toBe(true)
    rmSync(join(patient.home, 'assay.key'))
    const failed = spawnSync('sh', ['-c', 'assay doctor --json'], { env: patient.env, encoding: 'utf8' })
    expect(failed).toMatchObject({ status: 1, stderr: expect.stringMatching(/^assay: 1 check failed;/) })
    const told = (JSON.parse(failed.stdout) as { checks: Check[] }).checks.find(({ name }) => name === 'key')
    expect(told).toMatchObject({ status: 'failed', fix: expect.stringContaining('install -m 600') })
  }, 60_000)
})
