import { setTimeout as sleep } from 'node:timers/promises'
import { countFindings, MIN_FINDINGS_FOR_INDEX } from '../findings/counts.store.ts'
import type { Log } from '../runtime/log.ts'
import type { KeyedVault } from '../store/keys/vault-file.ts'
import { type ProcessLock, tryLock } from '../store/process-lock.ts'
import { createProver, findEngineSocket, prepareLockFile, type SharingProblem } from './engine-socket.ts'
import {
  COUNT_INTERVAL_MS,
  createQueryThread,
  isClosing,
  type QueryThread,
  type QueryThreadOptions,
  type StandbyThread,
  toCancelled,
} from './query-thread.ts'
import type { CheckedQuestion } from './question.ts'
import { createQuestionClient, type QuestionClient, watchSocket } from './question-client.ts'

/**
 * How long a question waits for the process that takes the engine over. Over many findings SQL takes as long, and slows
 * that process down.
 */
const MAX_WAIT_MS = 1_000
/** How often it is tried to reach the process that has the lock, or to get the lock. */
const RETRY_MS = 15
const SLOW_RETRY_MS = 1_000
const FAST_RETRIES = 100
/** The delay before this process takes the engine again after its thread has failed, doubled each time. */
const RESTART_MS = 500
const MAX_RESTART_MS = 60_000
/** How long other processes leave the engine to the one that is next. */
const MAX_TAKEOVER_MS = 1_000
/** The delay before the process that is next starts its thread, which would slow down first answers of all processes. */
const STANDBY_MS = 1_000
/** How often it is tried to become the next one, whose predecessor may have ended. */
const NEXT_MS = 2_000
/** How long SQL answers before another process that could not be asked is tried again. */
const REFUSAL_MS = 60_000

export interface SharedAnswersOptions extends Omit<QueryThreadOptions, 'role' | 'onLost'> {
  vault: KeyedVault
}

export interface SharedAnswers extends QueryThread {
  /** Whether another process has the engine. */
  isElsewhere(): boolean
}

/** The engine of another process, as far as this one knows. */
interface Remote {
  client: QuestionClient
  watch: { close(): void } | undefined
  isOpen: boolean
}

/**
 * Answers questions over many findings with the one engine of a data folder. The process that has the lock has the
 * engine in a thread; all others ask that process over a local socket. One of them is next: it has a second lock and
 * keeps a thread started, which takes the engine over when that process ends.
 */
