import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { workerData } from 'node:worker_threads'
import { AppError } from '../kernel/errors.ts'
import type { WriteContext } from '../operation/context.ts'
import { openEvents, serveCalls } from '../runtime/worker-rpc.ts'
import { openVault } from '../store/keys/vault-file.ts'
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
    await keeper?.ready
    try {
      return await run(context)
    } finally {
      keeper?.rebuildIfNeeded()
    }
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
    // The process may have saved memory until it had to answer.
    setFlagsFromString('--no-optimize-for-size')
    if (role === 'sql') return
    keeper = keepEngine({ store, log, settings, writeLine: (line) => emit('log', line), minFindings })
    if (role === 'holder') sharing = shareAnswers()
  }

  if (role === 'standby') log.info('this process is ready to take the engine over')
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
