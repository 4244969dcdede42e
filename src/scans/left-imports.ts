import { createMissingIndex, hasAllIndexes } from '../findings/deferred-indexes.store.ts'
import type { Store, Writer } from '../store/store.ts'
import { dropImportFile, dropSomeBlocks, listLeftImports } from './imports.store.ts'
import { hasOtherImport } from './scans.store.ts'

/** Waiting blocks that are thrown away at once. */
const DROPPED_AT_ONCE = 50
/** A file that was not read to its end for so long never will be. */
const STALE_MS = 86_400_000

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
  for (const uid of store.read((reader) => listLeftImports(reader, now() - STALE_MS))) await discardImport(uid, store)
  await createLeftOutIndexes(store, { write: (work) => store.write(work), signal })
}

interface LeftOut {
  write: <T>(work: (writer: Writer) => T) => T
  signal: AbortSignal
  /** The scan of an import that has stored all its findings. */
  importing?: number
}

/** Makes the indexes that a large import has left out, one in each transaction; none while another import goes on. */
export async function createLeftOutIndexes(store: Store, { write, signal, importing = 0 }: LeftOut): Promise<void> {
  if (store.read(hasAllIndexes)) return
  while (write((writer) => !hasOtherImport(writer, importing) && createMissingIndex(writer))) {
    await store.giveWay(signal)
  }
}
