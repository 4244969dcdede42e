import { setTimeout as sleep } from 'node:timers/promises'
import type { Lookups } from '../background/lookups.ts'
import { isClosing } from '../background/query-thread.ts'
import { type ThreadOptions, toThreadSettings, toWorkerOptions, YOUNG_MEGABYTES } from '../background/thread-options.ts'
import { AppError } from '../kernel/errors.ts'
import type { AskedContext, Caller, Progress, ScanRunner } from '../operation/context.ts'
import { openWorker, type WorkerClient, WorkerLost } from '../runtime/worker-rpc.ts'
import type { KeyedVault } from '../store/keys/vault-file.ts'
import type { Readiness } from '../telemetry/readiness.ts'
import type { DatabaseThreadProtocol, DatabaseThreadSettings } from './database.worker.ts'

export const DATABASE_SCRIPT = 'commands/database.worker'
/** Those for operations; each holds a connection that reads, and one that writes. */
const MAX_THREADS = 4
const STOP_MS = 1_000
/** How long a thread without work is kept, if others are left. */
const IDLE_MS = 30_000
/** A database that has not answered for this long counts as not ready. */
const READY_MS = 2_000

export interface DatabaseThreadsOptions extends ThreadOptions {
  settings: DatabaseThreadSettings['settings']
  vault: Pick<KeyedVault, 'problem'>
  /** Runs the scans that operations start. */
  scans: ScanRunner
  idleMs?: number
}

/** Threads for a database whose calls block, so that the main thread of a server never waits for it. */
export interface DatabaseThreads {
  /** They have a thread of their own, because they are short. */
  lookups: Lookups
  run(operation: string, input: object, context: AskedContext): Promise<unknown>
  /** The answer to raw input as a file, in parts. */
  write(operation: string, format: string, raw: unknown, caller: Caller): AsyncGenerator<string>
  close(): Promise<void>
}

type Thread = WorkerClient<DatabaseThreadProtocol>

/** A thread is started when all others are busy, up to a limit. */
export function createDatabaseThreads(options: DatabaseThreadsOptions): DatabaseThreads {
  const { log, scans, settings, vault, script = DATABASE_SCRIPT, idleMs = IDLE_MS } = options
  const threads = new Set<Thread>()
  let lookupThread: Thread | undefined
  const reports = new Map<number, (progress: Progress) => void>()
  let lastId = 0
  let closed = false
  let examining: Promise<Readiness> | undefined

  const open = (): Thread => {
    const workerData: DatabaseThreadSettings = { ...toThreadSettings(options), settings }
    const thread = openWorker<DatabaseThreadProtocol>({
      script,
      settings: { ...toWorkerOptions(workerData), resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES } },
      events: {
        log: options.writeLine,
        progress: ({ id, progress }) => reports.get(id)?.(progress),
        start: (scanUid) => scans.start(scanUid),
        cancel: (scanUid) => scans.cancel(scanUid),
        ask: () => {},
      },
      log,
      onExit: () => {
        threads.delete(thread)
        if (thread === lookupThread) lookupThread = undefined
      },
    })
    return thread
  }

  const choose = (): Thread => {
    const [least] = [...threads].sort((one, other) => one.pending - other.pending)
    if (least !== undefined && (least.pending === 0 || threads.size >= MAX_THREADS)) return least
    const thread = open()
    threads.add(thread)
    return thread
  }

  const idle = new WeakMap<Thread, NodeJS.Timeout>()
  const end = (thread: Thread) => {
    if (threads.size > 1 && threads.delete(thread)) void thread.stop(STOP_MS)
  }

  /** Calls the thread that has the least to do. */
  const use = async <Reply>(call: (thread: Thread) => Promise<Reply>): Promise<Reply> => {
    const thread = choose()
    clearTimeout(idle.get(thread))
    try {
      return await call(thread)
    } finally {
      if (thread.pending === 0) idle.set(thread, setTimeout(end, idleMs, thread).unref())
    }
  }

  const perform = async <Reply>(call: () => Promise<Reply>, lost: { message: string; reason: string }) => {
    if (closed) throw isClosing()
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof WorkerLost)) throw error
      throw new AppError('unavailable', lost.message, { reason: lost.reason, cause: error })
    }
  }

  const interrupted = {
    message: 'The operation was interrupted part-way; see what it has done before you repeat it.',
    reason: 'interrupted',
  }
  const unreached = {
    message: 'The database could not be asked; try again in a moment.',
    reason: 'database_unreachable',
  }

  const lookUp =
    <Name extends keyof Lookups>(name: Name) =>
    (...input: Parameters<Lookups[Name]>): Promise<Awaited<ReturnType<Lookups[Name]>>> =>
      perform(() => {
        lookupThread ??= open()
        return lookupThread.call('lookUp', { name, input }) as Promise<Awaited<ReturnType<Lookups[Name]>>>
      }, unreached)

  /** For what is recorded and not waited for. */
  const record =
    <Name extends 'recordRefusal' | 'recordSettings' | 'anchorAudit'>(name: Name) =>
    async (...input: Parameters<Lookups[Name]>): Promise<void> => {
      try {
        await lookUp(name)(...input)
      } catch (error) {
        if (!closed) log.warn('the audit trail could not be written', { error })
      }
    }

  const unready = (): Readiness => ({
    database: 'failed',
    schema: 'failed',
    key: vault.problem() === undefined ? 'ok' : 'failed',
    disk: 'ok',
    reason: 'database_unreachable',
  })

  return {
    lookups: {
      isTokenRequired: lookUp('isTokenRequired'),
      findTokenHolder: lookUp('findTokenHolder'),
      listTokenHolders: lookUp('listTokenHolders'),
      readReadiness: () => {
        examining ??= lookUp('readReadiness')()
          .catch(unready)
          .finally(() => {
            examining = undefined
          })
        return Promise.race([examining, sleep(READY_MS, undefined, { ref: false }).then(unready)])
      },
      readEstate: lookUp('readEstate'),
      readWatchRevision: lookUp('readWatchRevision'),
      countFindings: lookUp('countFindings'),
      listCodes: lookUp('listCodes'),
      releaseScans: lookUp('releaseScans'),
      giveUpScan: lookUp('giveUpScan'),
      recordRefusal: record('recordRefusal'),
      recordSettings: record('recordSettings'),
      anchorAudit: record('anchorAudit'),
    },
    async run(operation, input, { caller, coerced, signal, progress }) {
      const id = ++lastId
      reports.set(id, progress)
      try {
        const call = { id, operation, input, caller, coerced }
        return await perform(() => use((thread) => thread.call('run', call, { signal })), interrupted)
      } finally {
        reports.delete(id)
      }
    },
    async *write(operation, format, raw, caller) {
      const asked = { operation, format, raw, caller }
      yield* await perform(() => use((thread) => thread.call('write', asked)), interrupted)
    },
    async close() {
      closed = true
      const all = [...threads, ...(lookupThread === undefined ? [] : [lookupThread])]
      await Promise.all(all.map((thread) => thread.stop(STOP_MS)))
    },
  }
}
