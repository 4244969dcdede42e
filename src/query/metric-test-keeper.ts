import { AppError } from '../kernel/errors.ts'
import { countEndedScans, listDueTests } from '../metrics/metrics.store.ts'
import type { Log } from '../runtime/log.ts'
import type { Store } from '../store/store.ts'
import { previewMetricTests } from './impact-operations.ts'
import { saveResults, type TestedMetrics, testAll } from './metric-test-runs.ts'

export interface MetricTestOptions {
  store: Store
  log: Log
  now: () => number
  signal: AbortSignal
  /** Answers an operation on another thread; undefined where there is none. */
  answer: (operation: string, input: object) => Promise<{ output: unknown } | undefined> | undefined
}

/** Runs the tests of metrics that a scan or an import has made due; returns at once, and does nothing while they run. */
export function createMetricTestKeeper({ store, log, now, signal, answer }: MetricTestOptions) {
  let running: Promise<void> | undefined
  const runDue = async () => {
    const at = now()
    const { due, scans } = store.read((reader) => ({ due: listDueTests(reader), scans: countEndedScans(reader) }))
    if (due.length === 0) return
    const answered = await answer(previewMetricTests.name, { metrics: due })
    const results =
      (answered?.output as TestedMetrics | undefined) ?? store.read((reader) => testAll(reader, due, now()))
    if (signal.aborted) return
    await store.waitForWriteLock({ signal })
    store.write((writer) => saveResults(writer, results, { scans, at }), { durable: true })
  }
  return {
    tick(): void {
      running ??= runDue()
        .catch((error: unknown) => {
          if (signal.aborted || (error instanceof AppError && error.code === 'unavailable')) return
          log.warn('the tests of metrics could not be run', { error })
        })
        .finally(() => {
          running = undefined
        })
    },
    settled: async (): Promise<void> => running,
  }
}
