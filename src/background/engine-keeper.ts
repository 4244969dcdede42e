import type { Engine } from '../engine/columnar-index.ts'
import { buildEngine, catchUp } from '../engine/load.store.ts'
import { findLogPosition, type LogPosition } from '../engine/snapshot/snapshot.store.ts'
import { findSnapshot, loadSnapshot, saveSnapshot } from '../engine/snapshot/snapshot.ts'
import { UnusableSnapshot } from '../engine/snapshot/snapshot-file.ts'
import { AppError } from '../kernel/errors.ts'
import { attachEngine, findEngine, followChanges } from '../query/engine/executor.ts'
import type { Log } from '../runtime/log.ts'
import type { Reader, Store } from '../store/store.ts'

/** How often the change log is polled while there is work, and while there is none. */
const BUSY_MS = 20
const CALM_MS = 2_000
/** The time between two attempts to have the engine replaced. */
const REPLACE_MS = 60_000
/** A snapshot is refreshed when the change logs are further ahead of it than this. */
const MAX_BEHIND: LogPosition = { seq: 500, assetSeq: 5_000 }
/** At the end it is written when they are further ahead than this; reading fewer entries takes no noticeable time. */
const MAX_BEHIND_AT_END: LogPosition = { seq: 20, assetSeq: 200 }
/** How often it is checked whether the snapshot is outdated, and the time after a failure to write it. */
const REFRESH_MS = 60_000
const RETRY_MS = 1_800_000
const END_MS = 700
/** The snapshot may be replaced by other processes while it is being opened. */
const ATTEMPTS = 3

export interface KeeperOptions {
  store: Store
  home: string
  log: Log
  /** Called when another thread should build a new engine, again after a while if none replaces this thread. */
  onOutdated: () => void
}

/** Maintains an engine for the reader of a store, by the change log. */
export interface EngineKeeper {
  /** Reads the engine from its snapshot, unless there is none or very many changes would have to be applied. */
  load(): Promise<void>
  /**
   * Reads the engine from its snapshot or builds it from the tables, and writes a snapshot if that is outdated. This
   * takes long, so that only a thread does it which does not answer yet.
   */
  build(): Promise<void>
  /** Ends the maintenance. */
  close(): void
  /** Writes the snapshot if it is outdated, unless that takes too long; nothing else may use the engine meanwhile. */
  saveAtEnd(): void
}

