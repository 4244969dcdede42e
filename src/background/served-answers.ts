import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { type ErrorReport, fromErrorReport } from '../kernel/errors.ts'
import type { Log } from '../runtime/log.ts'
import { version } from '../runtime/package-files.ts'
import { createServerFinder, identifyFile, type QuestionAddress } from '../runtime/served-address.ts'
import { type CheckedQuestion, QUESTIONS_PATH, writeQuestion } from './question.ts'

/** A server that does not answer for so long may be paused. */
const MAX_ANSWER_MS = 10_000
/** How long a server is not asked again that has not answered. */
const AVOID_MS = 60_000
const MAX_LOGGED = 200
const UNIX = 'unix:'

/** The answers of `assay serve` on the same data folder. */
export interface ServedAnswers {
  /** Whether there is a server that may be asked. */
  isThere(): boolean
  /**
   * Undefined when the server does not answer, because it ends or for any other reason but the question itself.
   * @throws AppError the error of the operation
   */
  ask(question: CheckedQuestion, signal: AbortSignal): Promise<{ output: unknown } | undefined>
  close(): void
}

export interface ServedAnswersOptions {
  home: string
  /** The database of this process; a server answers for no other one, such as that of a copied folder. */
  file: string
  log: Log
  maxAnswerMs?: number
}

export function createServedAnswers(options: ServedAnswersOptions): ServedAnswers {
  const { home, file, log, maxAnswerMs = MAX_ANSWER_MS } = options
  const findServer = createServerFinder(home, () => performance.now())
  const ending = new AbortController()
  let avoided: { token: string; until: number } | undefined

  const find = (): QuestionAddress | undefined => {
    const server = findServer()?.questions
    if (server === undefined || server.version !== version || server.database !== identifyFile(file)) return undefined
    return avoided?.token === server.token && performance.now() < avoided.until ? undefined : server
  }

  return {
    isThere: () => find() !== undefined,
    async ask(question, signal) {
      const server = find()
      if (server === undefined) return undefined
      const reply = await send(
        server,
        question,
        AbortSignal.any([signal, ending.signal, AbortSignal.timeout(maxAnswerMs)]),
      )
      if (reply.status === 200) return JSON.parse(reply.text) as { output: unknown }
      if (reply.status === 422) throw fromErrorReport(JSON.parse(reply.text) as ErrorReport)
      if (!signal.aborted && !ending.signal.aborted) {
        avoided = { token: server.token, until: performance.now() + AVOID_MS }
        log.info('the server of the data folder did not answer; this process answers by itself', {
          status: reply.status,
          error: reply.text.slice(0, MAX_LOGGED),
        })
      }
      return undefined
    },
    close: () => ending.abort(),
  }
}

const toHost = ({ hostname, port }: URL) => ({ host: hostname.replace(/^\[|\]$/g, ''), port })

/** Sends a question; the status is absent where the connection ended before the whole answer. */
function send(
  { address, token }: QuestionAddress,
  question: CheckedQuestion,
  signal: AbortSignal,
): Promise<{ status?: number | undefined; text: string }> {
  const body = Buffer.from(writeQuestion(question))
  const place = address.startsWith(UNIX) ? { socketPath: address.slice(UNIX.length) } : toHost(new URL(address))
  return new Promise((resolve) => {
    const lose = ({ message }: Error) => resolve({ text: message })
    const sent = request(
      {
        ...{ ...place, method: 'POST', path: QUESTIONS_PATH, signal, agent: false },
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'content-length': body.length,
        },
      },
      (response) => {
        text(response).then((answer) => resolve({ status: response.statusCode, text: answer }), lose)
      },
    )
    sent.once('error', lose)
    sent.end(body)
  })
}
