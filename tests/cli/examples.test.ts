import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { examplesOf, pathOf } from '../../src/cli/help.ts'
import type { Host } from '../../src/cli/host.ts'
import { createProgram } from '../../src/cli/program.ts'
import { type SampleTenants, startSampleTenants } from '../../src/sample/tenants.ts'
import { mainFile } from '../support/assay.ts'

const program = await createProgram({ version: '1.2.3' } as Host)
const leaves = program.commands.flatMap((command) => (command.commands.length === 0 ? [command] : command.commands))

/** Commands that run until they are stopped, or that change the account of the user; they have tests of their own. */
const lasting = new Set(['demo', 'serve', 'worker', 'mcp', 'mcp install', 'mcp uninstall', 'service install'])
/** Examples that need more than a data folder: a browser, a server of databases. */
const elsewhere = /^assay (?:console|move --to postgres)/
/** The exit status of examples that ask a question, or that say with it what they found. */
const statuses: Readonly<Record<string, number>> = {
  'assay sources add': 2,
  'assay find-person': 2,
  'assay sources remove "Company wiki"': 2,
  'assay terms remove customer-data': 2,
  'assay metrics remove open-secrets': 2,
  'assay triage 24 25 --as false-positive --reason "test data"': 2,
  'assay triage --filter "{\'containers\': [\'Archive\']}" --as ignored --reason "read only"': 2,
  'assay suppressions add --containers Archive --finding-types EMAIL --reason "read only"': 2,
  'assay suppressions add --value 24 --reason "an example"': 2,
  'assay suppressions remove 1': 1,
  'assay proposals show 12': 1,
  'assay approve 12': 1,
  'assay approve 12 --yes --reason "agreed in the review"': 1,
  'assay reject 12 --reason "too broad"': 1,
  'assay undo': 1,
  'assay undo 20261123T090500123 --yes': 1,
  'assay check': 1,
  'assay check open-criticals --allow-unknown': 1,
  'assay service uninstall': 1,
  'assay key replace --yes': 1,
}

const folder = mkdtempSync(join(tmpdir(), 'assay-examples-'))
let tenants: SampleTenants

interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs a line of a shell without a terminal and without standard input. */
async function run(line: string, env: Record<string, string> = {}): Promise<Ran> {
  const child = spawn('bash', ['-c', `set -o pipefail; ${line.replaceAll('/mnt/', `${folder}/mnt/`)}`], {
    cwd: folder,
    env: { PATH: `${folder}/bin:${process.env.PATH}`, HOME: folder, ASSAY_HOME: join(folder, 'data'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await ended, stdout, stderr }
}

beforeAll(async () => {
  tenants = await startSampleTenants()
  for (const name of ['bin', 'docs', 'mnt/backups', 'mnt/safe', 'mnt/data', '.config/fish/completions', 'full'])
    mkdirSync(join(folder, name), { recursive: true })
  const program = `#!/bin/sh\nexec '${process.execPath}' '${mainFile}' "$@"\n`
  writeFileSync(join(folder, 'bin/assay'), program, { mode: 0o755 })
  writeFileSync(join(folder, 'notes.md'), 'mail anna.schmidt@northfield.dev')
  writeFileSync(join(folder, 'docs/a.txt'), 'nothing')
  writeFileSync(join(folder, 'identifiers.txt'), 'anna.schmidt@northfield.dev')
  writeFileSync(join(folder, 'log.sarif'), JSON.stringify({ version: '2.1.0', runs: [] }))
  writeFileSync(join(folder, 'wiki.json'), JSON.stringify({ config: tenants.sources[0]?.config }))
  const begun = await run('assay init && assay generate --findings 200 > findings.ndjson')
  expect(begun).toMatchObject({ code: 0 })
}, 60_000)
afterAll(async () => {
  await tenants.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Commands by what they need of those before: what creates comes first, what removes last. */
function rank(path: string): number {
  if (/^(?:sources add|import)/.test(path)) return 0
  if (/create|set$|export|^backup|^token/.test(path)) return 1
  return /delete|revoke|clear|remove|^restore|^key/.test(path) ? 3 : 2
}

const paths = leaves.map(pathOf).toSorted((a, b) => rank(a) - rank(b))

it('every example of the help does what it shows, or says why not with its exit status', async () => {
  const ran: [string, number | null, string][] = []
  for (const path of paths.filter((path) => !lasting.has(path))) {
    const command = leaves.find((each) => pathOf(each) === path)
    for (const example of command === undefined ? [] : examplesOf(command)) {
      if (elsewhere.test(example)) continue
      const { code, stderr } = await run(example)
      ran.push([example, code, code === (statuses[example] ?? 0) ? '' : stderr])
    }
  }
  expect(ran).toEqual(ran.map(([example]) => [example, statuses[example] ?? 0, '']))
  expect(ran.length).toBeGreaterThan(70)
}, 300_000)

/** A data folder on a file system of its own, which has no space left. */
const onFullDisk = (line: string) => `'mount -t tmpfs -o size=8m none full && cp -r data full && rm -f full/data/ballast
  head -c 8000000 /dev/zero > full/zeros 2> /dev/null; export ASSAY_HOME=$PWD/full/data; ${line.replaceAll("'", `'\\''`)}'`
const canRun = (command: string, ...args: string[]) => spawnSync(command, args).status === 0
const canMount = canRun('unshare', '--user', '--map-root-user', '--mount', 'true')

/** Ways in which what a command writes to, or works on, fails, with the commands that have nothing to do with it. */
const faults: {
  name: string
  isPossible?: boolean
  runWith: (example: string) => Promise<Ran>
  unconcerned: RegExp
}[] = [
  {
    name: 'a full standard output',
    runWith: (example) => run(`(${example}) > /dev/full`),
    unconcerned: /> /,
  },
  {
    name: 'a data folder below a file',
    runWith: (example) => run(example, { ASSAY_HOME: join(folder, 'notes.md', 'data') }),
    unconcerned: /--home|^assay (?:detect|validate|completion|call query_metric --help)/,
  },
  {
    name: 'a full disk',
    isPossible: canMount,
    runWith: (example) => run(`unshare --user --map-root-user --mount bash -c ${onFullDisk(example)}`),
    unconcerned: /--home|^assay (?:detect|validate|completion|call query_metric --help)/,
  },
]

it.for(faults)(
  '$name is reported in a sentence by every command that meets it',
  { timeout: 300_000 },
  async (fault, context) => {
    const { isPossible = true, runWith, unconcerned } = fault
    if (!isPossible) return context.skip('no file system of its own can be mounted')
    const bad: unknown[] = []
    for (const path of paths.filter((path) => !lasting.has(path))) {
      const command = leaves.find((each) => pathOf(each) === path)
      const example = command === undefined ? undefined : examplesOf(command).at(-1)
      if (example === undefined || elsewhere.test(example)) continue
      const { code, stderr } = await runWith(example)
      const isSentence =
        /(?:^|\n)assay: [^\n]+[.)]\n$/.test(stderr) && !/\b(?:E[A-Z]{3,}|SQLITE_\w+)\b|\n +at /.test(stderr)
      if (unconcerned.test(example) ? code !== 0 : code === 0 || !isSentence) bad.push([example, code, stderr])
    }
    expect(bad).toEqual([])
  },
)
