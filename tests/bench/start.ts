import { setTimeout as pause } from 'node:timers/promises'
import { makeHome, runAssay } from '../support/assay.ts'
import { median, print, printMachine, readCount, readFlags, readMemory, saveResults } from '../support/bench.ts'
import { StdioClient, spawnPeer, stdioPeers } from './rivals/peer.ts'

// From the start of a process to its first tools/list over stdio, and its memory at rest, in turns with a server of
// one tool as the SDK's own example makes it.
// npm run bench -- start [--rounds 15] [--json FILE]

const flags = readFlags({ rounds: '15' })
const rounds = readCount('rounds', flags.rounds)
const REST_MS = 3000
const REST_ROUNDS = 3
const FINDINGS = 5000
/** How much longer than a server of one tool Assay may take. */
const MAX_RATIO = 1.5

const { home, remove } = makeHome()
try {
  printMachine()
  const generated = await runAssay(['generate', '--findings', String(FINDINGS), '--seed', '1'], { home })
  await runAssay(['import', '-', '--source', 'small'], { home, stdin: generated.stdout })
  const measured = stdioPeers.map((peer) => ({ peer, listed: [] as number[], megabytes: [] as number[] }))
  // The first round only fills caches.
  for (let round = -1; round < rounds; round++) {
    for (const { peer, listed, megabytes } of measured) {
      const started = performance.now()
      const client = new StdioClient(spawnPeer(peer, home))
      await client.greet()
      await client.ask('tools/list', {})
      if (round >= 0) listed.push(performance.now() - started)
      if (round >= 0 && round < REST_ROUNDS) {
        await pause(REST_MS)
        megabytes.push((readMemory(client.child.pid ?? 0)?.now ?? Number.NaN) / 1e6)
      }
      await client.close()
    }
  }
  const results = measured.map(({ peer, listed, megabytes }) => ({
    name: peer.name,
    listedMs: median(listed),
    bestMs: Math.min(...listed),
    megabytes: median(megabytes),
  }))
  for (const { name, listedMs, bestMs, megabytes } of results) {
    print(
      `${name.padEnd(40)} first tools/list after ${listedMs.toFixed(0)} ms (median; best ${bestMs.toFixed(0)}), ` +
        `${megabytes.toFixed(0)} MB resident at rest`,
    )
  }
  const [ours = Number.NaN, hello = Number.NaN] = results.map(({ listedMs }) => listedMs)
  const ratio = ours / hello
  print(`${ratio.toFixed(2)} times hello on @modelcontextprotocol/sdk (may be ${MAX_RATIO})`)
  saveResults(flags.json, { results, ratio })
  if (ratio > MAX_RATIO) process.exitCode = 1
} finally {
  remove()
}
