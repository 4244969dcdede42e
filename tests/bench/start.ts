import { setTimeout as sleep } from 'node:timers/promises'
import { makeHome, runAssay } from '../support/assay.ts'
import { print, quantile, readCount, readFlags } from '../support/bench.ts'
import { report, toFigure } from './rivals/figures.ts'
import { residentMegabytes, StdioClient, spawnPeer, stdioPeers } from './rivals/peer.ts'

// How long a new process takes to its first answers, and its memory when it is idle, beside hello-world servers.
// npm run bench -- start [--rounds N] [--json FILE]

const flags = readFlags({ rounds: '15' })
const rounds = readCount('rounds', flags.rounds)
const IDLE_MS = 3000
const IDLE_ROUNDS = 3
const SMALL = 5000

const MAX_START_MS = 600
const MAX_LOAD_MS = 250
const MAX_MEGABYTES = 90

/** Milliseconds from the start of Node to the end of a command that does nothing. */
async function timeLoading(): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const since = performance.now()
    await runAssay(['--version'], { home })
    times.push(performance.now() - since)
  }
  return times
}

const { home, remove } = makeHome()
try {
  const generated = await runAssay(['generate', '--findings', String(SMALL), '--seed', '1'], { home })
  await runAssay(['import', '-', '--source', 'small'], { home, stdin: generated.stdout })
  const peers = stdioPeers
  const byPeer = () => new Map<string, number[]>(peers.map(({ name }) => [name, []]))
  const [greeted, started, called, held] = [byPeer(), byPeer(), byPeer(), byPeer()]
  for (let round = -1; round < rounds; round++) {
    for (const peer of peers) {
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
      // A call would load what an idle process does not hold, so these are different rounds.
      if (round >= 0 && round < IDLE_ROUNDS) {
        await sleep(IDLE_MS)
        const megabytes = residentMegabytes(client.child.pid ?? 0)
        if (megabytes !== undefined) held.get(peer.name)?.push(megabytes)
      } else {
        await client.ask('tools/call', peer.call)
        if (round >= 0) called.get(peer.name)?.push(performance.now() - since)
      }
      await client.close()
    }
  }
  const all = (what: string, unit: string, values: Map<string, number[]>) =>
    [...values]
      .filter(([, measured]) => measured.length > 0)
      .map(([name, measured]) => toFigure(what, name, unit, measured, false))
  const figures = [
    ...all('start to the first tools/list, with an open database', 'ms', started),
    ...all('start to the answer of initialize', 'ms', greeted),
    ...all('start to the answer of the first tools/call', 'ms', called),
    ...all(`resident when idle, ${SMALL} findings`, 'MB', held),
  ]
  report('start', figures, flags.json)
  const [own] = stdioPeers
  const loaded = await timeLoading()
  const p95 = quantile(greeted.get(own?.name ?? '') ?? [], 0.95)
  const most = Math.max(...(held.get(own?.name ?? '') ?? []))
  print(
    `assay: start to the answer of initialize ${p95.toFixed(0)} ms (p95; may be ${MAX_START_MS}), ` +
      `the program loaded in ${quantile(loaded, 0.5).toFixed(0)} ms (median; may be ${MAX_LOAD_MS}), ` +
      `resident ${most.toFixed(0)} MB at most (may be ${MAX_MEGABYTES})`,
  )
  if (p95 > MAX_START_MS || quantile(loaded, 0.5) > MAX_LOAD_MS || most > MAX_MEGABYTES) process.exitCode = 1
} finally {
  remove()
}
