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

/** What the thread of the connections is sent to serve a further one. */
export interface PostgresSession {
  settings: PostgresSettings
  port: MessagePort
  /** The state of the thread: WAITED, REPLIED or ENDED. */
  state: Int32Array
}

/** A reply is awaited or there, or the thread has ended. */
export const [WAITED, REPLIED, ENDED] = [0, 1, 2]

/** Limit of the young generation of its heap: rows are passed on at once. */
const YOUNG_MEGABYTES = 6

interface ConnectionThread {
  worker: Worker
  state: Int32Array
}

/** One for all connections of the calling thread, which waits for one of them at a time. */
let shared: ConnectionThread | undefined

function takeThread(): ConnectionThread {
  if (shared !== undefined && Atomics.load(shared.state, 0) !== ENDED) return shared
  const worker = startWorker('store/postgres/connection.worker', {
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
  })
  worker.unref()
  shared = { worker, state: new Int32Array(new SharedArrayBuffer(4)) }
  return shared
}

/**
 * A connection to PostgreSQL whose calls block the calling thread. A worker, which starts with the first call, holds it;
 * the main thread of a server must not use it for anything that takes long, because it cannot answer requests meanwhile.
 */
export class PostgresClient {
  readonly #settings: PostgresSettings
  /** The way to the thread of the connection, from the first call on. */
  #session: { state: Int32Array; port: MessagePort } | undefined
  /** Whether the connection was closed, or its thread has ended. */
  #isLost = false

  constructor(settings: PostgresSettings) {
    this.#settings = settings
  }

  #start(): { state: Int32Array; port: MessagePort } {
    const { port1, port2 } = new MessageChannel()
    const { worker, state } = takeThread()
    const session: PostgresSession = { settings: this.#settings, port: port2, state }
    worker.postMessage(session, [port2])
    port1.unref()
    return { state, port: port1 }
  }

  /** @throws PostgresError */
  query(request: PostgresRequest): PostgresResult {
    if (this.#isLost) throw toLost()
    this.#session ??= this.#start()
    const { state, port } = this.#session
    // One that has ended stays so.
    Atomics.compareExchange(state, 0, REPLIED, WAITED)
    port.postMessage(request)
    // The notification of an earlier reply may come late, so the state decides.
    while (Atomics.load(state, 0) === WAITED) Atomics.wait(state, 0, WAITED)
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
    this.#session?.port.postMessage('close')
  }
}

const toLost = () =>
  new AppError('unavailable', 'The connection to PostgreSQL was closed; try again.', { reason: 'busy' })
