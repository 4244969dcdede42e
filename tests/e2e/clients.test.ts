import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { planChange } from '../../src/mcp-install/change.ts'
import { type Client, type ClientEnvironment, clients } from '../../src/mcp-install/clients.ts'
import { mainFile, makeHome, runAssay } from '../support/assay.ts'
import { installPackage } from '../support/package.ts'
import { runOnTerminal } from '../support/terminal.ts'

let home: string
let remove: () => void
let packages: string
let installed: string
beforeAll(() => {
  packages = mkdtempSync(join(tmpdir(), 'assay-packages-'))
  installed = installPackage(join(packages, 'an installed assay'))
})
afterAll(() => rmSync(packages, { recursive: true, force: true }))
beforeEach(() => {
  ;({ home, remove } = makeHome())
})
afterEach(() => remove())

const env = () => ({ HOME: home, XDG_CONFIG_HOME: '', CODEX_HOME: '', APPDATA: '' })
const find = (id: string): Client => {
  const client = clients.find((each) => each.id === id)
  if (client === undefined) throw new Error(`there is no client ${id}`)
  return client
}
const fileOf = (id: string) => find(id).file({ platform: process.platform, env: {}, home })

function write(id: string, text: string): string {
  mkdirSync(dirname(fileOf(id)), { recursive: true })
  writeFileSync(fileOf(id), text)
  return fileOf(id)
}

const backups = (file: string) =>
  readdirSync(dirname(file)).filter((name) => name.startsWith(`${basename(file)}.`) && name.endsWith('.backup'))

describe('configuration files of clients', () => {
  const place = (platform: NodeJS.Platform, more: Partial<ClientEnvironment> = {}): ClientEnvironment => ({
    platform,
    env: {},
    home: '/h',
    ...more,
  })
  it.each<[string, ClientEnvironment, string]>([
    ['claude-desktop', place('darwin'), '/h/Library/Application Support/Claude/claude_desktop_config.json'],
    ['claude-desktop', place('win32', { env: { APPDATA: '/r' } }), '/r/Claude/claude_desktop_config.json'],
    ['claude-desktop', place('linux'), '/h/.config/Claude/claude_desktop_config.json'],
    ['vscode', place('darwin'), '/h/Library/Application Support/Code/User/mcp.json'],
    ['vscode', place('linux', { env: { XDG_CONFIG_HOME: '/x' } }), '/x/Code/User/mcp.json'],
    ['claude-code', place('linux'), '/h/.claude.json'],
    ['cursor', place('darwin'), '/h/.cursor/mcp.json'],
    ['codex', place('linux', { env: { CODEX_HOME: '/c' } }), '/c/config.toml'],
    ['windsurf', place('linux'), '/h/.codeium/windsurf/mcp_config.json'],
    ['gemini', place('linux'), '/h/.gemini/settings.json'],
  ])('%s', (id, where, path) => {
    expect(find(id).file(where)).toBe(path)
  })
})

/** A person's own file, in as odd a form as the client's format allows. */
const odd = (id: string) => {
  if (id === 'codex')
    return 'model="m"   # mine\n\n  [mcp_servers.other]   \ncommand = \'x\'\nenv = { A="1" }\n\n# about profiles\n[profiles.a]\nnote = """\n[mcp_servers.assay]\n"""\n'
  const group = id === 'vscode' ? 'servers' : 'mcpServers'
  return `// mine\n{ "theme" :"dark, // no comment",\n\t"${group}"  : {\n\t\t/* one */ "other": {"command":"x","args":[ "}" ]}, // two\n\t},\n"last":[1,{"a":null}]}`
}
const broken = (id: string) => (id === 'codex' ? 'model = "m\n[mcp_servers]\n' : '{ "mcpServers": ')

/** What a client makes of its file: the command that it starts. */
function readEntry(id: string, text: string): { command: string; args: string[] } {
  if (id !== 'codex') {
    const plain = text
      .replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\//g, '$1')
      .replace(/,(\s*[}\]])/g, '$1')
    return JSON.parse(plain)[id === 'vscode' ? 'servers' : 'mcpServers'].assay
  }
  const table = text.slice(text.lastIndexOf('[mcp_servers.assay]'))
  const read = (name: string) => JSON.parse(new RegExp(`^${name} = (.*)$`, 'm').exec(table)?.[1] ?? 'null')
  return { command: read('command'), args: read('args') }
}

