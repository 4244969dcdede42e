import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { line, showSentence } from '../kernel/shown.ts'
import { logLevels } from '../runtime/log.ts'
import { addAskCommands } from './commands/ask.ts'
import { addAuditCommands } from './commands/audit.ts'
import { addBackupCommands, addKeyCommands } from './commands/backup.ts'
import { addCallCommand } from './commands/call.ts'
import { addClientCommands } from './commands/clients.ts'
import { addCompletionCommand } from './commands/completion.ts'
import { addDashboardCommands } from './commands/dashboard.ts'
import { addDefinitionCommands } from './commands/definitions.ts'
import { addDetectCommand } from './commands/detect.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addFindingCommands } from './commands/findings.ts'
import { addGenerateCommand } from './commands/generate.ts'
import { addImportCommand } from './commands/import.ts'
import { addInitCommand } from './commands/init.ts'
import { addMetricCommands } from './commands/metrics.ts'
import { addMoveCommand } from './commands/move.ts'
import { addScanCommands } from './commands/scan.ts'
import { addServiceCommands } from './commands/service.ts'
import { addSlaCommands } from './commands/sla.ts'
import { addSourceCommands } from './commands/sources.ts'
import { addTermCommands } from './commands/terms.ts'
import { addTokenCommands } from './commands/token.ts'
import { addTriageCommand } from './commands/triage.ts'
import { addVerifyCommand } from './commands/verify.ts'
import { addWatchCommands } from './commands/watch.ts'
import { declareDataUse, findDataUse } from './data-use.ts'
import { EXIT_FAILED, EXIT_OK, EXIT_USAGE, toMessage, UsageError } from './exit.ts'
import { configureHelp } from './help.ts'
import type { Flags, Host } from './host.ts'
import { type ColorChoice, colorChoices } from './output/screen.ts'
import { showNote } from './output/show.ts'
import { toUsageSentence } from './usage-text.ts'

/** Runs one command line. Returns the exit code: 0 ok, 1 failed, 2 usage error. */
export async function runCommandLine(argv: readonly string[], host: Host): Promise<number> {
  const usageErrors: string[] = []
  host.color = findColor(argv)
  const program = createProgram(host, (text) => usageErrors.push(text))
  if (argv.length === 0) {
    program.outputHelp()
    return EXIT_USAGE
  }
  try {
    await program.parseAsync(withFlagsLast(argv), { from: 'user' })
    return EXIT_OK
  } catch (error) {
    if (error instanceof CommanderError) {
      if (usageErrors.length > 0) {
        const { toLoggedText } = await import('../detectors/safe-text.ts')
        const words = withFlagsLast(argv)
        await showNote(
          host,
          line`assay: ${showSentence(toLoggedText(toUsageSentence(usageErrors.join(''), program, words)))}`,
        )
      }
      return error.exitCode === 0 ? EXIT_OK : EXIT_USAGE
    }
    if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return EXIT_OK
    const isRaw = withFlagsLast(argv)[0] === 'call'
    const [message = line``, ...more] = await toMessage(error, isRaw)
    await showNote(host, line`assay: ${message}`, ...more)
    return error instanceof UsageError ? EXIT_USAGE : EXIT_FAILED
  }
}

/** Help is printed before options are read. */
const findColor = (argv: readonly string[]): ColorChoice => {
  const text = argv.join(' ')
  return colorChoices.find((choice) => new RegExp(`(?:^| )--color[= ]${choice}(?: |$)`).test(text)) ?? 'auto'
}

/** Global options are accepted before the command name as well. */
function withFlagsLast(argv: readonly string[]): string[] {
  let named = 0
  for (let flag = argv[0]; flag !== undefined; flag = argv[named]) {
    if (flag === '--home' || flag === '--color') named += 2
    else if (flag === '--json' || flag.startsWith('--home=') || flag.startsWith('--color=')) named += 1
    else break
  }
  const flags = argv.slice(0, named)
  const rest = argv.slice(named)
  const end = rest.indexOf('--')
  return end === -1 ? [...rest, ...flags] : rest.toSpliced(end, 0, ...flags)
}

