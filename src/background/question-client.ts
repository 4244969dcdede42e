import { randomBytes } from 'node:crypto'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type ErrorReport, fromErrorReport } from '../kernel/errors.ts'
import { version } from '../runtime/package-files.ts'
import { NONCE_HEADER, PROOF_HEADER, type Prover, type SharingProblem, VERSION_HEADER } from './engine-socket.ts'
import type { CheckedQuestion, SentQuestion } from './question.ts'

/** A holder that does not answer for so long may be paused. */
const MAX_ANSWER_MS = 10_000
const MAX_SOCKETS = 32

export type RemoteAnswer =
  | { output: unknown }
  /** The connection ended before the answer: the process ends. */
  | { lost: true }
  | { problem: SharingProblem }

/** Asks the process of the data folder that has the engine. */
export interface QuestionClient {
  /** @throws AppError the error of the operation */
  ask(question: CheckedQuestion, signal: AbortSignal): Promise<RemoteAnswer>
  /** The id of that process. */
  identify(): Promise<{ pid: number } | { problem: SharingProblem }>
  close(): void
}

export interface QuestionClientOptions {
  socket: string
  prover: Prover
  maxAnswerMs?: number
}

interface Reply {
  status: number
  body: Buffer
}

export function createQuestionClient(options: QuestionClientOptions): QuestionClient {
  const { socket, prover, maxAnswerMs = MAX_ANSWER_MS } = options
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS })

  const send = (method: 'GET' | 'POST', text: string, signal?: AbortSignal) =>
    new Promise<Reply | { lost: true } | { problem: SharingProblem }>((resolve) => {
      const body = Buffer.from(text)
      const nonce = randomBytes(16).toString('hex')
      const headers = {
        'content-length': body.length,
        [NONCE_HEADER]: nonce,
        [PROOF_HEADER]: prover.prove('question', nonce, body),
      }
      const sent = request({ socketPath: socket, path: '/', method, agent, headers }, (response) => {
        buffer(response).then(
          (answer) => resolve(judge(response, nonce, answer)),
          () => resolve({ lost: true }),
        )
      })
      const timer = setTimeout(() => {
        resolve({ problem: 'too_slow' })
        sent.destroy()
      }, maxAnswerMs)
      const cancel = () => sent.destroy()
      signal?.addEventListener('abort', cancel, { once: true })
      sent.once('error', () => resolve({ lost: true }))
      sent.once('close', () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', cancel)
      })
      sent.end(body)
    })

  const judge = ({ statusCode: status = 0, headers }: IncomingMessage, nonce: string, body: Buffer) => {
    if (headers[VERSION_HEADER] !== version) return { problem: 'other_version' as const }
    const isProven = prover.isProven(`answer ${status}`, nonce, body, String(headers[PROOF_HEADER] ?? ''))
    return status === 401 || !isProven ? { problem: 'other_key' as const } : { status, body }
  }

  return {
    ask: async ({ caller, ...question }, signal) => {
      const sent: SentQuestion = { ...question, caller: { ...caller, scopes: [...caller.scopes] } }
      const reply = await send('POST', JSON.stringify(sent), signal)
      if (!('status' in reply)) return reply
      const value: unknown = JSON.parse(reply.body.toString('utf8'))
      if (reply.status === 422) throw fromErrorReport(value as ErrorReport)
      return reply.status === 200 ? (value as { output: unknown }) : { lost: true }
    },
    identify: async () => {
      const reply = await send('GET', '')
      if ('problem' in reply) return reply
      return 'status' in reply
        ? (JSON.parse(reply.body.toString('utf8')) as { pid: number })
        : { problem: 'no_connection' }
    },
    close: () => agent.destroy(),
  }
}

/** Calls `onOpen` when a process listens on a socket, and `onEnd` when it ends, or if there is none. */
export function watchSocket(socket: string, on: { open(): void; end(): void }): { close(): void } {
  const connection = connect(socket)
  connection.unref()
  connection.once('connect', on.open)
  connection.once('error', () => {})
  connection.once('close', on.end)
  connection.resume()
  return {
    close: () => {
      connection.off('close', on.end)
      connection.destroy()
    },
  }
}
