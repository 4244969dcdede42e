import {
  parentPort,
  receiveMessageOnPort,
  type TransferListItem,
  Worker,
  type WorkerOptions,
} from 'node:worker_threads'
import { AppError, type ErrorReport, fromErrorReport, toErrorReport } from '../kernel/errors.ts'
import type { Log } from './log.ts'
import { startThread } from './native-load.ts'
import { startWorker } from './package-files.ts'

/** The messages between a worker and the thread that started it. */
export interface WorkerProtocol {
  /** Requests to the worker, each answered with a reply or an error. */
  calls: Record<string, { input: unknown; reply: unknown }>
  /** Messages to the worker that it does not answer. */
  notices: Record<string, unknown>
  /** Messages from the worker that belong to no reply. */
  events: Record<string, unknown>
}

type Request =
  | { kind: 'call'; id: number; name: string; input: unknown }
  | { kind: 'cancel'; id: number }
  | { kind: 'notice'; name: string; value: unknown }
  | { kind: 'stop' }

/** `stopped` is the last message. */
type Response =
  | { kind: 'reply'; id: number; value: unknown }
  | { kind: 'refusal'; id: number; report: ErrorReport }
  | { kind: 'fault'; id: number; error: unknown }
  | { kind: 'event'; name: string; value: unknown }
  | { kind: 'stopped' }

/** The worker ended, or was terminated, before it answered a call. */
export class WorkerLost extends Error {
  constructor(cause?: unknown) {
    super('the worker thread ended before it answered', cause === undefined ? undefined : { cause })
    this.name = 'WorkerLost'
  }
}

/** Whether a worker ended, or a call was lost, because its heap exceeded the limit. */
export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof WorkerLost
    ? isOutOfMemory(error.cause)
    : error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'

export interface CallOptions {
  /** Cancels the call; the worker still answers it, usually with an error. */
  signal?: AbortSignal
  /** The error of a call that is cancelled, if its caller does not wait for the worker's answer. */
  toCancelled?: () => Error
  transfer?: readonly TransferListItem[]
}

export interface WorkerClient<P extends WorkerProtocol> {
  /** It has ended, or is being terminated: every call rejects. */
  readonly isLost: boolean
  /** The number of unanswered calls, which keep the process alive. */
  readonly pending: number
  /** @throws AppError as the worker threw it, Error for its other failures, WorkerLost */
  call<Name extends keyof P['calls'] & string>(
    name: Name,
    input: P['calls'][Name]['input'],
    options?: CallOptions,
  ): Promise<P['calls'][Name]['reply']>
  notify<Name extends keyof P['notices'] & string>(name: Name, value: P['notices'][Name]): void
  /** Bytes of its heap and of the buffers that it holds; 0 if it has ended. */
  countMemory(): Promise<number>
  /** Cancels the calls of the worker and lets it finish them; terminates it after the time limit. */
  stop(limitMs: number): Promise<void>
  /** Ends the worker at once; unanswered calls reject with WorkerLost. */
  terminate(): Promise<void>
}

export interface ClientOptions<P extends WorkerProtocol> {
  /** As for `startWorker`, or the address of a script. */
  script: string | URL
  /** With `stdout: true`, what the worker prints is dropped. */
  settings?: Omit<WorkerOptions, 'eval'>
  events: { [Name in keyof P['events']]: (value: P['events'][Name]) => void }
  /** Gets a line with the event `thread_lost` when the worker fails, also while it is being stopped. */
  log?: Log
  /** Called when the worker has ended, before its calls reject; with the error if it failed. */
  onExit?: (error: unknown) => void
}

interface PendingCall {
  resolve: (reply: never) => void
  reject: (error: unknown) => void
}

/** Starts a worker that answers calls by `serveCalls`. */
export function openWorker<P extends WorkerProtocol>(options: ClientOptions<P>): WorkerClient<P> {
  const { script, settings, events, log, onExit } = options
  const thread = startThread(() =>
    typeof script === 'string' ? startWorker(script, settings) : new Worker(script, settings),
  )
  const { worker } = thread
  const calls = new Map<number, PendingCall>()
  let nextId = 1
  let isLost = false
  let isTerminated = false
  let failure: unknown
  let stopped: Promise<void> | undefined

  const post = (request: Request, transfer: readonly TransferListItem[] = []) => worker.postMessage(request, transfer)

  const settle = (id: number): PendingCall | undefined => {
    const call = calls.get(id)
    calls.delete(id)
    if (calls.size === 0) worker.unref()
    return call
  }

  const lose = () => {
    isLost = true
    for (const id of [...calls.keys()]) settle(id)?.reject(new WorkerLost(failure))
  }

  const terminate = () => {
    isTerminated = true
    return thread.terminate()
  }

  worker.unref()
  if (settings?.stdout === true) worker.stdout.resume()
  worker.on('message', (message: Response) => {
    if (message.kind === 'event') events[message.name as keyof P['events']]?.(message.value as never)
    else if (message.kind === 'reply') settle(message.id)?.resolve(message.value as never)
    else if (message.kind === 'refusal') settle(message.id)?.reject(fromErrorReport(message.report))
    else if (message.kind === 'fault') settle(message.id)?.reject(message.error)
    else void terminate()
  })
  worker.on('error', (error) => {
    failure = error
  })
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', (code) => {
      if (code !== 0 && !isTerminated) failure ??= new Error(`the thread ended with code ${code}`)
      if (failure !== undefined) log?.error('a thread failed', { event: 'thread_lost', thread: script, error: failure })
      onExit?.(failure)
      lose()
      resolve()
    })
  })

  const stop = async (limitMs: number) => {
    post({ kind: 'stop' })
    const timer = setTimeout(() => void terminate(), limitMs)
    await exited
    clearTimeout(timer)
  }

  return {
    get isLost() {
      return isLost
    },
    get pending() {
      return calls.size
    },
    call: (name, input, { signal, toCancelled, transfer } = {}) =>
      new Promise((resolve, reject) => {
        if (isLost) throw new WorkerLost(failure)
        const id = nextId++
        post({ kind: 'call', id, name, input }, transfer)
        const cancel = () => {
          post({ kind: 'cancel', id })
          if (toCancelled !== undefined) reject(toCancelled())
        }
        const end = () => signal?.removeEventListener('abort', cancel)
        calls.set(id, {
          resolve: (reply) => {
            end()
            resolve(reply)
          },
          reject: (error) => {
            end()
            reject(error)
          },
        })
        worker.ref()
        signal?.addEventListener('abort', cancel, { once: true })
        if (signal?.aborted === true) cancel()
      }),
    notify: (name, value) => post({ kind: 'notice', name, value }),
    countMemory: () =>
      worker.getHeapStatistics().then(
        ({ total_heap_size: heap, external_memory: buffers }) => heap + buffers,
        () => 0,
      ),
    stop: (limitMs) => {
      stopped ??= stop(limitMs)
      return stopped
    },
    async terminate() {
      lose()
      await terminate()
    },
  }
}

