import { setImmediate as nextTurn } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'
import { AppError } from '../kernel/errors.ts'
import type { WriteContext } from '../operation/context.ts'
import { evaluateMetric } from '../query/answer/evaluate.ts'
import { allowCounts, loadCounts, NotCounted, readByCounts, rehearse } from '../query/engine/executor.ts'
import { openEvents, serveCalls } from '../runtime/worker-rpc.ts'
import { openVault } from '../store/keys/vault-file.ts'
import type { Reader } from '../store/store.ts'
import { type EngineKeeper, keepEngine } from './engine-keeper.ts'
import { createProver, findEngineSocket } from './engine-socket.ts'
import { openThread } from './open-thread.ts'
import { queryThreadOperations } from './query-operations.ts'
import type { CheckedQuestion } from './question.ts'
import { type QuestionServer, serveQuestions } from './question-server.ts'
import type { ThreadSettings } from './thread-options.ts'

/**
 * `holder`: it has the engine and answers other processes too; `standby`: it becomes the holder by a notice; `alone`: it
 * has an engine for this process; `sql`: it has none.
 */
export type QueryThreadRole = 'holder' | 'standby' | 'alone' | 'sql'

/** The worker data of the query thread. */
export interface QueryThreadSettings extends ThreadSettings {
  /** Below this number of findings there is no engine. */
  minFindings: number
  role: QueryThreadRole
}

export type QueryThreadProtocol = {
  calls: {
    /** The output of the operation as JSON, which is passed on faster than an object. */
    answer: { input: CheckedQuestion; reply: string }
  }
  notices: { takeEngine: undefined }
  events: { log: string }
}

const settings = workerData as QueryThreadSettings
const { home, keys, minFindings, role } = settings
const emit = openEvents<QueryThreadProtocol>()

async function main(): Promise<void> {
  const { now, log, store } = await openThread(settings, (line) => emit('log', line))
  const vault = openVault({ store, home, env: keys, now })
  const operations = new Map(queryThreadOperations.map((operation) => [operation.name, operation]))
  let keeper: EngineKeeper | undefined
  /** Whether questions wait for the engine. */
  let isEngineAwaited = false

  /**
   * Resolves in the event-loop turn of the latest question: each starts in its own turn, so that a cancellation arrives
   * before it.
   */
  let turn: Promise<unknown> = Promise.resolve()

  async function answer(
    { operation: name, input, caller, coerced }: CheckedQuestion,
    signal: AbortSignal,
  ): Promise<unknown> {
    const operation = operations.get(name)
    if (operation === undefined) throw new TypeError(`${name} is not answered in this thread`)
    const context: Omit<WriteContext, 'scans' | 'store'> = {
      read: (work) => store.read(work),
      now,
      caller,
      signal,
      log,
      progress: () => {},
      vault,
      ...(coerced === undefined ? {} : { coerced }),
    }
    const run = async (own: typeof context): Promise<unknown> => {
      turn = turn.then(() => nextTurn())
      await turn
      if (signal.aborted) throw new AppError('unavailable', 'The question was cancelled; ask it again.')
      return operation.run(input as never, own as never)
    }
    if (isEngineAwaited && operation.mayUseCounts === true) {
      try {
        return await run({ ...context, read: readCounts })
      } catch (error) {
        // An error of the question occurs again.
        if (signal.aborted || !(error instanceof NotCounted || error instanceof AppError)) throw error
      }
    }
    await keeper?.ready
    try {
      return await run(context)
    } finally {
      keeper?.rebuildIfNeeded()
    }
  }

  /** @throws NotCounted */
  function readCounts<T>(work: (reader: Reader) => T): T {
    // An error that leaves the transaction would undo it and become another one.
    const read = store.read((reader) => {
      try {
        return { result: readByCounts(reader, work) }
      } catch (error) {
        return { error }
      }
    })
    if ('error' in read) throw read.error
    return read.result
  }

  /** Answers other processes of the data folder, where that is possible. */
  async function shareAnswers(): Promise<QuestionServer | undefined> {
    const [found, prover] = [findEngineSocket(home), createProver(vault)]
    if ('problem' in found || prover === undefined) return undefined
    try {
      return await serveQuestions({ socket: found.socket, prover, answer, log })
    } catch (error) {
      log.warn('other processes cannot ask this one, which has the engine of the data folder', { error })
      return undefined
    }
  }
  let sharing: Promise<QuestionServer | undefined> | undefined

  /** Starts to answer questions, by an engine of this thread unless its role is `sql`. */
  function start(role: QueryThreadRole): void {
    try {
      store.read(allowCounts)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      log.debug('counts will not answer questions', { error })
    }
    if (role === 'sql') return
    keeper = keepEngine({ store, log, settings, writeLine: (line) => emit('log', line), minFindings })
    isEngineAwaited = true
    void keeper.ready.then(() => {
      isEngineAwaited = false
    })
    if (role === 'holder') sharing = shareAnswers()
  }

  /**
   * Does what the first questions would otherwise wait for: 30 ms to compile, and as long as reading a snapshot of the
   * engine takes for the counts that answer while that is read.
   */
  function prepare(): void {
    try {
      store.read((reader) => {
        allowCounts(reader)
        loadCounts(reader)
        rehearse(reader, () =>
          evaluateMetric(reader, { metricSlug: 'total-findings', dimensions: ['severity'] }, { now: now() }),
        )
      })
    } catch (error) {
      // The metric may have been deleted.
      if (!(error instanceof AppError)) throw error
    }
    log.info('this process is ready to take the engine over')
  }
  if (role === 'standby') prepare()
  else start(role)

  serveCalls<QueryThreadProtocol>({
    calls: { answer: async (question, signal) => JSON.stringify(await answer(question, signal)) },
    notices: { takeEngine: () => start('holder') },
    logFault: (error, { input }) =>
      log.error('a question failed', { operation: (input as CheckedQuestion).operation, error }),
    stop: async (callsEnded) => {
      keeper?.close()
      const server = await sharing
      server?.close()
      await callsEnded
      keeper?.saveAtEnd()
      store.close()
    },
  })
}

void main()
