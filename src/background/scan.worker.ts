import { workerData } from 'node:worker_threads'
import { createUpstreamTally, type UpstreamCounts } from '../connectors/http/upstream.ts'
import { type ImportFormat, type ImportResult, importFindings } from '../imports/imports.ts'
import type { Caller, Progress } from '../operation/context.ts'
import { lowerThreadPriority } from '../runtime/thread-priority.ts'
import { openEvents, serveCalls } from '../runtime/worker-rpc.ts'
import { openVault } from '../store/keys/vault-file.ts'
import type { Store } from '../store/store.ts'
import { openThread } from './open-thread.ts'
import { scanThreadOperations } from './scan-operations.ts'
import { createScanRunner } from './scan-runner.ts'
import type { ThreadSettings } from './thread-options.ts'

/** The worker data of the scan thread. */
export interface ScanThreadSettings extends ThreadSettings {
  /** How other threads and processes identify this one. */
  owner: string
  processMark: string
}

export interface ImportRequest {
  source: string
  format: ImportFormat
}

interface ImportCall {
  stream: ReadableStream<Uint8Array>
  request: ImportRequest
  caller: { name: string }
}

interface OperationCall {
  /** Identifies its progress. */
  id: number
  operation: string
  input: object
  caller: Caller
}

export type ScanThreadProtocol = {
  calls: {
    import: { input: ImportCall; reply: ImportResult }
    call: { input: OperationCall; reply: unknown }
  }
  /** Ids of scans to run, to cancel, and to release after their next batch. */
  notices: { start: string; cancel: string; yield: string }
  /** `alive` is sent all the time, unless a call blocks the thread. */
  events: {
    log: string
    upstream: UpstreamCounts
    settled: string
    /** The id of an import that is about to be stored. */
    importing: string
    alive: undefined
    progress: { id: number; progress: Progress }
  }
}

const REPORT_INTERVAL_MS = 1_000
lowerThreadPriority()
const settings = workerData as ScanThreadSettings
const { home, keys, owner } = settings
const emit = openEvents<ScanThreadProtocol>()

async function main(): Promise<void> {
  const { now, log, store } = await openThread(settings, (line) => emit('log', line))
  // A scan reads each page once: a large cache would only grow with the size of the tenant.
  store.files?.limitCaches()
  const vault = openVault({ store, home, env: keys, now })
  const closing = new AbortController()
  const upstream = createUpstreamTally()
  const scans = createScanRunner({
    store,
    vault,
    log,
    now,
    signal: closing.signal,
    owner: { name: owner, release: () => {} },
    upstream,
    onImport: (scanUid) => emit('importing', scanUid),
  })

  function reportUpstream(): void {
    const counts = upstream.take()
    if (counts !== undefined) emit('upstream', counts)
    emit('alive', undefined)
  }
  setInterval(reportUpstream, REPORT_INTERVAL_MS).unref()

  function start(scanUid: string): void {
    scans.start(scanUid)
    void scans.settled(scanUid).then(() => {
      reportUpstream()
      emit('settled', scanUid)
    })
  }

  function runOperation(
    { id, operation: name, input, caller }: OperationCall,
    signal: AbortSignal,
  ): Promise<unknown> | unknown {
    const operation = scanThreadOperations.find((each) => each.name === name)
    if (operation === undefined) throw new RangeError(`there is no operation ${name} in this thread`)
    const read: Store['read'] = (read) => store.read(read)
    const progress = (reached: Progress) => emit('progress', { id, progress: reached })
    return operation.run(input as never, { read, store, vault, log, now, signal, caller, progress, scans })
  }

  serveCalls<ScanThreadProtocol>({
    calls: {
      import: ({ stream, request, caller }, signal) =>
        importFindings(stream, request, { store, vault, log, now, signal, caller }),
      call: runOperation,
    },
    notices: { start, cancel: (scanUid) => scans.cancel(scanUid), yield: (scanUid) => scans.yield(scanUid) },
    logFault: (error, { name }) => log.error('a call of the scan thread failed', { kind: name, error }),
    stop: async (callsEnded) => {
      closing.abort()
      await callsEnded
      await scans.close()
      reportUpstream()
      store.close()
    },
  })
}

void main()
