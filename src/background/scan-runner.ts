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
  /** Called when an accepted import is about to be stored, which blocks the thread for as long as it takes. */
  onImport?: (scanUid: string) => void
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

/** The number of scans that one process runs concurrently. */
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
  options: Omit<CrawlOptions, 'owner' | 'onLease' | 'applyImport'> &
    Pick<RunnerOptions, 'onImport'> & { owner?: Owner },
): ScanQueue {
  const owner = options.owner ?? createOwner()
  const closing = new AbortController()
  const signal = AbortSignal.any([options.signal, closing.signal])
  const waiting: string[] = []
  const running = new Map<string, Promise<void>>()
  const leases = new Map<string, ScanLease>()
  const callers = new Map<string, (() => void)[]>()

  const run = async (scanUid: string) => {
    try {
      await runScan(scanUid, {
        ...options,
        applyImport: applyStagedImport,
        owner,
        signal,
        onLease: (taken) => {
          leases.set(scanUid, taken)
          if (taken.scan.trigger === 'IMPORT') options.onImport?.(scanUid)
        },
      })
    } catch (error) {
      options.log.error('a scan could not be started', { scan: scanUid, error })
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
