// One assistant window among many: asks and changes things on one data folder for a while, then says how it went.
import { setTimeout as sleep } from 'node:timers/promises'
import { openApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { call } from '../../src/operation/operation.ts'
import type { Store } from '../../src/store/store.ts'
import type { WindowReport } from './many.ts'

const [home = '', name = '', seconds = '5', mostWrites = 'Infinity'] = process.argv.slice(2)

async function work(): Promise<void> {
  const app = await openApp(loadConfig({ home, logLevel: 'silent' }, {}), {})
  app.startBackground()
  process.stdout.write('open\n')

  const waitsMs: number[] = []
  let askedAt = 0
  /** The store as it is, which notes how long each write waits for its turn. */
  const store = new Proxy(app.store, {
    get(target, key) {
      if (key === 'write') {
        const write: Store['write'] = (work, options) =>
          target.write((writer) => {
            waitsMs.push(performance.now() - askedAt)
            return work(writer)
          }, options)
        return write
      }
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const context = {
    ...app.contextFor({ caller: app.caller, signal: new AbortController().signal }),
    store,
    untilFree: () => {
      askedAt = performance.now()
      return app.store.waitForWriteLock()
    },
  }
  const run = (operation: string, input: object) => {
    const found = app.operations.find((candidate) => candidate.name === operation)
    if (found === undefined) throw new Error(`there is no operation ${operation}`)
    return call(found, input, context)
  }

  const mapping = (turn: number) => ({ severities: [turn % 2 === 0 ? 'HIGH' : 'LOW'] })
  const steps: ((turn: number) => Promise<unknown>)[] = [
    () => run('list_metrics', {}),
    () => run('query_metric', { metricSlug: 'open-findings', dimensions: ['severity'] }),
    (turn) => run('create_glossary_term', { slug: `${name}-${turn}`, displayName: name, filterMapping: mapping(turn) }),
    () => run('query_dashboard', { dashboard: 'discovery' }),
    (turn) => run('update_glossary_term', { slug: 'pii-exposure', description: `by ${name} at ${turn}` }),
    (turn) => run('set_placement', { dashboard: name, slug: 'open-findings', position: turn }),
    () => run('query_metric_timeseries', { metricSlug: 'new-findings', granularity: 'day' }),
    // Nearly every term goes again, so that hours of this leave a glossary that a company could have.
    (turn) =>
      turn % 20 === 0 ? run('list_glossary_terms', {}) : run('delete_glossary_term', { slug: `${name}-${turn}` }),
  ]

  const failures: Record<string, number> = {}
  let done = 0
  const until = performance.now() + Number(seconds) * 1000
  for (let index = 0; performance.now() < until && waitsMs.length < Number(mostWrites); index++) {
    try {
      await steps[index % steps.length]?.(Math.floor(index / steps.length))
      done += 1
    } catch (error) {
      const reason = error instanceof AppError ? (error.facts.reason ?? error.code) : String(error)
      failures[reason] = (failures[reason] ?? 0) + 1
    }
    await sleep(5)
  }
  const report: WindowReport = { done, failures, waitsMs: waitsMs.map((ms) => Math.round(ms * 10) / 10) }
  // It stays open until it is told to go, so that none leaves before all are done; that may be as soon as it has reported.
  const awake = setInterval(() => {}, 1_000)
  const told = new Promise<void>((resolve) => process.once('SIGTERM', () => resolve()))
  process.stdout.write(`${JSON.stringify(report)}\n`)
  await told
  clearInterval(awake)
  await app.close()
  process.exit(0)
}

void work()
