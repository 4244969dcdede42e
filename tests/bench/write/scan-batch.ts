import { findAssets, type SeenAsset, saveAsset } from '../../../src/findings/assets.store.ts'
import { applyDetection } from '../../../src/findings/detected.ts'
import { FindingLedger } from '../../../src/findings/ledger.store.ts'
import type { PostgresStore } from '../../../src/store/postgres/store.ts'
import { safe } from '../../support/safe-text.ts'

/** Findings of a batch. */
export const BATCH = 500
const PER_ASSET = 5

/** Stores one batch of a scan: 500 findings of 100 assets, in one transaction. */
export function storeBatch(target: PostgresStore, sourceId: number, batch: number, run: number): void {
  const at = Date.now()
  target.write(
    (writer) =>
      FindingLedger.keep(writer, at, (ledger) => {
        const keys = Array.from({ length: BATCH / PER_ASSET }, (_, asset) => batch * (BATCH / PER_ASSET) + asset)
        const stored = findAssets(
          writer,
          sourceId,
          keys.map((key) => `a${key}`),
        )
        const ids = keys.map((key, index) => {
          const draft = { kind: 'wiki.page', key: `a${key}`, name: 'page', url: '', checksum: '', links: [] }
          return saveAsset(
            writer,
            ledger.facets,
            {
              ...safe({ sourceId, scopeKey: 'S', scanId: 1, at, detectorsHash: 'h', scanned: true }),
              draft: safe(draft) as SeenAsset['draft'],
            },
            stored[index] ?? null,
          )
        })
        ledger.readAhead(ids)
        for (const [index, id] of ids.entries()) {
          const numbers = Array.from({ length: PER_ASSET }, (_, number) => (keys[index] ?? 0) * PER_ASSET + number)
          applyDetection(ledger, {
            asset: { id, sourceId, lastScannedAt: null },
            // In each run after the first, one of ten findings is gone or there again.
            found: numbers
              .filter((number) => run === 0 || (number + run) % 20 !== 0)
              .map((number) => ({
                detectorType: `DETECTOR_${number % 5}`,
                findingType: `TYPE_${number % 30}`,
                category: 'SECURITY',
                severity: 'HIGH' as const,
                confidence: 0.9,
                location: { path: 'Body' },
                excerpt: 'an excerpt of some length [redacted]',
                fingerprint: (number + 1).toString(16).padStart(12, '0'),
              })),
            examinedTypes: new Set(Array.from({ length: 5 }, (_, number) => `DETECTOR_${number}`)),
            complete: new Set(Array.from({ length: 5 }, (_, number) => `DETECTOR_${number}`)),
            scanId: 1,
            at,
          })
        }
      }),
    { scope: { source: sourceId } },
  )
}
