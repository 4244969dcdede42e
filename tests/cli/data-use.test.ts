import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import type { Command } from 'commander'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openApp } from '../../src/app.ts'
import { operations } from '../../src/catalogue.ts'
import { type DataUse, isDeclared } from '../../src/cli/data-use.ts'
import type { Flags, Host } from '../../src/cli/host.ts'
import { createProgram, runCommandLine } from '../../src/cli/program.ts'
import { defaultHome, loadConfig, withoutEmpty } from '../../src/config.ts'
import { examine } from '../../src/doctor/examine.ts'
import { backUp } from '../../src/store/backup.ts'
import { Store } from '../../src/store/store.ts'
import { takeText } from '../support/stream-text.ts'

let root: string
let home: string
let made: string[]
let count = 0
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-use-'))
  vi.stubEnv('HOME', join(root, 'person'))
  mkdirSync(join(root, 'definitions', 'glossary'), { recursive: true })
  writeFileSync(join(root, 'text.txt'), 'nothing of note')
  writeFileSync(join(root, 'import.ndjson'), `${JSON.stringify(line)}\n`)
  writeFileSync(join(root, 'source.json'), JSON.stringify(source))
  const store = Store.open(join(root, 'other.db'), { now: () => Date.now() })
  store.close()
  backUp(join(root, 'other.db'), join(root, 'backup.db'))
})
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(root, { recursive: true, force: true })
})
beforeEach(() => {
  home = join(root, `home-${count++}`)
  made = []
})

const line = {
  asset: { key: 'a' },
  detectorType: 'SECRETS',
  findingType: 'KEY',
  severity: 'HIGH',
  firstDetectedAt: '2026-01-01T00:00:00Z',
}
const source = {
  type: 'WIKI',
  required: { base_url: 'https://example.atlassian.net', account_email: 'a@example.com' },
  masked: { api_token: 'token-of-a-test' },
}
const term = { slug: 'mine', displayName: 'Mine', filterMapping: { severities: ['HIGH'] } }

async function run(argv: readonly string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const env = {}
  const configure = (flags: Flags) => loadConfig({ home: flags.home, logLevel: 'silent', port: 0 }, env)
  const make = (what: string) => async () => void made.push(what)
  const host: Host = {
    version: '1.2.3',
    stdin: Readable.from([]),
    stdout,
    stderr,
    signal: new AbortController().signal,
    open: (flags) => openApp(configure(flags), env),
    operations: async () => operations,
    locate: (flags) => ({ ...configure(flags), env }),
    serve: make('serve'),
    worker: make('worker'),
    mcp: make('mcp'),
    demo: make('demo'),
    doctor: async ({ deep, ...flags }) => {
      const config = configure(flags)
      return examine({ config, env, deep, open: () => openApp(config, env) })
    },
    verify: () => Promise.reject(new Error('there is nothing to verify')),
    move: () => Promise.reject(new Error('there is nothing to move')),
    browse: async () => false,
  }
  const code = await runCommandLine(argv, host)
  return { code, stdout: takeText(stdout), stderr: takeText(stderr) }
}

const nothing = { version: '0.0.0' } as Host
const program = await createProgram(nothing)
const toName = (command: Command): string =>
  command.parent === null || command.parent === program ? command.name() : `${toName(command.parent)} ${command.name()}`
const commands = [...program.commands, ...program.commands.flatMap(({ commands }) => commands)].filter(
  (command) => command.commands.length === 0 || isDeclared(command),
)

