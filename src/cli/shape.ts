import type { Command, Option } from 'commander'
import { pathOf } from './help.ts'

/** A command as completions and the manual need it. */
export interface CommandShape {
  /** Names without the program's own; empty for the program. */
  path: string
  description: string
  usage: string
  commands: readonly { name: string; description: string }[]
  options: readonly OptionShape[]
}

export interface OptionShape {
  /** As in the help, such as `-y, --yes`. */
  flags: string
  /** The forms to type, such as `-y` and `--yes`. */
  names: readonly string[]
  description: string
  choices: readonly string[]
  takesValue: boolean
  isRequired: boolean
}

/** Options that are accepted before the name of a command as well. */
const everywhere = ['--home', '--color']

/** Every command with its options, the program first. */
export function listCommands(program: Command): CommandShape[] {
  const leaf = program.commands.find(({ commands }) => commands.length === 0)
  const common = leaf?.options.filter(({ long }) => everywhere.includes(long ?? '')) ?? []
  return [program, ...program.commands.flatMap((command) => [command, ...command.commands])].map((command) => ({
    path: pathOf(command),
    description: command.description(),
    usage: command.createHelp().commandUsage(command),
    commands: command.commands.map((each) => ({ name: each.name(), description: each.description() })),
    options: [...command.createHelp().visibleOptions(command), ...(command === program ? common : [])].map(toShape),
  }))
}

const toShape = (option: Option): OptionShape => ({
  flags: option.flags,
  names: [option.short, option.long].filter((name) => name !== undefined && name !== null),
  description: option.description,
  choices: option.argChoices ?? [],
  takesValue: option.required || option.optional,
  isRequired: option.mandatory,
})
