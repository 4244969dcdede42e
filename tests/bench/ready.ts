import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Store } from '../../src/store/store.ts'
import { mainFile } from '../support/assay.ts'
import { describeMachine, print, quantile, readCount, readFlags, readMemory, saveResults } from '../support/bench.ts'
import { type Asked, Served } from './mixed/served.ts'
import { fillStore, NOW } from './query/estate.ts'
import { median } from './rivals/figures.ts'
import { StdioClient, spawnPeer, stdioPeers } from './rivals/peer.ts'

// How soon a new process answers at full speed: with a snapshot of the columnar index, and without one.
// npm run bench -- ready [--rows 1e6] [--rounds 7] [--json FILE]

const flags = readFlags({ rows: '1e6', rounds: '7', folder: tmpdir() })
const rows = readCount('rows', flags.rows)
const rounds = readCount('rounds', flags.rounds)
const FIRST = 200
const STEADY = 400
const AT_ONCE = 4

const asked: Asked = {
  name: 'by severity',
  method: 'POST',
  path: '/semantic/query',
  body: { metricSlug: 'total-findings', dimensions: ['severity'] },
}

async function start(home: string): Promise<{ server: Served; startMs: number }> {
  const since = performance.now()
  const server = await Served.start([mainFile, 'serve', '--port', '0', '--log-level', 'info'], { ASSAY_HOME: home })
  return { server, startMs: performance.now() - since }
}

/** Milliseconds of each of some questions, a few of them at once, in the order of the answers. */
async function askMany(server: Served, isEnough: (count: number) => boolean): Promise<number[]> {
  const times: number[] = []
  let count = 0
  const askOn = async () => {
    while (!isEnough(count)) {
      count += 1
      times.push(await server.ask(asked))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, askOn))
  return times
}

async function requireWholeAnswer(server: Served, findings: number): Promise<void> {
  const { method, path, body } = asked
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(new URL(path, server.url), { method, headers, body: JSON.stringify(body) })
  const { value } = (await response.json()) as { value: number }
  if (value !== findings) throw new Error(`${value} findings were counted instead of ${findings}`)
}

const until = async (isTrue: () => boolean) => {
  while (!isTrue()) await sleep(20)
}

const isBuilt = ({ log }: Served) => log.includes('the engine is built')
const msOf = ({ log }: Served, message: string) =>
  Number(new RegExp(`"${message}","findings":\\d+,"ms":(\\d+)`).exec(log)?.[1])

interface Filled {
  home: string
  findings: number
}

/** Just enough findings for an index: what a server holds besides the columns. */
const SMALL = 60_000

function fill(home: string, count: number): Filled {
  const store = Store.open(join(home, 'assay.db'), { now: () => NOW })
  const { findings } = fillStore(store, count, home)
  store.close()
  return { home, findings }
}

function sizeOfSnapshot({ home }: Filled): number {
  const name = readdirSync(join(home, 'engine')).find((each) => each.endsWith('.columns')) ?? ''
  return statSync(join(home, 'engine', name)).size
}

/** How long the index takes to be built from the tables, at rest or beside questions. */
async function measureBuild(home: string, isAsked: boolean): Promise<number> {
  rmSync(join(home, 'engine'), { recursive: true, force: true })
  const { server } = await start(home)
  const asking = isAsked ? askMany(server, () => isBuilt(server)) : undefined
  await until(() => isBuilt(server))
  await asking
  await until(() => server.log.includes('the snapshot of the engine is written'))
  await server.stop()
  return msOf(server, 'the engine is built')
}

/** A start with a snapshot. */
async function measureStart({ home, findings }: Filled) {
  const { server, startMs } = await start(home)
  const first = await askMany(server, (count) => count >= FIRST)
  const peak = readMemory(server.child.pid ?? 0)?.peak ?? Number.NaN
  const steady = median(await askMany(server, (count) => count >= STEADY))
  await requireWholeAnswer(server, findings)
  if (isBuilt(server)) throw new Error('the snapshot was not used')
  const loadMs = msOf(server, 'the engine is read from its snapshot')
  await server.stop()
  return { startMs, answeredMs: startMs + (first[0] ?? Number.NaN), loadMs, p95: quantile(first, 0.95), steady, peak }
}

const HOPS = 2_000
const WARM_UP = 1_000

