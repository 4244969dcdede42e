import { Worker } from 'node:worker_threads'
import type { UpstreamTally } from '../connectors/http/upstream.ts'
import type { ImportContext, ImportResult } from '../imports/imports.ts'
import { AppError, fromErrorReport } from '../kernel/errors.ts'
import type { ScanRunner, WriteContext } from '../operation/context.ts'
import type { Log, LogLevel } from '../runtime/log.ts'
import { startWorker } from '../runtime/package-files.ts'
import { giveUpScan } from '../scans/give-up.ts'
import { createOwner, type Owner, processMark } from '../scans/owner.ts'
import { listScansOf, releaseScansOf } from '../scans/scans.store.ts'
import type { Store } from '../store/store.ts'
import type { ImportRequest, ScanThreadReply, ScanThreadRequest, ScanThreadSettings } from './scan.worker.ts'

const SCRIPT = 'background/scan.worker'
/** Limit of the young generation of the heap: document texts are short-lived. */
const YOUNG_MEGABYTES = 24
/** How long a thread without work is kept. */
const IDLE_MS = 30_000
/** How long a thread may take to leave its scans resumable. */
const STOP_MS = 5_000
/** A scan whose thread has died this many times is not restarted by this process. */
const MAX_DEATHS = 3
/** A death this long after the previous one restarts the count. */
const FORGET_MS = 3_600_000
const RESTART_MS = 200

export interface ScanThreadOptions {
  store: Store
  home: string
  /** The environment variables that may contain the key of the data folder. */
  env: Readonly<Record<string, string | undefined>>
  log: Log
  logLevel: LogLevel
  /** Receives the log lines of the thread. */
  writeLine: (line: string) => void
  now: () => number
  /** Receives the counts of requests to tenants. */
  upstream?: UpstreamTally
  idleMs?: number
  /** The worker script, replaced in tests. */
  script?: URL | undefined
}

/** Runs scans and imports in a separate thread, so that answers never wait for them. */
export interface ScanThread extends ScanRunner {
  /** Like `importFindings`. */
  importFindings(
    stream: ReadableStream<Uint8Array>,
    request: ImportRequest,
    context: Pick<ImportContext, 'signal' | 'caller'>,
  ): Promise<ImportResult>
  /** Runs an operation that is declared to run on this thread. */
  run(operation: string, input: object, context: Pick<WriteContext, 'caller' | 'signal'>): Promise<unknown>
  /** Interrupts running work, leaving it resumable. */
  close(): Promise<void>
}

const lost = {
  import: 'The import was interrupted; what was accepted goes on by itself.',
  call: 'It was interrupted part-way; do it again for what is left.',
}

interface Thread {
  worker: Worker
  owner: Owner
  /** It was asked to stop: new work waits for the next thread. */
  stopping: boolean
  ended: Promise<void>
  error?: unknown
}

interface Deaths {
  times: number
  lastAt: number
}

type TaskOrder = Extract<ScanThreadRequest, { kind: 'import' | 'call' }>

interface Task {
  resolve: (result: never) => void
  reject: (error: unknown) => void
  order: TaskOrder
  sent: boolean
}

/**
 * The thread works on the data folder like another process: claims, leases and checkpoints in the database coordinate
 * it with all others. It starts with the first work and ends after an idle period.
 */
