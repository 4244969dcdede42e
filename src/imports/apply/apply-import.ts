import type { Facets } from '../../findings/facets.store.ts'
import { openToldAssets, type ToldAssets } from '../../findings/imported-assets.store.ts'
import { FindingLedger } from '../../findings/ledger.store.ts'
import { openPendingImport, type PendingImport } from '../../findings/pending-imports.store.ts'
import { suppressOpened } from '../../findings/suppressions/suppressions.ts'
import { AppError } from '../../kernel/errors.ts'
import { LeaseStopped, type ScanLease } from '../../scans/lease.ts'
import type { ScanProgress } from '../../scans/model.ts'
import { addProgress, clearProgress, finishScan, isOpenScan } from '../../scans/scans.store.ts'
import type { Store, Writer } from '../../store/store.ts'
import {
  countStoredRows,
  countWaiting,
  dropImportRows,
  findWaitingBlocks,
  saveStoredRows,
} from '../stage/imports.store.ts'
import { type RowPlace, storeRow } from './import-rows.ts'
import { publish } from './publish-import.ts'
import { type Arranger, openArranger } from './row-sorter.ts'
import type { ArrangedRows } from './sorted-rows.ts'
import { createLeftOutIndexes, dropKept, isFollowed, leaveOutIndexes, sweepImports } from './stale-imports.ts'

/** Findings of one transaction while nobody waits: few at first, then twice as many each time. */
const ROWS_AT_FIRST = 8_000
const MAX_ROWS = 48_000
/** And no more than so many bytes of the write-ahead log: the larger the database, the more pages a finding touches. */
const MAX_LOG_BYTES = 36 * 1024 * 1024
/** And with what is in it already, where readers keep it from being emptied. */
const LOG_BYTES_IN_ALL = 54 * 1024 * 1024
/** What a finding is taken to need there until the log has told. */
const BYTES_OF_ROW_AT_FIRST = 8 * 1024
/** Findings of one transaction while somebody waits; one that is short because of its log is no shorter either. */
const MIN_ROWS = 100
/** Changes that followers of the change log are told one by one when an import is published. */
const MAX_LOGGED_ROWS = 200_000
/** So many are stored between two looks whether somebody waits. */
const ROWS_TO_LOOK = 1_000

const unpublished = { unpublished: true }

interface ApplyContext {
  store: Store
  now: () => number
  signal: AbortSignal
}

/**
 * Stores what an accepted file still holds, a little at a time, and ends its scan: completed, or cancelled by somebody.
 * Readers see nothing of it until it is completed.
 */
export async function applyStagedImport(lease: ScanLease, context: ApplyContext): Promise<'COMPLETED' | 'CANCELLED'> {
  const { store, now } = context
  const { id, uid } = lease.scan
  const indexes = { write: <T>(work: (writer: Writer) => T) => lease.write(work), signal: lease.signal }
  let arranger: Arranger | undefined
  try {
    arranger = openArranger(await leaveOutIndexes(store, { ...indexes, uid }))
    const pending = await openPending(lease, context)
    await storeWaiting(lease, context, arranger, pending)
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
      ? new AppError('unavailable', 'The import was interrupted; it goes on when assay runs again.')
      : error
  } finally {
    arranger?.close()
  }
  await dropKept(store)
  return 'COMPLETED'
}

/** Begins or goes on with storing; what an earlier import of the source has left is undone before. */
async function openPending(lease: ScanLease, context: ApplyContext): Promise<PendingImport> {
  const { uid, sourceId } = lease.scan
  for (;;) {
    const pending = lease.write((writer) => {
      const isLogged = isFollowed(writer) && countWaiting(writer, uid).rows <= MAX_LOGGED_ROWS
      return openPendingImport(writer, { sourceId, uid, isFollowed: isLogged })
    }, unpublished)
    if (pending !== undefined) return pending
    await sweepImports(context)
  }
}

