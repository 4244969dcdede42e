import type { UpstreamTally } from '../connectors/http/upstream.ts'
import { duplicatesCheck } from '../cross-asset-checks/duplicates.ts'
import { brokenLinksCheck } from '../cross-asset-checks/links.ts'
import { contentQualityCheck } from '../cross-asset-checks/quality.ts'
import { completeDetectors } from '../custom-detectors/lifecycle.ts'
import { createDetection, type Detection } from '../detectors/request.ts'
import type { Log } from '../runtime/log.ts'
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

/** Runs scans with all installed plugins. */
export function createScanRunner(options: RunnerOptions): ScanQueue {
  let detect: Detection | undefined
  return createScanQueue({
    ...options,
    plugins: installedPlugins,
    detect: (document, request) => {
      detect ??= createDetection(options.vault.fingerprintKey())
      return detect(document, request)
    },
    crossAssetChecks,
    completeDetectors,
  })
}
