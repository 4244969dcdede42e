import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { MIN_FINDINGS_FOR_INDEX } from '../../src/findings/counts.store.ts'
import { Store } from '../../src/store/store.ts'
import { mainFile } from '../support/assay.ts'
import { describeMachine, print, quantile, readCount, readFlags, saveResults } from '../support/bench.ts'
import { type Asked, askSteadily, Served } from './mixed/served.ts'
import { fillStore, NOW } from './query/estate.ts'
import { plantQuestions } from './query/questions.ts'

// How late the event loop and /health of a server are while the heaviest questions are asked, eight at once.
// npm run bench -- health [--rows 1e6] [--questions 8] [--seconds 20] [--json FILE]

const flags = readFlags({ rows: '1e6', questions: '8', seconds: '20', folder: tmpdir() })
const rows = readCount('rows', flags.rows)
const lanes = readCount('questions', flags.questions)
const seconds = readCount('seconds', flags.seconds)
const MAX_DELAY_MS = 50
const MAX_HEALTH_MS = 100
const EVERY_MS = 20
const DAY = 86_400_000

const heavy: Asked[] = [
  ['b-open', ['severity', 'detectorType', 'container']],
  ['b-assets-open', ['severity', 'findingType']],
  ['b-total', ['source', 'container', 'status']],
].map(([metricSlug, dimensions]) => ({
  name: String(metricSlug),
  method: 'POST',
  path: '/semantic/query',
  body: { metricSlug, dimensions },
}))
heavy.push({
  name: 'daily by severity',
  method: 'POST',
  path: '/semantic/query/timeseries',
  body: {
    metricSlug: 'b-open',
    granularity: 'day',
    dimension: 'severity',
    timeZone: 'Europe/Berlin',
    from: new Date(NOW - 700 * DAY).toISOString(),
    to: new Date(NOW).toISOString(),
  },
})

const folder = mkdtempSync(join(flags.folder, 'assay-bench-health-'))
try {
  const store = Store.open(join(folder, 'assay.db'), { now: () => NOW })
  const { findings } = fillStore(store, rows, folder)
  plantQuestions(store)
  store.close()
  const served = await Served.start([mainFile, 'serve', '--port', '0', '--log-level', 'info'], { ASSAY_HOME: folder })
  try {
    while (rows >= MIN_FINDINGS_FOR_INDEX && !served.log.includes('the engine is ready')) await sleep(EVERY_MS)
    for (const question of heavy) await served.ask(question)
    const times: number[] = []
    const health = () => ({ name: 'health', method: 'GET' as const, path: '/health' })
    const { result, delay } = await served.watch(async () => {
      const end = performance.now() + seconds * 1000
      const lane = async (number: number) => {
        for (let turn = number; performance.now() < end; turn++) {
          const question = heavy[turn % heavy.length]
          if (question !== undefined) times.push(await served.ask(question))
        }
      }
      const asked = Array.from({ length: lanes }, (_, number) => lane(number))
      const answers = await askSteadily(served, [health], { everyMs: EVERY_MS, until: () => performance.now() > end })
      await Promise.all(asked)
      return answers.get('health') ?? []
    })
    const p99 = quantile(result, 0.99)
    print(`machine ${JSON.stringify(describeMachine())}`)
    print(
      `${findings} findings, ${times.length} heavy questions, ${lanes} at once, ${quantile(times, 0.5).toFixed(0)} ms each (p50); ` +
        `event loop late ${delay.p99.toFixed(1)} ms (p99; may be ${MAX_DELAY_MS}), ` +
        `/health in ${p99.toFixed(1)} ms (p99 of ${result.length}; may be ${MAX_HEALTH_MS})`,
    )
    saveResults(flags.json, { findings, times, delay, health: result })
    if (p99 > MAX_HEALTH_MS || delay.p99 > MAX_DELAY_MS) process.exitCode = 1
  } finally {
    await served.stop()
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