async function storeWaiting(
  lease: ScanLease,
  { store, now }: ApplyContext,
  arranger: Arranger,
  pending: PendingImport,
): Promise<void> {
  const { uid, id: scanId, sourceId, progress, startedAt } = lease.scan
  let told: ToldAssets | undefined
  let most = ROWS_AT_FIRST
  let bytesOfRow = BYTES_OF_ROW_AT_FIRST
  let from = store.read((reader) => countStoredRows(reader, uid))
  /** Blocks whose findings are stored: they go in the next transaction, whose findings take their pages. */
  let storedUntil: number | undefined
  const prepare = async (after: number) => {
    const blocks = store.read((reader) => findWaitingBlocks(reader, uid, after))
    return blocks === undefined ? undefined : { ordinal: blocks.ordinal, rows: await arranger.arrange(blocks.packed) }
  }
  for (let next = prepare(0); ; ) {
    const waiting = await next
    if (waiting === undefined) break
    const { ordinal, rows } = waiting
    next = prepare(ordinal)
    // It is looked at when its turn comes.
    next.catch(() => {})
    const facets = rows.facets.map((names): Facets => ({ sourceId, ...names }))
    told ??= openToldAssets(sourceId, {
      pending,
      last: from === 0 ? undefined : assetOf(rows, from - 1).key,
      addedSince: progress.discovered === 0 ? undefined : (startedAt ?? undefined),
    })
    const assets = told
    while (from < rows.size) {
      store.emptyLog()
      const logBytes = store.logBytes
      const start = from
      const fitting = rowsOf(LOG_BYTES_IN_ALL - logBytes, bytesOfRow)
      from = lease.write((writer) => {
        const stored = { findings: { new: 0, again: 0, resolved: 0 }, seen: assets.count }
        const at = now()
        if (storedUntil !== undefined) dropImportRows(writer, uid, storedUntil)
        const keep = (ledger: FindingLedger) => {
          let done = start
          do {
            const to = Math.min(rows.size, done + (store.isAwaited ? MIN_ROWS : Math.min(ROWS_TO_LOOK, fitting)))
            storeRows({ writer, ledger, rows, facets, scanId, at, assets, findings: stored.findings }, done, to)
            done = to
          } while (done < rows.size && done - start < Math.min(most, fitting) && !store.isAwaited)
          suppressOpened(writer, ledger, at)
          return done
        }
        const to = FindingLedger.keep(writer, at, keep, { pending })
        const seen = assets.count - stored.seen
        addProgress(writer, scanId, { discovered: seen, scanned: seen, unchanged: 0, findings: stored.findings })
        saveStoredRows(writer, uid, to - start)
        return to
      }, unpublished)
      storedUntil = undefined
      // A log that begins anew does not grow: then the transaction before tells.
      if (store.logBytes > logBytes) bytesOfRow = (store.logBytes - logBytes) / (from - start)
      most = Math.min(MAX_ROWS, rowsOf(MAX_LOG_BYTES, bytesOfRow), most * 2)
      await store.giveWay(lease.signal)
    }
    from = 0
    storedUntil = ordinal
  }
}

/** How many findings fit into so many bytes of the log, by what it took of each of the last ones. */
function rowsOf(logBytes: number, bytesOfRow: number): number {
  return Math.max(MIN_ROWS, Math.floor(logBytes / bytesOfRow))
}

interface Storing {
  writer: Writer
  ledger: FindingLedger
  rows: ArrangedRows
  /** Those of the rows, in the source of the import. */
  facets: readonly Facets[]
  scanId: number
  at: number
  assets: ToldAssets
  /** What came of the findings is added here. */
  findings: ScanProgress['findings']
}

/** Stores some of the findings. */
function storeRows(storing: Storing, from: number, to: number): void {
  const { writer, ledger, rows, facets, scanId, at, assets, findings } = storing
  let asset = -1
  let saved = { assetId: 0, isNew: false }
  for (let index = from; index < to; index++) {
    if (rows.assetAt[index] !== asset) {
      asset = rows.assetAt[index] ?? 0
      saved = assets.save(writer, ledger.facets, assetOf(rows, index), at)
    }
    const place: RowPlace = {
      assetId: saved.assetId,
      isNew: saved.isNew,
      facets: itemAt(facets, rows.facetsAt[index] ?? 0),
      fp: rows.fp[index] ?? 0,
      confidence: rows.confidence[index] ?? 0,
      firstDetectedAt: rows.firstDetectedAt[index] ?? 0,
      lastDetectedAt: toTime(rows.lastDetectedAt[index]),
      resolvedAt: toTime(rows.resolvedAt[index]),
      excerpt: rows.excerpts?.[index] ?? null,
      undated: rows.undated[index] === 1,
      scanId,
      at,
    }
    const result = storeRow(ledger, place)
    findings[result.known ? 'again' : 'new']++
    if (result.resolved) findings.resolved++
  }
}

const assetOf = (rows: ArrangedRows, index: number) => itemAt(rows.assets, rows.assetAt[index] ?? 0)
const toTime = (at = Number.NaN): number | null => (Number.isNaN(at) ? null : at)

function itemAt<Item>(items: readonly Item[], index: number): Item {
  const item = items[index]
  if (item === undefined) throw new RangeError('findings that wait name what is not there')
  return item
}
