import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { toLoggedText } from '../detectors/safe-text.ts'
import { AppError, toErrorReport } from '../kernel/errors.ts'
import type { WriteContext } from '../operation/context.ts'
import { createLog } from '../runtime/log.ts'
import { openVault } from '../store/keys/vault-file.ts'
import { Store } from '../store/store.ts'
import { keepEngine } from './engine-keeper.ts'
import type { QueryThreadReply, QueryThreadRequest, QueryThreadSettings } from './query-messages.ts'
import { queryThreadOperations } from './query-operations.ts'

const { home, keys, logLevel, leastFindings } = workerData as QueryThreadSettings
const report = (message: QueryThreadReply) => parentPort?.postMessage(message)
const now = () => Date.now()
const log = createLog({ level: logLevel, write: (line) => report({ kind: 'log', line }), now, hide: toLoggedText })
const store = Store.open(join(home, 'assay.db'), { now, mustExist: true })
const vault = openVault({ store, home, env: keys, now })
const operations = new Map(queryThreadOperations.map((operation) => [operation.name, operation]))
const keeper = keepEngine({ store, log, leastFindings })

type Question = Extract<QueryThreadRequest, { kind: 'ask' }>
const waiting: Question[] = []

async function answer({ id, operation: name, input, caller, coerced }: Question): Promise<void> {
  try {
    const operation = operations.get(name)
    if (operation === undefined) throw new TypeError(`${name} is not answered in this thread`)
    const context: Omit<WriteContext, 'scans' | 'store'> = {
      read: (work) => store.read(work),
      now,
      caller: { ...caller, scopes: new Set(caller.scopes) },
      signal: new AbortController().signal,
      log,
      progress: () => {},
      vault,
      ...(coerced === undefined ? {} : { coerced }),
    }
    report({ kind: 'answer', id, output: await operation.run(input as never, context as never) })
  } catch (error) {
    if (!(error instanceof AppError)) log.error('a question failed', { operation: name, error })
    report({ kind: 'refusal', id, error: error instanceof AppError ? toErrorReport(error) : undefined })
  }
  keeper.rebuildIfNeeded()
}

/** One question for each turn of the event loop, so that abandoned ones can be dropped in between. */
function next(): void {
  const question = waiting.shift()
  if (question !== undefined) void answer(question)
  if (waiting.length > 0) setImmediate(next)
}

parentPort?.on('message', (order: QueryThreadRequest) => {
  if (order.kind === 'ask') {
    if (waiting.push(order) === 1) setImmediate(next)
  } else if (order.kind === 'forget') {
    const index = waiting.findIndex(({ id }) => id === order.id)
    if (index >= 0) waiting.splice(index, 1)
  } else {
    keeper.close()
    store.close()
    report({ kind: 'closed' })
    parentPort?.close()
  }
})