/** Each command with arguments that would do, and what it does with the data folder then. */
const calls: Record<string, (() => [DataUse, ...string[]])[]> = {
  init: [() => ['upgraded']],
  completion: [() => ['none', 'bash']],
  serve: [() => ['upgraded']],
  worker: [() => ['upgraded']],
  mcp: [() => ['created']],
  'mcp install': [() => ['none', 'claude-code', '--yes']],
  'mcp uninstall': [() => ['none', 'claude-code', '--yes']],
  demo: [() => ['created']],
  scan: [() => ['existing', 'wiki']],
  'sources list': [() => ['existing']],
  'sources show': [() => ['existing', 'wiki']],
  'sources add': [() => ['created', 'wiki', '--from-file', join(root, 'source.json')]],
  'sources edit': [() => ['existing', 'wiki', '--name', 'mine']],
  'sources test': [() => ['existing', 'wiki']],
  'sources remove': [() => ['existing', 'wiki', '--yes']],
  move: [() => ['existing', '--to', `sqlite:${join(root, 'assay.db')}`]],
  query: [() => ['existing', 'total-findings']],
  call: [
    () => ['none', '--list'],
    () => ['none', 'create_source', '--help'],
    () => ['existing', 'list_metrics'],
    () => ['created', 'create_glossary_term', JSON.stringify(term)],
  ],
  findings: [() => ['existing']],
  'find-person': [() => ['existing']],
  'terms list': [() => ['existing']],
  'terms show': [() => ['existing', 'pii-exposure']],
  'terms create': [() => ['created', 'mine', '--severities', 'HIGH']],
  'terms impact': [() => ['existing', 'pii-exposure', '--severities', 'HIGH']],
  'terms certify': [() => ['existing', 'pii-exposure']],
  'metrics list': [() => ['existing']],
  'metrics show': [() => ['existing', 'open-findings']],
  'metrics create': [() => ['created', 'mine', '--severities', 'HIGH']],
  'metrics impact': [() => ['existing', 'open-findings']],
  'metrics certify': [() => ['existing', 'open-findings']],
  test: [() => ['existing']],
  'terms remove': [() => ['existing', 'pii-exposure', '--yes']],
  'metrics remove': [() => ['existing', 'open-findings', '--yes']],
  dashboard: [() => ['existing']],
  dashboards: [() => ['existing']],
  'suppressions list': [() => ['existing']],
  'suppressions add': [() => ['existing', '--severities', 'HIGH', '--reason', 'x', '--yes']],
  'suppressions remove': [() => ['existing', '1', '--yes']],
  console: [() => ['none', '--print']],
  'service uninstall': [() => ['none']],
  'service install': [() => ['none', '--print']],
  import: [() => ['created', join(root, 'import.ndjson'), '--source', 'scanner']],
  export: [() => ['existing', '--dir', join(root, 'exported')]],
  diff: [() => ['existing', '--dir', join(root, 'definitions')]],
  apply: [
    () => ['created', '--dir', join(root, 'definitions')],
    () => ['existing', '--dir', join(root, 'definitions'), '--dry-run'],
  ],
  validate: [() => ['none', '--dir', join(root, 'definitions')]],
  detect: [() => ['none', '--file', join(root, 'text.txt')]],
  backup: [() => ['existing']],
  restore: [() => ['created', join(root, 'backup.db')]],
  'key status': [() => ['existing']],
  'key rotate': [() => ['existing']],
  'key replace': [() => ['existing', '--yes']],
  'key backup': [() => ['existing', join(root, 'key')]],
  generate: [() => ['none', '--findings', '1']],
  'sla list': [() => ['existing']],
  'sla set': [() => ['created', '--days', 'HIGH=7']],
  'sla remove': [() => ['existing']],
  'token create': [() => ['created', '--scope', 'read']],
  'token list': [() => ['existing']],
  'token revoke': [() => ['existing', 'mine']],
  'token clear': [() => ['existing', '--yes']],
  'audit list': [() => ['existing']],
  'audit verify': [() => ['existing']],
  doctor: [() => ['none']],
  verify: [() => ['existing']],
  triage: [() => ['existing', '1', '--as', 'resolved', '--yes']],
  undo: [() => ['existing']],
  'proposals list': [() => ['existing']],
  'proposals show': [() => ['existing', '1']],
  approve: [() => ['existing', '1', '--yes']],
  reject: [() => ['existing', '1']],
  'watch list': [() => ['existing']],
  'watch show': [() => ['existing', 'mine']],
  'watch create': [() => ['created', 'mine', '--metric', 'open-findings', '--above', '5']],
  'watch delete': [() => ['existing', 'mine']],
  check: [() => ['existing']],
}
const cases = Object.entries(calls).flatMap(([name, all]) =>
  all.map((call): [string, string, () => [DataUse, ...string[]]] => [name, name, call]),
)