export function createSharedAnswers(options: SharedAnswersOptions): SharedAnswers {
  const { store, home, vault, log, minFindings = MIN_FINDINGS_FOR_INDEX } = options
  let own: { thread: QueryThread; lock: ProcessLock } | undefined
  let remote: Remote | undefined
  /** Whether this process is next, and its thread once that is started. */
  let next: { lock: ProcessLock; thread: StandbyThread | undefined } | undefined
  let nextTimer: NodeJS.Timeout | undefined
  let lostAt = Number.NEGATIVE_INFINITY
  /** Answers by SQL where another process has the engine and cannot be asked. */
  let fallback: QueryThread | undefined
  let problem: SharingProblem | undefined
  let refusedAt = 0
  let [closed, isNeeded] = [false, false]
  let countAt = 0
  let [retries, crashes] = [0, 0]
  let timer: NodeJS.Timeout | undefined
  let waiting: (() => void)[] = []

  const wake = () => {
    for (const resume of waiting) resume()
    waiting = []
  }

  const untilChanged = () =>
    new Promise<void>((resolve) => {
      const timeout = setTimeout(resolve, MAX_WAIT_MS)
      waiting.push(() => {
        clearTimeout(timeout)
        resolve()
      })
    })

  const joinLater = (ms: number) => {
    clearTimeout(timer)
    if (!closed) timer = setTimeout(join, ms).unref()
  }

  const startThread = (role: 'holder' | 'standby'): StandbyThread => {
    const startedAt = performance.now()
    const thread = createQueryThread({
      ...options,
      minFindings,
      role,
      onLost: () => {
        if (next?.thread === thread) {
          next.thread = undefined
          return prepareLater(MAX_RESTART_MS)
        }
        own?.lock.release()
        own = undefined
        crashes = performance.now() - startedAt > MAX_RESTART_MS ? 1 : crashes + 1
        joinLater(Math.min(MAX_RESTART_MS, RESTART_MS * 2 ** (crashes - 1)))
      },
    })
    return thread
  }

  const prepareLater = (ms: number) => {
    clearTimeout(nextTimer)
    if (!closed) nextTimer = setTimeout(prepare, ms).unref()
  }

  /** Starts the thread of the process that is next, or tries to become it. */
  const prepare = () => {
    if (closed || own !== undefined) return
    if (next === undefined) {
      prepareLater(becomeNext() ? STANDBY_MS : NEXT_MS * (0.5 + Math.random()))
    } else next.thread ??= startThread('standby')
  }

  const becomeNext = (): boolean => {
    const lock = next === undefined ? tryLockOf(home, 'next', log) : undefined
    if (lock !== undefined) next = { lock, thread: undefined }
    return next !== undefined
  }

  const hold = (lock: ProcessLock) => {
    remote?.watch?.close()
    remote?.client.close()
    remote = undefined
    problem = undefined
    clearTimeout(nextTimer)
    const thread = next?.thread ?? startThread('holder')
    next?.thread?.takeEngine()
    next?.lock.release()
    next = undefined
    own = { thread, lock }
    log.info('this process has the engine of the data folder')
    wake()
  }

  /** Takes the engine, or connects to the process that has it. */
  const join = () => {
    if (closed || own !== undefined || remote?.isOpen === true) return
    const mayTake = next !== undefined || performance.now() > lostAt + MAX_TAKEOVER_MS
    const lock = mayTake ? tryLockOf(home, 'lock', log) : undefined
    if (lock !== undefined) return hold(lock)
    if (problem !== undefined && performance.now() < refusedAt + REFUSAL_MS) return joinLater(SLOW_RETRY_MS)
    const [found, prover] = [findEngineSocket(home), createProver(vault)]
    if ('problem' in found || prover === undefined) {
      return refuse('problem' in found ? found.problem : 'no_key')
    }
    const { socket } = found
    remote ??= { client: createQuestionClient({ socket, prover }), watch: undefined, isOpen: false }
    const known = remote
    problem = undefined
    known.watch = watchSocket(socket, {
      open: () => {
        known.isOpen = true
        retries = 0
        log.info('another process has the engine of the data folder')
        wake()
        // The other process may have just begun to read the snapshot.
        if (next === undefined) prepare()
        else prepareLater(STANDBY_MS)
      },
      end: () => {
        const wasLost = known.isOpen
        known.isOpen = false
        retries = wasLost ? 0 : retries + 1
        if (wasLost) {
          lostAt = performance.now()
          becomeNext()
          join()
        } else joinLater(retries < FAST_RETRIES ? RETRY_MS * (0.5 + Math.random()) : SLOW_RETRY_MS)
      },
    })
  }

  /** The other process cannot be asked, so SQL answers here until it ends. */
  const refuse = (found: SharingProblem) => {
    problem = found
    refusedAt = performance.now()
    log.warn('the engine of the data folder is in another process that cannot be asked; SQL answers here', {
      reason: found,
    })
    remote?.watch?.close()
    remote?.client.close()
    remote = undefined
    wake()
    joinLater(SLOW_RETRY_MS)
  }

  const find = (): boolean => {
    const time = performance.now()
    if (closed || isNeeded || time < countAt) return isNeeded
    countAt = time + COUNT_INTERVAL_MS
    isNeeded = store.read(countFindings) >= minFindings
    if (isNeeded) join()
    return isNeeded
  }

  /** The thread of this process, which may have taken the engine over meanwhile. */
  const ownThread = () => own?.thread

  const askHere = (thread: QueryThread, { operation, input, caller, coerced }: CheckedQuestion, signal: AbortSignal) =>
    thread.answer(operation, input, { caller, signal, ...(coerced === undefined ? {} : { coerced }) })

  const ask = async (question: CheckedQuestion, signal: AbortSignal): Promise<{ output: unknown } | undefined> => {
    // A question that is lost because the other process ends is asked once more.
    for (let attempt = 1; attempt <= 2; attempt++) {
      if (problem === undefined && ownThread() === undefined && remote?.isOpen !== true) await untilChanged()
      if (closed) throw isClosing()
      if (remote?.isOpen !== true) break
      const answer = await remote.client.ask(question, signal)
      if (signal.aborted) throw toCancelled()
      if ('output' in answer) return answer
      if (closed) throw isClosing()
      if ('problem' in answer) refuse(answer.problem)
      else await sleep(RETRY_MS)
    }
    if (problem !== undefined) fallback ??= createQueryThread({ ...options, minFindings, role: 'sql' })
    const thread = ownThread() ?? (problem === undefined ? undefined : fallback)
    return thread === undefined ? undefined : askHere(thread, question, signal)
  }

  find()
  return {
    answer(operation, input, context) {
      if (!find() || context.signal.aborted) return undefined
      const thread = ownThread()
      if (thread !== undefined) return thread.answer(operation, input, context)
      const { caller, coerced, signal } = context
      return ask({ operation, input, caller, coerced }, signal)
    },
    isNeeded: find,
    isElsewhere: () => remote !== undefined,
    async close() {
      closed = true
      clearTimeout(timer)
      clearTimeout(nextTimer)
      remote?.watch?.close()
      remote?.client.close()
      next?.lock.release()
      own?.lock.release()
      wake()
      await Promise.all([own, next].map((held) => held?.thread?.close()).concat(fallback?.close()))
    },
  }
}

/** Without a lock, as in a folder that cannot be written to, a process has an engine of its own. */
function tryLockOf(home: string, name: 'lock' | 'next', log: Log): ProcessLock | undefined {
  try {
    return tryLock(prepareLockFile(home, name))
  } catch (error) {
    log.warn('the engine of the data folder cannot be shared, because its lock cannot be used', { error })
    return { release: () => {} }
  }
}
