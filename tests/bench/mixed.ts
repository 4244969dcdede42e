import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { MIN_FINDINGS_FOR_INDEX } from '../../src/findings/counts.store.ts'
import { Store } from '../../src/store/store.ts'
import { SeededRandom } from '../properties/query-data.ts'
import { mainFile, spawnAssay } from '../support/assay.ts'
import { describeMachine, print, quantile, readCount, readFlags, saveResults } from '../support/bench.ts'
import { type Asked, askSteadily, type Delay, Served } from './mixed/served.ts'
import { fillStore, NOW } from './query/estate.ts'
import { plantQuestions } from './query/questions.ts'
import { median } from './rivals/figures.ts'

// Questions over HTTP to a served database while others write to it, beside a server that does both in one thread.
// npm run bench -- mixed [--rows 1e6] [--rounds 5] [--samples 1200] [--every 10] [--flood 4e5] [--json FILE]

const flags = readFlags({ rows: '1e6', rounds: '5', samples: '1200', every: '10', flood: '4e5', folder: tmpdir() })
const rows = readCount('rows', flags.rows)
const rounds = readCount('rounds', flags.rounds)
const samples = readCount('samples', flags.samples)
const everyMs = readCount('every', flags.every)
const flood = readCount('flood', flags.flood)
const RATE = 500
const DAY = 24 * 3_600_000
const SETTLE_MS = 300
const MAX_IN_FLOOD = 20_000

const iso = (instant: number) => new Date(instant).toISOString()
const last = (ms: number) => ({ from: iso(NOW - ms), to: iso(NOW) })
const metric =
  (name: string, body: object, path = '/semantic/query') =>
  (): Asked => ({
    name,
    method: 'POST',
    path,
    body,
  })

/** Ten o'clock on a working day, when there is something to count. */
const OFFICE = NOW - 30 * DAY + (10 / 24) * DAY

const random = new SeededRandom(3)
const anyone = () => 1 + random.below(rows)
/** What a page of a user interface asks for: one row, a list, a number of a few hours. */
const small: (() => Asked)[] = [
  () => ({ name: 'one finding', method: 'GET', path: `/findings/${anyone()}` }),
  () => ({ name: 'newest 50 findings', method: 'GET', path: '/findings?limit=50' }),
  metric('count of six hours', { metricSlug: 'b-total', from: iso(OFFICE), to: iso(OFFICE + DAY / 4) }),
]
const large: (() => Asked)[] = [
  metric('open by severity', { metricSlug: 'b-open', dimensions: ['severity'] }),
  metric('by detector, 90 days', { metricSlug: 'b-total', dimensions: ['detectorType'], ...last(90 * DAY) }),
  metric('distinct assets, open', { metricSlug: 'b-assets-open' }),
  metric(
    'daily, 90 days, Berlin',
    { metricSlug: 'b-total', granularity: 'day', timeZone: 'Europe/Berlin', ...last(90 * DAY) },
    '/semantic/query/timeseries',
  ),
]
const rivals: (() => Asked)[] = [
  () => ({ name: 'one finding', method: 'GET', path: `/one?id=${anyone()}` }),
  () => ({ name: 'newest 50 findings', method: 'GET', path: '/page' }),
  () => ({ name: 'count of six hours', method: 'GET', path: `/hours?${new URLSearchParams(lastOfRival)}` }),
]
const lastOfRival = { from: iso(Date.UTC(2026, 11, 1)), to: iso(Date.UTC(2026, 11, 1) + DAY / 4) }

const phases = ['idle', 'steady', 'flood'] as const
type Phase = (typeof phases)[number]
interface Round {
  phase: Phase
  asked: number
  p50: number
  p99: number
  byQuestion: Record<string, number>
  delay: Delay
}

async function measure(
  served: Served,
  phase: Phase,
  questions: readonly (() => Asked)[],
  until: (asked: number) => boolean = (asked) => asked >= samples,
): Promise<Round> {
  const { result, delay } = await served.watch(() => askSteadily(served, questions, { everyMs, until }))
  const all = [...result.values()].flat()
  const byQuestion = Object.fromEntries([...result].map(([name, times]) => [name, quantile(times, 0.99)]))
  return { phase, asked: all.length, p50: quantile(all, 0.5), p99: quantile(all, 0.99), byQuestion, delay }
}

const entry = (name: string) => fileURLToPath(new URL(`./mixed/${name}-entry.ts`, import.meta.url))

/** Another process that stores findings steadily between `begin` and `end`, which gives how many it has stored. */
async function startWriter(file: string): Promise<{ begin(): void; end(): Promise<number>; close(): void }> {
  const child = fork(entry('writer'), [file, String(RATE)])
  const hear = () => new Promise<unknown>((resolve) => child.once('message', resolve))
  await hear()
  return {
    begin: () => void child.send('begin'),
    end: async () => {
      const heard = hear()
      child.send('end')
      const { stored } = (await heard) as { stored: number }
      return stored
    },
    close: () => void child.send('close'),
  }
}

