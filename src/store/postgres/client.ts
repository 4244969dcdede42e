import { MessageChannel, type MessagePort, receiveMessageOnPort, type Worker } from 'node:worker_threads'
import { AppError } from '../../kernel/errors.ts'
import { startWorker } from '../../runtime/package-files.ts'
import type { ReadOptions } from '../reader-writer.ts'
import type { SharedConnections } from '../store.ts'
import type { PostgresAddress } from '../store-place.ts'

export interface PostgresSettings {
  address: PostgresAddress
  /** Statements that each new connection begins with. */
  setup: string
}

/** One statement. */
export interface PostgresStep {
  text: string
  values: readonly unknown[]
  /** Name under which the server keeps the statement; '' for none. */
  name: string
}

/** A statement whose result is wanted, or several without values separated by semicolons. */
export interface PostgresRequest extends PostgresStep {
  /** Statements to run before it, in the same round trip. */
  before?: readonly PostgresStep[]
  /** Of a COPY: the rows in text format. */
  lines?: string
  /** Whether it may open the connection again, because no transaction is open. */
  begins: boolean
}

export interface PostgresFailure {
  message: string
  /** SQLSTATE, or the code of a system error. */
  code: string
  constraint?: string
}

export interface PostgresResult {
  /** Counts the connections that were opened; what a session had is gone when it differs. */
  session: number
  columns: string[]
  rows: unknown[][]
  changes: number
  /** The number of rows that each statement of `before` has changed. */
  changesBefore: readonly number[]
}

export type PostgresReply = PostgresResult | { failure: PostgresFailure }

/** SQLSTATE of a connection that is lost. */
export const CONNECTION_LOST = '08006'

/** An error that PostgreSQL or the connection to it reported. */
export class PostgresError extends Error {
  readonly code: string
  readonly constraint: string | undefined

  constructor({ message, code, constraint }: PostgresFailure) {
    super(message)
    this.name = 'PostgresError'
    this.code = code
    this.constraint = constraint
  }
}

/** What the thread of the connections is sent to serve a further one, which ends when its port is closed. */
export interface PostgresSession {
  settings: PostgresSettings
  port: MessagePort
  /** Of the calling thread: WAITED or REPLIED. */
  state: Int32Array
}

/** A reply is awaited or there. */
export const [WAITED, REPLIED] = [0, 1]
export const ENDED = 1
/** How often a thread that waits for a reply checks whether the thread of the connections has ended. */
const CHECK_MS = 1_000

/** How often it checks whether the result is still wanted. */
const WANTED_MS = 100

/** Limit of the young generation of its heap: rows are passed on at once. */
const YOUNG_MEGABYTES = 6

/** The thread with the connections that this one has started. */
let started: { worker: Worker; ended: Int32Array } | undefined
/** How this thread reaches its connections. */
let used: SharedConnections | undefined
/** It waits for one of them at a time. */
const state = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

const hasEnded = ({ ended }: { ended: Int32Array }): boolean => Atomics.load(ended, 0) === ENDED

function startThread() {
  const ended = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const worker = startWorker('store/postgres/connection.worker', {
    workerData: { ended },
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
  })
  worker.unref()
  worker.on('error', (error) => process.emitWarning(error))
  // The thread notes its end itself, unless its memory is exhausted.
  worker.once('exit', () => Atomics.store(ended, 0, ENDED))
  return { worker, ended }
}

/** Access for a further thread to the connections that this thread holds in another one. */
export function shareConnections(): SharedConnections {
  if (started === undefined || hasEnded(started)) started = startThread()
  const { port1, port2 } = new MessageChannel()
  started.worker.postMessage(port2, [port2])
  port1.unref()
  return { port: port1, ended: started.ended }
}

/** Lets the connections of this thread be held by the thread that another one has started. */
export function useConnections(shared: SharedConnections): void {
  used = shared
}

function catchRefusal(requireWanted: ReadOptions['requireWanted']): { error: unknown } | undefined {
  try {
    requireWanted?.()
    return undefined
  } catch (error) {
    return { error }
  }
}

/**
 * A connection to PostgreSQL whose calls block the calling thread. Another thread, which starts with the first call,
 * holds it; the main thread of a server must not use it for anything that takes long, because it cannot answer requests
 * meanwhile.
 */
export class PostgresClient {
  readonly #settings: PostgresSettings
  /** The way to the connection, from the first call on. */
  #session: SharedConnections | undefined
  #isClosed = false

  constructor(settings: PostgresSettings) {
    this.#settings = settings
  }

  #start(): SharedConnections {
    if (used === undefined || hasEnded(used)) used = shareConnections()
    const { port1, port2 } = new MessageChannel()
    const session: PostgresSession = { settings: this.#settings, port: port2, state }
    used.port.postMessage(session, [port2])
    port1.unref()
    return { port: port1, ended: used.ended }
  }

  /** @throws PostgresError, or what `requireWanted` throws, which ends the statement */
  query(request: PostgresRequest, requireWanted?: ReadOptions['requireWanted']): PostgresResult {
    if (this.#isClosed)
      throw new AppError('unavailable', 'The connection to PostgreSQL was closed; try again.', { reason: 'busy' })
    if (this.#session === undefined || hasEnded(this.#session)) this.#session = this.#start()
    const session = this.#session
    Atomics.store(state, 0, WAITED)
    session.port.postMessage(request)
    let refusal: { error: unknown } | undefined
    // The notification of an earlier reply may come late, so the state decides.
    while (Atomics.load(state, 0) === WAITED && !hasEnded(session)) {
      const reached = Atomics.wait(state, 0, WAITED, requireWanted === undefined ? CHECK_MS : WANTED_MS)
      if (reached !== 'timed-out' || refusal !== undefined) continue
      refusal = catchRefusal(requireWanted)
      if (refusal !== undefined) session.port.postMessage('cancel')
    }
    const received = receiveMessageOnPort(session.port) as { message: PostgresReply } | undefined
    const lost: PostgresReply = { failure: { message: 'the thread of the connection ended', code: CONNECTION_LOST } }
    const { message } = received ?? { message: lost }
    if (refusal !== undefined) throw refusal.error
    if ('failure' in message) throw new PostgresError(message.failure)
    return message
  }

  close(): void {
    this.#isClosed = true
    // Closing the port here would wait for the next turn of the event loop.
    this.#session?.port.postMessage('close')
  }
}
