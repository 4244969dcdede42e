import { type Command, Option } from 'commander'
import type { z } from 'zod'
import { count } from '../../kernel/count.ts'
import { AppError } from '../../kernel/errors.ts'
import { given, isObject } from '../../kernel/json-object.ts'
import { line, type PrintableText, quote, showName, showSentence } from '../../kernel/shown.ts'
import { shell } from '../../runtime/shell.ts'
import { historyModes, type Source, type SourceWarning, type TestStep } from '../../sources/model.ts'
import { declareDataUse } from '../data-use.ts'
import { UsageError } from '../exit.ts'
import { listLeaves } from '../facts.ts'
import type { Flags, Host } from '../host.ts'
import { readJsonFile } from '../json-file.ts'
import { type Block, cell, fields, table, toneOf, warning } from '../output/blocks.ts'
import { addFormats, present, show, showNote } from '../output/show.ts'
import { toUtcTime } from '../output/times.ts'
import { isInteractive } from '../prompt.ts'
import { removeNamed } from '../remove-named.ts'
import { addSecretOptions, readSecret, resolveSecrets, type SecretFlags } from '../secret-input.ts'
import { printJson, type Session, withSession } from '../session.ts'
import { showArgument } from '../shell-words.ts'
import { addSettingOptions, inOptionWords, type SettingFlags, toSettings } from '../source-flags.ts'

interface SourceView extends Source {
  warnings?: readonly SourceWarning[]
}

interface JsonFlags extends Flags {
  json?: boolean
}

interface ChangeFlags extends JsonFlags, SettingFlags, SecretFlags {
  type?: string
  name?: string
  history?: string
  fromFile?: string
  test?: boolean
}

export function addSourceCommands(program: Command, host: Host): void {
  const sources = program.command('sources').description('the tenants to scan: list, add, test, edit and remove them')
  const command = (use: Parameters<typeof declareDataUse>[0], name: string, description: string) =>
    declareDataUse(use, sources.command(name))
      .description(description)
      .option('--json', 'print the response of the REST API')

  addFormats(declareDataUse('existing', sources.command('list', { isDefault: true })))
    .description('list the sources')
    .action(async (options: JsonFlags & { format?: string }) => {
      const answer = await withSession(host, options, (session) =>
        session.call<{ items: SourceView[] }>('list_sources', {}),
      )
      await present(host, options, answer, () =>
        answer.items.length === 0
          ? [line`No sources yet. Add one with: assay sources add`]
          : [toSourceTable(answer.items)],
      )
    })

  command('existing', 'show', 'show the settings of a source, without its secrets')
    .argument('<source>', 'name or id of the source')
    .action(async (id: string, options: JsonFlags) => {
      const source = await withSession(host, options, (session) => session.call<SourceView>('get_source', { id }))
      if (options.json) return printJson(host, source)
      const { history, coverage = {} } = source
      const leaves = listLeaves({ ...source.config, ...given({ history }), coverage })
      await show(host, toSourceTable([source]), line``, fields(...leaves))
    })

  const add = command('created', 'add', 'add a source; on a terminal, asks for what the options do not give')
    .argument('[name]', 'a name for the source, such as "Company wiki"')
    .option('--type <type>', 'WIKI or BI_PLATFORM (default: by the other options)')
    .option('--from-file <path>', 'settings as JSON, as in POST /sources; - reads standard input')
    .addOption(historyOption())
    .option('--test', 'also test the connection, as `assay sources test` does')
  addSecretOptions(addSettingOptions(add), 'the API token or client secret').action(
    async (name: string | undefined, options: ChangeFlags) => {
      await withSession(host, pickHome(options), async (session) => {
        const { completeForm } = await import('../source-entry.ts')
        const payload = await toPayload(host, options)
        const input = await completeForm(host, session, { name, payload }, options)
        const history = given({ history: payload.history })
        const created = await inWords(() => session.call<SourceView>('create_source', { ...input, ...history }))
        await finish(host, session, created, options, line`${showName(created.name)} is added.`)
      })
    },
  )

  const edit = command('existing', 'edit', 'change settings of a source; all others stay as they are')
    .argument('<source>', 'name or id of the source')
    .option('--name <name>', 'a new name')
    .option('--from-file <path>', 'settings to change as JSON, as in PUT /sources; - reads standard input')
    .addOption(historyOption())
    .option('--test', 'also test the connection, as `assay sources test` does')
  addSecretOptions(addSettingOptions(edit), 'a new API token or client secret').action(
    async (id: string, options: ChangeFlags) => {
      await withSession(host, pickHome(options), async (session) => {
        const source = await session.call<SourceView>('get_source', { id })
        const payload = await toPayload(host, options, source)
        const secret = await readSecret(host, options)
        const config = { ...payload.config, ...toMasked(source, secret, payload.config) }
        const name = options.name ?? payload.name
        const changed = { ...given({ name, history: payload.history }), config }
        if (Object.keys(config).length === 0 && Object.keys(changed).length === 1)
          throw new UsageError('Name what to change, such as --schedule nightly; `assay sources edit --help` lists it.')
        const input = { id: source.id, ...changed }
        const updated = await inWords(() => update(host, session, source, input))
        await finish(host, session, updated, options, line`${showName(updated.name)} is changed.`)
      })
    },
  )

  command('existing', 'test', 'test the connection step by step; exit 1 if a step is denied or failed')
    .argument('<source>', 'name or id of the source')
    .action(async (id: string, options: JsonFlags) => {
      await withSession(host, options, (session) => test(host, session, id, options.json === true))
    })

  command('existing', 'remove', 'remove a source with its assets, findings and scans; asks before it does')
    .argument('<source>', 'name or id of the source')
    .option('-y, --yes', 'do not ask')
    .action(async (id: string, options: JsonFlags & { yes?: boolean }) => {
      await withSession(host, pickHome(options), async (session) => {
        const source = await session.call<SourceView>('get_source', { id })
        const { assets, findings } = source.counts
        const name = line`${quote(source.name)}`
        const what = line`${name} with ${count(assets, 'asset')} and ${count(findings, 'finding')}`
        const { yes, json } = options
        const remove = { operation: 'delete_source', input: { id: source.id } }
        await removeNamed(host, session, { name, what, ...remove, ...given({ yes, json }) })
      })
    })
}

