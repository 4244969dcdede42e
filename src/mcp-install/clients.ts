import { homedir } from 'node:os'
import { join } from 'node:path'
import { removeMember, setMember } from './jsonc.ts'
import { removeTable, setTable } from './toml.ts'

/** The command with which a client starts the server. */
export interface Entry {
  command: string
  args: readonly string[]
}

export interface ClientEnvironment {
  platform: NodeJS.Platform
  env: Readonly<Record<string, string | undefined>>
  home: string
}

/** An assistant that starts the MCP servers named in its own configuration file. */
export interface Client {
  id: string
  title: string
  file(place: ClientEnvironment): string
  set(text: string, name: string, entry: Entry): string
  remove(text: string, name: string): string
}

export const thisEnvironment = (): ClientEnvironment => ({
  platform: process.platform,
  env: process.env,
  home: homedir(),
})

/** The directory in which applications store user configuration. */
function configFolder({ platform, env, home }: ClientEnvironment): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming')
  return env.XDG_CONFIG_HOME || join(home, '.config')
}

const inJson = (group: string, more: Record<string, unknown> = {}): Pick<Client, 'set' | 'remove'> => ({
  set: (text, name, entry) => setMember(text, group, name, { ...more, ...entry }),
  remove: (text, name) => removeMember(text, group, name),
})

const inToml: Pick<Client, 'set' | 'remove'> = {
  set: (text, name, entry) => setTable(text, ['mcp_servers', name], { ...entry }),
  remove: (text, name) => removeTable(text, ['mcp_servers', name]),
}

export const clients: readonly Client[] = [
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    file: (place) => join(configFolder(place), 'Claude', 'claude_desktop_config.json'),
    ...inJson('mcpServers'),
  },
  {
    id: 'claude-code',
    title: 'Claude Code',
    file: ({ home }) => join(home, '.claude.json'),
    ...inJson('mcpServers', { type: 'stdio' }),
  },
  {
    id: 'vscode',
    title: 'Visual Studio Code',
    file: (place) => join(configFolder(place), 'Code', 'User', 'mcp.json'),
    ...inJson('servers', { type: 'stdio' }),
  },
  {
    id: 'cursor',
    title: 'Cursor',
    file: ({ home }) => join(home, '.cursor', 'mcp.json'),
    ...inJson('mcpServers'),
  },
  {
    id: 'codex',
    title: 'Codex',
    file: ({ env, home }) => join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'),
    ...inToml,
  },
  {
    id: 'windsurf',
    title: 'Windsurf',
    file: ({ home }) => join(home, '.codeium', 'windsurf', 'mcp_config.json'),
    ...inJson('mcpServers'),
  },
  {
    id: 'gemini',
    title: 'Gemini CLI',
    file: ({ home }) => join(home, '.gemini', 'settings.json'),
    ...inJson('mcpServers'),
  },
]