/** `writeErr` receives usage errors, which quote the command line. */
export function createProgram(
  host: Host,
  writeErr: (text: string) => void = (text) => host.stderr.write(text),
): Command {
  const program = new Command('assay')
    .description(
      'A local-first semantic layer over findings: governed metrics about the content of wikis and BI tenants.',
    )
    .version(host.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError('(run with --help for usage)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr,
    })
  addInitCommand(program, host)
  addServeCommands(program, host)
  addSourceCommands(program, host)
  addScanCommands(program, host)
  addAskCommands(program, host)
  addCallCommand(program, host)
  addFindingCommands(program, host)
  addTermCommands(program, host)
  addMetricCommands(program, host)
  addDashboardCommands(program, host)
  addTriageCommand(program, host)
  addSlaCommands(program, host)
  addWatchCommands(program, host)
  addImportCommand(program, host)
  addDefinitionCommands(program, host)
  addDetectCommand(program, host)
  addBackupCommands(program, host)
  addMoveCommand(program, host)
  addKeyCommands(program, host)
  addGenerateCommand(program, host)
  addTokenCommands(program, host)
  addAuditCommands(program, host)
  addDoctorCommand(program, host)
  addServiceCommands(program, host)
  addVerifyCommand(program, host)
  addCompletionCommand(program, host)
  const all = program.commands.flatMap((command) => [command, ...command.commands])
  for (const command of [program, ...all]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr,
    })
    if (command !== program && command.commands.length === 0) {
      addHome(command)
      command.addOption(
        new Option('--color <when>', 'colour and links in the output (default auto)').choices(colorChoices),
      )
    }
    for (const option of command.options) admitEmpty(option)
  }
  configureHelp(program, host)
  program.hook('preAction', async (_, command) => {
    dropEmpty(command)
    host.color = colorChoices.find((choice) => choice === command.opts().color) ?? 'auto'
    const use = await findDataUse(command)
    host.dataMayBeUpgraded = use === 'upgraded'
    if (use === 'none') return
    const [{ requireOwnFolder }, { requireDatabase }, { toStorePlace }] = await Promise.all([
      import('../store/own-folder.ts'),
      import('../store/place.ts'),
      import('../store/store-place.ts'),
    ])
    const { home, env } = host.locate(command.opts())
    requireOwnFolder(home)
    if (use !== 'existing') return
    host.dataMustExist = true
    if (toStorePlace(home, env).kind === 'file') requireDatabase(home)
  })
  return program
}

const isEmpty = (value: unknown) => typeof value === 'string' && value.trim() === ''

/** Lets an empty value pass the parser; `dropEmpty` removes it before the command runs. */
function admitEmpty(option: Option): void {
  const { parseArg } = option
  if (parseArg === undefined || option.variadic) return
  option.argParser((value: string, previous: unknown) => (isEmpty(value) ? value : parseArg(value, previous as never)))
}

function dropEmpty(command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName()
    if (!isEmpty(command.getOptionValue(name))) continue
    if (option.mandatory) throw new UsageError(`${option.long} must not be empty.`)
    command.setOptionValue(name, option.defaultValue)
  }
  if (command.parent !== null) dropEmpty(command.parent)
}

const toPort = (value: string) => {
  const port = Number(value)
  if (!/^\d+$/.test(value) || port > 65_535)
    throw new InvalidArgumentError('A port must be a whole number from 0 to 65535.')
  return port
}

function addHome(command: Command): void {
  if (command.options.some(({ long }) => long === '--home')) return
  command.option('--home <folder>', 'data folder (default: ASSAY_HOME, else the per-user data folder)')
}

function addServeCommands(program: Command, host: Host): void {
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
  addHome(mcp)
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
