import type { RedactedFinding } from '../detectors/detector.ts'
import { applyDetection, type DetectionCounts } from '../findings/detected.ts'
import { FindingLedger } from '../findings/ledger.store.ts'
import { suppressOpened } from '../findings/suppressions/suppressions.ts'
import type { CrossAssetContext } from '../scans/cross-asset-check.ts'
import { addProgress, findPreviousEnd, getEstateCursor, saveEstateCursor } from '../scans/scans.store.ts'

/** What a step says about one asset. */
export interface Evaluated {
  asset: { id: number; key: string }
  found: readonly RedactedFinding[]
  /** Fingerprints, and finding types, of which nothing can be said now. */
  undecided?: ReadonlySet<string>
  undecidedTypes?: ReadonlySet<string>
}

export interface CrossAssetStore {
  /** The newest asset that this step has judged in this scan; 0 before the first. */
  readonly startAfter: number
  /** Brings the findings of these assets in line, and moves on behind the last of them. */
  store(evaluated: readonly Evaluated[]): void
}

/** Where a step goes on, and how it writes what it found. */
export function openCrossAssetStore({ lease, store, now }: CrossAssetContext, type: string): CrossAssetStore {
  const { id: scanId, sourceId } = lease.scan
  const { cursor, lastScannedAt } = store.read((reader) => ({
    cursor: getEstateCursor(reader, scanId),
    lastScannedAt: findPreviousEnd(reader, sourceId, scanId) ?? null,
  }))
  const own = new Set([type])
  return {
    startAfter: cursor.step === type ? cursor.assetId : 0,
    store(evaluated) {
      const at = now()
      lease.write((writer) => {
        const findings: DetectionCounts = { new: 0, again: 0, resolved: 0 }
        FindingLedger.keep(writer, at, (ledger) => {
          for (const { asset, ...said } of evaluated) {
            const counts = applyDetection(ledger, {
              asset: { id: asset.id, sourceId, lastScannedAt },
              ...said,
              looked: own,
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
        if (last !== undefined) saveEstateCursor(writer, scanId, type, last.asset.id)
      })
    },
  }
}
