import { writeSync } from 'node:fs'
import { FindingLedger } from '../../src/findings/ledger.store.ts'
import { Store } from '../../src/store/store.ts'
import { safe } from '../support/safe-text.ts'

/** Writes batches of findings for ever, and says on stdout when each was kept; somebody kills it. */
const [file = '', from = '0'] = process.argv.slice(2)
const store = Store.open(file, { now: Date.now })
let random = Number(from) + 1
const upTo = (most: number) => {
  random = (random * 48_271) % 2_147_483_647
  return 1 + (random % most)
}
for (let batch = Number(from); ; batch++) {
  const count = upTo(200)
  const at = 1_700_000_000_000 + batch
  store.write((writer) => {
    const { id: assetId } = writer
      .prepare(
        `INSERT INTO asset (uid, source_id, key, kind_id, container_id, name, status, first_seen_at, last_seen_at)
         VALUES (?, 1, ?, 0, 0, ?, 'ACTIVE', ?, ?) RETURNING id`,
      )
      .get(crypto.randomUUID(), `batch-${batch}`, String(count), at, at) as { id: number }
    FindingLedger.keep(writer, at, (ledger) => {
      for (let fp = 1; fp <= count; fp++) {
        ledger.insert({
          assetId,
          fp,
          facets: {
            sourceId: 1,
            detectorType: safe('SECRETS'),
            findingType: safe(`T${fp % 5}`),
            category: safe('SECURITY'),
            customDetectorKey: safe(''),
            severity: 'HIGH',
            status: 'OPEN',
            presence: 'current',
          },
          firstDetectedAt: at,
          confidence: 9_000,
          lastDetectedAt: null,
          resolvedAt: null,
          location: null,
          excerpt: safe('x'.repeat(fp)),
        })
      }
    })
  })
  writeSync(1, `${batch}\n`)
}
