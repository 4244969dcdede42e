import { Worker } from 'node:worker_threads'
import { countFindings, MIN_FINDINGS_FOR_INDEX } from '../findings/counts.store.ts'
import { AppError, fromErrorReport } from '../kernel/errors.ts'
import type { ReadContext } from '../operation/context.ts'
import type { Log, LogLevel } from '../runtime/log.ts'
import { startWorker } from '../runtime/package-files.ts'
import type { Store } from '../store/store.ts'
import type { QueryThreadReply, QueryThreadRequest, QueryThreadSettings } from './query-messages.ts'

const SCRIPT = 'background/query.worker'
/** The interval between checks for enough findings. */
const LOOK_MS = 10_000
/** The delay before restarting a thread that died, doubled after each death up to the maximum. */
const RESTART_MS = 500
const MAX_RESTART_MS = 60_000
const STOP_MS = 500

export interface QueryThreadOptions {
  store: Store
  home: string
  /** The environment variables that may contain the key of the data folder. */
  env: Readonly<Record<string, string | undefined>>
  log: Log
  logLevel: LogLevel
  /** Receives the log lines of the thread. */
  writeLine: (line: string) => void
  leastFindings?: number
  /** The worker script, replaced in tests. */
  script?: URL | undefined
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

interface Waiting {
  resolve: (answer: { output: unknown } | undefined) => void
  reject: (error: unknown) => void
  signal: AbortSignal
  onAbort: () => void
}

const isClosing = () => new AppError('unavailable', 'Assay is closing; ask again in a moment.', { reason: 'closing' })

export function createQueryThread(options: QueryThreadOptions): QueryThread {
  const { store, log, script, leastFindings = MIN_FINDINGS_FOR_INDEX } = options
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let nextId = 1
  let closed = false
  let deaths = 0
  let mayStartAt = 0

  const send = (order: QueryThreadRequest) => worker?.postMessage(order)

  const settle = (id: number): Waiting | undefined => {
    const found = waiting.get(id)
    waiting.delete(id)
    found?.signal.removeEventListener('abort', found.onAbort)
    if (waiting.size === 0) worker?.unref()
    return found
  }

  const onMessage = (message: QueryThreadReply) => {
    if (message.kind === 'log') options.writeLine(message.line)
    else if (message.kind === 'answer') {
      deaths = 0
      settle(message.id)?.resolve({ output: message.output })
    } else if (message.kind === 'refusal') {
      const { error } = message
      const asked = settle(message.id)
      if (error === undefined) asked?.reject(new Error('a question failed in its thread; its log has the cause'))
      else asked?.reject(fromErrorReport(error))
    }
  }

  /** Questions pending in the thread are answered by the calling thread instead, unless everything is closing. */
  const onExit = (gone: Worker) => {
    if (worker !== gone) return
    worker = undefined
    deaths += 1
    mayStartAt = performance.now() + Math.min(MAX_RESTART_MS, RESTART_MS * 2 ** (deaths - 1))
    for (const id of [...waiting.keys()]) {
      const asked = settle(id)
      if (closed) asked?.reject(isClosing())
      else asked?.resolve(undefined)
    }
  }

  const start = (): Worker => {
    const { ASSAY_KEY, ASSAY_KEY_FILE } = options.env
    const settings: QueryThreadSettings = {
      home: options.home,
      keys: { ASSAY_KEY, ASSAY_KEY_FILE },
      logLevel: options.logLevel,
      leastFindings,
    }
    const start = { workerData: settings, stdout: true }
    const started = script === undefined ? startWorker(SCRIPT, start) : new Worker(script, start)
    started.unref()
    started.stdout.resume()
    started.on('message', (message: QueryThreadReply) => onMessage(message))
    started.on('error', (error) => log.error('the thread that answers questions failed', { error }))
    started.on('exit', () => onExit(started))
    return started
  }

  /** The thread, which is started once there are enough findings. */
  const find = (): Worker | undefined => {
    const time = performance.now()
    if (closed || worker !== undefined || time < mayStartAt) return worker
    mayStartAt = time + LOOK_MS
    if (store.read(countFindings) >= leastFindings) worker = start()
    return worker
  }
  find()

  return {
    answer(operation, input, context) {
      const thread = find()
      if (thread === undefined) return undefined
      const { caller, coerced, signal } = context
      if (signal.aborted) return undefined
      const id = nextId++
      return new Promise((resolve, reject) => {
        const onAbort = () => {
          send({ kind: 'forget', id })
          settle(id)?.reject(
            new AppError('unavailable', 'The question was cancelled; ask it again.', { reason: 'cancelled' }),
          )
        }
        waiting.set(id, { resolve, reject, signal, onAbort })
        signal.addEventListener('abort', onAbort, { once: true })
        thread.ref()
        send({
          kind: 'ask',
          id,
          operation,
          input,
          caller: { ...caller, scopes: [...caller.scopes] },
          ...(coerced === undefined ? {} : { coerced }),
        })
      })
    },
    isNeeded: () => find() !== undefined,
    async close() {
      closed = true
      const closing = worker
      if (closing === undefined) return
      const ended = new Promise<void>((resolve) => closing.once('exit', () => resolve()))
      send({ kind: 'close' })
      const timer = setTimeout(() => void closing.terminate(), STOP_MS)
      await ended
      clearTimeout(timer)
    },
  }
}