/** One of each format; the entries of the others are written in the same way. */
const started = new Set(['vscode', 'codex'])

/** Runs `assay mcp` in this process, as a person would in their home folder. */
async function assay(...args: string[]) {
  for (const [name, value] of Object.entries({ ...env(), ASSAY_HOME: home })) vi.stubEnv(name, value)
  try {
    return await runOnTerminal(['mcp', ...args], {})
  } finally {
    vi.unstubAllEnvs()
  }
}

describe.each(clients.map(({ id }) => id))('assay mcp install %s', (id) => {
  it('adds one entry to the existing file, with the command that the client starts', { timeout: 120_000 }, async () => {
    const [program, data] = started.has(id) ? [installed, join(home, 'data of mine')] : [mainFile, home]
    const install = async () => {
      if (program === mainFile) return assay('install', id, '--yes')
      const { status, ...output } = spawnSync(process.execPath, [program, 'mcp', 'install', id, '--yes'], {
        env: { ...process.env, ...env(), ASSAY_HOME: data },
        encoding: 'utf8',
      })
      return { code: status, ...output }
    }
    const before = odd(id)
    const file = write(id, before)
    const first = await install()
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toContain(file)
    expect(first.stdout).toMatch(/^\+ .*assay/m)
    const after = readFileSync(file, 'utf8')
    const added = after.length - before.length
    const at = [...before].findIndex((_, index) => after[index] !== before[index])
    const from = at < 0 ? before.length : at
    // But for one piece, every byte is where it was.
    expect(after.slice(0, from) + after.slice(from + added)).toBe(before)
    const [copy = ''] = backups(file)
    expect(readFileSync(join(dirname(file), copy), 'utf8')).toBe(before)
    const { command, args } = readEntry(id, after)
    expect([command, args.slice(0, 4)]).toEqual([process.execPath, [program, 'mcp', '--home', data]])
    if (!started.has(id)) {
      expect((await install()).stdout).toContain('needs no change')
      expect(readFileSync(file, 'utf8')).toBe(after)
      return
    }
    const transport = new StdioClientTransport({ command, args, env: { HOME: home, PATH: '' }, cwd: '/' })
    const client = new McpClient({ name: id, version: '1' })
    await client.connect(transport)
    try {
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toContain('query_metric')
      const answer = await client.callTool({ name: 'query_metric', arguments: { metricSlug: 'open-findings' } })
      expect(answer).toMatchObject({ structuredContent: { value: 0 } })
    } finally {
      await client.close()
    }
    expect(existsSync(join(data, 'assay.db'))).toBe(true)
  })

  it('does not change a file of an unexpected format', () => {
    const file = write(id, broken(id))
    const client = find(id)
    const entry = { command: 'node', args: ['main.js'] }
    const plan = () => planChange(file, (text) => client.set(text, 'assay', entry))
    expect(plan).toThrow(`${file} was not changed: It is not valid ${id === 'codex' ? 'TOML' : 'JSON'} at line 1.`)
  })
})

