import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Break } from './break.ts'
import { breaks } from './list.ts'
import { applyEdits } from './locate.ts'

// Breaks each rule of the list in a copy of the program and checks that the named test fails. Arguments are ids or parts
// of ids, `--table FILE` writes the outcome as Markdown, `--shard 1/2` runs the first half. Exits with 1 when a break was
// not caught.

const root = resolve(import.meta.dirname, '../..')
const RUN_MS = 300_000
const SOUND_RUN_MS = 3_600_000

interface Finished {
  code: number | null
  output: string
}

/** Ends a process and everything that it started. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    return
  }
}

/** Runs a command in the copy; one that takes too long is killed, with all that it started. */
function run(copy: string, command: string, args: readonly string[], limitMs = RUN_MS): Promise<Finished> {
  const child = spawn(command, args, { cwd: copy, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const timer = setTimeout(() => {
    endGroup(child.pid)
  }, limitMs)
  return new Promise((done) =>
    child.once('close', (code) => {
      clearTimeout(timer)
      endGroup(child.pid)
      done({ code, output })
    }),
  )
}

interface Outcome {
  passed: string[]
  failed: { name: string; why: string }[]
  /** Why no test ran. */
  fault?: string
}

interface Assertion {
  status: string
  fullName: string
  failureMessages: string[]
}

interface Report {
  testResults: { message: string; assertionResults: Assertion[] }[]
}

interface Asked {
  files: readonly string[]
  /** Parts of the names of the tests that are run; none: all of them. */
  titles: readonly string[]
  isBroken: boolean
}

async function test(copy: string, { files, titles, isBroken }: Asked): Promise<Outcome> {
  const report = join(copy, 'report.json')
  rmSync(report, { force: true })
  const pattern = titles.map((title) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
  const options = [
    ...['--reporter=json', `--outputFile=${report}`, '--maxWorkers=1', '--testTimeout=120000'],
    ...['--experimental.fsModuleCache', `--experimental.fsModuleCachePath=${join(copy, '.modules')}`],
    ...(titles.length === 0 ? [] : ['-t', pattern]),
    // Without a break only what fails again and again counts; with one, the first failure says all.
    ...(isBroken ? ['--bail=1'] : ['--retry=2']),
  ]
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...files, ...options]
  const { output } = await run(copy, process.execPath, args, isBroken ? RUN_MS : SOUND_RUN_MS)
  let results: Report['testResults']
  try {
    results = (JSON.parse(readFileSync(report, 'utf8')) as Report).testResults
  } catch {
    return { passed: [], failed: [], fault: output.slice(-2000) || 'it took too long' }
  }
  const all = results.flatMap(({ assertionResults }) => assertionResults)
  const having = (status: string) => all.filter((each) => each.status === status)
  const passed = having('passed').map(({ fullName }) => fullName)
  const failed = having('failed').map(({ fullName, failureMessages: [why = ''] }) => ({
    name: fullName,
    why: toLine(why),
  }))
  const outcome = { passed, failed }
  if (outcome.passed.length + outcome.failed.length > 0) return outcome
  return { ...outcome, fault: results.map(({ message }) => message).join('\n') || 'no test has this name' }
}

const toLine = (text: string) => (text.split('\n')[0] ?? '').slice(0, 120)

/**
 * What is run, without what git or an installation holds. Packages are linked one by one: what tests build stays in the
 * copy.
 */
function makeCopy(): string {
  const copy = mkdtempSync(join(tmpdir(), 'assay-breaks-'))
  const left = new Set(['node_modules', '.git', 'coverage'].map((name) => join(root, name)))
  cpSync(root, copy, { recursive: true, filter: (path) => !left.has(path) })
  mkdirSync(join(copy, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '.cache') symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name))
  }
  return copy
}

/** The test files of some breaks, and the parts of names that they give. */
const toAsked = (some: readonly Break[]) => ({
  files: [...new Set(some.map(({ test: { file } }) => file))],
  titles: [...new Set(some.flatMap(({ test: { title } }) => title ?? []))],
})

