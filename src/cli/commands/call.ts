import type { Command } from 'commander'
import { AppError } from '../../kernel/errors.ts'
import { quoteJson, unquoteJson } from '../../kernel/quoted-json.ts'
import { joinShown, line, quote, showCode } from '../../kernel/shown.ts'
import { closest } from '../../kernel/suggest.ts'
import type { Operation } from '../../operation/operation.ts'
import { type DataUseOf, declareDataUse } from '../data-use.ts'
import { UsageError } from '../exit.ts'
import type { Flags, Host } from '../host.ts'
import { findJsonProblem } from '../json-argument.ts'
import { readJsonFile } from '../json-file.ts'
import { cell, table } from '../output/blocks.ts'
import { show } from '../output/show.ts'
import { listPlainSecrets, resolveSecrets, SECRET_OPTIONS } from '../secret-input.ts'
import { printJson, withSession } from '../session.ts'

interface CallFlags extends Flags {
  list?: boolean
  help?: boolean
}

export function addCallCommand(program: Command, host: Host): void {
  const useOfCall: DataUseOf = async ({ args: [name, text], options }) => {
    if (options.list === true || options.help === true || name === undefined) return 'none'
    const { effect, privateInput } = await getOperation(host, options, name)
    requireJson(text)
    if (privateInput !== undefined && text !== undefined && text !== '-' && !text.startsWith('@'))
      throw new UsageError(
        'What is looked for does not belong on the command line: give the input as @FILE or - (standard input).',
      )
    return effect === 'write' ? 'created' : 'existing'
  }
  const command = declareDataUse(useOfCall, program.command('call'))
    .description('run any operation of the catalogue')
    .argument('[operation]', 'such as list_metrics')
    .argument('[input]', 'its input as JSON; @FILE reads it from a file, - from standard input')
    .option('--list', 'list the operations')
    .helpOption(false)
    .option('-h, --help', 'print this help; after the name of an operation, its members and an example')
    .action(async (name: string | undefined, text: string | undefined, options: CallFlags) => {
      if (options.help && name === undefined) return command.outputHelp()
      if (options.list || name === undefined) {
        await listOperations(host, options)
        if (!options.list) throw new UsageError('Name an operation, such as `assay call list_metrics`.')
        return
      }
      const operation = await getOperation(host, options, name)
      if (options.help) {
        const { describeOperation } = await import('../operation-help.ts')
        return show(host, ...describeOperation(operation))
      }
      const input = await readInput(host, text)
      const { acceptNumbers } = await import('../operation-help.ts')
      const answer = await withSession(host, options, (session) =>
        session.call(name, acceptNumbers(operation, resolveSecrets(host, input))),
      )
      printJson(host, answer)
    })
}

const MAX_OPERATION_NAME = 50

/** @throws AppError `not_found` with the closest names */
async function getOperation(host: Host, flags: Flags, name: string): Promise<Operation> {
  const operations = await host.operations(flags)
  const found = operations.find((candidate) => candidate.name === name)
  if (found !== undefined) return found
  const near = closest(name, operations, (operation) => operation.name, 3)
  const meant = near.length === 0 ? '' : ` Did you mean ${joinShown(near.map((each) => showCode(each.name)))}?`
  // A credential is recognized, and masked, as a whole only, so what is too long for a name is not repeated in part.
  const named = name.length <= MAX_OPERATION_NAME ? ` ${quote(name)}` : ' with such a long name'
  const message = `There is no operation${named}; \`assay call --list\` lists them all.${meant}`
  throw new AppError('not_found', message)
}

async function readInput(host: Host, text = '{}'): Promise<Record<string, unknown>> {
  if (text === '-') return readJsonFile(host, '-')
  if (text.startsWith('@')) return readJsonFile(host, text.slice(1))
  return JSON.parse(unquoteJson(text)) as Record<string, unknown>
}

/** Checks an input on the command line before the data folder is opened. @throws UsageError */
function requireJson(text: string | undefined): void {
  if (text === undefined || text === '-' || text.startsWith('@')) return
  const json = unquoteJson(text)
  const problem = findJsonProblem(json)
  if (problem !== undefined)
    throw new UsageError(`The input must be a JSON object, such as ${quoteJson({ slug: 'open-findings' })}; ${problem}`)
  refusePlainSecrets(JSON.parse(json) as Record<string, unknown>)
}

/**
 * A secret on the command line is kept in the history of the shell, and visible to other users of the machine.
 * @throws UsageError
 */
function refusePlainSecrets(input: Record<string, unknown>): void {
  const [path] = listPlainSecrets(input)
  if (path === undefined) return
  throw new UsageError(
    `A secret does not belong on the command line: for ${path}, write {"env": "NAME"} or {"file": "PATH"}, give the input as @FILE or - (standard input), or use a command with ${SECRET_OPTIONS}, such as assay sources add.`,
  )
}

async function listOperations(host: Host, options: CallFlags): Promise<void> {
  const rows = (await host.operations(options)).map(({ name, effect, summary }) => [
    cell.code(name),
    cell.code(effect),
    cell.sentence(summary),
  ])
  const description = { title: line`description`, shrink: 1, min: 20 }
  await show(host, table([{ title: line`operation` }, { title: line`effect` }, description], rows))
}
