import { type Command, Option } from 'commander'
import { AppError } from '../../kernel/errors.ts'
import { UsageError } from '../exit.ts'
import type { Host } from '../host.ts'
import { printJson } from '../session.ts'
import { asTyped } from '../shell-words.ts'
import type { Block } from './blocks.ts'
import { describeScreen } from './screen.ts'

export const outputFormats = ['table', 'json', 'csv', 'md'] as const
export type OutputFormat = (typeof outputFormats)[number]

/** Prints blocks to stdout, through `$PAGER` where they are longer than the terminal. */
export async function show(host: Host, ...blocks: readonly Block[]): Promise<void> {
  const { layOut } = await import('./layout.ts')
  const lines = layOut(withCommands(host, blocks), describeScreen(host, host.stdout))
  const { isPaged, page } = await import('./pager.ts')
  if (!isPaged(host, lines.length) || !(await page(host, lines))) host.stdout.write(`${lines.join('\n')}\n`)
}

/** Prints notes to stderr, separate from the answer on stdout. */
export async function showNote(host: Host, ...blocks: readonly Block[]): Promise<void> {
  const { layOut } = await import('./layout.ts')
  host.stderr.write(`${layOut(withCommands(host, blocks), describeScreen(host, host.stderr)).join('\n')}\n`)
}

/** The same blocks, with the commands in them as the reader has to type them. */
const withCommands = (host: Host, blocks: readonly Block[]): readonly Block[] =>
  blocks.map((block) =>
    typeof block === 'object' && 'text' in block && ('kind' in block || block.tone === 'notice')
      ? { ...block, text: asTyped(block.text, host) }
      : block,
  )

interface FormatFlags {
  json?: boolean | undefined
  format?: string | undefined
}

/** Adds `--format` and `--json` to a command whose answer is shown by `present`. */
export const addFormats = (command: Command, formats: readonly string[] = outputFormats): Command =>
  command
    .addOption(new Option('--format <format>', 'format of the output (default table)').choices(formats))
    .option('--json', 'print the response of the REST API, like --format json')

/** @throws UsageError when --json contradicts --format */
export function toOutputFormat({ json, format }: FormatFlags): OutputFormat {
  if (json && format !== undefined && format !== 'json')
    throw new UsageError(`--json cannot be used with --format ${format}.`)
  const found = outputFormats.find((each) => each === (json ? 'json' : (format ?? 'table')))
  if (found === undefined) throw new AppError('internal', `The format ${format} is written elsewhere.`)
  return found
}

/** Prints an answer in the requested format: `blocks` for people, the answer itself for programs. */
export async function present(
  host: Host,
  flags: FormatFlags,
  answer: unknown,
  blocks: () => readonly Block[],
): Promise<void> {
  const format = toOutputFormat(flags)
  if (format === 'json') return printJson(host, answer)
  if (format === 'table') return show(host, ...blocks())
  const { toCsv, toMarkdown } = await import('./markup.ts')
  host.stdout.write(format === 'csv' ? toCsv(blocks()) : toMarkdown(withCommands(host, blocks())))
}
