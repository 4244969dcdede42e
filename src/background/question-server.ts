import { randomBytes } from 'node:crypto'
import { chmodSync, renameSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { AppError, toErrorReport } from '../kernel/errors.ts'
import { joinBytes } from '../kernel/join-bytes.ts'
import type { Log } from '../runtime/log.ts'
import { version } from '../runtime/package-files.ts'
import { NONCE_HEADER, PROOF_HEADER, type Prover, VERSION_HEADER } from './engine-socket.ts'
import type { CheckedQuestion, SentQuestion } from './question.ts'

const MAX_QUESTION_BYTES = 4 * 1024 * 1024
const MAX_CONNECTIONS = 512

export interface QuestionServerOptions {
  socket: string
  prover: Prover
  /** @throws AppError any error of the operation */
  answer(question: CheckedQuestion, signal: AbortSignal): Promise<unknown>
  log: Log
}

/** Answers questions of other processes of the data folder on a local socket. */
export interface QuestionServer {
  /** Ends all connections at once: who waits for an answer asks elsewhere. */
  close(): void
}

export async function serveQuestions(options: QuestionServerOptions): Promise<QuestionServer> {
  const { socket, log } = options
  const server = createServer({ headersTimeout: 0, requestTimeout: 0, keepAliveTimeout: 0 }, (request, response) => {
    reply(request, response, options).catch((error) => {
      log.debug('a question of another process could not be read', { error })
      response.destroy()
    })
  })
  server.maxConnections = MAX_CONNECTIONS
  // The socket of a process that was killed is replaced in one step, after only this user can open the new one.
  const isFile = process.platform !== 'win32'
  const draft = isFile ? `${socket}.${randomBytes(4).toString('hex')}` : socket
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(draft, resolve)
  })
  if (isFile) {
    chmodSync(draft, 0o600)
    renameSync(draft, socket)
  }
  return {
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function reply(
  request: IncomingMessage,
  response: ServerResponse,
  { prover, answer, log }: QuestionServerOptions,
): Promise<void> {
  const body = await readAll(request)
  const headerOf = (name: string) => String(request.headers[name] ?? '')
  const nonce = headerOf(NONCE_HEADER)
  const send = (status: number, value: unknown) => {
    if (response.destroyed) return
    const bytes = Buffer.from(JSON.stringify(value))
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': bytes.length,
      [VERSION_HEADER]: version,
      [PROOF_HEADER]: prover.prove(`answer ${status}`, nonce, bytes),
    })
    response.end(bytes)
  }
  if (!prover.isProven('question', nonce, body, headerOf(PROOF_HEADER))) return send(401, {})
  if (request.method === 'GET') return send(200, { pid: process.pid })
  const { caller, ...question } = JSON.parse(new TextDecoder().decode(body)) as SentQuestion
  const abort = new AbortController()
  response.once('close', () => abort.abort())
  try {
    const asked: CheckedQuestion = { ...question, caller: { ...caller, scopes: new Set(caller.scopes) } }
    send(200, { output: await answer(asked, abort.signal) })
  } catch (error) {
    if (error instanceof AppError) return send(422, toErrorReport(error))
    log.error('a question of another process failed', { operation: question.operation, error })
    send(500, {})
  }
}

async function readAll(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MAX_QUESTION_BYTES) throw new RangeError('the question is too large')
    chunks.push(chunk)
  }
  return joinBytes(chunks, length)
}
