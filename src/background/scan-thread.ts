import type { UpstreamTally } from '../connectors/http/upstream.ts'
import type { ImportContext, ImportResult } from '../imports/imports.ts'
import type { Awaitable } from '../kernel/awaitable.ts'
import { AppError } from '../kernel/errors.ts'
import type { AskedContext, Progress, ScanRunner } from '../operation/context.ts'
import { isOutOfMemory, openWorker, type WorkerClient, WorkerLost } from '../runtime/worker-rpc.ts'
import { type GiveUpCause, giveUpScan } from '../scans/give-up.ts'
import { createOwner, type Owner, processMark } from '../scans/owner.ts'
import { listScansOf, releaseScansOf } from '../scans/scans.store.ts'
import type { Store } from '../store/store.ts'
import type { ImportRequest, ScanThreadProtocol, ScanThreadSettings } from './scan.worker.ts'
import { type ThreadOptions, toThreadSettings } from './thread-options.ts'

const SCRIPT = 'background/scan.worker'
/** Limit of the young generation of the heap: document texts are short-lived. */
const YOUNG_MEGABYTES = 24
/** Limit of the memory of a scan, for the lists and documents that it holds; it is checked now and then. */
const MAX_BYTES = 512 * 1024 * 1024
/** Limit of the heap between two checks; V8 collects garbage more often when it is lower. */
const OLD_MEGABYTES = 2_048
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
  owner: Owner
  /** It was asked to stop: new work waits for the next thread. */
  stopping: boolean
  /** When it last responded, by `performance.now()`. */
  aliveAt: number
  /** It applies an import, whose transaction blocks it for as long as it takes. */
  isImporting: boolean
  /** Why it is being ended. */
  cause: GiveUpCause
}

interface CrashHistory {
  times: number
  lastAt: number
}

/**
 * The thread works on the data folder like another process: claims, leases and checkpoints in the database coordinate
 * it with all others. It starts with the first work and ends after an idle period.
 */
