import { AppError } from '../kernel/errors.ts'
import { ownText } from '../kernel/safe-text.ts'
import type { Log } from '../runtime/log.ts'
import type { Store } from '../store/store.ts'
import type { Deliverer } from './deliverer.ts'
import { applyReading, type EvaluationStart, listActiveGroups, startEvaluation, toDueAt } from './evaluation.ts'
import { readWatch, toUnknownReading, type WatchReading } from './reading.ts'
import { listDueWatches, listWatchesPlannedAfter, setDue } from './states.store.ts'

/** A time further in the future was computed while the clock was wrong. */
const CLOCK_TRUST_MS = 48 * 3_600_000

export interface WatchKeeperOptions {
  store: Store
  log: Log
  now: () => number
  signal: AbortSignal
  deliverer: Deliverer
  /** Evaluates a watch in another thread; undefined, or a promise of it, when this thread must evaluate it. */
  evaluate?: (start: EvaluationStart) => Promise<WatchReading | undefined> | undefined
}

/** Evaluates due watches and sends messages about their changes, in the process that runs scheduled work. */
export interface WatchKeeper {
  /** Starts the due work and returns at once; `mayContinue` is asked before each step. */
  tick(mayContinue: () => boolean): void
  settled(): Promise<void>
}

export function createWatchKeeper(options: WatchKeeperOptions): WatchKeeper {
  const { store, log, now, signal, deliverer } = options
  let evaluating: Promise<void> | undefined

  const evaluateOne = async (slug: string) => {
    const start = store.read((reader) => startEvaluation(reader, slug))
    if (start === undefined) return
    const reading = await read(start)
    if (signal.aborted) return
    await store.waitForWriteLock({ signal })
    store.write((writer) => applyReading(writer, start, reading, now()), { durable: true })
  }

  const read = async (start: EvaluationStart): Promise<WatchReading> => {
    const { watch } = start
    try {
      const elsewhere = await options.evaluate?.(start)
      if (elsewhere !== undefined) return elsewhere
      return store.read((reader) =>
        readWatch(reader, watch, { now: now(), activeGroups: listActiveGroups(reader, watch.id) }),
      )
    } catch (error) {
      if (error instanceof AppError && error.code === 'unavailable') throw error
      log.error('a watch could not be evaluated', { watch: watch.slug, error })
      const problem = { code: 'internal', message: ownText('The evaluation failed; the log has the cause.') }
      return toUnknownReading(
        watch,
        store.read((reader) => listActiveGroups(reader, watch.id)),
        problem,
      )
    }
  }

  const evaluateDue = async (mayContinue: () => boolean) => {
    planAgain()
    for (const slug of store.read((reader) => listDueWatches(reader, now()))) {
      if (signal.aborted || !mayContinue()) return
      await evaluateOne(slug)
      deliverer.send(mayContinue)
    }
  }

  const planAgain = () => {
    for (const { id, cron, dueAt } of store.read((reader) => listWatchesPlannedAfter(reader, now() + CLOCK_TRUST_MS))) {
      const next = toDueAt(cron, now())
      if (dueAt > (next ?? 0) + CLOCK_TRUST_MS) store.write((writer) => setDue(writer, id, next))
    }
  }

  return {
    tick: (mayContinue) => {
      deliverer.send(mayContinue)
      evaluating ??= evaluateDue(mayContinue)
        .catch((error: unknown) => {
          if (!signal.aborted) log.warn('watches could not be evaluated', { error })
        })
        .finally(() => {
          evaluating = undefined
        })
    },
    settled: async () => {
      await evaluating
      await deliverer.settled()
    },
  }
}
