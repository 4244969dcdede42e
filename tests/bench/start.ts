import { setTimeout as sleep } from 'node:timers/promises'
import { makeHome, runAssay } from '../support/assay.ts'
import { readCount, readFlags } from '../support/bench.ts'
import { report, toFigure } from './rivals/figures.ts'
import { residentMegabytes, StdioClient, spawnPeer, stdioPeers } from './rivals/peer.ts'

// How long a new process takes to its first list of tools, and what it holds when it is idle, beside hello-world
// servers.
// npm run bench -- start [--rounds N] [--json FILE]

const flags = readFlags({ rounds: '15' })
const rounds = readCount('rounds', flags.rounds)
const IDLE_MS = 3000
const SMALL = 5000

const { home, remove } = makeHome()
try {
  const generated = await runAssay(['generate', '--findings', String(SMALL), '--seed', '1'], { home })
  await runAssay(['import', '-', '--source', 'small'], { home, stdin: generated.stdout })
  const started = new Map<string, number[]>(stdioPeers.map(({ name }) => [name, []]))
  const greeted = new Map<string, number[]>(stdioPeers.map(({ name }) => [name, []]))
  const held = new Map<string, number[]>(stdioPeers.map(({ name }) => [name, []]))
  for (let round = -1; round < rounds; round++) {
    for (const peer of stdioPeers) {
      const since = performance.now()
      const client = new StdioClient(spawnPeer(peer, home))
      await client.greet()
      const greetedMs = performance.now() - since
      await client.ask('tools/list', {})
      const listedMs = performance.now() - since
      if (round >= 0) {
        greeted.get(peer.name)?.push(greetedMs)
        started.get(peer.name)?.push(listedMs)
      }
      if (round >= 0 && round < 3) {
        await sleep(IDLE_MS)
        const megabytes = residentMegabytes(client.child.pid ?? 0)
        if (megabytes !== undefined) held.get(peer.name)?.push(megabytes)
      }
      await client.close()
    }
  }
  const all = (what: string, unit: string, values: Map<string, number[]>) =>
    [...values].map(([name, measured]) => toFigure(what, name, unit, measured, false))
  const figures = [
    ...all('start to the first tools/list, with an open database', 'ms', started),
    ...all('start to the answer of initialize', 'ms', greeted),
    ...all(`resident when idle, ${SMALL} findings`, 'MB', held),
  ]
  report('start', figures, flags.json)
} finally {
  remove()
}
