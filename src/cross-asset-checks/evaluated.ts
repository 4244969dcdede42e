import type { RedactedFinding } from '../detectors/detector.ts'
import { listArchived } from '../findings/assets.store.ts'
import { applyDetection, type DetectionCounts } from '../findings/detected.ts'
import { FindingLedger } from '../findings/ledger.store.ts'
import { suppressOpened } from '../findings/suppressions/suppressions.ts'
import type { CrossAssetContext } from '../scans/cross-asset-check.ts'
import { addProgress, findPreviousEnd, getCheckCursor, saveCheckCursor } from '../scans/scans.store.ts'

/** The result of a check for one asset. */
export interface Evaluated {
  asset: { id: number; key: string }
  found: readonly RedactedFinding[]
  /** Fingerprints, and finding types, that cannot be decided in this scan. */
  undecided?: ReadonlySet<string>
  undecidedTypes?: ReadonlySet<string>
}

export interface CrossAssetStore {
  /** Id of the last asset that this check has evaluated in this scan; 0 before the first. */
  readonly startAfter: number
  /** Applies the findings of these assets and advances the cursor to the last of them. */
  store(evaluated: readonly Evaluated[]): void
}

/** Finds where a check resumes, and stores its results. */
export function openCrossAssetStore({ lease, store, now }: CrossAssetContext, type: string): CrossAssetStore {
  const { id: scanId, sourceId } = lease.scan
  const { cursor, lastScannedAt } = store.read((reader) => ({
    cursor: getCheckCursor(reader, scanId),
    lastScannedAt: findPreviousEnd(reader, sourceId, scanId) ?? null,
  }))
  const own = new Set([type])
  return {
    startAfter: cursor.step === type ? cursor.assetId : 0,
    store(evaluated) {
      const at = now()
      const ids = evaluated.map(({ asset }) => asset.id)
      lease.write((writer) => {
        const findings: DetectionCounts = { new: 0, again: 0, resolved: 0 }
        FindingLedger.keep(writer, at, (ledger) => {
          const archived = listArchived(writer, ids)
          for (const { asset, ...said } of evaluated) {
            const counts = applyDetection(ledger, {
              asset: { id: asset.id, sourceId, lastScannedAt },
              presence: archived.has(asset.id) ? 'archived' : 'current',
              ...said,
              examinedTypes: own,
              complete: own,
              scanId,
              at,
            })
            findings.new += counts.new
            findings.again += counts.again
            findings.resolved += counts.resolved
          }
          suppressOpened(writer, ledger, at)
        })
        addProgress(writer, scanId, { discovered: 0, scanned: 0, unchanged: 0, findings })
        const last = evaluated.at(-1)
        if (last !== undefined) saveCheckCursor(writer, scanId, type, last.asset.id)
      })
    },
  }
}