export function createScanThread(options: ScanThreadOptions): ScanThread {
  const { store, log, script, idleMs = IDLE_MS } = options
  /** Scans to run here, with the recent deaths of their thread. */
  const scans = new Map<string, Deaths>()
  const tasks = new Map<number, Task>()
  let thread: Thread | undefined
  let nextTask = 1
  let closed = false
  let idle: NodeJS.Timeout | undefined
  let restart: NodeJS.Timeout | undefined

  const send = (order: ScanThreadRequest) => thread?.worker.postMessage(order)

  const open = (): Thread => {
    const owner = createOwner()
    const { ASSAY_KEY, ASSAY_KEY_FILE } = options.env
    const settings: ScanThreadSettings = {
      home: options.home,
      keys: { ASSAY_KEY, ASSAY_KEY_FILE },
      logLevel: options.logLevel,
      owner: owner.name,
      processMark,
    }
    const start = { workerData: settings, stdout: true, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES } }
    const worker = script === undefined ? startWorker(SCRIPT, start) : new Worker(script, start)
    worker.unref()
    worker.stdout.resume()
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    const opened: Thread = { worker, owner, stopping: false, ended }
    worker.on('message', (report: ScanThreadReply) => onMessage(opened, report))
    worker.on('error', (error) => {
      opened.error = error
    })
    void ended.then(() => onExit(opened))
    return opened
  }

  /** Sends all unsent work to the thread, starting it if needed. */
  const dispatch = () => {
    if (closed || thread?.stopping === true || restart !== undefined) return
    clearTimeout(idle)
    if (thread === undefined) {
      thread = open()
      for (const scanUid of scans.keys()) send({ kind: 'start', scanUid })
    }
    for (const waiting of tasks.values()) {
      if (waiting.sent) continue
      waiting.sent = true
      thread.worker.postMessage(waiting.order, waiting.order.kind === 'import' ? [waiting.order.stream] : [])
    }
  }

  const onMessage = (from: Thread, report: ScanThreadReply) => {
    if (report.kind === 'log') return options.writeLine(report.line)
    if (report.kind === 'upstream') return options.upstream?.add(report.counts)
    if (report.kind === 'stopped') return void from.worker.terminate()
    if (report.kind === 'settled') scans.delete(report.scanUid)
    else {
      const waiting = tasks.get(report.id)
      tasks.delete(report.id)
      if (report.kind === 'done') waiting?.resolve(report.result as never)
      else waiting?.reject(fromErrorReport(report.error))
    }
    if (scans.size === 0 && tasks.size === 0) scheduleIdleStop()
  }

  const scheduleIdleStop = () => {
    clearTimeout(idle)
    idle = setTimeout(() => {
      if (thread === undefined) return
      thread.stopping = true
      send({ kind: 'stop' })
    }, idleMs)
    idle.unref()
  }

  /**
   * Releases the scans that the thread was running and rejects its unfinished calls; scans and unsent calls start on
   * the next thread.
   */
  const onExit = ({ owner, stopping, error }: Thread) => {
    thread = undefined
    clearTimeout(idle)
    owner.release()
    const driven = new Set(listRunningScans(owner))
    free(owner)
    for (const [id, { sent, reject, order }] of tasks) {
      if (!sent) continue
      tasks.delete(id)
      reject(new AppError('unavailable', lost[order.kind]))
    }
    if (closed) return
    if (stopping) {
      if (scans.size > 0 || tasks.size > 0) dispatch()
      return
    }
    log.error('the thread that scans has died', { error, scans: scans.size })
    const at = options.now()
    for (const [scanUid, before] of scans) {
      // A scan that was only queued did not cause the death; if none was running, any may have caused it.
      if (driven.size > 0 && !driven.has(scanUid)) continue
      const times = Math.abs(at - before.lastAt) > FORGET_MS ? 1 : before.times + 1
      scans.set(scanUid, { times, lastAt: at })
      if (times < MAX_DEATHS) continue
      scans.delete(scanUid)
      giveUp(scanUid)
    }
    const most = Math.max(1, ...[...scans.values()].map(({ times }) => times))
    restart = setTimeout(() => {
      restart = undefined
      if (scans.size > 0 || tasks.size > 0) dispatch()
    }, RESTART_MS * most)
    restart.unref()
  }

  const listRunningScans = (owner: Owner): string[] => {
    try {
      return store.read((reader) => listScansOf(reader, owner.name))
    } catch {
      return []
    }
  }

  const free = (owner: Owner) => {
    try {
      store.write((writer) => releaseScansOf(writer, owner.name))
    } catch (error) {
      log.warn('scans of a dead thread wait until they count as silent', { error })
    }
  }

  const giveUp = (scanUid: string) => {
    try {
      giveUpScan(scanUid, options)
    } catch (error) {
      log.error('a scan could not be ended', { scan: scanUid, error })
    }
  }

  const perform = <Result>(toOrder: (id: number) => TaskOrder, signal: AbortSignal): Promise<Result> =>
    new Promise<Result>((resolve, reject) => {
      if (closed) return reject(new AppError('unavailable', 'Start again: assay is closing.'))
      // A thread that starts now would open whichever file has replaced the database.
      store.requireSameFiles()
      const id = nextTask++
      const abort = () => send({ kind: 'abort', id })
      signal.addEventListener('abort', abort, { once: true })
      const over = () => signal.removeEventListener('abort', abort)
      tasks.set(id, {
        order: toOrder(id),
        sent: false,
        resolve: (result) => {
          over()
          resolve(result)
        },
        reject: (error) => {
          over()
          reject(error)
        },
      })
      dispatch()
      if (signal.aborted) abort()
    })

  return {
    start: (scanUid) => {
      if (closed || scans.has(scanUid)) return
      scans.set(scanUid, { times: 0, lastAt: options.now() })
      const running = thread
      dispatch()
      if (thread !== undefined && thread === running && !thread.stopping) send({ kind: 'start', scanUid })
    },
    cancel: (scanUid) => send({ kind: 'cancel', scanUid }),
    importFindings: (stream, request, { signal, caller }) =>
      perform<ImportResult>((id) => ({ kind: 'import', id, stream, request, caller: { name: caller.name } }), signal),
    run: (operation, input, { caller, signal }) =>
      perform(
        (id) => ({ kind: 'call', id, operation, input, caller: { ...caller, scopes: [...caller.scopes] } }),
        signal,
      ),
    close: async () => {
      closed = true
      clearTimeout(idle)
      clearTimeout(restart)
      scans.clear()
      const last = thread
      if (last === undefined) return
      last.worker.ref()
      last.worker.postMessage({ kind: 'stop' } satisfies ScanThreadRequest)
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, STOP_MS)
      })
      await Promise.race([last.ended, late])
      clearTimeout(timer)
      await last.worker.terminate()
      await last.ended
    },
  }
}
