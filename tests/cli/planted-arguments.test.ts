import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { examplesOf, pathOf } from '../../src/cli/help.ts'
import type { Host } from '../../src/cli/host.ts'
import { createProgram } from '../../src/cli/program.ts'
import { cases, isLong, maxMs } from '../support/long.ts'
import { MarkedPlantings } from '../support/marked-plantings.ts'
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
async function listParameters(): Promise<Parameter[]> {
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

/** Leaves out an option, such as a filter, that many commands have, in all commands but the first. */
function isFirstOfMany({ name }: Parameter, at: number, all: readonly Parameter[]): boolean {
  const [option = ''] = /--\S+$/.exec(name) ?? []
  const same = option === '' ? [] : all.flatMap((each, order) => (each.name.endsWith(` ${option}`) ? [order] : []))
  return same.length < MANY || same[0] === at
}
const MANY = 2

it(
  'a credential in any argument or option of a command is neither printed nor stored',
  async () => {
    const { home, run } = openLastingCommandLine()
    const plantings = new MarkedPlantings()
    const leaks: string[] = []
    const note = (where: string, text: string) => {
      for (const found of plantings.find(text)) leaks.push(`${where}: ${found}`)
    }
    let [runs, accepted] = [0, 0]
    try {
      await importFindings({ run }, [{ id: 1, severity: 'HIGH', daysAgo: 1 }])
      const all = await listParameters()
      const parameters = isLong ? all : all.filter(isFirstOfMany)
      for (const { name, toArgv } of parameters) {
        for (let n = 0; n < cases(1, 30); n++) {
          const { code, stdout, stderr } = await run(toArgv(plantings.take(name, { credentialsOnly: true }), runs))
          runs += 1
          if (code === 0) accepted += 1
          note(`assay ${name}`, stdout + stderr)
        }
      }
      for (const each of readdirSync(home, { recursive: true, withFileTypes: true })) {
        if (each.isFile()) note(each.name, readFileSync(join(each.parentPath, each.name)).toString())
      }
      expect(leaks).toEqual([])
      expect(runs).toBeGreaterThan(80)
      expect(accepted).toBeGreaterThan(5)
    } finally {
      rmSync(home, { recursive: true, force: true })
    }
  },
  maxMs(180_000),
)
