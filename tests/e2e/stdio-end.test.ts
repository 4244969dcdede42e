import { type ChildProcess, spawn } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mainFile, makeHome, spawnAssay } from '../support/assay.ts'
import { listLeft } from './windows.ts'

const LIMIT_MS = 2_000
const initialize = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'e2e', version: '1' } },
})}\n`
const ask = (id: number) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'get_stats', arguments: {} } })}\n`

let home: string
let remove: () => void
beforeEach(() => {
  ;({ home, remove } = makeHome())
})
afterEach(() => remove())

const ended = (child: ChildProcess) =>
  new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  )

/** That the process is gone within two seconds from now, and how it ended. */
async function endOf(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  const end = ended(child)
  expect(await listLeft([child.pid ?? 0], LIMIT_MS)).toEqual([])
  return end
}

/** Starts `assay mcp` and waits for its first answer. */
async function start(child: ChildProcess): Promise<() => string> {
  let output = ''
  child.stdin?.write(initialize)
  await new Promise<void>((resolve) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (output.includes('\n')) resolve()
    })
  })
  return () => output
}

describe('assay mcp', () => {
  it('answers all received requests, and exits when stdin ends', async () => {
    const child = spawnAssay(['mcp'], { home })
    const output = await start(child)
    child.stdin?.end(ask(2) + ask(3))
    expect(await endOf(child)).toEqual({ code: 0, signal: null })
    const lines = output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ id }) => id).sort()).toEqual([1, 2, 3])
    expect(lines.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true)
  })

  it('exits when its stdout is closed', async () => {
    const child = spawnAssay(['mcp'], { home })
    await start(child)
    child.stdout?.destroy()
    child.stdin?.write(ask(2))
    await endOf(child)
  })

  it('exits when its parent process is killed, although its pipes stay open', async () => {
    const script = `
      const { spawn } = require('node:child_process')
      const child = spawn(process.execPath, [${JSON.stringify(mainFile)}, 'mcp'], { stdio: [0, 1, 2], env: process.env })
      process.stderr.write(String(child.pid) + '\\n')
      setInterval(() => {}, 1000)`
    const parent = spawn(process.execPath, ['-e', script], {
      env: { ...process.env, ASSAY_HOME: home },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const pid = await new Promise<number>((resolve) =>
      parent.stderr.setEncoding('utf8').once('data', (text: string) => resolve(Number(text.split('\n')[0]))),
    )
    await start(parent)
    parent.kill('SIGKILL')
    expect(await listLeft([pid], LIMIT_MS)).toEqual([])
  })

  it('exits on SIGTERM', async () => {
    const child = spawnAssay(['mcp'], { home })
    await start(child)
    child.kill('SIGTERM')
    expect((await endOf(child)).code).toBe(0)
  })
})
