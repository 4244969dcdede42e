import { Command, CommanderError, Option } from 'commander'
import { line, showSentence } from '../kernel/shown.ts'
import { findDataUse } from './data-use.ts'
import { EXIT_FAILED, EXIT_OK, EXIT_USAGE, toMessage, UsageError } from './exit.ts'
import { configureHelp } from './help.ts'
import type { Host } from './host.ts'
import { type ColorChoice, colorChoices } from './output/screen.ts'
import { showNote } from './output/show.ts'
import { asTyped } from './shell-words.ts'
import { findCommand, toUsageSentence } from './usage-text.ts'

/** Runs one command line. Returns the exit code: 0 ok, 1 failed, 2 usage error. */
export async function runCommandLine(argv: readonly string[], host: Host): Promise<number> {
  const usageErrors: string[] = []
  host.color = findColor(argv)
  const words = withFlagsLast(argv)
  const program = await createProgram(host, (text) => usageErrors.push(text), words[0] || undefined)
  if (argv.length === 0) {
    program.outputHelp()
    return EXIT_USAGE
  }
  try {
    await program.parseAsync(words, { from: 'user' })
    return EXIT_OK
  } catch (error) {
    if (error instanceof CommanderError) {
      const { command } = findCommand(program, words)
      if (error.code === 'commander.help' || (command !== program && isGroupAlone(error))) {
        command.outputHelp()
        return EXIT_USAGE
      }
      if (usageErrors.length > 0) {
        const { toLoggedText } = await import('../detectors/safe-text.ts')
        await showNote(
          host,
          line`assay: ${showSentence(toLoggedText(toUsageSentence(usageErrors.join(''), program, words)))}`,
        )
      }
      return error.exitCode === 0 ? EXIT_OK : EXIT_USAGE
    }
    if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return EXIT_OK
    const [message = line``, ...more] = await toMessage(error, words[0] === 'call')
    await showNote(host, line`assay: ${asTyped(message, host)}`, ...more)
    return error instanceof UsageError ? EXIT_USAGE : EXIT_FAILED
  }
}

/** Every command has these options, so only a group that is named without one of its commands does not know them. */
const isGroupAlone = ({ message }: CommanderError) => /unknown option '--(?:home|color)\b/.test(message)

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

type AddCommands = (program: Command, host: Host) => void

/** The names of commands with what adds them; `completion` and `help` need all others. */
const modules: readonly (readonly [names: string, load: () => Promise<AddCommands>])[] = [
  ['init', async () => (await import('./commands/init.ts')).addInitCommand],
  ['serve worker mcp demo', async () => (await import('./commands/serve.ts')).addServeCommands],
  ['sources', async () => (await import('./commands/sources.ts')).addSourceCommands],
  ['scan', async () => (await import('./commands/scan.ts')).addScanCommands],
  ['query', async () => (await import('./commands/ask.ts')).addAskCommands],
  ['call', async () => (await import('./commands/call.ts')).addCallCommand],
  ['findings', async () => (await import('./commands/findings.ts')).addFindingCommands],
  ['terms', async () => (await import('./commands/terms.ts')).addTermCommands],
  ['metrics', async () => (await import('./commands/metrics.ts')).addMetricCommands],
  ['dashboard dashboards console', async () => (await import('./commands/dashboard.ts')).addDashboardCommands],
  ['find-person', async () => (await import('./commands/find-person.ts')).addFindPersonCommand],
  ['triage undo', async () => (await import('./commands/triage.ts')).addTriageCommand],
  ['suppressions', async () => (await import('./commands/suppressions.ts')).addSuppressionCommands],
  ['proposals approve reject', async () => (await import('./commands/proposals.ts')).addProposalCommands],
  ['sla', async () => (await import('./commands/sla.ts')).addSlaCommands],
  ['watch check', async () => (await import('./commands/watch.ts')).addWatchCommands],
  ['import', async () => (await import('./commands/import.ts')).addImportCommand],
  ['export diff apply validate', async () => (await import('./commands/definitions.ts')).addDefinitionCommands],
  ['detect', async () => (await import('./commands/detect.ts')).addDetectCommand],
  ['backup restore', async () => (await import('./commands/backup.ts')).addBackupCommands],
  ['move', async () => (await import('./commands/move.ts')).addMoveCommand],
  ['key', async () => (await import('./commands/backup.ts')).addKeyCommands],
  ['generate', async () => (await import('./commands/generate.ts')).addGenerateCommand],
  ['token', async () => (await import('./commands/token.ts')).addTokenCommands],
  ['audit', async () => (await import('./commands/audit.ts')).addAuditCommands],
  ['doctor', async () => (await import('./commands/doctor.ts')).addDoctorCommand],
  ['service', async () => (await import('./commands/service.ts')).addServiceCommands],
  ['test', async () => (await import('./commands/test.ts')).addTestCommand],
  ['verify', async () => (await import('./commands/verify.ts')).addVerifyCommand],
  ['', async () => (await import('./commands/completion.ts')).addCompletionCommand],
]

/**
 * The program with the command of this name, or with all commands if there is none.
 * @param writeErr receives usage errors, which quote the command line
 */
export async function createProgram(
  host: Host,
  writeErr: (text: string) => void = (text) => host.stderr.write(text),
  name = '-',
): Promise<Command> {
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
  const named = modules.filter(([names]) => names.split(' ').includes(name))
  for (const [, load] of named.length > 0 ? named : modules) (await load())(program, host)
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
    host.home = command.opts().home
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

function addHome(command: Command): void {
  if (command.options.some(({ long }) => long === '--home')) return
  command.option('--home <folder>', 'data folder (default: ASSAY_HOME, else the per-user data folder)')
}