export function createScanThread(options: ScanThreadOptions): ScanThread {
  const { store, log, script = SCRIPT, ending = createScanEnding(options) } = options
  const { idleMs = IDLE_MS, stallMs = STALL_MS, maxBytes = MAX_BYTES, checkMs = CHECK_MS } = options
  const { onSettled = () => {} } = options
  /** Scans to run here, with the recent crashes of their thread. */
  const scans = new Map<string, CrashHistory>()
  /** Calls that wait for the next thread. */
  let unsent: ((thread: Thread) => void)[] = []
  const reports = new Map<number, (progress: Progress) => void>()
  let lastId = 0
  let thread: Thread | undefined
  let closed = false
  let idle: NodeJS.Timeout | undefined
  let restart: NodeJS.Timeout | undefined
  /** Until what the last thread left is ended. */
  let clearing: Promise<void> | undefined

  const open = (): Thread => {
    const owner = createOwner()
    const workerData: ScanThreadSettings = { ...toThreadSettings(options), owner: owner.name, processMark }
    const worker = openWorker<ScanThreadProtocol>({
      script,
      settings: {
        workerData,
        stdout: true,
        resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES, maxOldGenerationSizeMb: OLD_MEGABYTES },
      },
      events: {
        log: options.writeLine,
        upstream: (counts) => options.upstream?.add(counts),
        settled: (scanUid) => void settle(scanUid),
        progress: ({ id, progress }) => reports.get(id)?.(progress),
        alive: () => {
          opened.aliveAt = performance.now()
        },
        importing: (isImporting) => {
          opened.isImporting = isImporting
        },
      },
      log,
      onExit: (error) => {
        clearInterval(watch)
        onExit(opened, error)
      },
    })
    const opened: Thread = {
      worker,
      owner,
      stopping: false,
      aliveAt: performance.now(),
      isImporting: false,
      cause: 'thread_died',
    }
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
    if (checked.cause !== 'thread_died') void worker.terminate()
  }

  const settle = async (scanUid: string) => {
    scans.delete(scanUid)
    stopIfIdle()
    await stopIfLarge()
    onSettled(scanUid)
  }

  /** Sends all unsent work to the thread, starting it if needed. */
  const dispatch = () => {
    if (closed || thread?.stopping === true || restart !== undefined || clearing !== undefined) return
    clearTimeout(idle)
    if (thread === undefined) {
      thread = open()
      for (const scanUid of scans.keys()) thread.worker.notify('start', scanUid)
    }
    const waiting = unsent
    unsent = []
    for (const send of waiting) send(thread)
  }

  const isIdle = () => scans.size === 0 && unsent.length === 0 && (thread?.worker.pending ?? 0) === 0

  const stopIfIdle = () => {
    if (!isIdle()) return
    clearTimeout(idle)
    idle = setTimeout(stop, idleMs).unref()
  }

  const stopIfLarge = async () => {
    const bytes = (await thread?.worker.countMemory()) ?? 0
    if (bytes > LARGE_BYTES && isIdle()) stop()
  }

  const stop = () => {
    if (thread === undefined || thread.stopping) return
    thread.stopping = true
    void thread.worker.stop(STOP_MS)
  }

  /** Releases the scans that the thread was running; scans and unsent calls start on the next thread. */
  const onExit = ({ owner, stopping, cause }: Thread, error: unknown) => {
    thread = undefined
    clearTimeout(idle)
    owner.release()
    if (stopping) {
      // It had no work left.
      if (!closed && !isIdle()) dispatch()
      return
    }
    if (!closed) log.error('the scan thread died', { error, cause, scans: scans.size })
    clearing = clear(owner, isOutOfMemory(error) ? 'out_of_memory' : cause)
  }

  const clear = async (owner: Owner, cause: GiveUpCause): Promise<void> => {
    const driven = new Set(await release(owner))
    const at = options.now()
    for (const [scanUid, before] of [...scans]) {
      // A scan that was only queued did not cause the crash; if none was running, any may have caused it.
      if (driven.size > 0 && !driven.has(scanUid)) continue
      const times = Math.abs(at - before.lastAt) > FORGET_MS ? 1 : before.times + 1
      scans.set(scanUid, { times, lastAt: at })
      // Another attempt would need as much memory.
      if (times < MAX_CRASHES && cause !== 'out_of_memory') continue
      await giveUp(scanUid, cause)
      await settle(scanUid)
    }
    clearing = undefined
    if (closed) return
    const most = Math.max(1, ...[...scans.values()].map(({ times }) => times))
    restart = setTimeout(() => {
      restart = undefined
      if (!isIdle()) dispatch()
    }, RESTART_MS * most)
    restart.unref()
  }

  const release = async (owner: Owner): Promise<string[]> => {
    try {
      // When everything closes, nothing else waits for this thread.
      return await (closed ? createScanEnding(options) : ending).releaseScans(owner.name)
    } catch (error) {
      log.warn('scans of a dead thread could not be released; they resume when their heartbeat is too old', { error })
      return []
    }
  }

  const giveUp = async (scanUid: string, cause: GiveUpCause) => {
    try {
      await ending.giveUpScan(scanUid, cause)
    } catch (error) {
      log.error('a scan could not be marked as failed', { scan: scanUid, error })
    }
  }

  const perform = async <Result>(
    kind: keyof typeof lost,
    call: (worker: Thread['worker']) => Promise<Result>,
  ): Promise<Result> => {
    if (closed) throw new AppError('unavailable', 'Assay is closing; start the operation again.')
    // A thread that starts now would open whichever file has replaced the database.
    store.files?.requireSameFiles()
    try {
      return await new Promise<Result>((resolve, reject) => {
        unsent.push(({ worker }) => void call(worker).finally(stopIfIdle).then(resolve, reject))
        dispatch()
      })
    } catch (error) {
      throw error instanceof WorkerLost ? new AppError('unavailable', lost[kind]) : error
    }
  }

  return {
    start: (scanUid) => {
      if (closed || scans.has(scanUid)) return
      scans.set(scanUid, { times: 0, lastAt: options.now() })
      const running = thread
      dispatch()
      if (thread !== undefined && thread === running && !thread.stopping) thread.worker.notify('start', scanUid)
    },
    cancel: (scanUid) => thread?.worker.notify('cancel', scanUid),
    yield: (scanUid) => thread?.worker.notify('yield', scanUid),
    importFindings: (stream, request, { signal, caller: { name } }) =>
      perform('import', (worker) =>
        worker.call('import', { stream, request, caller: { name } }, { signal, transfer: [stream] }),
      ),
    run: async (operation, input, { caller, signal, progress }) => {
      const id = ++lastId
      reports.set(id, progress)
      try {
        return await perform('call', (worker) => worker.call('call', { id, operation, input, caller }, { signal }))
      } finally {
        reports.delete(id)
      }
    },
    close: async () => {
      closed = true
      clearTimeout(idle)
      clearTimeout(restart)
      scans.clear()
      await thread?.worker.stop(STOP_MS)
      await clearing
    },
  }
}
