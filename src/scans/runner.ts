import type { UpstreamTally } from '../connectors/upstream.ts'
import { completeDetectors } from '../custom/definitions.ts'
import { createDetectorPool, type DetectorPool } from '../detectors/pool.ts'
import type { Log } from '../kernel/log.ts'
import { installedPlugins } from '../sources/operations.ts'
import type { Store } from '../store/store.ts'
import type { Vault } from '../store/vault.ts'
import { duplicatesStep } from './duplicates-step.ts'
import type { Detect } from './estate.ts'
import { brokenLinksStep } from './links-step.ts'
import type { Owner } from './owner.ts'
import { contentQualityStep } from './quality-step.ts'
import { createScanQueue, type ScanQueue } from './queue.ts'

/** In the order in which they are evaluated. */
const estateSteps = [brokenLinksStep, duplicatesStep, contentQualityStep]

export interface RunnerOptions {
  store: Store
  vault: Vault
  log: Log
  now: () => number
  signal: AbortSignal
  owner?: Owner
  upstream?: UpstreamTally | undefined
}

/** Drives scans with everything that is installed; detectors run in threads that start with the first document. */
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
    estate: estateSteps,
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