async function build(copy: string): Promise<string | undefined> {
  const { code, output } = await run(copy, process.execPath, ['--import', 'tsx', 'build.ts'])
  return code === 0 ? undefined : output.slice(-2000)
}

interface Row {
  each: Break
  caughtBy?: Outcome['failed'][number]
  fault?: string
  seconds: number
}

async function tryBreak(copy: string, each: Break): Promise<Row> {
  const begun = performance.now()
  const before = new Map(each.edits.map(({ file }) => [file, readFileSync(join(copy, file), 'utf8')]))
  try {
    for (const [file, text] of before) {
      const edits = each.edits.filter((edit) => edit.file === file)
      writeFileSync(join(copy, file), applyEdits(edits, text))
    }
    const fault = each.built === true ? await build(copy) : undefined
    const outcome: Outcome =
      fault === undefined ? await test(copy, { ...toAsked([each]), isBroken: true }) : { passed: [], failed: [], fault }
    const seconds = (performance.now() - begun) / 1000
    const [caughtBy] = outcome.failed
    return {
      each,
      seconds,
      ...(caughtBy === undefined ? {} : { caughtBy }),
      ...(outcome.fault === undefined ? {} : { fault: outcome.fault }),
    }
  } finally {
    for (const [file, text] of before) writeFileSync(join(copy, file), text)
  }
}

function toTable(rows: readonly Row[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|')
  const lines = rows.map(({ each, caughtBy }) => {
    const by = caughtBy === undefined ? '**not caught**' : `${each.test.file}: ${caughtBy.name}`
    return `| ${each.id} | ${cell(each.rule)} | ${cell(by)} |`
  })
  return ['| Break | Rule | Caught by |', '| --- | --- | --- |', ...lines, ''].join('\n')
}

const say = (line: string) => process.stdout.write(`${line}\n`)
const given = process.argv.slice(2)
const take = (name: string) => {
  const at = given.indexOf(name)
  return at < 0 ? undefined : given.splice(at, 2)[1]
}
const table = take('--table')
const [shard = 1, shards = 1] = (take('--shard') ?? '').split('/').filter(Boolean).map(Number)
const chosen = breaks
  .filter(({ id }) => given.length === 0 || given.some((part) => id.includes(part)))
  .filter((_, index) => index % shards === shard - 1)

const copy = makeCopy()
try {
  const faultOfBuild = await build(copy)
  if (faultOfBuild !== undefined) throw new Error(`Unbroken, the program does not build: ${faultOfBuild}`)
  const named = chosen.filter(({ test: { title } }) => title !== undefined)
  const whole = chosen.filter(({ test: { title } }) => title === undefined)
  say(`${chosen.length} breaks; first the tests as they are`)
  for (const some of [named, whole].filter(({ length }) => length > 0)) {
    const { passed, failed, fault } = await test(copy, { ...toAsked(some), isBroken: false })
    if (fault !== undefined || failed.length > 0) {
      throw new Error(
        `Unbroken, the tests fail: ${fault ?? failed.map(({ name, why }) => `${name}: ${why}`).join('\n')}`,
      )
    }
    say(`${passed.length} tests of ${toAsked(some).files.length} files pass unbroken`)
  }
  const rows: Row[] = []
  for (const each of chosen) {
    const row = await tryBreak(copy, each)
    rows.push(row)
    const { caughtBy, fault: why, seconds } = row
    const mark = caughtBy === undefined ? 'SURVIVED' : 'caught'
    say(
      `${mark.padEnd(8)} ${each.id.padEnd(36)} ${seconds.toFixed(1).padStart(5)} s  ${caughtBy === undefined ? (why ?? '') : `${caughtBy.name} (${caughtBy.why})`}`,
    )
  }
  const survived = rows.filter(({ caughtBy }) => caughtBy === undefined)
  if (table !== undefined) writeFileSync(table, toTable(rows))
  say(`${rows.length - survived.length} of ${rows.length} breaks were caught`)
  for (const { each } of survived) say(`not caught: ${each.id}: ${each.rule}`)
  process.exitCode = survived.length === 0 ? 0 : 1
} finally {
  rmSync(copy, { recursive: true, force: true })
}
