import { recordExpiries } from '../../findings/expiries.ts'
import type { Facets } from '../../findings/facets.store.ts'
import { type ImportedAssetWriter, openImportedAssets } from '../../findings/imported-assets.store.ts'
import { FindingLedger } from '../../findings/ledger.store.ts'
import { openPendingImport, type PendingImport } from '../../findings/pending-imports.store.ts'
import { suppressOpened } from '../../findings/suppressions/suppressions.ts'
import { AppError } from '../../kernel/errors.ts'
import { LeaseStopped, type ScanLease } from '../../scans/lease.ts'
import type { ScanProgress } from '../../scans/model.ts'
import { addProgress, clearProgress, finishScan, isOpenScan } from '../../scans/scans.store.ts'
import type { Store, WriteOptions, Writer } from '../../store/store.ts'
import { readLine } from '../read/import-row.ts'
import {
  countStaged,
  countStoredRows,
  dropImportRows,
  findStagedBlocks,
  saveStoredRows,
} from '../stage/imports.store.ts'
import { FreshFindings, type SavedAsset, storeRow } from './import-rows.ts'
import { publish } from './publish-import.ts'
import { openRowSorter, type RowSorter } from './row-sorter.ts'
import type { SortedImportRows } from './sorted-rows.ts'
import { createLeftOutIndexes, deleteEarlierRows, isFollowed, leaveOutIndexes, sweepImports } from './stale-imports.ts'

/**
 * Findings of one transaction while no other writer waits: the limit starts at `ROWS_AT_FIRST` and doubles each time.
 */
const ROWS_AT_FIRST = 8_000
const MAX_ROWS = 48_000
/**
 * Maximum growth of the write-ahead log in one transaction: the larger the database, the more pages a finding touches.
 */
const MAX_LOG_BYTES = 36 * 1024 * 1024
/** Maximum size of the log after a transaction, if readers prevent it from being emptied. */
const LOG_BYTES_IN_ALL = 54 * 1024 * 1024
/** Log bytes assumed for each finding until they have been measured. */
const BYTES_OF_ROW_AT_FIRST = 8 * 1024
/** Findings of one transaction while another writer waits, and the minimum when the log limits its size. */
const MIN_ROWS = 100
/** With more findings, an import does not write its changes to the change log one by one when it is published. */
const MAX_LOGGED_ROWS = 200_000
/** Findings stored between two checks for waiting writers. */
const ROWS_PER_CHECK = 1_000

const unpublished = { unpublished: true }

interface ApplyContext {
  store: Store
  now: () => number
  signal: AbortSignal
}

/**
 * Stores the rest of an accepted file in small transactions and ends its scan as completed or cancelled. Readers see
 * nothing of it until it is completed.
 * @throws AppError `unavailable` if it was interrupted; it resumes when assay runs again.
 */
export async function applyStagedImport(lease: ScanLease, context: ApplyContext): Promise<'COMPLETED' | 'CANCELLED'> {
  const { store, now } = context
  const { id, uid } = lease.scan
  const write = <T>(work: (writer: Writer) => T, options?: WriteOptions) => lease.write(work, options)
  const indexes = { write, signal: lease.signal }
  let sorter: RowSorter | undefined
  try {
    sorter = openRowSorter(store.read((reader) => countStaged(reader, uid)).rows)
    const first = prepareBlocks(store, sorter, { uid, after: 0 })
    await leaveOutIndexes(store, { ...indexes, uid })
    await recordExpiries({ store, now, signal: lease.signal })
    const pending = await openPending(lease, context)
    await storeStaged(lease, context, { sorter, first }, pending)
    await createLeftOutIndexes(store, { ...indexes, importing: id })
    await publish({ lease, pending, store, now })
  } catch (error) {
    const isOver = () => !store.read((reader) => isOpenScan(reader, uid))
    if (error instanceof LeaseStopped && (error.stop === 'cancelled' || isOver())) {
      lease.end((writer) => {
        finishScan(writer, id, { status: 'CANCELLED' }, now())
        clearProgress(writer, id)
      })
      await sweepImports(context)
      return 'CANCELLED'
    }
    lease.release()
    throw error instanceof LeaseStopped
      ? new AppError('unavailable', 'The import was interrupted; it resumes when Assay runs again.')
      : error
  } finally {
    sorter?.close()
  }
  await deleteEarlierRows(store)
  return 'COMPLETED'
}

