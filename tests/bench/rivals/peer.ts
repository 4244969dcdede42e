import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { mainFile } from '../../support/assay.ts'

/** A program that speaks MCP: ours, or one that an SDK's own example makes. */
export interface Peer {
  name: string
  args: readonly string[]
}

export const stdioPeers: readonly Peer[] = [
  { name: 'assay mcp', args: [mainFile, 'mcp'] },
  {
    name: 'hello on @modelcontextprotocol/sdk',
    args: [fileURLToPath(new URL('./hello-sdk1-stdio.mjs', import.meta.url))],
  },
]

export function spawnPeer({ args }: Peer, home: string): ChildProcess {
  return spawn(process.execPath, [...args], {
    env: { ...process.env, ASSAY_HOME: home, NODE_ENV: 'production' },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
}

const greeting = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1.0.0' },
}

/** A client of one process over its standard streams, as plain as can be. */
export class StdioClient {
  readonly child: ChildProcess
  readonly #waiting = new Map<number, (message: Record<string, unknown>) => void>()
  #nextId = 1
  #rest = ''

  constructor(child: ChildProcess) {
    this.child = child
    child.stdout?.setEncoding('utf8').on('data', (text: string) => this.#read(text))
  }

  async greet(): Promise<void> {
    await this.ask('initialize', greeting)
    this.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  }

  ask(method: string, params: object): Promise<Record<string, unknown>> {
    const id = this.#nextId++
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      this.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    })
  }

  async close(): Promise<void> {
    const closed = once(this.child, 'exit')
    this.child.stdin?.end()
    this.child.kill()
    await closed
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) {
      const message = JSON.parse(line) as Record<string, unknown>
      const id = Number(message.id)
      this.#waiting.get(id)?.(message)
      this.#waiting.delete(id)
    }
  }
}
