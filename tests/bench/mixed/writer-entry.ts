import { openImportedAssets } from '../../../src/findings/imported-assets.store.ts'
import { FindingLedger } from '../../../src/findings/ledger.store.ts'
import { Store } from '../../../src/store/store.ts'
import { safe } from '../../support/safe-text.ts'
import { toFacets } from '../write/work.ts'

/**
 * Another process on the same data folder: from `begin` to `end` it stores findings of new assets at a steady rate,
 * some of them in each transaction, and then tells how many.
 */

const [file = '', rate = '500'] = process.argv.slice(2)
const EVERY_MS = 50
const PER_ASSET = 5
const store = Store.open(file, { now: Date.now })
const { id: sourceId } = store.read((reader) => reader.prepare('SELECT min(id) AS id FROM source').get()) as {
  id: number
}
const prefix = crypto.randomUUID()
const told = openImportedAssets(sourceId)
let timer: NodeJS.Timeout | undefined
let stored = 0
let owed = 0

function storeSome(count: number): void {
  const at = Date.now()
  store.write((writer) =>
    FindingLedger.keep(writer, at, (ledger) => {
      for (const end = stored + count; stored < end; stored++) {
        const key = `${prefix}-${Math.floor(stored / PER_ASSET)}`
        const { assetId } = told.save(writer, ledger.facets, { key: safe(key), name: safe(key) }, at)
        ledger.insert({
          assetId,
          fp: stored,
          facets: toFacets(sourceId, stored, 'OPEN'),
          firstDetectedAt: at,
          confidence: 5_000 + (stored % 5_000),
          lastDetectedAt: null,
          resolvedAt: null,
          location: null,
          excerpt: null,
        })
      }
    }),
  )
}

process.on('message', (message) => {
  clearInterval(timer)
  if (message === 'end') return void process.send?.({ stored })
  if (message === 'close') {
    store.close()
    process.disconnect()
    return
  }
  let last = performance.now()
  owed = 0
  timer = setInterval(() => {
    const now = performance.now()
    owed += ((now - last) * Number(rate)) / 1000
    last = now
    const count = Math.floor(owed)
    owed -= count
    if (count > 0) storeSome(count)
  }, EVERY_MS)
})
process.send?.('ready')