/** The median of questions one after the other on one connection, against that of the cheapest request of the server. */
async function measureHealthRatio(home: string): Promise<number> {
  const { server } = await start(home)
  const [health, query]: number[][] = [[], []]
  for (let count = -WARM_UP; count < HOPS; count++) {
    const [cheap, dear] = [
      await server.ask({ name: 'health', method: 'GET', path: '/health' }),
      await server.ask(asked),
    ]
    if (count < 0) continue
    health?.push(cheap)
    query?.push(dear)
  }
  await server.stop()
  return median(query ?? []) / median(health ?? [])
}

/** The same over stdio, against the tool of a hello-world server. */
async function measureStdioRatio(home: string): Promise<number> {
  const [assay, hello] = stdioPeers.slice(0, 2).map((peer) => new StdioClient(spawnPeer(peer, home)))
  if (assay === undefined || hello === undefined) throw new RangeError('there is no hello-world server')
  const question = { name: 'query_metric', arguments: asked.body }
  const greeting = { name: 'hello', arguments: { name: 'Ada' } }
  const [ours, theirs]: number[][] = [[], []]
  await Promise.all([assay.greet(), hello.greet()])
  for (let count = -WARM_UP; count < HOPS; count++) {
    const since = performance.now()
    await assay.ask('tools/call', question)
    const between = performance.now()
    await hello.ask('tools/call', greeting)
    if (count < 0) continue
    ours?.push(between - since)
    theirs?.push(performance.now() - between)
  }
  await Promise.all([assay.close(), hello.close()])
  return median(ours ?? []) / median(theirs ?? [])
}

/** A start on an empty folder. */
async function measureEmpty(home: string) {
  const { server, startMs } = await start(home)
  await server.ask({ name: 'health', method: 'GET', path: '/health' })
  await server.stop()
  return { startMs }
}

const folders = ['many', 'small', 'empty'].map(() => mkdtempSync(join(flags.folder, 'assay-bench-ready-')))
const [folder = '', smallFolder = '', empty = ''] = folders
try {
  print(`machine ${JSON.stringify(describeMachine())}`)
  const many = fill(folder, rows)
  const small = fill(smallFolder, SMALL)
  await measureEmpty(empty)
  const builds = { idle: [] as number[], asked: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    builds.idle.push(await measureBuild(folder, false))
    builds.asked.push(await measureBuild(folder, true))
  }
  await measureBuild(smallFolder, false)
  const bytes = sizeOfSnapshot(many)
  const starts: Awaited<ReturnType<typeof measureStart>>[] = []
  const smallPeaks: number[] = []
  const empties: Awaited<ReturnType<typeof measureEmpty>>[] = []
  for (let round = 0; round < rounds; round++) {
    empties.push(await measureEmpty(empty))
    smallPeaks.push((await measureStart(small)).peak)
    starts.push(await measureStart(many))
  }
  const healthRatio = await measureHealthRatio(folder)
  const stdioRatio = await measureStdioRatio(folder)
  const of = (pick: (start: (typeof starts)[number]) => number) => median(starts.map(pick))
  const emptyMs = median(empties.map(({ startMs }) => startMs))
  const figures = {
    rows,
    buildIdleMs: median(builds.idle),
    /** Of builds one after the other, because a machine can be slower for minutes; may be 1.3. */
    buildAskedRatio: median(builds.asked.map((ms, round) => ms / (builds.idle[round] ?? Number.NaN))),
    emptyStartMs: emptyMs,
    startMs: of(({ startMs }) => startMs),
    loadMs: of(({ loadMs }) => loadMs),
    answeredMs: of(({ answeredMs }) => answeredMs),
    /** May be 250 ms at a million findings. */
    answeredBeyondMs: of(({ answeredMs }) => answeredMs) - 1.5 * emptyMs,
    firstP95: of(({ p95 }) => p95),
    steadyMs: of(({ steady }) => steady),
    firstP95Ratio: of(({ p95, steady }) => p95 / steady),
    snapshotBytes: bytes,
    /** May be 2 and 1.5. */
    healthRatio,
    stdioRatio,
    /** Of what the process needs more than for few findings; may be 1.3. */
    memoryRatio: (of(({ peak }) => peak) - median(smallPeaks)) / (bytes - sizeOfSnapshot(small)),
  }
  for (const [name, value] of Object.entries(figures)) print(`${name.padEnd(20)} ${Number(value.toFixed(2))}`)
  print(`machine ${JSON.stringify(describeMachine())}`)
  saveResults(flags.json, { command: `npm run bench -- ready --rows ${flags.rows}`, ...figures })
} finally {
  for (const each of folders) rmSync(each, { recursive: true, force: true })
}
