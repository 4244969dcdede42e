import { resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { type Change, changesNothing, makeChange, planChange, toDiff } from '../../clients/change.ts'
import { type Client, clients, thisPlace } from '../../clients/clients.ts'
import { packageFile } from '../../kernel/installation.ts'
import { UsageError } from '../exit.ts'
import type { Host } from '../host.ts'
import { print } from '../session.ts'

interface InstallFlags {
  name: string
  home?: string
  readOnly?: boolean
  toolsets?: string
  yes?: boolean
}

const known = clients.map(({ id }) => id).join(', ')

/** `assay mcp install` and `uninstall`: entries in the configuration files of assistants. */
export function addClientCommands(mcp: Command, host: Host): void {
  mcp
    .command('install')
    .description('let an assistant start Assay: shows what would change in its configuration, asks, keeps a copy')
    .argument('<client>', known)
    .option('--name <name>', 'name of the server in the configuration', toName, 'assay')
    .option('--home <folder>', 'data folder that it is to use')
    .option('--read-only', 'let it offer only tools that change nothing')
    .option('--toolsets <list>', 'which tools it is to offer: agent, admin, or both')
    .option('-y, --yes', 'do not ask')
    .action(async (id: string, options: InstallFlags, command: Command) => {
      const client = getClient(id)
      const place = thisPlace()
      const args = toArguments(withParent(options, command), place.env.ASSAY_HOME)
      const entry = { command: process.execPath, args }
      const change = planChange(client.file(place), (text) => client.set(text, options.name, entry))
      await make(host, client, change, options.yes === true)
    })
  mcp
    .command('uninstall')
    .description('take Assay out of the configuration of an assistant')
    .argument('<client>', known)
    .option('--name <name>', 'name of the server in the configuration', toName, 'assay')
    .option('-y, --yes', 'do not ask')
    .action(async (id: string, options: InstallFlags) => {
      const client = getClient(id)
      const change = planChange(client.file(thisPlace()), (text) => client.remove(text, options.name))
      await make(host, client, change, options.yes === true)
    })
}

/** Options that `mcp` itself knows end up there, wherever they stand. */
const withParent = (options: InstallFlags, { parent }: Command): InstallFlags => ({ ...parent?.opts(), ...options })

/** An assistant has neither this shell's variables nor its folder. */
function toArguments({ home, readOnly, toolsets }: InstallFlags, usualHome = ''): string[] {
  const program = fileURLToPath(packageFile('dist/main.js'))
  const folder = home ?? usualHome
  return [
    program,
    'mcp',
    ...(folder === '' ? [] : ['--home', resolve(folder)]),
    ...(readOnly === true ? ['--read-only'] : []),
    ...(toolsets === undefined ? [] : ['--toolsets', String(toolsets)]),
  ]
}

function getClient(id: string): Client {
  const client = clients.find((each) => each.id === id)
  if (client === undefined) throw new UsageError(`There is no client '${id}'; there are ${known}.`)
  return client
}

function toName(value: string): string {
  if (/^[A-Za-z][A-Za-z0-9_-]{0,40}$/.test(value)) return value
  throw new UsageError('A server name starts with a letter, and holds letters, digits, - and _.')
}

async function make(host: Host, client: Client, change: Change, agreed: boolean): Promise<void> {
  if (changesNothing(change)) return print(host, `${client.title} needs no change: ${change.file}`)
  print(host, `${change.file}\n${toDiff(change)}`)
  if (!agreed && !(await ask(host))) return print(host, 'Nothing was changed.')
  const { backup } = makeChange(change, new Date())
  print(host, `Written. ${backup === undefined ? '' : `What was there is in ${backup}\n`}Start ${client.title} again.`)
}

async function ask(host: Host): Promise<boolean> {
  if (host.stdout.isTTY !== true) throw new UsageError('Nothing was changed: say --yes where nobody can be asked.')
  const lines = createInterface({ input: host.stdin, output: host.stdout })
  try {
    const answer = await lines.question('Write this? [y/N] ', { signal: host.signal })
    return /^y(?:es)?$/i.test(answer.trim())
  } finally {
    lines.close()
  }
}
