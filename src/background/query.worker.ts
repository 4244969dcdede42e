import { setImmediate as nextTurn } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'
import type { WriteContext } from '../operation/context.ts'
import { openEvents, serveCalls } from '../runtime/worker-rpc.ts'
import { openVault } from '../store/keys/vault-file.ts'
import { keepEngine } from './engine-keeper.ts'
import { openThread } from './open-thread.ts'
import { queryThreadOperations } from './query-operations.ts'
import { type CheckedQuestion, toCancelled } from './question.ts'
import type { ThreadSettings } from './thread-options.ts'
import { createTurns } from './turns.ts'

export type QueryThreadProtocol = {
  calls: {
    /** Prepares a thread that answers meanwhile: with an engine if that can be read from its snapshot, else by SQL. */
    load: { input: undefined; reply: undefined }
    /** Prepares a thread that answers afterwards, with an engine. */
    build: { input: undefined; reply: undefined }
    /** The output of the operation as JSON, which is passed on faster than an object. */
    answer: { input: CheckedQuestion; reply: string }
  }
  notices: Record<never, never>
  events: {
    log: string
    /** Another thread should be started that builds the engine and replaces this one. */
    outdated: undefined
  }
}

const kindKeys: ReadonlySet<string> = new Set(['metricSlug', 'sort', 'granularity'])

/** Questions of one kind take about as long: they differ only in values. */
function toKind(operation: string, input: object): string {
  const keep = (key: string, value: unknown) =>
    typeof value === 'object' || typeof value === 'boolean' || kindKeys.has(key) ? value : null
  return `${operation} ${JSON.stringify(input, keep)}`
}

const settings = workerData as ThreadSettings
const { home, keys } = settings
const emit = openEvents<QueryThreadProtocol>()

async function main(): Promise<void> {
  const { now, log, store } = await openThread(settings, (line) => emit('log', line))
  const vault = openVault({ store, home, env: keys, now })
  const operations = new Map(queryThreadOperations.map((operation) => [operation.name, operation]))
  const keeper = keepEngine({ store, home, log, onOutdated: () => emit('outdated', undefined) })

  let loading = Promise.resolve()
  /** Each starts when the thread is prepared, in an event-loop turn of its own, so that a cancellation arrives before it. */
  const takeTurn = createTurns(async () => {
    await loading
    await nextTurn()
  })

  async function load(): Promise<undefined> {
    loading = keeper.load()
    await loading
  }

  async function answer(
    { operation: name, input, caller, coerced }: CheckedQuestion,
    signal: AbortSignal,
  ): Promise<string> {
    const operation = operations.get(name)
    if (operation === undefined) throw new TypeError(`${name} is not answered in this thread`)
    const requireWanted = () => {
      receiveCalls()
      if (signal.aborted) throw toCancelled()
    }
    const context: Omit<WriteContext, 'scans' | 'store'> = {
      read: (work) => store.read(work, { requireWanted }),
      now,
      caller,
      signal,
      log,
      progress: () => {},
      vault,
      ...(coerced === undefined ? {} : { coerced }),
    }
    return takeTurn(toKind(name, input), async () => {
      requireWanted()
      return JSON.stringify(await operation.run(input as never, context as never))
    })
  }

  const receiveCalls = serveCalls<QueryThreadProtocol>({
    calls: {
      load,
      build: async () => {
        await keeper.build()
        return undefined
      },
      answer,
    },
    logFault: (error, { name, input }) =>
      log.error('a call of the query thread failed', {
        call: name,
        operation: (input as CheckedQuestion | undefined)?.operation,
        error,
      }),
    stop: async (callsEnded) => {
      keeper.close()
      await callsEnded
      keeper.saveAtEnd()
      store.close()
    },
  })
}

void main()
