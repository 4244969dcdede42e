import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runAssay } from '../support/assay.ts'
import type { MarkedPlantings } from '../support/marked-plantings.ts'

type Note = (where: string, text: string) => void

/** What is thrown beside the program's own work, after it has begun. */
const faults: Readonly<Record<string, string>> = {
  'an error': 'throw Object.assign(new Error(text), { name: text, code: text, detail: text })',
  'a cause': 'throw new Error("failed", { cause: new Error(text) })',
  'a text': 'throw text',
  'a rejection': 'Promise.reject(new AggregateError([new Error(text)], text))',
  'a warning': 'process.emitWarning(text)',
}

/** Runs the program with a script that is loaded before it. */
async function runWith(script: string, args: readonly string[], home: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-script-'))
  try {
    const file = join(folder, 'script.mjs')
    writeFileSync(file, script)
    const NODE_OPTIONS = `--import=${pathToFileURL(file)}`
    const { stdout, stderr } = await runAssay(args, { home, env: { ASSAY_LOG_LEVEL: 'debug', NODE_OPTIONS } })
    return stdout + stderr
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Raises faults in one process, which ends only after the last. */
const toFaultScript = (planted: readonly (readonly [fault: string, text: string])[]) => `
  const exit = process.exit
  process.exit = () => {}
  const raise = {${Object.entries(faults).map(([name, fault]) => `${JSON.stringify(name)}: (text) => { ${fault} }`)}}
  const planted = ${JSON.stringify(planted)}
  const wait = setInterval(() => {
    if (process.listenerCount('uncaughtException') === 0) return
    clearInterval(wait)
    const next = setInterval(() => {
      const [fault, text] = planted.shift() ?? []
      if (fault !== undefined) return raise[fault](text)
      clearInterval(next)
      setTimeout(() => exit(1), 500)
    }, 2)
  }, 5)`

/** Ends the program by faults that nobody expects, each of which says what is planted. */
export async function plantFaults(count: number, plantings: MarkedPlantings, home: string, note: Note): Promise<void> {
  const planted = Object.keys(faults).flatMap((name) =>
    Array.from({ length: count }, () => [name, plantings.take(`crash by ${name}`)] as const),
  )
  const output = await runWith(toFaultScript(planted), ['mcp'], home)
  note('assay mcp, ended by faults', output)
  const reported = output.match(/^assay: /gm)?.length ?? 0
  if (reported < planted.length) throw new Error(`${reported} of ${planted.length} faults were reported: ${output}`)
}

const listCommands = (take: (field: string) => string, home: string): string[][] => [
  ['query', take('assay query')],
  [take('assay')],
  [
    ...['import', join(home, take('assay import').replaceAll('\0', ''))],
    ...['--source', take('assay import --source')],
  ],
  ['findings', `--${take('assay findings --')}`],
  ['findings', '--search', take('assay findings --search')],
  ['call', take('assay call'), '{}'],
  ['call', 'get_metric', take('assay call get_metric')],
]

/** Runs commands one after the other, and notes what they print. */
export async function runCommands(commands: readonly string[][], home: string, note: Note): Promise<void> {
  for (const args of commands) {
    const { stdout, stderr } = await runAssay(args, { home, env: { ASSAY_LOG_LEVEL: 'debug' } })
    note(`assay ${args[0]}`, stdout + stderr)
  }
}

/**
 * Types what is planted into commands.
 * @param further commands that run with the others
 */
export async function plantCommands(
  count: number,
  plantings: MarkedPlantings,
  home: string,
  note: Note,
  further: readonly string[][],
): Promise<void> {
  const take = (field: string) => plantings.take(field, { credentialsOnly: true })
  const commands = Array.from({ length: count }, () => listCommands(take, home)).flat()
  await runCommands([...further, ...commands], home, note)
}
