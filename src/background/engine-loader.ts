import type { Engine } from '../engine/columnar-index.ts'
import type { LogPosition } from '../engine/snapshot/snapshot.store.ts'
import { findSnapshot, loadSnapshot } from '../engine/snapshot/snapshot.ts'
import { UnusableSnapshot } from '../engine/snapshot/snapshot-file.ts'
import type { Log } from '../runtime/log.ts'
import type { Reader, Store } from '../store/store.ts'

/** The snapshot may be replaced by other processes while it is being opened. */
const ATTEMPTS = 3

export interface LoadedEngine {
  engine: Engine
  /** What the snapshot includes. */
  position: LogPosition
}

/** Runs work on a reader that sees ends of decisions only where the change log has them. */
export async function inRecordedSnapshot<Result>(
  store: Store,
  work: (reader: Reader) => Result | Promise<Result>,
): Promise<Result> {
  const snapshot = store.openSnapshot({ asRecorded: true })
  try {
    return await work(snapshot.reader)
  } finally {
    snapshot.close()
  }
}

/** The engine of the snapshot in the data folder; undefined when there is none that can be used. */
export async function loadEngine({
  store,
  home,
  log,
}: {
  store: Store
  home: string
  log: Log
}): Promise<LoadedEngine | undefined> {
  const startedAt = performance.now()
  for (let attempt = 1; ; attempt++) {
    const found = store.read((reader) => findSnapshot(reader, home))
    try {
      const loaded = await inRecordedSnapshot(store, (reader) => loadSnapshot(reader, home))
      if (loaded === undefined) return undefined
      const ms = Math.round(performance.now() - startedAt)
      log.info('the engine is read from its snapshot', { findings: loaded.engine.count, ms })
      return loaded
    } catch (error) {
      if (!(error instanceof UnusableSnapshot)) throw error
      const isReplaced = store.read((reader) => findSnapshot(reader, home))?.mark !== found?.mark
      if (isReplaced && attempt < ATTEMPTS) continue
      log.warn('the snapshot of the engine is ignored, and the engine is built from the tables', {
        reason: error.message,
      })
      return undefined
    }
  }
}
