import { workerData } from 'node:worker_threads'
import type { BackgroundSettings } from '../background/background.ts'
import { createLookups, type Lookups } from '../background/lookups.ts'
import type { Loop } from '../background/loop.ts'
import { openThread } from '../background/open-thread.ts'
import { toCancelled } from '../background/question.ts'
import type { ThreadSettings } from '../background/thread-options.ts'
import { type ErrorReport, fromErrorReport } from '../kernel/errors.ts'
import type { AskedContext, Caller, Progress, WriteContext } from '../operation/context.ts'
import type { Coercion } from '../operation/input/coerce.ts'
import type { ExportFormat, Operation } from '../operation/operation.ts'
import { openEvents, serveCalls, Transferred } from '../runtime/worker-rpc.ts'
import { openVault } from '../store/keys/vault-file.ts'
import type { ReadElsewhere } from '../watches/operations.ts'

/** The worker data of a database thread. */
export interface DatabaseThreadSettings extends ThreadSettings {
  settings: Pick<WriteContext, 'lockdown' | 'lockdownCodes' | 'readOnly' | 'webhookHosts' | 'fourEyes'>
  /** The settings of the background loop, in the thread that runs it. */
  loop?: BackgroundSettings
  /** How other threads and processes identify this process. */
  processMark?: string
}

interface OperationCall {
  /** Identifies its progress. */
  id: number
  operation: string
  input: object
  caller: Caller
  coerced: readonly Coercion[] | undefined
}

interface FileCall {
  operation: string
  format: string
  raw: unknown
  caller: Caller
}

interface Lookup {
  name: keyof Lookups
  input: readonly unknown[]
}

type Answer = Awaited<ReturnType<ReadElsewhere>>

export type DatabaseThreadProtocol = {
  calls: {
    lookUp: { input: Lookup; reply: unknown }
    run: { input: OperationCall; reply: unknown }
    /** The parts of a file. */
    write: { input: FileCall; reply: ReadableStream<string> }
  }
  /** The answer to a question, or the error instead. */
  notices: { answered: { id: number; answer: Answer; report?: ErrorReport } }
  events: {
    log: string
    progress: { id: number; progress: Progress }
    /** Ids of scans to run, and to cancel. */
    start: string
    cancel: string
    /** A question of the loop for the query thread. */
    ask: { id: number; operation: string; input: object }
  }
}

const opened = workerData as DatabaseThreadSettings
const { home, keys, settings } = opened
const emit = openEvents<DatabaseThreadProtocol>()

async function main(): Promise<void> {
  const { now, log, store } = await openThread(opened, (line) => emit('log', line))
  const vault = openVault({ store, home, env: keys, now })
  const lookups = createLookups({ store, vault, log, now })

  /** A thread that only makes lookups does not load all operations. */
  async function find(name: string): Promise<Operation> {
    const { operations } = await import('../catalogue.ts')
    const operation = operations.find((each) => each.name === name)
    if (operation === undefined) throw new RangeError(`there is no operation ${name}`)
    return operation
  }

  const scans = {
    start: (scanUid: string) => emit('start', scanUid),
    cancel: (scanUid: string) => emit('cancel', scanUid),
  }
  const closing = new AbortController()
  const asked = new Map<number, { resolve: (answer: Answer) => void; reject: (error: unknown) => void }>()
  let lastId = 0

  const answer: ReadElsewhere = (operation, input) =>
    new Promise((resolve, reject) => {
      const id = ++lastId
      asked.set(id, { resolve, reject })
      emit('ask', { id, operation, input })
    })

  async function startLoop(settings: BackgroundSettings): Promise<Loop> {
    const { startBackground } = await import('../background/background.ts')
    return startBackground({ store, vault, log, now, signal: closing.signal, settings, scans, answer })
  }
  const loop = opened.loop === undefined ? undefined : await startLoop(opened.loop)

  const contextFor = (asked: AskedContext, requireWanted?: () => void): WriteContext => ({
    ...settings,
    ...asked,
    read: (work) => store.read(work, requireWanted === undefined ? {} : { requireWanted }),
    store,
    vault,
    log,
    now,
    scans,
  })

  async function run({ id, operation, input, caller, coerced }: OperationCall, signal: AbortSignal): Promise<unknown> {
    const progress = (reached: Progress) => emit('progress', { id, progress: reached })
    const found = await find(operation)
    const requireWanted = () => {
      receiveCalls()
      if (signal.aborted) throw toCancelled()
    }
    requireWanted()
    // A change is not ended half-way.
    const asked = contextFor({ caller, signal, progress, coerced }, found.effect === 'read' ? requireWanted : undefined)
    return found.run(input as never, asked)
  }

  /** The first part is made before the reply, because errors of the input come with it. */
  async function write({ operation, format, raw, caller }: FileCall): Promise<Transferred<ReadableStream<string>>> {
    const writeFile = (await find(operation)).files?.[format as ExportFormat]
    if (writeFile === undefined) throw new RangeError(`${operation} is not written as ${format}`)
    const ending = new AbortController()
    const parts = writeFile(raw, contextFor({ caller, signal: ending.signal, progress: () => {} }))
    let next: Promise<IteratorResult<string>> | undefined = Promise.resolve(await parts.next())
    const stream = new ReadableStream<string>({
      async pull(controller) {
        const { done, value } = await (next ?? parts.next())
        next = undefined
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        ending.abort()
        await parts.return(undefined)
      },
    })
    return new Transferred(stream, [stream])
  }

  const receiveCalls = serveCalls<DatabaseThreadProtocol>({
    calls: {
      lookUp: ({ name, input }) => (lookups[name] as (...input: readonly unknown[]) => unknown)(...input),
      run,
      write,
    },
    notices: {
      answered: ({ id, answer, report }) => {
        const question = asked.get(id)
        asked.delete(id)
        if (report === undefined) question?.resolve(answer)
        else question?.reject(fromErrorReport(report))
      },
    },
    logFault: (error, { name, input }) => {
      const what = name === 'lookUp' ? (input as Lookup).name : (input as OperationCall).operation
      log.error('a call of a database thread failed', { call: name, what, error })
    },
    stop: async (callsEnded) => {
      closing.abort()
      for (const { resolve } of asked.values()) resolve(undefined)
      await callsEnded
      await loop?.stop()
      store.close()
    },
  })
}

void main()
