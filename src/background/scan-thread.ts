import { setTimeout as sleep } from 'node:timers/promises'
import type { UpstreamTally } from '../connectors/http/upstream.ts'
import type { ImportResult } from '../imports/imports.ts'
import type { ImportContext, ImportRequest } from '../imports/request.ts'
import type { Awaitable } from '../kernel/awaitable.ts'
import { AppError } from '../kernel/errors.ts'
import type { AskedContext, Progress, ScanRunner } from '../operation/context.ts'
import { isOutOfMemory, openWorker, type WorkerClient, WorkerLost } from '../runtime/worker-rpc.ts'
import { type GiveUpCause, giveUpScan } from '../scans/give-up.ts'
import { createOwner, type Owner, processMark } from '../scans/owner.ts'
import { listScansOf, releaseScansOf } from '../scans/scans.store.ts'
import type { Store } from '../store/store.ts'
import type { ScanThreadProtocol, ScanThreadSettings } from './scan.worker.ts'
import { type ThreadOptions, toThreadSettings, toWorkerOptions } from './thread-options.ts'

const SCRIPT = 'background/scan.worker'
/** Limit of the young generation of the heap: document texts are short-lived. */
const YOUNG_MEGABYTES = 16
/** Limit of the memory of a scan, for the lists and documents that it holds; it is checked now and then. */
const MAX_BYTES = 512 * 1024 * 1024
/** Limit of the heap between two checks. From 2,048 on, V8 lets garbage grow to three times of what is in use. */
const OLD_MEGABYTES = 1_900
/** How long a thread without work is kept, unless a scan has left it with more memory than this. */
const IDLE_MS = 30_000
const LARGE_BYTES = 128 * 1024 * 1024
/** How long a thread may take to leave its scans resumable. */
const STOP_MS = 5_000
/** A scan whose thread has crashed this many times is not restarted by this process. */
const MAX_CRASHES = 3
/** A crash this long after the previous one restarts the count. */
const FORGET_MS = 3_600_000
const RESTART_MS = 200
/** A thread with work that has not responded for this long is ended: none of its calls should block it. */
const STALL_MS = 120_000
const CHECK_MS = 1_000

export interface ScanThreadOptions extends ThreadOptions {
  now: () => number
  /** Receives the counts of requests to tenants. */
  upstream?: UpstreamTally
  /** Ends what a dead thread left in the database; absent: the calling thread does. */
  ending?: ScanEnding
  /** Called when a scan has ended, was given up, or was released. */
  onSettled?: (scanUid: string) => void
  idleMs?: number
  stallMs?: number
  maxBytes?: number
  checkMs?: number
}

export interface ScanEnding {
  /** Releases the scans that an owner was running, and returns their ids. */
  releaseScans(owner: string): Awaitable<string[]>
  giveUpScan(scanUid: string, cause: GiveUpCause): Awaitable<void>
}

/** Ends scans on the calling thread. */
export const createScanEnding = (place: { store: Store; now: () => number }): ScanEnding => ({
  releaseScans: (owner) => {
    const running = place.store.read((reader) => listScansOf(reader, owner))
    place.store.write((writer) => releaseScansOf(writer, owner))
    return running
  },
  giveUpScan: (scanUid, cause) => giveUpScan(scanUid, cause, place),
})

/** Runs scans and imports in a separate thread, so that answers never wait for them. */
export interface ScanThread extends ScanRunner {
  /** Releases a scan after its next batch, so that it resumes later. */
  yield(scanUid: string): void
  /** Like `importFindings`. */
  importFindings(
    stream: ReadableStream<Uint8Array>,
    request: ImportRequest,
    context: Pick<ImportContext, 'signal' | 'caller'>,
  ): Promise<ImportResult>
  /** Runs an operation that is declared to run on this thread. */
  run(operation: string, input: object, context: AskedContext): Promise<unknown>
  /** Interrupts running work, leaving it resumable. */
  close(): Promise<void>
}

const lost = {
  import: 'The import was interrupted; if its file was already accepted, the import resumes by itself.',
  call: 'The operation was interrupted part-way; run it again to finish.',
}

interface Thread {
  worker: WorkerClient<ScanThreadProtocol>
  /** When it last responded, by `performance.now()`. */
  aliveAt: number
  /** It stores an import, whose transaction blocks it for as long as it takes. */
  isImporting: boolean
  /** Why its scan is given up if it ends now. */
  cause: GiveUpCause
  /** It gets no new work: that waits for the next thread. */
  isEnding: boolean
  /** It was asked to end because it had no work. */
  wasIdle: boolean
  /** Resolves when it has ended and the scans that it was running are released. */
  ended: Promise<void>
}

/**
 * The thread works on the data folder like another process: claims, leases and checkpoints in the database coordinate
 * it with all others. It starts with the first work and ends after an idle period.
 */
