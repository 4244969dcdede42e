import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { examplesOf, pathOf } from '../../src/cli/help.ts'
import type { Host } from '../../src/cli/host.ts'
import { createProgram } from '../../src/cli/program.ts'
import { findPlanted, type Planting, plantedCredentials } from '../support/plantings.ts'
import { importFindings, openLastingCommandLine } from './command-line.ts'

/** They last until they are stopped, or change the machine outside of the data folder. */
const LEFT_OUT =
  /^(?:serve|mcp|demo|doctor|verify|move|console|service \w+|mcp \w+|service|key replace|token clear|token revoke)$/
const NOT_A_TEXT = /^(?:-h|--help|--home|--color)\b/
/** A path is printed as it was typed. */
const isPath = (name: string) => /file|folder|path|dir/i.test(name)

interface Parameter {
  /** `import <file>` or `import --source`. */
  name: string
  /** The words of the command with a text in this place. */
  toArgv: (text: string, run: number) => string[]
}

const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf)

/** The words of an example without what belongs to the shell. */
function toWords(example: string): string[] {
  const [, typed = ''] = /(?:^|\| )assay ([^|>]*)/.exec(example) ?? []
  return [...typed.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  )
}

/** Every place of the command line that takes a text. */
export async function listParameters(): Promise<Parameter[]> {
  const program = await createProgram({ version: '0' } as Host)
  return leavesOf(program).flatMap((command): Parameter[] => {
    const path = pathOf(command)
    if (LEFT_OUT.test(path)) return []
    const words = path.split(' ')
    const [example = []] = examplesOf(command).map(toWords)
    const given = example.slice(words.length)
    const options = command.options.filter(
      ({ flags, required, optional }) => (required || optional) && !NOT_A_TEXT.test(flags) && !isPath(flags),
    )
    const positions = given.flatMap((word, at) => (word.startsWith('-') || given[at - 1]?.startsWith('-') ? [] : [at]))
    const inPlaces = command.registeredArguments.map((argument, order) => ({
      name: `${path} <${argument.name()}>`,
      toArgv: (text: string) => {
        const at = positions[order]
        return [...words, ...(at === undefined ? [...given, text] : given.with(at, text))]
      },
    }))
    return [
      ...inPlaces.filter(({ name }) => !isPath(name)),
      ...options.map(({ long, short }) => ({
        name: `${path} ${long ?? short}`,
        // What one command has created, the next cannot create again.
        toArgv: (text: string, run: number) => {
          const named = given.map((word, at) =>
            path.endsWith('create') && at === positions[0] ? `${word}-${run}` : word,
          )
          return [...words, ...named, `${long}=${text}`]
        },
      })),
    ]
  })
}

export interface PlantedArguments {
  parameters: number
  runs: number
  /** How many commands did what they were asked, with the text. */
  accepted: number
  leaks: string[]
}

/** Leaves out an option, such as a filter, that many commands have, in all commands but the first. */
function isFirstOfMany({ name }: Parameter, at: number, all: readonly Parameter[]): boolean {
  const [option = ''] = /--\S+$/.exec(name) ?? []
  const same = option === '' ? [] : all.flatMap((each, order) => (each.name.endsWith(` ${option}`) ? [order] : []))
  return same.length < MANY || same[0] === at
}
const MANY = 2

/** Types credentials into every place of the command line that takes a text, and looks for them where texts come out. */
export async function findLeakedArguments(perParameter: number, { isShort = false } = {}): Promise<PlantedArguments> {
  const { home, run } = openLastingCommandLine()
  const leaks: string[] = []
  const note = (where: string, text: string) => {
    const found = findPlanted(text)
    if (found.length > 0) leaks.push(`${where}: ${found.join(', ')}: ${text.slice(0, 300)}`)
  }
  let [next, runs, accepted] = [0, 0, 0]
  try {
    await importFindings({ run }, [{ id: 1, severity: 'HIGH', daysAgo: 1 }])
    const all = await listParameters()
    // In the short form, every other place.
    const parameters = isShort ? all.filter(isFirstOfMany).filter((_, at) => at % 2 === 0) : all
    for (const { name, toArgv } of parameters) {
      for (let n = 0; n < perParameter; n++) {
        const { text, name: kind } = plantedCredentials[next++ % plantedCredentials.length] as Planting
        const { code, stdout, stderr } = await run(toArgv(text, runs))
        runs += 1
        if (code === 0) accepted += 1
        note(`assay ${name}, ${kind}`, stdout + stderr)
      }
    }
    for (const each of readdirSync(home, { recursive: true, withFileTypes: true })) {
      if (each.isFile()) note(each.name, readFileSync(join(each.parentPath, each.name)).toString())
    }
    return { parameters: parameters.length, runs, accepted, leaks }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
