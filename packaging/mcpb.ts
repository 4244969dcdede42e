import { readFileSync } from 'node:fs'
import { operations } from '../src/catalogue.ts'

// The manifest of the .mcpb bundle, for hosts that install an assistant's server with one click.

interface Package {
  version: string
  description: string
  license: string
  engines: { node: string }
}

/** What the host fills in. */
const place = (name: string, rest = '') => `$${'{'}${name}}${rest}`

/** The manifest for this version of the package. */
export function toManifest({ version, description, license, engines }: Package) {
  return {
    manifest_version: '0.4',
    name: 'assay',
    display_name: 'Assay',
    version,
    description,
    author: { name: 'Assay' },
    license,
    keywords: ['findings', 'metrics', 'glossary', 'governance', 'confluence', 'power-bi'],
    server: {
      type: 'node',
      entry_point: 'dist/main.js',
      mcp_config: {
        command: 'node',
        args: [place('__dirname', '/dist/main.js'), 'mcp'],
        env: { ASSAY_HOME: place('user_config.home'), ASSAY_READ_ONLY: place('user_config.read_only') },
      },
    },
    tools: operations
      .filter(({ toolset }) => toolset !== undefined)
      .map(({ name, summary }) => ({ name, description: summary }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: engines.node } },
    user_config: {
      home: {
        type: 'directory',
        title: 'Data folder',
        description: 'Where findings, definitions and sealed credentials are kept.',
        default: place('HOME', '/.assay'),
        required: false,
      },
      read_only: {
        type: 'boolean',
        title: 'Read only',
        description: 'Offer only tools that change nothing.',
        default: false,
        required: false,
      },
    },
  }
}

export const readPackage = (): Package =>
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Package
