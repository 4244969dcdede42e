import type { BackgroundSettings } from '../background/background.ts'
import type { Loop } from '../background/loop.ts'
import { type ThreadOptions, toThreadSettings, toWorkerOptions, YOUNG_MEGABYTES } from '../background/thread-options.ts'
import { AppError, toErrorReport } from '../kernel/errors.ts'
import type { ScanRunner } from '../operation/context.ts'
import { openWorker, type WorkerClient } from '../runtime/worker-rpc.ts'
import { processMark } from '../scans/owner.ts'
import type { ReadElsewhere } from '../watches/operations.ts'
import type { DatabaseThreadProtocol, DatabaseThreadSettings } from './database.worker.ts'
import { DATABASE_SCRIPT } from './database-threads.ts'

/** How long messages in progress and a lease to be released may take at the end. */
const STOP_MS = 2_000
const RESTART_MS = 2_000

export interface LoopThreadOptions extends ThreadOptions {
  settings: BackgroundSettings
  /** Runs the scans that the loop starts. */
  scans: ScanRunner
  /** Answers questions about watches. */
  answer: ReadElsewhere
}

/** The background loop in a database thread of its own; a failed one is restarted. */
export function createLoopThread(options: LoopThreadOptions): Loop {
  const { log, scans, script = DATABASE_SCRIPT } = options
  let thread: WorkerClient<DatabaseThreadProtocol>
  let restart: NodeJS.Timeout | undefined
  let closed = false

  const open = (): WorkerClient<DatabaseThreadProtocol> => {
    const { settings } = options
    const workerData: DatabaseThreadSettings = { ...toThreadSettings(options), settings, loop: settings, processMark }
    const opened = openWorker<DatabaseThreadProtocol>({
      script,
      settings: { ...toWorkerOptions(workerData), resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES } },
      events: {
        log: options.writeLine,
        progress: () => {},
        start: (scanUid) => scans.start(scanUid),
        cancel: (scanUid) => scans.cancel(scanUid),
        ask: async ({ id, operation, input }) => opened.notify('answered', { id, ...(await ask(operation, input)) }),
      },
      log,
      onExit: () => {
        if (closed) return
        log.error('the thread of the background loop ended and will be started again')
        restart = setTimeout(() => {
          thread = open()
        }, RESTART_MS).unref()
      },
    })
    return opened
  }

  /** The thread of the loop finds the answer itself where there is none. */
  const ask = async (operation: string, input: object) => {
    try {
      return { answer: await options.answer(operation, input) }
    } catch (error) {
      return { answer: undefined, ...(error instanceof AppError ? { report: toErrorReport(error) } : {}) }
    }
  }

  thread = open()
  return {
    stop: async () => {
      closed = true
      clearTimeout(restart)
      await thread.stop(STOP_MS)
    },
  }
}
