import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import pg from 'pg'
import {
  CONNECTION_LOST,
  ENDED,
  type PostgresFailure,
  type PostgresReply,
  type PostgresRequest,
  type PostgresSession,
  REPLIED,
} from './client.ts'
import { NO_TLS, toClientConfig } from './client-config.ts'
import { copyLines, runPipeline } from './pipeline.ts'

/** Types of PostgreSQL by object id (pg_type.dat): the numbers of the stores fit into 53 bits, truth is 0 or 1. */
const [BOOL, INT8, NUMERIC] = [16, 20, 1700]
pg.types.setTypeParser(BOOL, (text) => (text === 't' ? 1 : 0))
pg.types.setTypeParser(INT8, Number)
pg.types.setTypeParser(NUMERIC, Number)

/** Codes for errors of the pg package that have none. */
const codes: readonly (readonly [RegExp, string])[] = [
  [/^Connection terminated|connection error|^timeout expired/i, CONNECTION_LOST],
  [/does not support SSL/i, NO_TLS],
  [/password must be a (?:non-empty )?string|^SASL/i, '28P01'],
]

const findCode = (message: string): string => codes.find(([form]) => form.test(message))?.[1] ?? ''

const toFailure = (error: unknown): { failure: PostgresFailure } => {
  const { message, code = findCode(message), constraint } = error as Error & { code?: string; constraint?: string }
  return { failure: { message, code: String(code), ...(constraint === undefined ? {} : { constraint }) } }
}

/** Serves a connection until its port is closed, by its thread or with it. */
function serve({ settings, port, state }: PostgresSession): void {
  let client: pg.Client | undefined
  let isClosed = false
  let session = 0

  async function connect(): Promise<pg.Client> {
    const opened = new pg.Client(toClientConfig(settings.address))
    // The error of a lost connection may arrive after another one was opened.
    opened.on('error', () => {
      if (client === opened) client = undefined
    })
    await opened.connect()
    await opened.query(settings.setup)
    if (isClosed) await opened.end()
    return opened
  }

  /** A server that does not answer is tried again only after as long as the last attempt took. */
  let refusal: { error: unknown; until: number } | undefined

  async function connectSoon(): Promise<pg.Client> {
    const startedAt = performance.now()
    if (refusal !== undefined && startedAt < refusal.until) throw refusal.error
    try {
      return await connect()
    } catch (error) {
      const endedAt = performance.now()
      refusal = { error, until: endedAt + (endedAt - startedAt) }
      throw error
    }
  }

  async function run({ before = [], name, text, values, lines, begins }: PostgresRequest): Promise<PostgresReply> {
    if (client === undefined) {
      if (!begins) throw Object.assign(new Error('the connection was lost'), { code: CONNECTION_LOST })
      client = await connectSoon()
      session++
    }
    if (lines !== undefined) {
      await copyLines(client, text, lines)
      return { session, columns: [], rows: [], changes: 0, changesBefore: [] }
    }
    const statement = { text, values: [...values], name }
    const { result, changesBefore } =
      before.length > 0
        ? await runPipeline(client, before, statement)
        : { result: await client.query({ ...statement, rowMode: 'array' }), changesBefore: [] }
    const last = Array.isArray(result) ? result.at(-1) : result
    return {
      session,
      columns: last.fields?.map((field: { name: string }) => field.name) ?? [],
      rows: last.rows ?? [],
      changes: last.rowCount ?? 0,
      changesBefore,
    }
  }

  /** Settled when no cancellation is under way any more, which could hit the next statement. */
  let cancelled = Promise.resolve()

  /** Ends the statement that runs. A failure leaves it running. */
  async function cancel(): Promise<void> {
    const { processID } = (client ?? {}) as { processID?: number }
    if (processID === undefined) return
    const other = new pg.Client(toClientConfig(settings.address))
    other.on('error', () => {})
    try {
      await other.connect()
      await other.query('SELECT pg_cancel_backend($1)', [processID])
    } finally {
      await other.end()
    }
  }

  port.on('message', (request: PostgresRequest | 'close' | 'cancel') => {
    if (request === 'close') return port.close()
    if (request === 'cancel') {
      cancelled = cancel().catch(() => {})
      return
    }
    run(request)
      .catch(toFailure)
      .then(async (reply) => {
        await cancelled
        port.postMessage(reply)
        Atomics.store(state, 0, REPLIED)
        Atomics.notify(state, 0)
      })
  })
  port.once('close', () => {
    isClosed = true
    client?.end().catch(() => {})
  })
}

parentPort?.on('message', (thread: MessagePort) => thread.on('message', serve))
process.on('exit', () => Atomics.store(workerData.ended, 0, ENDED))
