import { createMissingIndex, dropSomeIndex } from '../../../src/findings/deferred-indexes.store.ts'
import { ChangeEncoder, type FacetChange } from '../../../src/findings/facet-log.ts'
import { openImportedAssets } from '../../../src/findings/imported-assets.store.ts'
import { FindingLedger } from '../../../src/findings/ledger.store.ts'
import { leavesOutIndexes } from '../../../src/imports/apply/stale-imports.ts'
import { Store } from '../../../src/store/store.ts'
import { quantile } from '../../support/bench.ts'
import { safe } from '../../support/safe-text.ts'
import { BATCH, type Batch, type Estate, PER_ASSET, type Seen, START, toFacets, withoutLog } from './work.ts'

const BULK = 64_000
const untold = { lastDetectedAt: null, resolvedAt: null, location: null, excerpt: null }

/**
 * A new store with all findings of the estate, gathered by asset as an import does it; `seconds` without the assets.
 */
export function openFilled(file: string, estate: Estate): { sourceId: number; seconds: number } {
  const store = Store.open(file, { now: () => START })
  const sourceId = store.write((writer) => {
    const id = writer
      .prepare(
        `INSERT INTO source (uid, name, type, config, created_at, updated_at) VALUES ('s', 's', 'WIKI', '{}', 0, 0) RETURNING id`,
      )
      .pluck()
      .write()
    return Number(id)
  })
  let assets = openImportedAssets(sourceId)
  inBulks(store, Math.ceil(estate.rows / PER_ASSET), (writer, ledger, asset) => {
    // It would remember them all.
    if (asset % BULK === 0) assets = openImportedAssets(sourceId)
    assets.save(writer, ledger.facets, { key: safe(`a${asset}`), name: safe(`Asset ${asset}`) }, START)
  })
  const started = performance.now()
  const drop = () => store.write((writer) => dropSomeIndex(writer, { names: true }))
  if (leavesOutIndexes({ rows: estate.rows, all: estate.rows }, 0)) while (drop());
  inBulks(store, estate.rows, (_, ledger, fp) => {
    const { assetId, confidence } = estate.ofFingerprint(fp)
    const facets = toFacets(sourceId, fp, 'OPEN')
    ledger.insert({ assetId, fp, facets, firstDetectedAt: estate.detectedAt(fp), confidence, ...untold })
  })
  while (store.write((writer) => createMissingIndex(writer, { texts: true })));
  const seconds = (performance.now() - started) / 1000
  store.close()
  return { sourceId, seconds }
}

function inBulks(
  store: Store,
  count: number,
  save: (writer: Parameters<Parameters<Store['write']>[0]>[0], ledger: FindingLedger, number: number) => void,
): void {
  for (let from = 0; from < count; from += BULK) {
    store.write((writer) =>
      FindingLedger.keep(writer, START, (ledger) => {
        for (let number = from; number < Math.min(count, from + BULK); number++) save(writer, ledger, number)
      }),
    )
  }
}

/** The store's own way: an asset's findings are read once, and what is as it was is not written. */
export function rescan(store: Store, sourceId: number, batch: Batch, hasLog: boolean): void {
  store.write((given) => {
    const writer = hasLog ? given : withoutLog(given)
    FindingLedger.keep(writer, batch.at, (ledger) => {
      for (const [assetId, seen] of batch.byAsset) {
        const known = new Map(ledger.listOfAsset(assetId).map((record) => [record.fp, record]))
        for (const one of seen) storeSeen(ledger, known.get(one.fp), one)
      }
    })
  })

  function storeSeen(ledger: FindingLedger, before: ReturnType<FindingLedger['findById']>, one: Seen): void {
    if (before === undefined) {
      const { assetId, fp, confidence } = one
      const facets = toFacets(sourceId, fp, 'OPEN')
      ledger.insert({ assetId, fp, facets, firstDetectedAt: batch.at, confidence, ...untold })
    } else if (one.status !== before.facets.status) {
      ledger.changeStatus(before, { at: batch.at, to: one.status, actor: safe('scan'), scanId: 1 })
    } else ledger.update(before, { confidence: before.confidence })
  }
}

/** Milliseconds that the entries of one batch take to be written as bytes: what a store without a log would not do. */
export function timeEncoding(): number {
  const changes = Array.from({ length: Math.round(BATCH * 0.4) }, (_, number): FacetChange => {
    const [findingId, assetId, firstDetectedAt] = [number, number, START + number]
    const change = { fromCombo: 1, toCombo: 2, fromConfidence: 1, toConfidence: 2, isRewritten: false }
    return { findingId, assetId, firstDetectedAt, ...change }
  })
  const encoder = new ChangeEncoder()
  const times = Array.from({ length: 200 }, () => {
    const started = performance.now()
    for (const change of changes) encoder.add(change)
    encoder.take()
    return performance.now() - started
  })
  return quantile(times, 0.5)
}
