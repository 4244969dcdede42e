import type { Command } from 'commander'
import { examplesOf } from './help.ts'
import { type CommandShape, listCommands } from './shape.ts'

/** Text in the language of manual pages: no character of it begins a request. */
const escapeRoff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=['.])/gm, '\\&')

/** The manual page of the program. */
export function toManual(program: Command, version: string): string {
  const [main, ...commands] = listCommands(program)
  const commandOf = (path: string) =>
    path
      .split(' ')
      .reduce<Command | undefined>((at, name) => at?.commands.find((each) => each.name() === name), program)
  const lines = [
    '.\\" Generated from the help texts by npm run generate.',
    `.TH ASSAY 1 "" "assay ${version}" "User Commands"`,
    '.SH NAME',
    'assay \\- governed metrics about the findings in wikis and BI tenants',
    '.SH SYNOPSIS',
    '.B assay',
    '.I command',
    '[\\fIoptions\\fR]',
    '.SH DESCRIPTION',
    escapeRoff(main?.description ?? ''),
    '.SH COMMANDS',
    ...commands.flatMap((shape) => toSection(shape, examplesOf(commandOf(shape.path) ?? program))),
    '.SH ENVIRONMENT',
    ...toItem('ASSAY_HOME', 'The data folder.'),
    ...toItem(
      'NO_COLOR, FORCE_COLOR',
      'Turn colour off, or on without a terminal; \\-\\-color decides before them.',
      true,
    ),
    ...toItem('PAGER', 'Shows output that is longer than the terminal.'),
    '.SH EXIT STATUS',
    ...toItem('0', 'Success.'),
    ...toItem('1', 'Failure, or a check that found something.'),
    ...toItem('2', 'Invalid command line.'),
    '.SH EXAMPLES',
    ...examplesOf(program).flatMap((example) => ['.EX', escapeRoff(example), '.EE']),
  ]
  return `${lines.join('\n')}\n`
}

const toItem = (term: string, text: string, isEscaped = false) => [
  '.TP',
  `\\fB${escapeRoff(term)}\\fR`,
  isEscaped ? text : escapeRoff(text),
]

function toSection({ usage, description, options, commands }: CommandShape, examples: readonly string[]): string[] {
  return [
    `.SS ${escapeRoff(usage.replace(/ \[options\]| \[command\]/g, ''))}`,
    escapeRoff(description),
    ...(commands.length > 0 ? ['.PP', `Commands: ${commands.map(({ name }) => escapeRoff(name)).join(', ')}.`] : []),
    ...options.flatMap(({ flags, description: text, choices, isRequired }) => {
      const listed = choices.length > 0 ? ` (${choices.join(', ')})` : ''
      return toItem(flags, `${isRequired ? '(required) ' : ''}${text}${listed}`)
    }),
    ...examples.flatMap((example) => ['.PP', '.EX', escapeRoff(example), '.EE']),
  ]
}
