import type { Command } from 'commander'

/** What a command does with the data folder: `none` works without one, `existing` asks for a database that is there. */
export type DataUse = 'none' | 'existing' | 'created'

/** Says it of one call of a command, where that depends on its arguments. */
export type Choose = (call: { args: readonly string[]; options: Record<string, unknown> }) => DataUse | Promise<DataUse>

const declared = new WeakMap<Command, DataUse | Choose>()

/** Declares what a command does with the data folder; every command declares it. */
export function withData(use: DataUse | Choose, command: Command): Command {
  declared.set(command, use)
  return command
}

export const isDeclared = (command: Command): boolean => declared.has(command)

export async function findDataUse(command: Command): Promise<DataUse> {
  const use = declared.get(command)
  if (use === undefined)
    throw new TypeError(`assay ${command.name()} does not declare what it does with the data folder`)
  return typeof use === 'string' ? use : use({ args: command.args, options: command.opts() })
}
