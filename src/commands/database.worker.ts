import { workerData } from 'node:worker_threads'
import { createLookups, type Lookups } from '../background/lookups.ts'
import { openThread } from '../background/open-thread.ts'
import type { ThreadSettings } from '../background/thread-options.ts'
import type { Caller, Progress, WriteContext } from '../operation/context.ts'
import type { Coercion } from '../operation/input/coerce.ts'
import type { ExportFormat, Operation } from '../operation/operation.ts'
import { openEvents, serveCalls, Transferred } from '../runtime/worker-rpc.ts'
import { openVault } from '../store/keys/vault-file.ts'

/** The worker data of a database thread. */
export interface DatabaseThreadSettings extends ThreadSettings {
  settings: Pick<WriteContext, 'lockdown' | 'lockdownCodes' | 'readOnly' | 'webhookHosts'>
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

export type DatabaseThreadProtocol = {
  calls: {
    lookUp: { input: Lookup; reply: unknown }
    run: { input: OperationCall; reply: unknown }
    /** The parts of a file. */
    write: { input: FileCall; reply: ReadableStream<string> }
  }
  notices: Record<never, never>
  events: {
    log: string
    progress: { id: number; progress: Progress }
    /** Ids of scans to run, and to cancel. */
    start: string
    cancel: string
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

  const contextFor = (asked: Pick<WriteContext, 'caller' | 'signal' | 'progress' | 'coerced'>): WriteContext => ({
    ...settings,
    ...asked,
    read: (work) => store.read(work),
    store,
    vault,
    log,
    now,
    scans: { start: (scanUid) => emit('start', scanUid), cancel: (scanUid) => emit('cancel', scanUid) },
  })

  async function run({ id, operation, input, caller, coerced }: OperationCall, signal: AbortSignal): Promise<unknown> {
    const progress = (reached: Progress) => emit('progress', { id, progress: reached })
    return (await find(operation)).run(input as never, contextFor({ caller, signal, progress, coerced }))
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

  serveCalls<DatabaseThreadProtocol>({
    calls: {
      lookUp: ({ name, input }) => (lookups[name] as (...input: readonly unknown[]) => unknown)(...input),
      run,
      write,
    },
    logFault: (error, { name, input }) => {
      const what = name === 'lookUp' ? (input as Lookup).name : (input as OperationCall).operation
      log.error('a call of a database thread failed', { call: name, what, error })
    },
    stop: async (callsEnded) => {
      await callsEnded
      store.close()
    },
  })
}

void main()