const pickHome = ({ home }: Flags): Flags => ({ home })

/** The name and the payload that the options state; of an edit, settings of detectors are kept. */
async function toPayload(
  host: Host,
  options: ChangeFlags,
  source?: SourceView,
): Promise<{ name?: string; history?: unknown; config: Record<string, unknown> }> {
  const { installedPlugins } = await import('../../sources/operations.ts')
  const { connectors } = installedPlugins
  const connector = connectors.find(({ type }) => type === source?.type)
  const known = connector?.defaultDetectors ?? [...new Set(connectors.flatMap((each) => each.defaultDetectors))]
  const config = toSettings({ ...options }, known)
  if (source === undefined && config.detectors === null) delete config.detectors
  if (source !== undefined && Array.isArray(config.detectors)) {
    const before = Array.isArray(source.config.detectors) ? source.config.detectors.filter(isObject) : []
    config.detectors = config.detectors.map((choice: { type: string }) => ({
      ...before.find(({ type }) => type === choice.type),
      ...choice,
    }))
  }
  const { history } = options
  if (options.fromFile === undefined) return { config, ...given({ history }) }
  if (Object.keys(config).length > 0) throw new UsageError('Give --from-file or options for settings, not both.')
  const read = resolveSecrets(host, asInput(await readJsonFile(host, options.fromFile)))
  return {
    ...(typeof read.name === 'string' ? { name: read.name } : {}),
    ...given({ history: history ?? read.history }),
    config: isObject(read.config) ? read.config : {},
  }
}

const historyOption = () =>
  new Option(
    '--history <mode>',
    'earlier versions that scans read: of vanished findings (default), all or none',
  ).choices(historyModes)

/** A file contains either the whole input, with the name, or the payload alone. */
function asInput(read: Record<string, unknown>): Record<string, unknown> {
  if (read.config === undefined) return { config: read }
  const unknown = Object.keys(read).find((member) => !['name', 'config', 'history'].includes(member))
  if (unknown === undefined) return read
  throw new UsageError(
    `The file of --from-file has the member ${quote(unknown)}, which is unknown; it has name, config and history.`,
  )
}

