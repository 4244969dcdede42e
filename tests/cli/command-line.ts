import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { openApp } from '../../src/app.ts'
import { operations } from '../../src/catalogue.ts'
import type { Flags, Host } from '../../src/cli/host.ts'
import { runCommandLine } from '../../src/cli/program.ts'
import { loadConfig } from '../../src/config.ts'
import { takeText } from '../support/stream-text.ts'

export interface Ran {
  code: number
  stdout: string
  stderr: string
}

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

const makeHome = () => mkdtempSync(join(tmpdir(), 'assay-cli-'))
function makeLastingHome(): string {
  const home = makeHome()
  process.once('exit', () => rmSync(home, { recursive: true, force: true }))
  return home
}

const unused = () => Promise.reject(new Error('this test does not start it'))

/** The answer to a question: typed when a text appears on the terminal. */
export type Typed = [question: string, keys: string]

/** Options of a wiki source whose token is in the variable TOKEN. */
export const wikiOptions = [
  '--base-url',
  'https://example.atlassian.net',
  '--account-email',
  'a@example.com',
  '--secret-env',
  'TOKEN',
]

/** Keys of a terminal. */
export const keys = { enter: '\r', down: '\u001b[B', space: ' ', interrupt: '\u0003' } as const

export interface OpenCommandLine {
  home: string
  /** Runs a command without a terminal. */
  run: (argv: readonly string[], stdin?: string) => Promise<Ran>
  /** Runs a command on a terminal, with a person who answers its questions in this order. */
  type: (argv: readonly string[], answers: readonly Typed[]) => Promise<Ran>
}

let unchanged: Promise<string> | undefined

/** A data folder as the program makes it, to copy, which is several times as fast. */
async function makeUnchanged(): Promise<string> {
  const home = makeLastingHome()
  const app = await openApp(loadConfig({ home, logLevel: 'silent' }, {}), {})
  await app.close()
  return home
}

/** Runs commands in this process, on a data folder of its own that goes away with the test. */
export function openCommandLine(env: Record<string, string> = {}, options: { address?: string } = {}): OpenCommandLine {
  const home = makeHome()
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const fill = async () => {
    unchanged ??= makeUnchanged()
    cpSync(await unchanged, home, { recursive: true, force: false })
  }
  return openLastingCommandLine(env, { ...options, home, fill })
}

/** The same for several tests, in a folder that goes away with the process that made it, or in one that is there. */
export function openLastingCommandLine(
  env: Record<string, string> = {},
  { address, home = makeLastingHome(), fill }: { address?: string; home?: string; fill?: () => Promise<void> } = {},
): OpenCommandLine {
  let filled: Promise<void> | undefined
  const configure = (flags: Flags) => loadConfig({ home: flags.home ?? home, logLevel: 'silent', port: 0 }, env)
  const start = async (argv: readonly string[], streams: { stdin: Host['stdin']; stderr: PassThrough }) => {
    const { stdin, stderr } = streams
    // Nobody reads until the end.
    const stdout = new PassThrough({ highWaterMark: MAX_OUTPUT_BYTES })
    const host: Host = {
      version: '1.2.3',
      stdin,
      stdout,
      stderr,
      signal: new AbortController().signal,
      env,
      open: async (flags) => {
        filled ??= fill?.()
        await filled
        return openApp(configure(flags), env)
      },
      operations: async () => operations,
      locate: (flags) => ({ ...configure(flags), env, address }),
      serve: unused,
      worker: unused,
      mcp: unused,
      demo: unused,
      doctor: unused,
      verify: unused,
      move: unused,
      browse: async () => false,
    }
    const code = await runCommandLine([...argv, '--home', home], host)
    return { code, stdout: takeText(stdout), stderr: takeText(stderr) }
  }
  const run = async (argv: readonly string[], stdin = ''): Promise<Ran> =>
    start(argv, { stdin: Readable.from(stdin === '' ? [] : [stdin]), stderr: new PassThrough() })
  const type = async (argv: readonly string[], answers: readonly Typed[]): Promise<Ran> => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} })
    const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 200, rows: 50 })
    const left = [...answers]
    let shown = ''
    let unread = ''
    stderr.on('data', (text) => {
      shown += text
      unread += text
      const [next] = left
      if (next === undefined || !unread.includes(next[0])) return
      left.shift()
      unread = ''
      setTimeout(() => stdin.write(next[1]), 5)
    })
    const ran = await start(argv, { stdin, stderr })
    return { ...ran, stderr: shown }
  }
  return { home, run, type }
}

/** Creates a source in a data folder; its secret is read from standard input with the rest. */
export async function addSource(home: string, source: { name: string; config: object }): Promise<void> {
  const { run } = openLastingCommandLine({}, { home })
  const { code, stderr } = await run(['call', 'create_source', '-'], JSON.stringify(source))
  if (code !== 0) throw new Error(`assay call create_source ended with ${code}: ${stderr}`)
}

export interface CommandLine {
  run: (argv: readonly string[], stdin?: string) => Promise<Ran>
}

/** Imports findings of one severity, first detected some days ago. */
export async function importFindings(
  { run }: CommandLine,
  findings: readonly { id: number; severity: string; daysAgo: number }[],
): Promise<void> {
  const lines = findings.map(({ id, severity, daysAgo }) =>
    JSON.stringify({
      asset: { key: `page-${id}`, name: `Page ${id}`, container: 'Space' },
      detectorType: 'SECRETS',
      findingType: 'TOKEN',
      severity,
      firstDetectedAt: new Date(Date.now() - daysAgo * 86_400_000).toISOString(),
      fingerprint: `f${id}`,
    }),
  )
  const { code, stderr } = await run(['import', '--source', 'scanner', '-'], `${lines.join('\n')}\n`)
  if (code !== 0) throw new Error(`the import ended with ${code}: ${stderr}`)
}
