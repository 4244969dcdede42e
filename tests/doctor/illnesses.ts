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
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import type { Patient } from './ward.ts'

/** What the test makes of the machine. */
export interface Machine {
  fileSystem: number | undefined
  freeBytes: number | undefined
  localhost: string
  walBytes: number
}

export interface Illness {
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

/** What can be wrong with a data folder and its machine, by name. */
export const listIllnesses = (machine: Machine): Record<string, Illness> => ({
  'a file in the place of the data folder': {
    check: 'data folder',
    infect: ({ home }) => {
      rmSync(home, { recursive: true })
      writeFileSync(home, '')
    },
    says: /is not a folder/,
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
    says: /1 incomplete file/,
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
    says: /truncated/,
  },
  'a database that is something else': {
    check: 'database',
    infect: backedUp((patient) => writeFileSync(database(patient), 'not a database at all '.repeat(1000))),
    says: /no longer a database/,
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
    says: /refer to missing rows/,
  },
  'a write-ahead log that is never emptied': {
    check: 'write-ahead log',
    status: 'warning',
    infect: () => {
      machine.walBytes = 80 * 1024 * 1024
    },
    says: /80 MB/,
    command: /^pgrep -af assay$/,
  },
  'no backup': { check: 'backups', status: 'warning', infect: () => {}, says: /no backup/ },
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
  'a trigger of somebody else': {
    check: 'schema',
    infect: backedUp(({ tamper }) => tamper('CREATE TRIGGER spy AFTER INSERT ON term BEGIN DELETE FROM metric; END')),
    says: /trigger spy does not belong to Assay/,
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
    run: (command, { follow }) => follow(command.replace('COPY-OF-THE-KEY', 'copy.key')),
  },
  'a wrong key': {
    check: 'key',
    infect: ({ home, person }) => {
      copyFileSync(join(home, 'assay.key'), join(person, 'copy.key'))
      writeFileSync(join(home, 'assay.key'), Buffer.alloc(32, 9))
    },
    says: /mismatch/,
    run: (command, { follow }) => follow(command.replace('COPY-OF-THE-KEY', 'copy.key')),
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
  'a proxy that refuses connections': {
    check: 'proxy',
    infect: ({ env }) => {
      env.https_proxy = 'http://ana:topsecret@127.0.0.1:9'
    },
    says: /^The proxy 127\.0\.0\.1:9 cannot be reached \(ECONNREFUSED\)\.$/,
    run: unset,
  },
  'a proxy that is none': {
    check: 'proxy',
    infect: ({ env }) => {
      env.HTTPS_PROXY = 'socks5://ana:topsecret@127.0.0.1:9'
    },
    says: /^HTTPS_PROXY must begin with http:\/\/ or https:\/\/; proxies of other kinds, such as SOCKS, are not supported\.$/,
    run: unset,
  },
  'a proxy for everything': {
    check: 'proxy',
    status: 'warning',
    infect: ({ env }) => {
      env.ALL_PROXY = 'socks5://127.0.0.1:9'
    },
    says: /^ALL_PROXY is set, which Assay does not use/,
    run: unset,
  },
  'hosts without a proxy that are none': {
    check: 'proxy',
    status: 'warning',
    infect: ({ env }) => {
      env.no_proxy = 'localhost,192.168.*,ana:topsecret@host'
    },
    says: /ignored: (?!.*topsecret).*192\.168\.\*/,
    run: unset,
  },
  'certificates that are not looked at': {
    check: 'certificates',
    infect: ({ env }) => {
      env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    },
    says: /impersonate/,
    run: unset,
  },
  'certificates that are not there': {
    check: 'certificates',
    infect: ({ env }) => {
      env.NODE_EXTRA_CA_CERTS = '/nowhere.pem'
    },
    says: /does not exist/,
    run: unset,
  },
  'an assistant that cannot read its configuration': {
    check: 'assistants',
    status: 'warning',
    infect: ({ person }) => {
      mkdirSync(join(person, '.cursor'))
      writeFileSync(join(person, '.cursor', 'mcp.json'), '{"mcpServers": ')
    },
    says: /not changed|left as it is/,
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
    infect: ({ run }) => run('assay token create --scope triage,author --name nightly --expires 12h'),
    says: /nightly/,
    run: (command, { follow }) => {
      expect(command).toContain('--scope triage,author')
      return follow(command)
    },
  },
})
