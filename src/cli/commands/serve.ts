import { type Command, InvalidArgumentError, Option } from 'commander'
import { line } from '../../kernel/shown.ts'
import { logLevels } from '../../runtime/log.ts'
import { declareDataUse } from '../data-use.ts'
import type { Flags, Host } from '../host.ts'
import { showNote } from '../output/show.ts'
import { addClientCommands } from './clients.ts'

const toPort = (value: string) => {
  const port = Number(value)
  if (!/^\d+$/.test(value) || port > 65_535)
    throw new InvalidArgumentError('A port must be a whole number from 0 to 65535.')
  return port
}

export function addServeCommands(program: Command, host: Host): void {
  const level = () =>
    new Option('--log-level <level>', 'lowest level of the log lines on stderr').choices([...logLevels])
  const offering = (command: Command) =>
    command
      .option('--toolsets <list>', 'toolsets to offer: agent, admin, or both (default agent,admin)', toToolsets)
      .option('--read-only', 'offer read-only tools only')
  const serving = (command: Command) =>
    command
      .option('--host <address>', 'address to listen on (default 127.0.0.1)')
      .option('--port <port>', 'port to listen on; 0 picks a free one (default 7411)', toPort)
      .option('--no-background', 'do not run due scans in this process')
      .option('--lockdown', 'answer with counts and ids only, never with text from tenants')
      .addOption(level())
  offering(
    serving(
      declareDataUse('upgraded', program.command('serve')).description(
        'serve REST, /mcp, /docs and the background loop',
      ),
    ),
  )
    .option('--socket <path>', 'listen on a unix socket that only its owner can open, instead of a port')
    .option('--no-console', 'do not serve the web console at /console/')
    .option('--public-url <url>', 'address at which clients reach this server through a proxy')
    .option(
      '--trust-proxy <networks>',
      'networks of proxies whose X-Forwarded-For header is trusted, such as 10.0.0.0/8',
      toList,
    )
    .action(async (options: Flags) => host.serve(withoutDefault(options)))
  declareDataUse('upgraded', program.command('worker'))
    .description(
      'run scheduled work on the PostgreSQL database of ASSAY_STORE, together with other workers and servers',
    )
    .option('--host <address>', 'address to answer probes on (default 127.0.0.1)')
    .option('--probe-port <port>', 'port for /health, /ready and /metrics; 0 picks a free one (default 7412)', toPort)
    .option('--lockdown', 'messages of watches contain counts and ids only')
    .addOption(level())
    .action(async (options: Flags) => host.worker(options))
  const mcp = offering(
    declareDataUse('created', program.command('mcp')).description(
      'speak MCP over stdin and stdout, for an assistant on this machine',
    ),
  )
    .option('--lockdown', 'answer with counts and ids only, never with text from tenants')
    .option('--no-background', 'do not run due scans in this process')
    .addOption(level())
    .option('--home <folder>', 'data folder (default: ASSAY_HOME, else the per-user data folder)')
    .action(async (options: Flags) => {
      if (host.stdin.isTTY === true) {
        await showNote(
          host,
          line`assay mcp waits for an assistant that speaks MCP over its standard input and output; assistants start it themselves.`,
          line`Add it to one with \`assay mcp install\`; Ctrl-C ends it.`,
        )
      }
      await host.mcp(withoutDefault(options))
    })
  addClientCommands(mcp, host)
  serving(
    declareDataUse('created', program.command('demo')).description(
      'scan the built-in sample tenants, show some results, then serve',
    ),
  )
    .option('--home <folder>', 'data folder to keep (default: a temporary one, removed at the end)')
    .option('--once', 'show the results and exit', false)
    .action(async (options: Flags & { once: boolean }) => host.demo({ ...withoutDefault(options), once: options.once }))
}

const toList = (value: string) => value.split(',').map((each) => each.trim())

/** Options such as `--no-background` give a default of true, which must not override the settings file. */
function withoutDefault<T extends Flags>(options: T): T {
  const { background, console, ...rest } = options
  return { ...rest, ...(background === false ? { background } : {}), ...(console === false ? { console } : {}) } as T
}

function toToolsets(value: string): ('agent' | 'admin')[] {
  return value.split(',').map((name) => {
    const toolset = name.trim()
    if (toolset === 'agent' || toolset === 'admin') return toolset
    throw new InvalidArgumentError('The toolsets are agent and admin; separate them with a comma.')
  })
}
