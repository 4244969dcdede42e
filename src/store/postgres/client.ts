import { MessageChannel, type MessagePort, receiveMessageOnPort, type Worker } from 'node:worker_threads'
import { AppError } from '../../kernel/errors.ts'
import { startWorker } from '../../runtime/package-files.ts'
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

/** What a thread is sent to serve a connection. */
export interface PostgresSession {
  settings: PostgresSettings
  port: MessagePort
  /** 1 when a reply is there, or the thread has ended. */
  state: Int32Array
}

/** Threads whose connection was closed, for the next ones: to start a thread takes longer than to connect. */
const idle = new Set<Worker>()

function takeWorker(): Worker {
  for (const worker of idle) {
    idle.delete(worker)
    return worker
  }
  const worker = startWorker('store/postgres/connection.worker')
  worker.once('exit', () => idle.delete(worker))
  worker.unref()
  return worker
}

/**
 * A connection to PostgreSQL whose calls block the calling thread. A worker, which starts with the first call, holds it;
 * the main thread of a server must not use it for anything that takes long, because it cannot answer requests meanwhile.
 */
export class PostgresClient {
  readonly #settings: PostgresSettings
  readonly #state = new Int32Array(new SharedArrayBuffer(4))
  /** The thread of the connection, from the first call on. */
  #thread: { worker: Worker; port: MessagePort } | undefined
  /** Whether the thread has ended or serves another connection. */
  #isLost = false

  constructor(settings: PostgresSettings) {
    this.#settings = settings
  }

  #start(): { worker: Worker; port: MessagePort } {
    const { port1, port2 } = new MessageChannel()
    const worker = takeWorker()
    const session: PostgresSession = { settings: this.#settings, port: port2, state: this.#state }
    worker.postMessage(session, [port2])
    port1.unref()
    return { worker, port: port1 }
  }

  /** @throws PostgresError */
  query(request: PostgresRequest): PostgresResult {
    if (this.#isLost) throw toLost()
    this.#thread ??= this.#start()
    const { port } = this.#thread
    Atomics.store(this.#state, 0, 0)
    port.postMessage(request)
    // The notification of an earlier reply may come late, so the state decides.
    while (Atomics.load(this.#state, 0) === 0) Atomics.wait(this.#state, 0, 0)
    const received = receiveMessageOnPort(port) as { message: PostgresReply } | undefined
    if (received === undefined) {
      this.#isLost = true
      throw toLost()
    }
    const { message } = received
    if ('failure' in message) throw new PostgresError(message.failure)
    return message
  }

  close(): void {
    if (this.#isLost) return
    this.#isLost = true
    if (this.#thread === undefined) return
    this.#thread.port.postMessage('close')
    idle.add(this.#thread.worker)
  }
}

const toLost = () =>
  new AppError('unavailable', 'The connection to PostgreSQL was closed; try again.', { reason: 'busy' })
