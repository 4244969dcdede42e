import { saveAsset } from '../../src/findings/assets.store.ts'
import { FindingLedger } from '../../src/findings/ledger.store.ts'
import type { WriteContext } from '../../src/operation/context.ts'
import { getSource } from '../../src/sources/sources.store.ts'
import { safe } from '../support/safe-text.ts'
import { NOON } from './estate.ts'

/** Open findings of type PHONE of one page, with these severities. */
export function plantFindings({ store }: WriteContext, severities: readonly ('CRITICAL' | 'MEDIUM' | 'LOW')[]): void {
  store.write((writer) => {
    const sourceId = getSource(writer, 'Company wiki').id
    FindingLedger.keep(writer, NOON, (ledger) => {
      const assetId = saveAsset(writer, ledger.facets, {
        ...{ sourceId, scopeKey: safe('wiki:1'), scanId: 1, at: NOON, detectorsHash: 'd', scanned: true },
        draft: {
          ...{ key: safe('wiki:page:9'), kind: 'wiki.page', name: safe('Page'), url: safe(''), checksum: safe('9') },
          links: [],
        },
      })
      for (const [index, severity] of severities.entries()) {
        const facets = safe({ sourceId, detectorType: 'PII', findingType: 'PHONE', category: 'PRIVACY' })
        ledger.insert({
          ...{
            assetId,
            fp: index + 1,
            firstDetectedAt: NOON,
            confidence: 9000,
            lastDetectedAt: null,
            resolvedAt: null,
          },
          ...{ location: null, excerpt: null },
          facets: {
            ...ledger.facets.facetsOf(1),
            ...facets,
            ...{ severity, status: 'OPEN', customDetectorKey: safe('') },
          },
        })
      }
    })
  })
}