/** Opens or resumes the pending import, after undoing what an earlier import of the source left behind. */
async function openPending(lease: ScanLease, context: ApplyContext): Promise<PendingImport> {
  const { uid, sourceId } = lease.scan
  for (;;) {
    const pending = lease.write((writer) => {
      const isLogged = isFollowed(writer) && countStaged(writer, uid).rows <= MAX_LOGGED_ROWS
      return openPendingImport(writer, { sourceId, uid, isFollowed: isLogged })
    }, unpublished)
    if (pending !== undefined) return pending
    await sweepImports(context)
  }
}

interface SortedBlocks {
  /** Ordinal of the last block. */
  ordinal: number
  rows: SortedImportRows
}

/** Begins to sort the next staged findings; undefined if there are no more. */
function prepareBlocks(
  store: Store,
  sorter: RowSorter,
  { uid, after }: { uid: string; after: number },
): Promise<SortedBlocks | undefined> {
  const prepare = async () => {
    const read = () => store.read((reader) => findStagedBlocks(reader, uid, after))
    const blocks = read()
    if (blocks === undefined) return undefined
    return { ordinal: blocks.ordinal, rows: await sorter.sort(blocks.packed, () => read()?.packed ?? []) }
  }
  const prepared = prepare()
  // A rejection is handled when the promise is awaited.
  prepared.catch(() => {})
  return prepared
}

async function storeStaged(
  lease: ScanLease,
  { store, now }: ApplyContext,
  { sorter, first }: { sorter: RowSorter; first: Promise<SortedBlocks | undefined> },
  pending: PendingImport,
): Promise<void> {
  const { uid, id: scanId, sourceId } = lease.scan
  let assetWriter: ImportedAssetWriter | undefined
  let most = ROWS_AT_FIRST
  let bytesOfRow = BYTES_OF_ROW_AT_FIRST
  let from = store.read((reader) => countStoredRows(reader, uid))
  /**
   * Ordinal of the last stored block: the next transaction deletes these blocks, and its findings reuse their pages.
   */
  let storedUntil: number | undefined
  for (let next = first; ; ) {
    const waiting = await next
    if (waiting === undefined) break
    const { ordinal, rows } = waiting
    next = prepareBlocks(store, sorter, { uid, after: ordinal })
    const facets = rows.facets.map((names): Facets => ({ sourceId, ...names }))
    assetWriter ??= openImportedAssets(sourceId, {
      pending,
      last: from === 0 ? undefined : assetOf(rows, from - 1).key,
    })
    const assets = assetWriter
    while (from < rows.size) {
      store.files?.emptyLog()
      const logBytes = store.files?.logBytes ?? 0
      const start = from
      const fitting = rowsOf(LOG_BYTES_IN_ALL - logBytes, bytesOfRow)
      // SQLite prepares all statements again for it, which takes as long as storing some findings.
      const knowsReferences = rows.size - from >= ROWS_PER_CHECK && !store.hasWaitingWriter
      const options = { ...unpublished, knowsReferences }
      from = lease.write((writer) => {
        const stored = { findings: { new: 0, again: 0, resolved: 0 }, seen: assets.count }
        const at = now()
        if (storedUntil !== undefined) dropImportRows(writer, uid, storedUntil)
        const keep = (ledger: FindingLedger) => {
          let done = start
          do {
            const to = Math.min(
              rows.size,
              done + (store.hasWaitingWriter ? MIN_ROWS : Math.min(ROWS_PER_CHECK, fitting)),
            )
            storeRows({ writer, ledger, rows, facets, scanId, at, assets, findings: stored.findings }, done, to)
            done = to
          } while (done < rows.size && done - start < Math.min(most, fitting) && !store.hasWaitingWriter)
          suppressOpened(writer, ledger, at)
          return done
        }
        const to = FindingLedger.keep(writer, at, keep, pending)
        const seen = assets.count - stored.seen
        addProgress(writer, scanId, { discovered: seen, scanned: seen, unchanged: 0, findings: stored.findings })
        saveStoredRows(writer, uid, to - start, earliestOf(rows, start, to))
        return to
      }, options)
      storedUntil = undefined
      // A log that was reset does not grow; then the measurement of an earlier transaction is kept.
      const written = (store.files?.logBytes ?? 0) - logBytes
      if (written > 0) bytesOfRow = written / (from - start)
      most = Math.min(MAX_ROWS, rowsOf(MAX_LOG_BYTES, bytesOfRow), most * 2)
      await store.yieldBetweenBatches(lease.signal)
    }
    from = 0
    storedUntil = ordinal
  }
}

