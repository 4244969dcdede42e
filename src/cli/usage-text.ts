import type { Command } from 'commander'
import { closest } from '../kernel/suggest.ts'

/** A usage error of the parser as one sentence that names the help to read. */
export function toUsageSentence(text: string, program: Command, argv: readonly string[]): string {
  const { command, path } = findCommand(program, argv)
  // A word too many may be a secret, so it is not repeated.
  const [first = '', ...more] = text
    .replace(/^(error: too many arguments.*? got \d+): .*/s, '$1')
    .split('\n')
    .map((each) => each.trim())
    .filter((each) => each !== '' && !each.startsWith('(run with --help'))
  const said = [first.replace(/^error: /, '').replace(/\.$/, ''), ...more].join(' ')
  const help = `see \`${['assay', ...path, '--help'].join(' ')}\`.`
  const word = argv[path.length]
  const names = command.commands.map((each) => each.name())
  if (names.length > 0 && word !== undefined && !word.startsWith('-') && said.startsWith('too many arguments')) {
    const [near] = closest(word, names, (name) => name, 1)
    const meant = near === undefined ? '' : ` (Did you mean ${near}?)`
    return `unknown command '${[...path, word].join(' ')}'${meant}; ${help}`
  }
  return `${said}; ${help}`
}

/** The command that a command line names, as far as it exists. */
export function findCommand(program: Command, argv: readonly string[]): { command: Command; path: string[] } {
  let command = program
  const path: string[] = []
  for (const word of argv) {
    const next = command.commands.find((each) => each.name() === word)
    if (next === undefined) break
    command = next
    path.push(word)
  }
  return { command, path }
}
