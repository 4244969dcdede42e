import type { Command } from 'commander'

/**
 * How a command uses the data folder: `none` needs none, `existing` requires an existing database, `created` creates
 * one if there is none, `upgraded` also upgrades one on a server, where processes of earlier versions may use it.
 */
export type DataUse = 'none' | 'existing' | 'created' | 'upgraded'

/** Decides by the arguments of a call. */
export type DataUseOf = (call: {
  args: readonly string[]
  options: Record<string, unknown>
}) => DataUse | Promise<DataUse>

const declared = new WeakMap<Command, DataUse | DataUseOf>()

/** Declares how a command uses the data folder, which every command must do. */
export function declareDataUse(use: DataUse | DataUseOf, command: Command): Command {
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
