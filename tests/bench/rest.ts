import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { makeHome, runAssay, serveAssay } from '../support/assay.ts'
import { print, printMachine, readCount, readFlags, saveResults } from '../support/bench.ts'
import { StdioClient, spawnPeer, stdioPeers } from './rivals/peer.ts'

// How often processes with nothing to do wake, and the processor time that this takes; on Linux only.
// npm run bench -- rest [--seconds 60] [--json FILE]

const flags = readFlags({ seconds: '60' })
const seconds = readCount('seconds', flags.seconds)
/** Enough for an index. */
const FINDINGS = 60_000
/** Until the index is read and the functions of each tick are compiled. */
const WARM_MS = 30_000
const MAX_WAKES = 5
const MAX_PERCENT = 0.1

/** What all threads of a process have done so far: how often each waited, and nanoseconds of a processor. */
function readThreads(pid: number): { waits: number; ns: number } {
  const sum = { waits: 0, ns: 0 }
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`
    sum.waits += Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(`${folder}/status`, 'utf8'))?.[1])
    sum.ns += Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0])
  }
  return sum
}

const results: { name: string; wakes: number; percent: number }[] = []

async function measure(name: string, pid: number): Promise<void> {
  await pause(WARM_MS)
  const before = readThreads(pid)
  await pause(seconds * 1000)
  const after = readThreads(pid)
  const wakes = (after.waits - before.waits) / seconds
  const percent = ((after.ns - before.ns) / 1e9 / seconds) * 100
  results.push({ name, wakes, percent })
  print(`${name.padEnd(12)} ${wakes.toFixed(1)} wakes a second, ${percent.toFixed(2)} % of a processor`)
}

const { home, remove } = makeHome()
try {
  printMachine()
  const generated = await runAssay(['generate', '--findings', String(FINDINGS), '--seed', '1'], { home })
  await runAssay(['import', '-', '--source', 'many'], { home, stdin: generated.stdout })
  const server = await serveAssay(home)
  await measure('assay serve', server.child.pid ?? 0)
  await server.stop()
  const [ours] = stdioPeers
  if (ours === undefined) throw new RangeError('there is no assistant')
  const client = new StdioClient(spawnPeer(ours, home))
  await client.greet()
  await client.ask('tools/list', {})
  await measure(ours.name, client.child.pid ?? 0)
  await client.close()
  saveResults(flags.json, { results })
  print(`may be ${MAX_WAKES} wakes a second, ${MAX_PERCENT} %`)
  if (results.some(({ wakes, percent }) => wakes > MAX_WAKES || percent > MAX_PERCENT)) process.exitCode = 1
} finally {
  remove()
}