export function keepEngine({ store, home, log, onOutdated }: KeeperOptions): EngineKeeper {
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let isFailing = false
  let attachedAt = Number.NEGATIVE_INFINITY
  let mayReplaceAt = Number.NEGATIVE_INFINITY
  let mayRefreshAt = Number.NEGATIVE_INFINITY
  /** The version of the data that the engine was last found to include. */
  let seen: number | undefined

  const attach = (engine: Engine, isSaved: boolean) => {
    store.read((reader) => attachEngine(reader, engine))
    seen = undefined
    attachedAt = performance.now()
    mayRefreshAt = attachedAt + (isSaved ? REFRESH_MS * (1 + Math.random()) : RETRY_MS)
    log.info('the engine is ready', { findings: engine.count })
  }

  const trySave = (engine: Engine): boolean => {
    const startedAt = performance.now()
    try {
      const position = saveSnapshot({ store, home }, engine)
      const ms = Math.round(performance.now() - startedAt)
      if (position === undefined) log.warn('there is no room for a snapshot of the engine')
      else log.info('the snapshot of the engine is written', { findings: engine.count, ms })
      return position !== undefined
    } catch (error) {
      if (!(error instanceof AppError) && !isSystemError(error)) throw error
      log.warn('the snapshot of the engine could not be written', { error })
      return false
    }
  }

  const readTables = async (): Promise<Engine> => {
    const startedAt = performance.now()
    const engine = await inRecordedSnapshot(store, (reader) => buildEngine(reader))
    log.info('the engine is built', { findings: engine.count, ms: Math.round(performance.now() - startedAt) })
    // What was written meanwhile is applied here rather than before the first answer.
    await inRecordedSnapshot(store, (reader) => catchUp(reader, engine))
    return engine
  }

  /**
   * An engine with an incomplete history can still answer about the present, and one with an oversized history can
   * answer everything; both are replaced, but not at once.
   */
  const isOutdated = (reader: Reader): boolean => {
    const engine = findEngine(reader)
    if (engine === undefined) return true
    if (!isWhole(engine) && performance.now() >= attachedAt + REPLACE_MS) return true
    if (performance.now() < mayRefreshAt) return false
    mayRefreshAt = performance.now() + REFRESH_MS
    return isBehind(findSnapshot(reader, home), engine, MAX_BEHIND)
  }

  const askIfOutdated = (reader: Reader) => {
    if (performance.now() < mayReplaceAt || !isOutdated(reader)) return
    mayReplaceAt = performance.now() + REPLACE_MS
    onOutdated()
  }

  /** One unit of work, if there is any, which bounds the wait of a question that arrives meanwhile. */
  const work = (reader: Reader): boolean => {
    const { dataVersion } = reader
    if (dataVersion !== undefined && dataVersion === seen) return false
    const worked = followChanges(reader) || findEngine(reader)?.runMaintenanceStep() === true
    seen = worked ? undefined : dataVersion
    return worked
  }

  /** A database that cannot be read does not end the process: each question reports the problem itself. */
  const attempt = (work: () => void) => {
    try {
      work()
      isFailing = false
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (!isFailing) log.warn('the engine could not be updated from the database', { error })
      isFailing = true
    }
  }

  const tick = () => {
    if (closed) return
    let worked = false
    attempt(() => {
      store.read((reader) => {
        worked = work(reader)
        askIfOutdated(reader)
      })
    })
    timer = setTimeout(tick, worked ? BUSY_MS : CALM_MS)
  }

  return {
    load: async () => {
      try {
        const [found, present] = store.read((reader) => [findSnapshot(reader, home), findLogPosition(reader)])
        if (found !== undefined && !isBehind(found, present, MAX_BEHIND)) {
          const loaded = await loadEngine({ store, home, log })
          if (loaded !== undefined) attach(loaded.engine, true)
        }
      } catch (error) {
        log.warn('the snapshot of the engine could not be read', { error })
      }
      tick()
    },
    build: async () => {
      const loaded = await loadEngine({ store, home, log })
      const engine = loaded?.engine ?? (await readTables())
      attach(engine, !isBehind(loaded?.position, engine, MAX_BEHIND) || trySave(engine))
      tick()
    },
    close: () => {
      closed = true
      clearTimeout(timer)
    },
    saveAtEnd: () => {
      const until = performance.now() + END_MS
      try {
        const [engine, found] = store.read((reader) => [findEngine(reader), findSnapshot(reader, home)])
        if (engine === undefined || !isWhole(engine) || !isBehind(found, engine, MAX_BEHIND_AT_END)) return
        saveSnapshot({ store, home }, engine, () => performance.now() > until)
      } catch (error) {
        log.warn('the snapshot of the engine could not be written', { error })
      }
    },
  }
}

const isSystemError = (error: unknown) => error instanceof Error && 'syscall' in error

const isBehind = (saved: LogPosition | undefined, { seq, assetSeq }: LogPosition, most: LogPosition): boolean =>
  saved === undefined || seq - saved.seq > most.seq || assetSeq - saved.assetSeq > most.assetSeq

const isWhole = ({ history }: Engine): boolean => history.isComplete && !history.needsCompaction

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

/** The engine of the snapshot in the data folder, and what that includes; undefined when there is none that can be used. */
async function loadEngine({
  store,
  home,
  log,
}: {
  store: Store
  home: string
  log: Log
}): Promise<{ engine: Engine; position: LogPosition } | undefined> {
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