/** A reply whose buffers are transferred to the other thread instead of copied. */
export class Transferred<Reply> {
  readonly value: Reply
  readonly buffers: readonly TransferListItem[]

  constructor(value: Reply, buffers: readonly TransferListItem[]) {
    this.value = value
    this.buffers = buffers
  }
}

/** A DOMException would arrive without its message. */
const toSendable = (error: unknown) => (error instanceof DOMException ? new Error(error.message) : error)

const FAULT = 'a call failed in its thread, whose log has the cause'

type Answer<Reply> = Reply | Transferred<Reply>

export interface ServeOptions<P extends WorkerProtocol> {
  /** A call's signal is aborted when the call is cancelled or the worker is asked to stop. */
  calls: {
    [Name in keyof P['calls']]: (
      input: P['calls'][Name]['input'],
      signal: AbortSignal,
    ) => Answer<P['calls'][Name]['reply']> | Promise<Answer<P['calls'][Name]['reply']>>
  }
  notices?: { [Name in keyof P['notices']]: (value: P['notices'][Name]) => void }
  /** Logs a failure that is no AppError; its details are then kept from the calling thread. */
  logFault?: (error: unknown, call: { name: string; input: unknown }) => void
  /** Called when the worker is asked to stop, after the calls were cancelled; the worker ends when it has returned. */
  stop?: (callsEnded: Promise<unknown>) => void | Promise<void>
}

/** Sends an event to the thread that started this worker. */
export type EmitEvent<P extends WorkerProtocol> = <Name extends keyof P['events'] & string>(
  name: Name,
  value: P['events'][Name],
) => void

const send = (message: Response, transfer: readonly TransferListItem[] = []) =>
  parentPort?.postMessage(message, transfer)

/** For one protocol. */
export function openEvents<P extends WorkerProtocol>(): EmitEvent<P> {
  return (name, value) => send({ kind: 'event', name, value })
}

/**
 * Answers the calls of the thread that started this worker. A call begins when it arrives. Returns a function that
 * receives what has arrived since, such as cancellations, for a call that blocks the thread.
 */
export function serveCalls<P extends WorkerProtocol>({ calls, notices, logFault, stop }: ServeOptions<P>): () => void {
  const running = new Map<number, { abort: AbortController; ended: Promise<void> }>()

  const run = async (id: number, name: string, input: unknown, signal: AbortSignal): Promise<void> => {
    try {
      const handle = calls[name as keyof P['calls']]
      const answer = await handle(input as never, signal)
      if (answer instanceof Transferred) send({ kind: 'reply', id, value: answer.value }, answer.buffers)
      else send({ kind: 'reply', id, value: answer })
    } catch (error) {
      if (error instanceof AppError) send({ kind: 'refusal', id, report: toErrorReport(error) })
      else {
        logFault?.(error, { name, input })
        send({ kind: 'fault', id, error: logFault === undefined ? toSendable(error) : new Error(FAULT) })
      }
    } finally {
      running.delete(id)
    }
  }

  const end = async (): Promise<void> => {
    const calls = [...running.values()]
    for (const { abort } of calls) abort.abort()
    const callsEnded = Promise.all(calls.map(({ ended }) => ended))
    await (stop === undefined ? callsEnded : stop(callsEnded))
    send({ kind: 'stopped' })
  }

  const receive = (message: Request) => {
    if (message.kind === 'call') {
      const abort = new AbortController()
      const { id, name, input } = message
      const call = { abort, ended: Promise.resolve() }
      running.set(id, call)
      call.ended = run(id, name, input, abort.signal)
    } else if (message.kind === 'cancel') running.get(message.id)?.abort.abort()
    else if (message.kind === 'notice') notices?.[message.name as keyof P['notices']]?.(message.value as never)
    else void end()
  }
  parentPort?.on('message', receive)
  return () => {
    if (parentPort === null) return
    for (let next = receiveMessageOnPort(parentPort); next !== undefined; next = receiveMessageOnPort(parentPort)) {
      receive(next.message as Request)
    }
  }
}
