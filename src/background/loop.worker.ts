import { workerData } from 'node:worker_threads'
import { type ErrorReport, fromErrorReport } from '../kernel/errors.ts'
import { openEvents, serveCalls } from '../runtime/worker-rpc.ts'
import { openVault } from '../store/keys/vault-file.ts'
import type { ReadElsewhere } from '../watches/operations.ts'
import { type BackgroundSettings, startBackground } from './background.ts'
import { openThread } from './open-thread.ts'
import type { ThreadSettings } from './thread-options.ts'

/** The worker data of the thread of the background loop. */
export interface LoopThreadSettings extends ThreadSettings {
  settings: BackgroundSettings
  /** How other threads and processes identify this process. */
  processMark: string
}

type Answer = Awaited<ReturnType<ReadElsewhere>>

export type LoopThreadProtocol = {
  calls: Record<never, never>
  /** The answer to a question, or the error instead. */
  notices: { answered: { id: number; answer: Answer; report?: ErrorReport } }
  events: {
    log: string
    /** Ids of scans to run, and to cancel. */
    start: string
    cancel: string
    /** A question for the query thread. */
    ask: { id: number; operation: string; input: object }
  }
}

const opened = workerData as LoopThreadSettings
const { home, keys, settings } = opened
const emit = openEvents<LoopThreadProtocol>()

async function main(): Promise<void> {
  const { now, log, store } = await openThread(opened, (line) => emit('log', line))
  const vault = openVault({ store, home, env: keys, now })
  const closing = new AbortController()
  const asked = new Map<number, { resolve: (answer: Answer) => void; reject: (error: unknown) => void }>()
  let lastId = 0

  const answer: ReadElsewhere = (operation, input) =>
    new Promise((resolve, reject) => {
      const id = ++lastId
      asked.set(id, { resolve, reject })
      emit('ask', { id, operation, input })
    })

  const loop = startBackground({
    store,
    vault,
    log,
    now,
    signal: closing.signal,
    settings,
    scans: { start: (scanUid) => emit('start', scanUid), cancel: (scanUid) => emit('cancel', scanUid) },
    answer,
  })

  serveCalls<LoopThreadProtocol>({
    calls: {},
    notices: {
      answered: ({ id, answer, report }) => {
        const question = asked.get(id)
        asked.delete(id)
        if (report === undefined) question?.resolve(answer)
        else question?.reject(fromErrorReport(report))
      },
    },
    stop: async () => {
      closing.abort()
      for (const { resolve } of asked.values()) resolve(undefined)
      await loop.stop()
      store.close()
    },
  })
}

void main()
