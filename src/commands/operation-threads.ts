import { isClosing } from '../background/query-thread.ts'
import { type ThreadOptions, toThreadSettings } from '../background/thread-options.ts'
import { AppError } from '../kernel/errors.ts'
import type { AskedContext, Caller, Progress, ScanRunner } from '../operation/context.ts'
import { openWorker, type WorkerClient, WorkerLost } from '../runtime/worker-rpc.ts'
import type { OperationThreadProtocol, OperationThreadSettings } from './operation.worker.ts'

const SCRIPT = 'commands/operation.worker'
/** Each holds a connection that reads, and one that writes. */
const MAX_THREADS = 4
const STOP_MS = 1_000

export interface OperationThreadsOptions extends ThreadOptions {
  settings: OperationThreadSettings['settings']
  /** Runs the scans that operations start. */
  scans: ScanRunner
}

/** Threads that run operations on a database whose calls block, so that the main thread never waits for it. */
export interface OperationThreads {
  run(operation: string, input: object, context: AskedContext): Promise<unknown>
  /** The answer to raw input as a file, in parts. */
  write(operation: string, format: string, raw: unknown, caller: Caller): AsyncGenerator<string>
  close(): Promise<void>
}

type Thread = WorkerClient<OperationThreadProtocol>

/** A thread is started when all others are busy, up to a limit. */
export function createOperationThreads(options: OperationThreadsOptions): OperationThreads {
  const { log, scans, settings, script = SCRIPT } = options
  const threads = new Set<Thread>()
  const reports = new Map<number, (progress: Progress) => void>()
  let lastId = 0
  let closed = false

  const open = (): Thread => {
    const workerData: OperationThreadSettings = { ...toThreadSettings(options), settings }
    const thread = openWorker<OperationThreadProtocol>({
      script,
      settings: { workerData, stdout: true },
      events: {
        log: options.writeLine,
        progress: ({ id, progress }) => reports.get(id)?.(progress),
        start: (scanUid) => scans.start(scanUid),
        cancel: (scanUid) => scans.cancel(scanUid),
      },
      log,
      onExit: () => void threads.delete(thread),
    })
    threads.add(thread)
    return thread
  }

  const choose = (): Thread => {
    if (closed) throw isClosing()
    const [least] = [...threads].sort((one, other) => one.pending - other.pending)
    return least === undefined || (least.pending > 0 && threads.size < MAX_THREADS) ? open() : least
  }

  const perform = async <Reply>(call: (thread: Thread) => Promise<Reply>): Promise<Reply> => {
    try {
      return await call(choose())
    } catch (error) {
      if (!(error instanceof WorkerLost)) throw error
      const text = 'The operation was interrupted part-way; see what it has done before you repeat it.'
      throw new AppError('unavailable', text, { reason: 'interrupted', cause: error })
    }
  }

  return {
    async run(operation, input, { caller, coerced, signal, progress }) {
      const id = ++lastId
      reports.set(id, progress)
      try {
        const call = { id, operation, input, caller, coerced }
        return await perform((thread) => thread.call('run', call, { signal }))
      } finally {
        reports.delete(id)
      }
    },
    async *write(operation, format, raw, caller) {
      const parts = await perform((thread) => thread.call('write', { operation, format, raw, caller }))
      yield* parts
    },
    async close() {
      closed = true
      await Promise.all([...threads].map((thread) => thread.stop(STOP_MS)))
    },
  }
}
