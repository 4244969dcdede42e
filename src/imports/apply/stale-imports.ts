import { countFindings, countStoredFindings, MIN_FINDINGS_FOR_INDEX } from '../../findings/counts.store.ts'
import { countNames, createMissingIndex, dropSomeIndex, hasAllIndexes } from '../../findings/deferred-indexes.store.ts'
import { dropSomeKept, hasKept, listAbandonedImports, undoSome } from '../../findings/pending-imports.store.ts'
import { hasOtherImport } from '../../scans/scans.store.ts'
import type { Reader, Store, Writer } from '../../store/store.ts'
import { countWaiting, dropImportFile, dropSomeBlocks, listStaleImports, type Waiting } from '../stage/imports.store.ts'

/** Waiting blocks that are thrown away at once. */
const DROPPED_AT_ONCE = 50
/** Findings or assets that are undone at once. */
const UNDONE_AT_ONCE = 1_000
/** A file that was not read to its end for so long never will be. */
const STALE_MS = 86_400_000

/** From so many waiting findings on, indexes are made at the end, unless there are more findings than that already. */
const ROWS_OF_LARGE = 100_000
/** And only up to so many in all: until an index is made, nobody else writes, and its pages stand in the log. */
const ROWS_INDEXED_AT_ONCE = 1_500_000
/** The same of the names of assets. */
const NAME_BYTES_INDEXED_AT_ONCE = 32 * 1024 * 1024

/** Throws away a file that will not be stored, or not on. */
export async function discardImport(uid: string, store: Store): Promise<void> {
  while (store.write((writer) => dropSomeBlocks(writer, uid, DROPPED_AT_ONCE))) await store.giveWay()
  store.write((writer) => dropImportFile(writer, uid))
}

interface Sweep {
  store: Store
  now: () => number
  signal: AbortSignal
}

/** Removes what imports left that do not go on: their process died, they were cancelled, or their source is deleted. */
export async function sweepImports({ store, now, signal }: Sweep): Promise<void> {
  for (const uid of store.read((reader) => listStaleImports(reader, now() - STALE_MS))) await discardImport(uid, store)
  for (const id of store.read(listAbandonedImports)) await undoImport(id, store)
  await dropKept(store)
  await createLeftOutIndexes(store, { write: (work) => store.write(work), signal })
}

/** Takes back what an import has stored that will not be published. */
async function undoImport(id: number, store: Store): Promise<void> {
  while (store.write((writer) => undoSome(writer, id, UNDONE_AT_ONCE), { unpublished: true })) await store.giveWay()
}

/** Removes what readers were shown before the imports that are published or undone by now. */
export async function dropKept(store: Store): Promise<void> {
  if (!store.read(hasKept)) return
  while (store.write((writer) => dropSomeKept(writer, UNDONE_AT_ONCE))) await store.giveWay()
}

interface Change {
  write: <T>(work: (writer: Writer) => T) => T
  signal: AbortSignal
}

/** Makes the indexes that a large import has left out; none while another import goes on than `importing`, a scan. */
export async function createLeftOutIndexes(
  store: Store,
  { importing = 0, ...change }: Change & { importing?: number },
): Promise<void> {
  if (store.read(hasAllIndexes)) return
  await changeIndexes(store, change, (writer) => !hasOtherImport(writer, importing) && createMissingIndex(writer))
}

/** Leaves indexes out that the findings of an import would rewrite again and again; says how many findings wait. */
export async function leaveOutIndexes(store: Store, { uid, ...change }: Change & { uid: string }): Promise<number> {
  const { waiting, findings, isWhole } = store.read((reader) => ({
    waiting: countWaiting(reader, uid),
    findings: countStoredFindings(reader),
    isWhole: hasAllIndexes(reader),
  }))
  if (leavesOutIndexes(waiting, findings)) {
    const names = store.read(countNames) + waiting.textBytes <= NAME_BYTES_INDEXED_AT_ONCE
    await changeIndexes(store, change, (writer) => dropSomeIndex(writer, { names }))
  } else if (!isWhole && waiting.all + findings > ROWS_INDEXED_AT_ONCE) {
    // Another import has left them out; at the end of both they would be too large.
    await changeIndexes(store, change, createMissingIndex)
  }
  return waiting.rows
}

/** Whether an engine may follow what an import changes: there was none before, and none is made without the indexes. */
export const isFollowed = (reader: Reader): boolean =>
  hasAllIndexes(reader) || countFindings(reader) >= MIN_FINDINGS_FOR_INDEX

/** Whether indexes that the waiting findings of one import would rewrite again and again are made at its end. */
export const leavesOutIndexes = ({ rows, all }: Pick<Waiting, 'rows' | 'all'>, stored: number): boolean =>
  rows >= Math.max(ROWS_OF_LARGE, stored) && all + stored <= ROWS_INDEXED_AT_ONCE

/** One index in each transaction, beginning with an empty log: each may fill most of it. */
async function changeIndexes(store: Store, { write, signal }: Change, work: (writer: Writer) => boolean) {
  for (;;) {
    await store.untilFree(signal)
    await store.untilLogIsEmpty(signal)
    if (!write(work)) return
    await store.giveWay(signal)
  }
}
