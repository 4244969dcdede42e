import type { Facets } from '../findings/facets.store.ts'
import { FindingLedger } from '../findings/ledger.store.ts'
import { suppressOpened } from '../findings/suppressions.ts'
import { openToldAssets, type ToldAssets } from '../findings/told-assets.store.ts'
import { AppError } from '../kernel/errors.ts'
import { setLastCompletedScan } from '../sources/sources.store.ts'
import type { Store, Writer } from '../store/store.ts'
import { type Drive, DriveStopped } from './drive.ts'
import type { RowList } from './import-block.ts'
import type { ImportFacets } from './import-line.ts'
import { type RowPlace, storeRow } from './import-rows.ts'
import { dropImportFile, dropImportRows, findWaitingRows, saveStoredRows } from './imports.store.ts'
import type { ScanProgress } from './model.ts'
import { addProgress, finishScan } from './scans.store.ts'

/** Findings of one transaction while nobody waits: few at first, then twice as many each time. */
const ROWS_AT_FIRST = 8_000
const ROWS_AT_MOST = 48_000
/** And no more than so many bytes of the write-ahead log: the larger the database, the more pages a finding touches. */
const LOG_BYTES_AT_MOST = 36 * 1024 * 1024
/** A transaction that is long because of its log is not made shorter than this. */
const ROWS_AT_LEAST = 500
/** And while somebody does. */
const ROWS_WHEN_AWAITED = 100
/** So many are stored between two looks whether somebody waits. */
const ROWS_TO_LOOK = 1_000

/** Stores what an accepted file still holds, and ends its scan. */
export async function storeImport(drive: Drive, { store, now }: { store: Store; now: () => number }): Promise<void> {
  const { uid, id: scanId, sourceId } = drive.scan
  const assets = openToldAssets(sourceId)
  const combinations = new Map<string, ImportFacets>()
  const facets = new Map<ImportFacets, Facets>()
  let most = ROWS_AT_FIRST
  try {
    for (;;) {
      const waiting = store.read((reader) => findWaitingRows(reader, uid, combinations))
      if (waiting === undefined) break
      const { rows } = waiting
      for (let from = waiting.stored; from < rows.size; ) {
        store.emptyLog()
        const logBytes = store.logBytes
        const start = from
        from = drive.write((writer) => {
          const stored = { findings: { new: 0, again: 0, resolved: 0 }, seen: assets.count }
          const at = now()
          const to = FindingLedger.keep(writer, at, (ledger) => {
            let next = from
            do {
              const to = Math.min(rows.size, next + (store.isAwaited ? ROWS_WHEN_AWAITED : ROWS_TO_LOOK))
              storeRows(writer, ledger, {
                rows,
                from: next,
                to,
                scanId,
                at,
                assets,
                facetsOf,
                findings: stored.findings,
              })
              next = to
            } while (next < rows.size && next - from < most && !store.isAwaited)
            suppressOpened(writer, ledger, at)
            return next
          })
          const seen = assets.count - stored.seen
          addProgress(writer, scanId, { discovered: seen, scanned: seen, unchanged: 0, findings: stored.findings })
          if (to < rows.size) saveStoredRows(writer, uid, to - from)
          else dropImportRows(writer, uid, waiting.ordinal)
          return to
        })
        most = rowsOfNext(most, from - start, logBytes, store.logBytes)
        await store.giveWay(drive.signal)
      }
    }
  } catch (error) {
    drive.release()
    throw error instanceof DriveStopped
      ? new AppError('unavailable', 'The import was interrupted; it goes on when assay runs again.')
      : error
  }
  drive.end((writer) => {
    const at = now()
    dropImportFile(writer, uid)
    finishScan(writer, scanId, { status: 'COMPLETED' }, at)
    setLastCompletedScan(writer, sourceId, at)
  })

  function facetsOf(names: ImportFacets): Facets {
    const known = facets.get(names)
    if (known !== undefined) return known
    const made = { sourceId, ...names }
    facets.set(names, made)
    return made
  }
}

/** How many findings the next transaction may have, by what the log took of the last one. */
function rowsOfNext(most: number, rows: number, logBefore: number, logAfter: number): number {
  const bytesOfRow = Math.max(0, logAfter - logBefore) / rows
  const fitting = bytesOfRow === 0 ? ROWS_AT_MOST : Math.floor(LOG_BYTES_AT_MOST / bytesOfRow)
  return Math.max(ROWS_AT_LEAST, Math.min(ROWS_AT_MOST, fitting, most * 2))
}

interface StoredRows {
  rows: RowList
  from: number
  to: number
  scanId: number
  at: number
  assets: ToldAssets
  facetsOf: (names: ImportFacets) => Facets
  /** What came of them is added here. */
  findings: ScanProgress['findings']
}

/** Stores findings, those of an asset one after the other. */
function storeRows(
  writer: Writer,
  ledger: FindingLedger,
  { rows, from, to, scanId, at, assets, facetsOf, findings }: StoredRows,
): void {
  const placed: RowPlace[] = []
  let isInOrder = true
  for (let index = from; index < to; index++) {
    const row = rows.rowAt(index)
    const { assetId, isNew } = assets.save(writer, ledger.facets, row.asset, at)
    isInOrder &&= (placed.at(-1)?.assetId ?? 0) <= assetId
    placed.push({ row, facets: facetsOf(row.facets), assetId, isNew, scanId, at })
  }
  if (!isInOrder) placed.sort((a, b) => a.assetId - b.assetId)
  for (const place of placed) {
    const result = storeRow(ledger, place)
    findings[result.known ? 'again' : 'new']++
    if (result.resolved) findings.resolved++
  }
}