/** The member of `masked` that a new secret replaces. */
function toMasked(source: SourceView, secret: string | undefined, config: Record<string, unknown>): object {
  if (secret === undefined) return {}
  if (config.masked !== undefined)
    throw new UsageError('The file of --from-file has a secret already; give one of the two.')
  const [member] = Object.keys(isObject(source.config.masked) ? source.config.masked : {})
  if (member === undefined) throw new AppError('conflict', `${quote(source.name)} has no secret.`)
  return { masked: { [member]: secret } }
}

/** Updates a source; where its secret must be entered again, asks for it on a terminal. */
async function update(host: Host, session: Session, source: SourceView, input: Record<string, unknown>) {
  try {
    return await session.call<SourceView>('update_source', input)
  } catch (error) {
    const isMissing = error instanceof AppError && error.facts.reason === 'secret_required'
    if (!isMissing || !isInteractive(host)) throw error
    const { askSecret } = await import('../prompt.ts')
    const secret = await askSecret(host, line`The address changes, so the secret must be entered again`)
    const config = isObject(input.config) ? input.config : {}
    return session.call<SourceView>('update_source', {
      ...input,
      config: { ...config, ...toMasked(source, secret, config) },
    })
  }
}

/** Runs a change; problems of the payload name the options that set it. */
async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_input') throw error
    const { issues = [], ...facts } = error.facts
    const message =
      facts.reason === 'secret_required'
        ? 'The address changes, so the secret must be entered again; give it with --secret-stdin, --secret-env or --secret-file.'
        : inOptionWords(error.message)
    throw new AppError(error.code, message, {
      ...facts,
      issues: issues.map(({ path, message }) => ({ path: inOptionWords(path), message: inOptionWords(message) })),
    })
  }
}

async function finish(
  host: Host,
  session: Session,
  source: SourceView,
  options: ChangeFlags,
  done: PrintableText,
): Promise<void> {
  if (options.json) printJson(host, source)
  else await show(host, done)
  for (const { message } of source.warnings ?? []) await showNote(host, warning(message))
  if (options.test === true) return test(host, session, source.id, false)
  if (options.json === true) return
  const name = showArgument(source.name)
  await show(host, line`Test the connection: assay sources test ${name}`, line`Scan it now: assay scan ${name}`)
  if (source.nextRunAt !== undefined) {
    await show(
      host,
      line`Its next scheduled scan is at ${toUtcTime(source.nextRunAt)}, while \`assay serve\` or an assistant runs; \`${showSentence(shell.keepServing)}\` keeps it running.`,
    )
  }
}

async function test(host: Host, session: Session, id: string, json: boolean): Promise<void> {
  const answer = await session.call<{ steps: z.infer<typeof TestStep>[] }>('test_source', { id })
  if (json) printJson(host, answer)
  else {
    const lines = answer.steps.flatMap(({ name, status, detail, hint }): Block[] => {
      const said = detail === undefined ? line`` : line`: ${showSentence(detail)}`
      const mark = { text: marks[status], tone: toneOf(status) }
      return [
        [mark, line`  ${showName(name.replaceAll('_', ' '))}${said}`],
        ...(hint !== undefined && status !== 'ok' ? [line`        → ${showSentence(hint)}`] : []),
      ]
    })
    await show(host, ...lines)
  }
  const bad = answer.steps.filter(({ status }) => status === 'denied' || status === 'failed')
  if (bad.length === 0) return
  const { length } = answer.steps
  throw new AppError(
    'unavailable',
    `${bad.length} of ${length} steps ${bad.length === 1 ? 'was' : 'were'} denied or failed; what to do is shown above.`,
  )
}

const marks = { ok: line`ok    `, denied: line`DENIED`, failed: line`FAILED`, skipped: line`skip  ` } as const

function toSourceTable(items: readonly SourceView[]): Block {
  const rows = items.map(({ name, type, lastCompletedScanAt, nextRunAt, id }) => [
    cell.name(name),
    cell.name(type),
    cell.time(lastCompletedScanAt),
    cell.time(nextRunAt, line`-`),
    cell.code(id),
  ])
  const columns = [
    { title: line`name`, shrink: 1 },
    { title: line`type` },
    { title: line`last complete scan` },
    { title: line`next run` },
    { title: line`id`, shrink: 2, min: 36, isOptional: true as const },
  ]
  return table(columns, rows)
}