/** Commands that find nothing to work on here. */
const fails = (name: string) => ['doctor', 'console', 'service uninstall'].includes(name)

const list = (folder: string) => (existsSync(folder) ? readdirSync(folder).sort() : undefined)

describe('the data folder', () => {
  it('has a declared use for every command, each of which is tested here', () => {
    expect(commands.filter((command) => !isDeclared(command)).map(toName)).toEqual([])
    expect(commands.map(toName).sort()).toEqual(Object.keys(calls).sort())
  })

  describe.each<[string, () => void, RegExp]>([
    ['does not exist', () => {}, /The data folder \S+ does not exist/],
    [
      'contains no database',
      () => {
        mkdirSync(home)
        writeFileSync(join(home, 'notes.txt'), 'mine')
      },
      /contains no database/,
    ],
  ])('when it %s', (_, prepare, message) => {
    it.each(cases)('is created, refused or not needed as %s declares', async (_title, name, call) => {
      prepare()
      const before = list(home)
      const [use, ...args] = call()
      const { code, stdout, stderr } = await run([
        ...name.split(' '),
        ...args,
        ...(name.startsWith('mcp ') || /^(?:generate|detect|validate)$/.test(name) ? [] : ['--home', home]),
      ])
      if (use === 'existing') {
        expect([code, stdout]).toEqual([1, ''])
        expect(stderr).toMatch(message)
        expect(stderr).toContain('assay init')
        expect(stderr.trim().split('\n')).toHaveLength(1)
      } else expect([name, code, stderr.startsWith('assay:')]).toEqual([name, fails(name) ? 1 : 0, fails(name)])
      if (name === 'doctor') expect(stdout).toContain('assay init')
      const isMade = use === 'created' || use === 'upgraded'
      if (isMade && made.length === 0) expect(existsSync(join(home, 'assay.db'))).toBe(true)
      if (!isMade) expect(list(home)).toEqual(before)
    })
  })
})

describe('an empty setting', () => {
  it('counts as absent for every environment variable', () => {
    const names = [
      'HOME',
      'HOST',
      'PORT',
      'PROBE_PORT',
      'LOG_LEVEL',
      'LOG_FILE',
      'TOOLSETS',
      'READ_ONLY',
      'LOCKDOWN',
      'NETWORK_FOLDER',
      'BACKGROUND',
      'SOCKET',
      'PUBLIC_URL',
      'TRUST_PROXY',
      'OIDC_ISSUER',
      'OIDC_AUDIENCE',
      'KEY',
      'KEY_FILE',
    ]
    for (const empty of ['', ' ', '\t']) {
      const env = withoutEmpty({ HOME: root, ...Object.fromEntries(names.map((name) => [`ASSAY_${name}`, empty])) })
      expect(Object.keys(env)).toEqual(['HOME'])
      expect(loadConfig({}, env)).toEqual(loadConfig({}, {}))
      expect(loadConfig({}, env).home).toBe(defaultHome({}))
    }
  })

  it.each([
    [['call', 'list_metrics', '--home', '']],
    [['call', 'list_metrics', '--home=']],
    [['--home', ' ', 'call', 'list_metrics']],
  ])('counts as absent for a folder: %j', async (argv) => {
    vi.stubEnv('XDG_DATA_HOME', join(root, 'nowhere'))
    const { code, stderr } = await run(argv)
    expect(code).toBe(1)
    expect(stderr).not.toContain(`folder ${process.cwd()} `)
    expect(list(join(root, 'nowhere'))).toBeUndefined()
  })

  it.each([[['export', '--dir', '']], [['import', 'file', '--source', '']], [['generate', '--findings', '']]])(
    'is an error where a value is required: %j',
    async (argv) => {
      expect((await run(argv)).code).toBe(2)
    },
  )

  it('keeps the default of an option', async () => {
    const { code, stdout } = await run(['generate', '--findings', '1', '--seed', ''])
    expect([code, stdout]).toEqual([0, (await run(['generate', '--findings', '1'])).stdout])
  })
})
