import type { UpstreamTally } from '../connectors/http/upstream.ts'
import { duplicatesCheck } from '../cross-asset-checks/duplicates.ts'
import { brokenLinksCheck } from '../cross-asset-checks/links.ts'
import { contentQualityCheck } from '../cross-asset-checks/quality.ts'
import { completeDetectors } from '../custom-detectors/lifecycle.ts'
import { createDetectorPool, type DetectorPool } from '../detectors/pool.ts'
import type { Log } from '../runtime/log.ts'
import type { Detect } from '../scans/cross-asset-check.ts'
import type { Owner } from '../scans/owner.ts'
import { installedPlugins } from '../sources/operations.ts'
import type { Vault } from '../store/keys/vault.ts'
import type { Store } from '../store/store.ts'
import { createScanQueue, type ScanQueue } from './queue.ts'

/** In order of evaluation. */
const crossAssetChecks = [brokenLinksCheck, duplicatesCheck, contentQualityCheck]

export interface RunnerOptions {
  store: Store
  vault: Vault
  log: Log
  now: () => number
  signal: AbortSignal
  owner?: Owner
  upstream?: UpstreamTally | undefined
}

/** Runs scans with all installed plugins; the detector threads start with the first document. */
export function createScanRunner(options: RunnerOptions): ScanQueue {
  let pool: DetectorPool | undefined
  const detect: Detect = (document, request) => {
    pool ??= createDetectorPool({ fingerprintKey: options.vault.fingerprintKey() })
    return pool.run(document, request)
  }
  const queue = createScanQueue({
    ...options,
    plugins: installedPlugins,
    detect,
    crossAssetChecks,
    completeDetectors,
  })
  return {
    ...queue,
    close: async () => {
      await queue.close()
      await pool?.close()
    },
  }
}
