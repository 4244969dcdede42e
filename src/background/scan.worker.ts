import { workerData } from 'node:worker_threads'
import { createUpstreamTally, type UpstreamCounts } from '../connectors/http/upstream.ts'
import { duplicatesCheck } from '../cross-asset-checks/duplicates.ts'
import { brokenLinksCheck } from '../cross-asset-checks/links.ts'
import { contentQualityCheck } from '../cross-asset-checks/quality.ts'
import { completeDetectors } from '../custom-detectors/lifecycle.ts'
import { createDetectorRunner, type DetectorRunner } from '../detectors/request.ts'
import { applyStagedImport } from '../imports/apply/apply-import.ts'
import { type ImportResult, importFindings } from '../imports/imports.ts'
import type { ImportRequest } from '../imports/request.ts'
import type { Caller, Progress } from '../operation/context.ts'
import { lowerThreadPriority } from '../runtime/thread-priority.ts'
import { openEvents, serveCalls } from '../runtime/worker-rpc.ts'
import { runScan } from '../scans/crawl.ts'
import type { ScanLease } from '../scans/lease.ts'
import { installedPlugins } from '../sources/operations.ts'
import { isStoreAway } from '../store/faults.ts'
import { openVault } from '../store/keys/vault-file.ts'
import type { Store } from '../store/store.ts'
import { openThread } from './open-thread.ts'
import { scanThreadOperations } from './scan-operations.ts'
import type { ThreadSettings } from './thread-options.ts'

/** The worker data of the scan thread. */
export interface ScanThreadSettings extends ThreadSettings {
  /** How other threads and processes identify this one. */
  owner: string
  processMark: string
}

interface ImportCall {
  stream: ReadableStream<Uint8Array>
  request: ImportRequest
  caller: Caller
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
    /** Answered when the scan with this id has ended, was released, or has moved to another process. */
    scan: { input: string; reply: unknown }
    import: { input: ImportCall; reply: ImportResult }
    call: { input: OperationCall; reply: unknown }
  }
  /** Ids of scans to cancel, and to release after their next batch. */
  notices: { cancel: string; yield: string }
  /** `alive` is sent all the time, unless a call blocks the thread. */
  events: {
    log: string
    upstream: UpstreamCounts
    alive: undefined
    /** It stores an import now, which is one transaction. */
    importing: undefined
    progress: { id: number; progress: Progress }
  }
}

/** In order of evaluation. */
const crossAssetChecks = [brokenLinksCheck, duplicatesCheck, contentQualityCheck]
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
  const upstream = createUpstreamTally()
  const leases = new Map<string, ScanLease>()
  let detect: DetectorRunner | undefined

  function reportUpstream(): void {
    const counts = upstream.take()
    if (counts !== undefined) emit('upstream', counts)
    emit('alive', undefined)
  }
  setInterval(reportUpstream, REPORT_INTERVAL_MS).unref()

  /** Runs a scan with all installed plugins. */
  async function scan(scanUid: string, signal: AbortSignal): Promise<void> {
    try {
      await runScan(scanUid, {
        ...{ store, vault, log, now, upstream, crossAssetChecks, completeDetectors },
        plugins: installedPlugins,
        detect: (document, request) => {
          detect ??= createDetectorRunner(vault.fingerprintKey())
          return detect(document, request)
        },
        applyImport: applyStagedImport,
        owner: { name: owner, release: () => {} },
        signal,
        onLease: (taken) => {
          leases.set(scanUid, taken)
          if (taken.scan.trigger === 'IMPORT') emit('importing', undefined)
        },
      })
    } catch (error) {
      // Its import may be stored by another process at this moment.
      if (isStoreAway(error)) log.debug('a scan could not be claimed', { scan: scanUid, error })
      else log.error('a scan could not be started', { scan: scanUid, error })
    } finally {
      leases.delete(scanUid)
      reportUpstream()
    }
  }

  function cancel(scanUid: string): void {
    leases.get(scanUid)?.cancel('cancelled')
  }

  function release(scanUid: string): void {
    const lease = leases.get(scanUid)
    if (lease !== undefined) lease.isToYield = true
  }

  function runOperation(
    { id, operation: name, input, caller }: OperationCall,
    signal: AbortSignal,
  ): Promise<unknown> | unknown {
    const operation = scanThreadOperations.find((each) => each.name === name)
    if (operation === undefined) throw new RangeError(`there is no operation ${name} in this thread`)
    // None of these operations starts a scan.
    const scans = { start: () => {}, cancel }
    const read: Store['read'] = (read) => store.read(read)
    const progress = (reached: Progress) => emit('progress', { id, progress: reached })
    return operation.run(input as never, { read, store, vault, log, now, signal, caller, progress, scans })
  }

  serveCalls<ScanThreadProtocol>({
    calls: {
      scan,
      import: ({ stream, request, caller }, signal) =>
        importFindings(stream, request, { store, vault, log, now, signal, caller }),
      call: runOperation,
    },
    notices: { cancel, yield: release },
    logFault: (error, { name }) => log.error('a call of the scan thread failed', { kind: name, error }),
    stop: async (callsEnded) => {
      await callsEnded
      store.close()
    },
  })
}

void main()
