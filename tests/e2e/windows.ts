import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { mainFile } from '../support/assay.ts'

const initialize = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'window', version: '1' } },
})}\n`

/** An assistant window: a process that has started `assay mcp` and holds its pipes. */
interface Window {
  parent: ChildProcess
  pid: number
}

const script = `
  const { spawn } = require('node:child_process')
  const child = spawn(process.execPath, [${JSON.stringify(mainFile)}, 'mcp', '--log-level', 'silent'], { stdio: ['pipe', 'pipe', 'ignore'] })
  child.stdout.once('data', () => process.stdout.write(child.pid + '\\n'))
  child.stdin.write(${JSON.stringify(initialize)})
  process.stdin.resume()
  process.stdin.on('end', () => child.stdin.end())
  child.on('exit', () => process.exit(0))`

export async function openWindow(home: string): Promise<Window> {
  const parent = spawn(process.execPath, ['-e', script], {
    env: { ...process.env, ASSAY_HOME: home },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const pid = await new Promise<number>((resolve, reject) => {
    parent.stdout?.setEncoding('utf8').once('data', (text: string) => resolve(Number(text)))
    parent.once('exit', (code) => reject(new Error(`a window ended with ${code} before it was open`)))
  })
  return { parent, pid }
}

/** Closes the window as its person does, or takes it away without a word. */
export function closeWindow({ parent }: Window, how: 'close' | 'kill'): void {
  if (how === 'kill') parent.kill('SIGKILL')
  else parent.stdin?.end()
}

/** False also for a process that has ended and only waits for somebody to ask how. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return process.platform !== 'linux'
  }
}

/** Milliseconds that a process was ready to run and no core was free for it; 0 where the system does not count them. */
export function waitedMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}

/**
 * Those of the processes that are still there after a while, in which the time they waited for a core does not count.
 */
export async function listLeft(pids: readonly number[], withinMs: number): Promise<number[]> {
  const from = performance.now()
  const waitedBefore = new Map(pids.map((pid) => [pid, waitedMs(pid)]))
  const isLate = (pid: number) =>
    performance.now() - from - (waitedMs(pid) - (waitedBefore.get(pid) ?? 0)) > withinMs && isAlive(pid)
  const left: number[] = []
  let open = [...pids]
  while (open.length > 0) {
    left.push(...open.filter(isLate))
    open = open.filter((pid) => isAlive(pid) && !left.includes(pid))
    await sleep(50)
  }
  return left
}
