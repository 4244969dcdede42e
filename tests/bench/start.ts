import { setTimeout as sleep } from 'node:timers/promises'
import { makeHome, runAssay } from '../support/assay.ts'
import { flag, report, toFigure } from './rivals/figures.ts'
import { residentMegabytes, StdioClient, spawnPeer, stdioPeers } from './rivals/peer.ts'

// How long a new process takes to its first list of tools, and what it holds when it is idle, beside hello-world servers.
// npm run bench -- start [--rounds N] [--json FILE]

const rounds = Number(flag('--rounds') ?? 15)
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
  report('start', [
    ...all('start to the first tools/list, with an open database', 'ms', started),
    ...all('start to the answer of initialize', 'ms', greeted),
    ...all(`resident when idle, ${SMALL} findings`, 'MB', held),
  ])
} finally {
  remove()
}
