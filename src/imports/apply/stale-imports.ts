import { countFindings, countStoredFindings, MIN_FINDINGS_FOR_INDEX } from '../../findings/counts.store.ts'
import { countNames, createMissingIndex, dropSomeIndex, hasAllIndexes } from '../../findings/deferred-indexes.store.ts'
import { deleteSomeEarlierRows, hasKept, listAbandonedImports, undoSome } from '../../findings/pending-imports.store.ts'
import { AppError } from '../../kernel/errors.ts'
import { hasOtherImport, isOpenScan } from '../../scans/scans.store.ts'
import type { Reader, Store, WriteOptions, Writer } from '../../store/store.ts'
import {
  countStaged,
  dropImportFile,
  dropSomeBlocks,
  listStaleImports,
  type StagedCounts,
} from '../stage/imports.store.ts'

/** Staged blocks deleted in one transaction. */
const DROPPED_AT_ONCE = 50
/** Findings or assets undone in one transaction. */
const UNDONE_AT_ONCE = 1_000
/** A file that was not completely read for this long is abandoned. */
const STALE_MS = 86_400_000

/** Minimum number of staged findings for building indexes at the end, unless more findings are already stored. */
const ROWS_OF_LARGE = 100_000
/** Maximum of staged and stored findings for it: building an index blocks other writers, and its pages fill the log. */
const ROWS_INDEXED_AT_ONCE = 1_500_000
/** The same limit for the names of assets. */
const NAME_BYTES_INDEXED_AT_ONCE = 32 * 1024 * 1024

/**
 * Deletes a staged file that will not be stored, or not completely. The acceptance of the file may have been under way
 * when the caller looked for its scan, so each transaction looks again.
 */
export async function discardImport(uid: string, store: Store): Promise<void> {
  const dropSome = (writer: Writer): boolean => {
    if (isOpenScan(writer, uid)) return false
    if (dropSomeBlocks(writer, uid, DROPPED_AT_ONCE)) return true
    dropImportFile(writer, uid)
    return false
  }
  while (store.write(dropSome)) await store.yieldBetweenBatches()
}

interface Sweep {
  store: Store
  now: () => number
  signal: AbortSignal
}

/** Removes what abandoned imports left: their process died, they were cancelled, or their source was deleted. */
export async function sweepImports({ store, now, signal }: Sweep): Promise<void> {
  for (const uid of store.read((reader) => listStaleImports(reader, now() - STALE_MS))) await discardImport(uid, store)
  for (const id of store.read(listAbandonedImports)) await undoImport(id, store)
  await deleteEarlierRows(store)
  await createLeftOutIndexes(store, { write: (work, options) => store.write(work, options), signal })
}

/** Undoes what an import has stored and will not publish. */
async function undoImport(id: number, store: Store): Promise<void> {
  while (store.write((writer) => undoSome(writer, id, UNDONE_AT_ONCE), { unpublished: true }))
    await store.yieldBetweenBatches()
}

/** Deletes the earlier state that was kept for readers of imports that are now published or undone. */
export async function deleteEarlierRows(store: Store): Promise<void> {
  if (!store.read(hasKept)) return
  while (store.write((writer) => deleteSomeEarlierRows(writer, UNDONE_AT_ONCE))) await store.yieldBetweenBatches()
}

interface Change {
  write: <T>(work: (writer: Writer) => T, options?: WriteOptions) => T
  signal: AbortSignal
}

/** Creates the indexes that a large import left out, unless an import other than the scan `importing` is under way. */
export async function createLeftOutIndexes(
  store: Store,
  { importing = 0, ...change }: Change & { importing?: number },
): Promise<void> {
  if (store.read(hasAllIndexes)) return
  await createIndexes(store, change, (writer) => !hasOtherImport(writer, importing))
}

/** Creates all missing indexes; those without texts are sorted in temporary files if that is possible. */
async function createIndexes(store: Store, change: Change, mayCreate = (_: Writer) => true): Promise<void> {
  const create = (texts: boolean) => (writer: Writer) => mayCreate(writer) && createMissingIndex(writer, { texts })
  try {
    await changeIndexes(store, change, create(false), { sortsInFiles: true })
  } catch (error) {
    // For example, the folder of temporary files may be full. If it is the data folder, the error occurs again below.
    if (!(error instanceof AppError)) throw error
  }
  await changeIndexes(store, change, create(true))
}

/** Drops indexes that the findings of an import would rewrite repeatedly. */
export async function leaveOutIndexes(store: Store, { uid, ...change }: Change & { uid: string }): Promise<void> {
  const { waiting, findings, isWhole } = store.read((reader) => ({
    waiting: countStaged(reader, uid),
    findings: countStoredFindings(reader),
    isWhole: hasAllIndexes(reader),
  }))
  // On a server, dropping an index would make all readers wait for the whole transaction.
  if (store.files === undefined) return
  if (leavesOutIndexes(waiting, findings)) {
    const names = store.read(countNames) + waiting.textBytes <= NAME_BYTES_INDEXED_AT_ONCE
    await changeIndexes(store, change, (writer) => dropSomeIndex(writer, { names }))
  } else if (!isWhole && waiting.all + findings > ROWS_INDEXED_AT_ONCE) {
    // Another import dropped them; after both imports they would be too large to build.
    await createIndexes(store, change)
  }
}

/**
 * Whether an engine may follow the changes of an import: below the minimum there was none, and none is built without
 * the indexes.
 */
export const isFollowed = (reader: Reader): boolean =>
  hasAllIndexes(reader) || countFindings(reader) >= MIN_FINDINGS_FOR_INDEX

/** Whether indexes that the staged findings of one import would rewrite repeatedly are built at its end. */
export const leavesOutIndexes = ({ rows, all }: Pick<StagedCounts, 'rows' | 'all'>, stored: number): boolean =>
  rows >= Math.max(ROWS_OF_LARGE, stored) && all + stored <= ROWS_INDEXED_AT_ONCE

/** Changes one index per transaction, each starting with an empty log, most of which it may fill. */
async function changeIndexes(
  store: Store,
  { write, signal }: Change,
  work: (writer: Writer) => boolean,
  options: WriteOptions = {},
): Promise<void> {
  for (;;) {
    await store.waitForWriteLock(signal)
    await store.files?.drainLog(signal)
    if (!write(work, options)) return
    await store.yieldBetweenBatches(signal)
  }
}
