import { countFindings, MIN_FINDINGS_FOR_INDEX } from '../findings/counts.store.ts'
import type { Awaitable } from '../kernel/awaitable.ts'
import { AppError } from '../kernel/errors.ts'
import type { ReadContext } from '../operation/context.ts'
import { openWorker, type WorkerClient, WorkerLost } from '../runtime/worker-rpc.ts'
import type { QueryThreadProtocol } from './query.worker.ts'
import { type CheckedQuestion, toCancelled } from './question.ts'
import type { ServedAnswers } from './served-answers.ts'
import { type ThreadOptions, toThreadSettings, toWorkerOptions } from './thread-options.ts'

const SCRIPT = 'background/query.worker'
/** The interval between checks for enough findings. */
const COUNT_INTERVAL_MS = 10_000
/** The delay before restarting a crashed thread, doubled after each crash up to the maximum. */
const RESTART_MS = 500
const MAX_RESTART_MS = 60_000
/** Answers in progress are cancelled; the rest of the time is for the snapshot of the engine. */
const STOP_MS = 1_000
/** How often it is checked whether a thread that was replaced has answered everything. */
const RETIRE_MS = 500

export interface QueryThreadOptions extends ThreadOptions {
  minFindings?: number
  /** Counts the findings without blocking the thread; absent: on the calling thread. */
  count?: () => Awaitable<number>
  /** Asks a server on the data folder, whose answers are preferred. */
  served?: ServedAnswers
}

/**
 * Answers questions over many findings in a separate thread, whose engine follows the database. Where an engine has to
 * be built, a second thread of the same kind does that, and then takes the place of the first.
 */
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

type Thread = WorkerClient<QueryThreadProtocol>

export const isClosing = () =>
  new AppError('unavailable', 'Assay is closing; ask again in a moment.', { reason: 'closing' })

export function createQueryThread(options: QueryThreadOptions): QueryThread {
  const { store, log, script = SCRIPT, minFindings = MIN_FINDINGS_FOR_INDEX, served } = options
  const { count = () => store.read(countFindings) } = options
  const threads = new Set<Thread>()
  /** The thread that answers, and the one that builds its next engine. */
  let current: Thread | undefined
  let successor: Thread | undefined
  let [closed, isMany] = [false, false]
  let [countAt, mayStartAt, crashes] = [0, 0, 0]

  const start = (): Thread => {
    const thread = openWorker<QueryThreadProtocol>({
      script,
      settings: toWorkerOptions(toThreadSettings(options)),
      events: {
        log: options.writeLine,
        outdated: () => {
          if (thread === current) replace()
        },
      },
      log,
      onExit: () => {
        threads.delete(thread)
        if (thread !== current) return
        current = undefined
        crashes += 1
        mayStartAt = performance.now() + Math.min(MAX_RESTART_MS, RESTART_MS * 2 ** (crashes - 1))
      },
    })
    threads.add(thread)
    return thread
  }

  const replace = () => {
    if (closed || successor !== undefined) return
    const thread = start()
    successor = thread
    thread
      .call('build', undefined)
      .then(
        () => setCurrent(thread),
        (error) => {
          if (thread === successor) log.warn('the engine could not be built; SQL answers most queries', { error })
          return thread.terminate()
        },
      )
      .finally(() => {
        if (thread === successor) successor = undefined
      })
  }

  const setCurrent = (thread: Thread | undefined) => {
    const former = current
    current = thread
    if (former !== undefined) retire(former)
  }

  /** A thread that was replaced ends when it has answered its questions. */
  const retire = (thread: Thread) => {
    if (thread.pending === 0) void thread.terminate()
    else setTimeout(() => retire(thread), RETIRE_MS).unref()
  }

  const isNeeded = (): boolean => {
    const time = performance.now()
    if (isMany || time < countAt) return isMany
    countAt = time + COUNT_INTERVAL_MS
    const counted = count()
    if (counted instanceof Promise) {
      counted.then(
        (findings) => {
          isMany = findings >= minFindings
          prepare()
        },
        (error: unknown) => log.debug('the findings could not be counted', { error }),
      )
    } else isMany = counted >= minFindings
    return isMany
  }

  /** The thread, which is started when there are enough findings. */
  const find = (): Thread | undefined => {
    if (closed || current !== undefined || performance.now() < mayStartAt || !isNeeded()) return current
    current = start()
    current.call('load', undefined).catch((error: unknown) => log.debug('the query thread ended', { error }))
    return current
  }

  /** Starts the thread before the first question, unless a server answers. */
  const prepare = () => {
    if (isNeeded() && served?.isThere() !== true) find()
  }

  /** A process that asks a server needs no engine of its own. */
  const rest = () => {
    const building = successor
    successor = undefined
    void building?.terminate()
    setCurrent(undefined)
  }

  const answerHere = (question: CheckedQuestion, signal: AbortSignal) =>
    find()
      ?.call('answer', question, { signal, toCancelled })
      .then(
        (text) => {
          crashes = 0
          return { output: JSON.parse(text) as unknown }
        },
        (error) => {
          if (!(error instanceof WorkerLost)) throw error
          // The calling thread answers instead, unless everything is closing.
          if (closed) throw isClosing()
          return undefined
        },
      )

  const askServer = async (server: ServedAnswers, question: CheckedQuestion, signal: AbortSignal) => {
    const answer = await server.ask(question, signal)
    if (signal.aborted) throw toCancelled()
    if (closed) throw isClosing()
    if (answer === undefined) return answerHere(question, signal)
    rest()
    return answer
  }

  prepare()
  return {
    answer(operation, input, { caller, coerced, signal }) {
      if (closed || signal.aborted || !isNeeded()) return undefined
      const question = { operation, input, caller, coerced }
      return served?.isThere() === true ? askServer(served, question, signal) : answerHere(question, signal)
    },
    isNeeded,
    async close() {
      closed = true
      const building = successor
      successor = undefined
      served?.close()
      await Promise.all([...threads].map((thread) => (thread === building ? thread.terminate() : thread.stop(STOP_MS))))
    },
  }
}