describe('assay mcp install', () => {
  it.each(['vscode', 'codex'])('can be undone: %s', async (id) => {
    const before = odd(id).replace('}, // two', '} // two')
    const file = write(id, before)
    const data = join(home, 'data of mine')
    mkdirSync(data)
    expect((await assay('install', id, '--yes', '--home', data, '--read-only')).code).toBe(0)
    for (const part of [mainFile, data, '--read-only']) expect(readFileSync(file, 'utf8')).toContain(part)
    expect((await assay('uninstall', id, '--yes')).code).toBe(0)
    expect(readFileSync(file, 'utf8').replaceAll(/\s/g, '')).toBe(before.replaceAll(/\s/g, ''))
  })

  it('refuses a data folder that does not exist', async () => {
    const { code, stderr } = await assay('install', 'cursor', '--yes', '--home', join(home, 'missing'))
    expect(code).toBe(2)
    expect(stderr).toContain('There is no folder')
    expect(existsSync(fileOf('cursor'))).toBe(false)
  })

  it('creates a missing file', async () => {
    expect((await assay('install', 'cursor', '-y')).code).toBe(0)
    const { mcpServers } = JSON.parse(readFileSync(fileOf('cursor'), 'utf8'))
    expect(mcpServers.assay).toEqual({
      command: process.execPath,
      args: [mainFile, 'mcp', '--home', home, '--toolsets', 'agent'],
    })
  })

  it.each<[string[], string[]]>([
    [['--admin'], ['--toolsets', 'agent,admin']],
    [
      ['--toolsets', 'admin'],
      ['--toolsets', 'admin'],
    ],
    [
      ['--lockdown', '--read-only'],
      ['--read-only', '--lockdown', '--toolsets', 'agent'],
    ],
    [
      ['--no-background', '--log-level', 'warn'],
      ['--no-background', '--log-level', 'warn', '--toolsets', 'agent'],
    ],
  ])('writes %j into the entry', async (options, wanted) => {
    const { code, stdout } = await assay('install', 'cursor', '--yes', ...options)
    expect(code).toBe(0)
    const { mcpServers } = JSON.parse(readFileSync(fileOf('cursor'), 'utf8'))
    expect(mcpServers.assay.args).toEqual([mainFile, 'mcp', '--home', home, ...wanted])
    const isTold = stdout.includes(['assay mcp install cursor', ...wanted.slice(0, -2), '--admin'].join(' '))
    expect(isTold).toBe(wanted.at(-1) === 'agent')
  })

  it('writes every option that assay mcp has, or refuses it', async () => {
    const listOptions = async (...args: string[]) => (await assay(...args, '--help')).stdout.match(/^ +.*--[a-z-]+/gm)
    const own = (await listOptions())?.map((line) => line.replace(/^.*(--[a-z-]+)$/, '$1')) ?? []
    const accepted = (await listOptions('install'))?.join('\n') ?? ''
    const values: Record<string, string[]> = { '--toolsets': ['agent'], '--log-level': ['warn'], '--home': [home] }
    const options = own.filter((each) => each !== '--help')
    await assay('install', 'cursor', '--yes', ...options.flatMap((option) => [option, ...(values[option] ?? [])]))
    for (const option of options) {
      expect(accepted).toContain(option)
      expect(readFileSync(fileOf('cursor'), 'utf8')).toContain(`"${option}"`)
    }
    expect((await assay('uninstall', 'cursor', '--yes', '--lockdown')).code).toBe(2)
    expect(own.length).toBeGreaterThan(5)
  })

  it('accepts either --admin or --toolsets', async () => {
    const { code, stderr } = await assay('install', 'cursor', '--yes', '--admin', '--toolsets', 'agent')
    expect(code).toBe(2)
    expect(stderr).toContain('either --admin or --toolsets')
    expect(existsSync(fileOf('cursor'))).toBe(false)
  })

  it('passes the options of assay mcp through', async () => {
    const { code, stderr } = await runAssay(['mcp', '--home', home, '--read-only'], { home: '/dev/null' })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  it('neither asks nor changes anything without a terminal', async () => {
    const { code, stderr } = await assay('install', 'cursor')
    expect(code).toBe(2)
    expect(stderr).toContain('--yes')
    expect(() => readFileSync(fileOf('cursor'))).toThrow()
  })

  it('copies the proxy of the shell for the assistant, and shows neither user nor password', async () => {
    const file = join(home, 'config.json')
    writeFileSync(file, '\uFEFF{ "logLevel": "warn", "proxy": { "http": "old:1" } }', { mode: 0o644 })
    const proxied = (variables: Record<string, string>) =>
      runAssay(['mcp', 'install', 'cursor', '--yes'], { home, env: { ...env(), ...variables } })
    const variables = { HTTPS_PROXY: 'http://ana:topsecret@proxy.corp:3128', no_proxy: '.corp, <local>' }
    const { stdout, stderr, code } = await proxied(variables)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      /written into \S+config\.json as well: proxy\.corp:3128, with its user name and password in plain text/,
    )
    expect(stdout).not.toMatch(/ana|topsecret/)
    const proxy = { http: 'old:1', https: variables.HTTPS_PROXY, no: '.corp' }
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ logLevel: 'warn', proxy })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await proxied(variables)).stdout).not.toContain('proxy')
    const refused = await proxied({ HTTPS_PROXY: 'socks5://ana:topsecret@proxy.corp:1080' })
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/HTTPS_PROXY must begin with http/) })
    expect(JSON.parse(readFileSync(file, 'utf8')).proxy).toEqual(proxy)
  })

  it('lists the known clients when it is given an unknown one', async () => {
    const { code, stderr } = await assay('install', 'emacs', '--yes')
    expect(code).toBe(2)
    expect(stderr).toContain('claude-desktop')
  })
})
