import { operations } from '../../src/catalogue.ts'
import { createFingerprinter } from '../../src/detectors/fingerprint.ts'
import { runRequest } from '../../src/detectors/request.ts'
import { parseStorage } from '../../src/documents/markup/confluence-storage.ts'
import { saveAsset } from '../../src/findings/assets.store.ts'
import { applyDetection } from '../../src/findings/detected.ts'
import { FindingLedger } from '../../src/findings/ledger.store.ts'
import { suppressOpened } from '../../src/findings/suppressions/suppressions.ts'
import { insertSource } from '../../src/sources/sources.store.ts'
import { caller, openContext } from '../support/context.ts'
import { safe } from '../support/safe-text.ts'

/** A wiki whose pages are examined as a scan examines them. */
export function openWiki() {
  const context = openContext()
  const { store, clock, vault } = context
  const sourceId = store.write((writer) =>
    insertSource(writer, { uid: 'u', name: 'wiki', type: 'WIKI', config: {}, secrets: {}, nextRunAt: null }, 0),
  )
  const types = new Set(['SECRETS', 'PII'])
  const fingerprint = createFingerprinter(vault.fingerprintKey())
  return {
    context,
    ask: caller(operations, context),
    scan(key: string, body: string, config: object = {}) {
      const facts = { key, kind: 'wiki.page' as const, name: `Page ${key}`, url: '' }
      const detectors = [...types].map((type) => ({ type, config: type === 'PII' ? config : {} }))
      const { findings } = runRequest(parseStorage(body), { asset: facts, detectors, now: clock.now }, { fingerprint })
      store.write((writer) =>
        FindingLedger.keep(writer, clock.now, (ledger) => {
          const draft = { ...safe(facts), checksum: safe(''), links: [] }
          const seen = { draft, sourceId, scopeKey: safe(''), scanId: 1, at: 0, detectorsHash: null, scanned: true }
          const id = saveAsset(writer, ledger.facets, seen)
          const asset = { id, sourceId, lastScannedAt: null }
          const examined = { examinedTypes: types, complete: types, scanId: 1, at: clock.now }
          applyDetection(ledger, { asset, found: findings, ...examined })
          suppressOpened(writer, ledger, clock.now)
        }),
      )
    },
  }
}

export type Wiki = ReturnType<typeof openWiki>