function earliestOf({ columns: { firstDetectedAt } }: SortedImportRows, from: number, to: number): number {
  let earliest = Number.POSITIVE_INFINITY
  for (let index = from; index < to; index++) earliest = Math.min(earliest, firstDetectedAt[index] ?? earliest)
  return earliest
}

/** How many findings fit into `logBytes` of the log, given the measured bytes of each finding. */
function rowsOf(logBytes: number, bytesOfRow: number): number {
  return Math.max(MIN_ROWS, Math.floor(logBytes / bytesOfRow))
}

interface Storing {
  writer: Writer
  ledger: FindingLedger
  rows: SortedImportRows
  /** `rows.facets` with the source of the import. */
  facets: readonly Facets[]
  scanId: number
  at: number
  assets: ImportedAssetWriter
  /** The results are added to these counts. */
  findings: ScanProgress['findings']
}

function storeRows(storing: Storing, from: number, to: number): void {
  const { writer, ledger, rows, facets, scanId, at, assets, findings } = storing
  const { columns } = rows
  const described = Array.from(new Set(columns.asset.subarray(from, to)), (index) => itemAt(rows.assets, index))
  assets.saveAhead(writer, ledger.facets, described, at)
  // On a server, each finding and combination of facets would be a round trip or more.
  const isRemote = writer.time !== undefined
  if (isRemote) {
    ledger.facets.learn(Array.from(new Set(columns.facets.subarray(from, to)), (index) => itemAt(facets, index)))
  }
  const saved: SavedAsset[] = []
  for (let index = from; index < to; index++) {
    const last = index > from && columns.asset[index] === columns.asset[index - 1] ? saved.at(-1) : undefined
    saved.push(last ?? assets.save(writer, ledger.facets, assetOf(rows, index), at))
  }
  if (isRemote) {
    ledger.readAheadByFp(saved.map(({ assetId }, index) => [assetId, columns.fp[from + index] ?? 0]))
  }
  const fresh = new FreshFindings(ledger, { columns, facets, excerpts: rows.excerpts }, scanId)
  for (let index = from; index < to; index++) {
    const asset = itemAt(saved, index - from)
    if (!isRemote && fresh.add(asset, index)) {
      findings.new++
      if (!Number.isNaN(columns.resolvedAt[index])) findings.resolved++
      continue
    }
    const line = readLine(columns, index, {
      facets: itemAt(facets, columns.facets[index] ?? 0),
      excerpt: rows.excerpts?.[index] ?? null,
      scanId,
      at,
    })
    fresh.store()
    const result = storeRow(ledger, asset, line)
    findings[result.known ? 'again' : 'new']++
    if (result.resolved) findings.resolved++
  }
  fresh.store()
}

const assetOf = (rows: SortedImportRows, index: number) => itemAt(rows.assets, rows.columns.asset[index] ?? 0)

function itemAt<Item>(items: readonly Item[], index: number): Item {
  const item = items[index]
  if (item === undefined) throw new RangeError('staged findings refer to missing rows')
  return item
}
