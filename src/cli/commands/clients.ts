import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { line, type PrintableText, quote, showName, showSentence } from '../../kernel/shown.ts'
import { changesNothing, makeChange, planChange, type SettingsChange, toDiff } from '../../mcp-install/change.ts'
import { type Client, clients, thisEnvironment } from '../../mcp-install/clients.ts'
import { type ProxyChange, planProxySetting, writeProxySetting } from '../../mcp-install/proxy-setting.ts'
import { packageFile } from '../../runtime/package-files.ts'
import { shell } from '../../runtime/shell.ts'
import { declareDataUse } from '../data-use.ts'
import { UsageError } from '../exit.ts'
import type { Host } from '../host.ts'
import { command, type Tone } from '../output/blocks.ts'
import { show } from '../output/show.ts'
import { agrees } from '../prompt.ts'

interface ClientFlags {
  name: string
  yes?: boolean
}

interface InstallFlags extends ClientFlags {
  admin?: boolean
}

const known = clients.map(({ id }) => id).join(', ')

/** `assay mcp install` and `uninstall`: edit the configuration files of assistants. */
export function addClientCommands(mcp: Command, host: Host): void {
  const install = declareDataUse('none', mcp.command('install'))
    .description('add Assay to the configuration of an assistant: shows the change, asks, keeps a copy of the old file')
    .argument('<client>', known)
    .option('--name <name>', 'name of the server in the configuration', toName, 'assay')
    .option('--admin', 'offer the admin tools as well as the six agent tools')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (id: string, options: InstallFlags) => {
      const client = getClient(id)
      const place = thisEnvironment()
      const args = toArguments(mcp, options.admin === true, place.env.ASSAY_HOME)
      const entry = { command: process.execPath, args }
      const change = planChange(client.file(place), (text) => client.set(text, options.name, entry))
      const home = isGiven(mcp, 'home') ? String(mcp.getOptionValue('home')) : undefined
      if (home !== undefined && !existsSync(home)) {
        throw new UsageError(
          `There is no folder ${quote(home)}; create it with assay init --home, or correct the path.`,
        )
      }
      const proxy = planProxySetting(() => host.locate({ home }).home, place.env)
      await make(host, client, change, options.yes === true, proxy)
      if (options.admin !== true && !isGiven(mcp, 'toolsets')) {
        const again = ['assay mcp install', client.id, ...writeOptions(mcp).map(shell.quote), '--admin'].join(' ')
        await show(host, command(line`It offers the six agent tools; to add the admin tools: ${showSentence(again)}`))
      }
    })
  // The parser assigns these options to `mcp` wherever they occur; they are added here only for the help text.
  for (const option of mcp.options) install.addOption(option)
  declareDataUse('none', mcp.command('uninstall'))
    .description('remove Assay from the configuration of an assistant')
    .argument('<client>', known)
    .option('--name <name>', 'name of the server in the configuration', toName, 'assay')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (id: string, options: ClientFlags) => {
      const [unused] = mcp.options.filter((option) => isGiven(mcp, option.attributeName()))
      if (unused !== undefined) throw new UsageError(`mcp uninstall has no option ${unused.long}; leave it out.`)
      const client = getClient(id)
      const change = planChange(client.file(thisEnvironment()), (text) => client.remove(text, options.name))
      await make(host, client, change, options.yes === true)
    })
}

const isGiven = (command: Command, option: string) => command.getOptionValueSource(option) === 'cli'

/** The arguments that start the server: an assistant has neither this shell's variables nor its working directory. */
function toArguments(mcp: Command, admin: boolean, usualHome = ''): string[] {
  const program = fileURLToPath(packageFile('dist/main.js'))
  if (admin && isGiven(mcp, 'toolsets')) throw new UsageError('Give either --admin or --toolsets.')
  const toolsets = isGiven(mcp, 'toolsets') ? [] : ['--toolsets', admin ? 'agent,admin' : 'agent']
  const home = isGiven(mcp, 'home') || usualHome === '' ? [] : ['--home', resolve(usualHome)]
  return [program, 'mcp', ...home, ...writeOptions(mcp), ...toolsets]
}

/** Every option given to `mcp`, as command-line arguments. */
function writeOptions(mcp: Command): string[] {
  return mcp.options.flatMap((option) => {
    const name = option.attributeName()
    if (!isGiven(mcp, name)) return []
    const value: unknown = mcp.getOptionValue(name)
    const flag = option.long ?? option.flags
    if (typeof value === 'boolean') return [flag]
    return [flag, name === 'home' ? resolve(String(value)) : String(value)]
  })
}

function getClient(id: string): Client {
  const client = clients.find((each) => each.id === id)
  if (client === undefined) throw new UsageError(`${quote(id)} is not a known client; the clients are ${known}.`)
  return client
}

function toName(value: string): string {
  if (/^[A-Za-z][A-Za-z0-9_-]{0,40}$/.test(value)) return value
  throw new UsageError('A server name starts with a letter and contains letters, digits, - and _ only.')
}

const signTones: Readonly<Record<string, Tone>> = { '+': 'good', '-': 'bad' }

/** Says which proxy is copied into config.json, without its user name and password. */
export const describeProxy = ({ file, places, hasCredentials }: ProxyChange): PrintableText =>
  line`What is started without this shell lacks its variables, so its proxy is written into ${showSentence(file)} as well: ${showSentence(places.join(', '))}${hasCredentials ? line`, with its user name and password in plain text${process.platform === 'win32' ? line`` : line`, readable by you only`}` : line``}`

async function make(
  host: Host,
  client: Client,
  change: SettingsChange,
  agreed: boolean,
  proxy?: ProxyChange,
): Promise<void> {
  if (changesNothing(change)) {
    await show(host, line`${showName(client.title)} needs no change: ${showSentence(change.file)}`)
    if (proxy === undefined) return
  } else {
    await show(
      host,
      showSentence(change.file),
      ...toDiff(change).map((text) => ({ text, tone: signTones[text.slice(0, 1)] })),
    )
  }
  if (proxy !== undefined) await show(host, describeProxy(proxy))
  if (!agreed && !(await agrees(host, line`Write this?`))) return show(host, line`Nothing was changed.`)
  if (proxy !== undefined) writeProxySetting(proxy)
  if (changesNothing(change)) return show(host, line`Written. Start ${showName(client.title)} again.`)
  const { backup } = makeChange(change, new Date())
  const again = line`Start ${showName(client.title)} again.`
  if (backup === undefined) await show(host, line`Written. ${again}`)
  else await show(host, line`Written. The previous configuration is kept in ${showSentence(backup)}`, again)
}
