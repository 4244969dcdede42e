import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Client, clients, type Place } from '../../src/clients/clients.ts'
import { mainFile, makeHome, runAssay } from '../support/assay.ts'

let home: string
let remove: () => void
beforeEach(() => {
  ;({ home, remove } = makeHome())
})
afterEach(() => remove())

const env = () => ({ HOME: home, XDG_CONFIG_HOME: '', CODEX_HOME: '', APPDATA: '' })
const assay = (...args: string[]) => runAssay(['mcp', ...args], { home, env: env() })
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

describe('where the files are', () => {
  const place = (platform: NodeJS.Platform, more: Partial<Place> = {}): Place => ({
    platform,
    env: {},
    home: '/h',
    ...more,
  })
  it.each<[string, Place, string]>([
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

describe('assay mcp install', () => {
  it.each(['vscode', 'codex'])(
    'shows the change, keeps a copy, does it once, and can be taken back: %s',
    async (id) => {
      const before =
        id === 'codex' ? 'model = "m" # mine\n' : '{\n  // mine\n  "servers": { "other": { "command": "x" } }\n}\n'
      const file = write(id, before)
      const first = await assay('install', id, '--yes', '--home', '/data/of mine', '--read-only')
      expect(first).toMatchObject({ code: 0, stderr: '' })
      expect(first.stdout).toContain(file)
      expect(first.stdout).toMatch(/^\+ .*assay/m)
      const after = readFileSync(file, 'utf8')
      for (const part of [mainFile, 'mine', '/data/of mine', '--read-only']) expect(after).toContain(part)
      const [backup = ''] = backups(file)
      expect(readFileSync(`${dirname(file)}/${backup}`, 'utf8')).toBe(before)
      const second = await assay('install', id, '--yes', '--home', '/data/of mine', '--read-only')
      expect(second.stdout).toContain('needs no change')
      expect(backups(file)).toHaveLength(1)
      expect((await assay('uninstall', id, '--yes')).code).toBe(0)
      expect(readFileSync(file, 'utf8').replaceAll(/\s/g, '')).toBe(before.replaceAll(/\s/g, ''))
    },
  )

  it('makes a file that is not there, and starts what it names', async () => {
    expect((await assay('install', 'cursor', '-y')).code).toBe(0)
    const { mcpServers } = JSON.parse(readFileSync(fileOf('cursor'), 'utf8'))
    expect(mcpServers.assay).toEqual({ command: process.execPath, args: [mainFile, 'mcp'] })
  })

  it('leaves assay mcp its own options', async () => {
    const { code, stderr } = await runAssay(['mcp', '--home', home, '--read-only'], { home: '/dev/null' })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  it('asks nobody where nobody can be asked, and changes nothing', async () => {
    const { code, stderr } = await assay('install', 'cursor')
    expect(code).toBe(2)
    expect(stderr).toContain('--yes')
    expect(() => readFileSync(fileOf('cursor'))).toThrow()
  })

  it('leaves a file alone that it cannot read', async () => {
    const file = write('cursor', '{ "mcpServers": ')
    const { code, stderr } = await assay('install', 'cursor', '--yes')
    expect(code).toBe(1)
    expect(stderr).toContain('left as it is')
    expect(readFileSync(file, 'utf8')).toBe('{ "mcpServers": ')
  })

  it('names the clients when it is given another', async () => {
    const { code, stderr } = await assay('install', 'emacs', '--yes')
    expect(code).toBe(2)
    expect(stderr).toContain('claude-desktop')
  })
})
