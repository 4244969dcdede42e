import type { UpstreamTally } from '../connectors/http/upstream.ts'
import { duplicatesCheck } from '../cross-asset-checks/duplicates.ts'
import { brokenLinksCheck } from '../cross-asset-checks/links.ts'
import { contentQualityCheck } from '../cross-asset-checks/quality.ts'
import { completeDetectors } from '../custom-detectors/lifecycle.ts'
import { createDetectorRunner, type DetectorRunner } from '../detectors/request.ts'
import { applyStagedImport } from '../imports/apply/apply-import.ts'
import type { ScanRunner } from '../operation/context.ts'
import type { Log } from '../runtime/log.ts'
import { type CrawlOptions, runScan } from '../scans/crawl.ts'
import type { ScanLease } from '../scans/lease.ts'
import { createOwner, type Owner } from '../scans/owner.ts'
import { installedPlugins } from '../sources/operations.ts'
import { isStoreAway } from '../store/faults.ts'
import type { Vault } from '../store/keys/vault.ts'
import type { Store } from '../store/store.ts'

/** In order of evaluation. */
const crossAssetChecks = [brokenLinksCheck, duplicatesCheck, contentQualityCheck]

export interface RunnerOptions {
  store: Store
  vault: Vault
  log: Log
  now: () => number
  signal: AbortSignal
  owner: Owner
  upstream: UpstreamTally
  /** Called before and after an import is applied. */
  onImport: (isImporting: boolean) => void
}

/** Runs scans with all installed plugins. */
export function createScanRunner(options: RunnerOptions): ScanQueue {
  let detect: DetectorRunner | undefined
  return createScanQueue({
    ...options,
    plugins: installedPlugins,
    detect: (document, request) => {
      detect ??= createDetectorRunner(options.vault.fingerprintKey())
      return detect(document, request)
    },
    crossAssetChecks,
    completeDetectors,
  })
}

/** The number of scans that one thread runs concurrently; `createScanThreads` gives each thread one. */
const SIDE_BY_SIDE = 2

export interface ScanQueue extends ScanRunner {
  /** Releases a scan after its next batch, so that it resumes later. */
  yield(scanUid: string): void
  /** Interrupts the scans running here, leaving them resumable. */
  close(): Promise<void>
  /** Resolves when a scan started here has ended or has moved to another process. */
  settled(scanUid: string): Promise<void>
}

/** Runs the scans of this process, a few at a time. */
export function createScanQueue(
  options: Omit<CrawlOptions, 'owner' | 'onLease' | 'applyImport'> & {
    owner?: Owner
    onImport?: RunnerOptions['onImport']
  },
): ScanQueue {
  const owner = options.owner ?? createOwner()
  const closing = new AbortController()
  const signal = AbortSignal.any([options.signal, closing.signal])
  const waiting: string[] = []
  const running = new Map<string, Promise<void>>()
  const leases = new Map<string, ScanLease>()
  const callers = new Map<string, (() => void)[]>()

  const applyImport: CrawlOptions['applyImport'] = async (lease, context) => {
    options.onImport?.(true)
    return applyStagedImport(lease, context).finally(() => options.onImport?.(false))
  }

  const run = async (scanUid: string) => {
    try {
      await runScan(scanUid, {
        ...options,
        applyImport,
        owner,
        signal,
        onLease: (taken) => leases.set(scanUid, taken),
      })
    } catch (error) {
      // Its import may be applied by another process at this moment.
      if (isStoreAway(error)) options.log.debug('a scan could not be claimed', { scan: scanUid, error })
      else options.log.error('a scan could not be started', { scan: scanUid, error })
    } finally {
      running.delete(scanUid)
      leases.delete(scanUid)
      for (const notify of callers.get(scanUid) ?? []) notify()
      callers.delete(scanUid)
      next()
    }
  }
  const next = () => {
    while (running.size < SIDE_BY_SIDE && waiting.length > 0 && !signal.aborted) {
      const scanUid = waiting.shift()
      if (scanUid !== undefined) running.set(scanUid, run(scanUid))
    }
  }
  const isHere = (scanUid: string) => running.has(scanUid) || waiting.includes(scanUid)

  return {
    start: (scanUid) => {
      if (signal.aborted || isHere(scanUid)) return
      waiting.push(scanUid)
      // The caller's transaction is committed first.
      setImmediate(next)
    },
    cancel: (scanUid) => leases.get(scanUid)?.cancel('cancelled'),
    yield: (scanUid) => {
      const lease = leases.get(scanUid)
      if (lease !== undefined) lease.isToYield = true
    },
    settled: (scanUid) =>
      new Promise((resolve) => {
        if (!isHere(scanUid)) resolve()
        else callers.set(scanUid, [...(callers.get(scanUid) ?? []), resolve])
      }),
    close: async () => {
      closing.abort()
      waiting.length = 0
      await Promise.allSettled(running.values())
      owner.release()
    },
  }
}