export function createScanThread(options: ScanThreadOptions): ScanThread {
  const { store, log, script = SCRIPT, ending = createScanEnding(options), onSettled, now } = options
  const { idleMs = IDLE_MS, stallMs = STALL_MS, maxBytes = MAX_BYTES, checkMs = CHECK_MS } = options
  const scans = new Set<string>()
  const reports = new Map<number, (progress: Progress) => void>()
  let lastId = 0
  let thread: Thread | undefined
  let closed = false
  let idle: NodeJS.Timeout | undefined
  /** Calls that run or wait for a thread. */
  let calls = 0

  const open = (): Thread => {
    const owner = createOwner()
    const workerData: ScanThreadSettings = { ...toThreadSettings(options), owner: owner.name, processMark }
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const worker = openWorker<ScanThreadProtocol>({
      script,
      settings: {
        ...toWorkerOptions(workerData),
        resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES, maxOldGenerationSizeMb: OLD_MEGABYTES },
      },
      events: {
        log: options.writeLine,
        upstream: (counts) => options.upstream?.add(counts),
        progress: ({ id, progress }) => reports.get(id)?.(progress),
        alive: () => {
          opened.aliveAt = performance.now()
        },
        importing: () => {
          opened.isImporting = true
        },
      },
      log,
      onExit: (error) => {
        clearInterval(watch)
        opened.isEnding = true
        if (isOutOfMemory(error)) opened.cause = 'out_of_memory'
        void clear(owner, opened, error).then(() => {
          thread = undefined
          resolve()
        })
      },
    })
    const state = { isImporting: false, isEnding: false, wasIdle: false, cause: 'thread_died' as const }
    const opened: Thread = { worker, aliveAt: performance.now(), ...state, ended }
    const watch = setInterval(() => {
      if (scans.size > 0) void check(opened)
    }, checkMs).unref()
    return opened
  }

  /** Ends a thread that no longer responds, or needs too much memory. */
  const check = async (checked: Thread) => {
    const { worker, isImporting } = checked
    if (isImporting) return
    if (performance.now() - checked.aliveAt > stallMs) checked.cause = 'stalled'
    else if ((await worker.countMemory()) > maxBytes) checked.cause = 'out_of_memory'
    if (checked.cause === 'thread_died') return
    checked.isEnding = true
    void worker.terminate()
  }

  /** Releases the scans that a thread was running. */
  const clear = async (owner: Owner, { cause, wasIdle }: Thread, error: unknown): Promise<void> => {
    owner.release()
    if (wasIdle) return
    if (!closed) log.error('the scan thread died', { error, cause, scans: scans.size })
    try {
      // When everything closes, nothing else waits for this thread.
      await (closed ? createScanEnding(options) : ending).releaseScans(owner.name)
    } catch (error) {
      log.warn('scans of a dead thread could not be released; they resume when their heartbeat is too old', { error })
    }
  }

  const stop = () => {
    if (thread === undefined || thread.isEnding) return
    thread.isEnding = true
    thread.wasIdle = true
    void thread.worker.stop(STOP_MS)
  }

  /** Calls the thread, which is started if needed. */
  const perform = async <Result>(call: (thread: Thread) => Promise<Result>): Promise<Result> => {
    calls++
    clearTimeout(idle)
    try {
      while (thread?.isEnding === true) await thread.ended
      if (closed) throw new AppError('unavailable', 'Assay is closing; start the operation again.')
      thread ??= open()
      return await call(thread)
    } finally {
      calls--
      if (calls === 0 && !closed) idle = setTimeout(stop, idleMs).unref()
    }
  }

  const ask = async <Result>(
    kind: keyof typeof lost,
    call: (worker: Thread['worker']) => Promise<Result>,
  ): Promise<Result> => {
    // A thread that starts now would open whichever file has replaced the database.
    store.files?.requireSameFiles()
    try {
      return await perform(({ worker }) => call(worker))
    } catch (error) {
      throw error instanceof WorkerLost ? new AppError('unavailable', lost[kind]) : error
    }
  }

  /** Runs a scan until it ends or its thread does; returns why that ended. */
  const attempt = (scanUid: string): Promise<GiveUpCause | undefined> =>
    perform(async (used) => {
      try {
        await used.worker.call('scan', scanUid)
        used.isImporting = false
        return undefined
      } catch (error) {
        if (!(error instanceof WorkerLost)) throw error
        await used.ended
        return used.cause
      }
    })

  const run = async (scanUid: string): Promise<void> => {
    for (let crashes = 0, lastAt = now(); !closed; ) {
      const cause = await attempt(scanUid)
      if (cause === undefined || closed) return
      const at = now()
      crashes = Math.abs(at - lastAt) > FORGET_MS ? 1 : crashes + 1
      lastAt = at
      // Another attempt would need as much memory.
      if (crashes >= MAX_CRASHES || cause === 'out_of_memory') return ending.giveUpScan(scanUid, cause)
      await sleep(RESTART_MS * crashes, undefined, { ref: false })
    }
  }

  const stopIfLarge = async () => {
    const bytes = (await thread?.worker.countMemory()) ?? 0
    if (bytes > LARGE_BYTES && calls === 0) stop()
  }

  const start = async (scanUid: string): Promise<void> => {
    scans.add(scanUid)
    try {
      await run(scanUid)
    } catch (error) {
      if (!closed) log.error('a scan could not be run, or marked as failed', { scan: scanUid, error })
    }
    scans.delete(scanUid)
    await stopIfLarge()
    onSettled?.(scanUid)
  }

  return {
    start: (scanUid) => {
      if (!closed && !scans.has(scanUid)) void start(scanUid)
    },
    cancel: (scanUid) => thread?.worker.notify('cancel', scanUid),
    yield: (scanUid) => thread?.worker.notify('yield', scanUid),
    importFindings: (stream, request, { signal, caller }) =>
      ask('import', (worker) => worker.call('import', { stream, request, caller }, { signal, transfer: [stream] })),
    run: async (operation, input, { caller, signal, progress }) => {
      const id = ++lastId
      reports.set(id, progress)
      try {
        return await ask('call', (worker) => worker.call('call', { id, operation, input, caller }, { signal }))
      } finally {
        reports.delete(id)
      }
    },
    close: async () => {
      closed = true
      clearTimeout(idle)
      await Promise.all([thread?.worker.stop(STOP_MS), thread?.ended])
    },
  }
}
