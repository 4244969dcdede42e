import { countFindings, MIN_FINDINGS_FOR_INDEX } from '../findings/counts.store.ts'
import type { Awaitable } from '../kernel/awaitable.ts'
import { AppError } from '../kernel/errors.ts'
import type { ReadContext } from '../operation/context.ts'
import { openWorker, type WorkerClient, WorkerLost } from '../runtime/worker-rpc.ts'
import type { QueryThreadProtocol, QueryThreadRole, QueryThreadSettings } from './query.worker.ts'
import { type ThreadOptions, toThreadSettings } from './thread-options.ts'

const SCRIPT = 'background/query.worker'
/** The interval between checks for enough findings. */
export const COUNT_INTERVAL_MS = 10_000
/** The delay before restarting a crashed thread, doubled after each crash up to the maximum. */
const RESTART_MS = 500
const MAX_RESTART_MS = 60_000
/** Answers in progress are cancelled; the rest of the time is for the snapshot of the engine. */
const STOP_MS = 1_000

export interface QueryThreadOptions extends ThreadOptions {
  minFindings?: number
  /** Counts the findings without blocking the thread; absent: on the calling thread. */
  count?: () => Awaitable<number>
  role?: QueryThreadRole
  /** Called when the thread has failed. */
  onLost?: () => void
}

/** Answers questions over many findings in a separate thread, whose engine follows the database. */
export interface QueryThread {
  /** Undefined, or a promise of undefined, when the calling thread has to answer the question itself. */
  answer(
    operation: string,
    input: object,
    context: Pick<ReadContext, 'caller' | 'coerced' | 'signal'>,
  ): Promise<{ output: unknown } | undefined> | undefined
  /** Whether there are too many findings to process them on the calling thread. */
  isNeeded(): boolean
  close(): Promise<void>
}

/** A thread that is started in advance and has no engine until it takes it. */
export interface StandbyThread extends QueryThread {
  takeEngine(): void
}

export const isClosing = () =>
  new AppError('unavailable', 'Assay is closing; ask again in a moment.', { reason: 'closing' })
export const toCancelled = () =>
  new AppError('unavailable', 'The question was cancelled; ask it again.', { reason: 'cancelled' })

export function createQueryThread(options: QueryThreadOptions): StandbyThread {
  const { store, log, script = SCRIPT, minFindings = MIN_FINDINGS_FOR_INDEX, role = 'alone' } = options
  const { count = () => store.read(countFindings) } = options
  let worker: WorkerClient<QueryThreadProtocol> | undefined
  let closed = false
  let crashes = 0
  let mayStartAt = 0

  const onExit = () => {
    worker = undefined
    if (!closed) options.onLost?.()
    crashes += 1
    mayStartAt = performance.now() + Math.min(MAX_RESTART_MS, RESTART_MS * 2 ** (crashes - 1))
  }

  const start = () => {
    const workerData: QueryThreadSettings = { ...toThreadSettings(options), minFindings, role }
    return openWorker<QueryThreadProtocol>({
      script,
      settings: { workerData, stdout: true },
      events: { log: options.writeLine },
      log,
      onExit,
    })
  }

  /** The thread, which is started once there are enough findings. */
  const find = () => {
    const time = performance.now()
    if (closed || worker !== undefined || time < mayStartAt) return worker
    mayStartAt = time + COUNT_INTERVAL_MS
    const counted = count()
    if (!(counted instanceof Promise)) startFor(counted)
    else counted.then(startFor, (error: unknown) => log.debug('the findings could not be counted', { error }))
    return worker
  }
  const startFor = (findings: number) => {
    if (findings >= minFindings && !closed) worker ??= start()
  }
  find()

  return {
    answer(operation, input, { caller, coerced, signal }) {
      const thread = find()
      if (thread === undefined || signal.aborted) return undefined
      return thread.call('answer', { operation, input, caller, coerced }, { signal, toCancelled }).then(
        (text) => {
          crashes = 0
          return { output: JSON.parse(text) as unknown }
        },
        (error) => {
          if (!(error instanceof WorkerLost)) throw error
          // The calling thread answers instead, unless everything is closing.
          if (closed) throw isClosing()
          return undefined
        },
      )
    },
    isNeeded: () => find() !== undefined,
    takeEngine: () => worker?.notify('takeEngine', undefined),
    async close() {
      closed = true
      await worker?.stop(STOP_MS)
    },
  }
}