/** What every round of a phase came to: the median of the rounds. */
function sum(taken: readonly Round[], phase: Phase) {
  const own = taken.filter((round) => round.phase === phase)
  const of = (pick: (round: Round) => number) => median(own.map(pick))
  return {
    phase,
    samples: own.reduce((count, { asked }) => count + asked, 0),
    p50: of(({ p50 }) => p50),
    p99: of(({ p99 }) => p99),
    delayP99: of(({ delay }) => delay.p99),
    delayMost: Math.max(...own.map(({ delay }) => delay.most)),
    byQuestion: Object.fromEntries(
      Object.keys(own[0]?.byQuestion ?? {}).map((name) => [
        name,
        of(({ byQuestion }) => byQuestion[name] ?? Number.NaN),
      ]),
    ),
  }
}

function tell(who: string, taken: readonly Round[]) {
  const sums = phases.filter((phase) => taken.some((round) => round.phase === phase)).map((phase) => sum(taken, phase))
  const [idle] = sums
  for (const one of sums) {
    const ratio = one.p99 / (idle?.p99 ?? Number.NaN)
    const times = `p50 ${one.p50.toFixed(2)} ms, p99 ${one.p99.toFixed(2)} ms (${ratio.toFixed(2)}x idle)`
    const delay = `event loop late p99 ${one.delayP99.toFixed(2)} ms, at most ${one.delayMost.toFixed(1)}`
    print(`${who.padEnd(14)} ${one.phase.padEnd(7)} ${String(one.samples).padStart(6)} asked: ${times}; ${delay}`)
    const questions = Object.entries(one.byQuestion).map(([name, p99]) => `${name} ${p99.toFixed(1)}`)
    print(`${' '.repeat(23)}p99 of ${questions.join(', ')}`)
  }
  return sums
}

async function measureAssay(home: string) {
  const file = join(home, 'assay.db')
  const served = await Served.start([mainFile, 'serve', '--port', '0', '--log-level', 'info'], { ASSAY_HOME: home })
  const writer = await startWriter(file)
  const taken: Round[] = []
  let stored = 0
  try {
    await untilBuilt(served)
    await askSteadily(served, [...small, ...large], { everyMs, until: (asked) => asked >= 400 })
    for (let round = 0; round < rounds; round++) {
      taken.push(await measure(served, 'idle', [...small, ...large]))
      writer.begin()
      await sleep(SETTLE_MS)
      taken.push(await measure(served, 'steady', [...small, ...large]))
      stored = await writer.end()
    }
    print(`another process has stored ${stored} findings meanwhile`)
    const importing = importInto(served, join(home, 'findings.ndjson'))
    taken.push(await measure(served, 'flood', [...small, ...large], (asked) => importing.done || asked >= MAX_IN_FLOOD))
    const { findings, seconds } = await importing.result
    print(`the server has stored ${findings} findings of an import in ${seconds.toFixed(1)} s`)
  } finally {
    writer.close()
    await served.stop()
  }
  return taken
}

/** Waits until the engine is there, where there are enough findings for one. */
async function untilBuilt(served: Served): Promise<void> {
  while (rows >= MIN_FINDINGS_FOR_INDEX && !served.log.includes('the engine is ready')) await sleep(SETTLE_MS)
}

/** A large import into the server, whose own thread for scans takes it in. */
function importInto(served: Served, file: string) {
  const importing = { done: false, result: Promise.resolve({ findings: 0, seconds: 0 }) }
  const since = performance.now()
  importing.result = fetch(new URL('/findings/import?source=flood', served.url), {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: Readable.toWeb(createReadStream(file)) as never,
    duplex: 'half',
  } as RequestInit).then(async (response) => {
    importing.done = true
    if (response.status !== 200)
      throw new Error(`the import was answered with ${response.status}: ${await response.text()}`)
    const { lines } = (await response.json()) as { lines: number }
    return { findings: lines, seconds: (performance.now() - since) / 1000 }
  })
  importing.result.catch(() => {
    importing.done = true
  })
  return importing
}

async function measureRival(folder: string) {
  const rival = await Served.start([entry('rival'), join(folder, 'rival.db'), String(rows)])
  const taken: Round[] = []
  try {
    await askSteadily(rival, rivals, { everyMs, until: (asked) => asked >= 200 })
    for (let round = 0; round < rounds; round++) {
      rival.tell('rest')
      taken.push(await measure(rival, 'idle', rivals))
      rival.tell('steady')
      await sleep(SETTLE_MS)
      taken.push(await measure(rival, 'steady', rivals))
    }
    rival.tell('flood')
    taken.push(await measure(rival, 'flood', rivals))
  } finally {
    await rival.stop()
  }
  return taken
}

const folder = mkdtempSync(join(flags.folder, 'assay-bench-mixed-'))
try {
  print(`machine ${JSON.stringify(describeMachine())}`)
  const store = Store.open(join(folder, 'assay.db'), { now: () => NOW })
  const { findings } = fillStore(store, rows, folder)
  plantQuestions(store)
  store.close()
  const generated = spawnAssay(['generate', '--findings', String(flood), '--seed', '2'], { home: folder })
  generated.stdout?.pipe(createWriteStream(join(folder, 'findings.ndjson')))
  await once(generated, 'close')
  print(`${findings} findings; a question every ${everyMs} ms, ${samples} a round, ${rounds} rounds`)
  const ours = tell('assay', await measureAssay(folder))
  const theirs = tell('one connection', await measureRival(folder))
  print(`machine ${JSON.stringify(describeMachine())}`)
  saveResults(flags.json, {
    command: `npm run bench -- mixed --rows ${flags.rows}`,
    rows: findings,
    assay: ours,
    oneConnection: theirs,
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
