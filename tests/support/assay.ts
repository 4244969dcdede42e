import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The built program, as package.json's `bin` names it. */
export const mainFile = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

export interface ProcessResult {
  code: number | null
  stdout: string
  stderr: string
}

/** An empty data folder, and how to remove it. */
export function makeHome(): { home: string; remove: () => void } {
  if (!existsSync(mainFile)) throw new Error('The program is not built; run npm run build.')
  const home = mkdtempSync(join(tmpdir(), 'assay-test-'))
  return { home, remove: () => rmSync(home, { recursive: true, force: true }) }
}

interface ProcessOptions {
  home: string
  env?: NodeJS.ProcessEnv
  /** Instead of that of this machine, as on a machine of its own; needs the rights of root. */
  hostName?: string
}

export function spawnAssay(args: readonly string[], options: ProcessOptions): ChildProcess {
  const { hostName } = options
  const named = ['unshare', '--uts', 'sh', '-c', `hostname ${hostName} && exec "$@"`, 'sh']
  const [command = '', ...rest] = [...(hostName === undefined ? [] : named), process.execPath, mainFile, ...args]
  return spawn(command, rest, {
    env: { ...process.env, ASSAY_HOME: options.home, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

/** Runs one command to its end. */
export async function runAssay(
  args: readonly string[],
  options: { home: string; stdin?: string; env?: NodeJS.ProcessEnv },
): Promise<ProcessResult> {
  const child = spawnAssay(args, options)
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
  child.stdin?.end(options.stdin ?? '')
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, stdout: await stdout, stderr: await stderr }
}

/** Creates a source; its secret is read from standard input with the rest. */
export async function createSource(home: string, source: { name: string; config: object }): Promise<void> {
  const { code, stderr } = await runAssay(['call', 'create_source', '-'], { home, stdin: JSON.stringify(source) })
  if (code !== 0) throw new Error(`assay call create_source ended with ${code}: ${stderr}`)
}

export interface ServingProcess {
  url: string
  child: ChildProcess
  /** Its exit code; null when a signal ended it. */
  closed: Promise<number | null>
  /** Fails if it does not end as it should. */
  stop: () => Promise<void>
}

/** Starts `assay serve` on a free port and waits until it says where it is. */
export const serveAssay = (home: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) =>
  startAssay(['serve', '--port', '0', ...args], { home, env })

/** Starts a command that answers at an address, and waits until it says where that is. */
export async function startAssay(args: readonly string[], options: ProcessOptions): Promise<ServingProcess> {
  const child = spawnAssay(args, options)
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  let errors = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const url = await firstUrl(
    child,
    closed.then((code) => `assay ${args[0]} ended with ${code}: ${errors}`),
  )
  const stop = async () => {
    child.kill('SIGTERM')
    const code = await closed
    if (code !== 0)
      throw new Error(`assay ${args[0]} ended with ${code ?? child.signalCode} when it was stopped: ${errors}`)
  }
  return { url, child, closed, stop }
}

const toEnd = (child: ChildProcess) =>
  new Promise<string>((resolve) => child.once('exit', (code) => resolve(`a server ended with ${code}`)))

/** The first address that a server prints; fails with the words of `ended` when that comes first. */
export function firstUrl(child: ChildProcess, ended = toEnd(child)): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const found = /https?:\/\/\S+:\d+/.exec(output)
      if (found) resolve(found[0])
    })
    ended.then((words) => reject(new Error(`${words} ${output}`)))
  })
}

async function collect(stream: NodeJS.ReadableStream | null): Promise<string> {
  if (stream === null) return ''
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}
