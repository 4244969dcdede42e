import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { firstUrl, makeHome } from '../support/assay.ts'
import { readCount, readFlags } from '../support/bench.ts'
import { report, toFigure } from './rivals/figures.ts'
import { httpPeers, type Peer, StdioClient, spawnPeer, stdioPeers } from './rivals/peer.ts'
import { buildOnSdkTransport } from './rivals/sdk-stdio.ts'

// Calls of a light tool a second, 16 in flight, over stdio and over stateless HTTP, beside hello-world servers and beside
// Assay on the stdio transport of the SDK.
// npm run bench -- serve [--rounds N] [--ms N] [--json FILE]

const flags = readFlags({ rounds: '7', ms: '1500' })
const rounds = readCount('rounds', flags.rounds)
const roundMs = readCount('ms', flags.ms)
const IN_FLIGHT = 16

type Ask = () => Promise<unknown>

/** Keeps 16 calls going for a while. Gives the number of answers a second. */
async function load(ask: Ask): Promise<number> {
  const until = performance.now() + roundMs
  let answers = 0
  const since = performance.now()
  const lane = async () => {
    while (performance.now() < until) {
      await ask()
      answers += 1
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane))
  return (answers * 1000) / (performance.now() - since)
}

interface Running {
  peer: Peer
  ask: Ask
  close(): Promise<void>
}

const check = (text: string) => {
  if (!text.includes('"structuredContent"') || text.includes('"isError":true')) throw new Error(`no answer: ${text}`)
}

async function startStdio(peer: Peer, home: string): Promise<Running> {
  const client = new StdioClient(spawnPeer(peer, home))
  await client.greet()
  check(JSON.stringify(await client.ask('tools/call', peer.call)))
  return { peer, ask: () => client.ask('tools/call', peer.call), close: () => client.close() }
}

async function startHttp(peer: Peer, home: string): Promise<Running> {
  const child = spawnPeer(peer, home)
  const url = new URL('/mcp', await firstUrl(child))
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT })
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: peer.call })
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
    'content-length': Buffer.byteLength(body),
  }
  const ask = () =>
    new Promise<string>((resolve, reject) => {
      const sent = request(url, { method: 'POST', agent, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        response.on('end', () => resolve(text))
      })
      sent.on('error', reject)
      sent.end(body)
    })
  check(await ask())
  const close = async () => {
    agent.destroy()
    const closed = once(child, 'exit')
    child.kill()
    await closed
  }
  return { peer, ask, close }
}

/** One peer after another in each round, so that what else the machine does falls on all of them. */
async function compare(what: string, running: readonly Running[]) {
  const rates = new Map<string, number[]>(running.map(({ peer }) => [peer.name, []]))
  for (let round = -1; round < rounds; round++) {
    for (const { peer, ask } of running) {
      const rate = await load(ask)
      if (round >= 0) rates.get(peer.name)?.push(rate)
    }
  }
  await Promise.all(running.map(({ close }) => close()))
  return [...rates].map(([name, values]) => toFigure(what, name, 'calls a second', values, true))
}

const { home, remove } = makeHome()
try {
  const peers = [...stdioPeers, await buildOnSdkTransport()]
  const stdio = await Promise.all(peers.map((peer) => startStdio(peer, home)))
  const overStdio = await compare(`tools/call over stdio, ${IN_FLIGHT} in flight`, stdio)
  const http = await Promise.all(httpPeers.map((peer) => startHttp(peer, home)))
  const overHttp = await compare(`tools/call over stateless HTTP, ${IN_FLIGHT} in flight`, http)
  report('serve', [...overStdio, ...overHttp], flags.json)
} finally {
  remove()
}
