import type { Engine } from '../engine/columnar-index.ts'
import { buildEngine } from '../engine/load.store.ts'
import { countFindings, MIN_FINDINGS_FOR_INDEX } from '../findings/counts.store.ts'
import { hasAllIndexes } from '../findings/deferred-indexes.store.ts'
import { AppError } from '../kernel/errors.ts'
import { attachEngine, findEngine, followChanges } from '../query/engine/executor.ts'
import type { Log } from '../runtime/log.ts'
import type { Store } from '../store/store.ts'

/** How often the change log is polled while there is work, and while there is none. */
const BUSY_MS = 20
const CALM_MS = 250
const REBUILD_MS = 60_000

export interface KeeperOptions {
  store: Store
  log: Log
  minFindings?: number
}

export interface EngineKeeper {
  /**
   * Rebuilds the engine if needed; call it after every answer, which may have detached an engine that cannot be
   * updated.
   */
  rebuildIfNeeded(): void
  close(): void
}

/**
 * Maintains an engine for the reader of a store: builds it in small steps from one snapshot, applies the change log
 * between questions, and rebuilds it when the log no longer reaches back far enough. Meanwhile SQL answers.
 */
export function keepEngine({ store, log, minFindings = MIN_FINDINGS_FOR_INDEX }: KeeperOptions): EngineKeeper {
  let building: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let isFailing = false

  let [builtAt, failedAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]

  /**
   * An engine with an incomplete history can still answer about the present, and one with an oversized history can
   * answer everything; both are rebuilt, but only `REBUILD_MS` after the last build.
   */
  const isPresent = () => {
    const engine = store.read(findEngine)
    if (engine === undefined) return false
    const { isComplete: isWhole, needsCompaction: isWorn } = engine.history
    return (isWhole && !isWorn) || performance.now() < builtAt + REBUILD_MS
  }

  const build = async () => {
    const snapshot = store.openSnapshot({ asRecorded: true })
    const startedAt = performance.now()
    try {
      const steps = buildEngine(snapshot.reader)
      for (;;) {
        const { done, value } = steps.next()
        if (closed) return
        if (done) {
          attach(value)
          builtAt = performance.now()
          log.info('the engine is built', { findings: value.count, ms: Math.round(performance.now() - startedAt) })
          return
        }
        await new Promise((resolve) => setImmediate(resolve))
      }
    } catch (error) {
      failedAt = performance.now()
      log.warn('the engine could not be built; SQL answers all queries', { error })
    } finally {
      snapshot.close()
    }
  }

  const attach = (engine: Engine) => store.read((reader) => attachEngine(reader, engine))

  const buildIfNeeded = () => {
    if (closed || building !== undefined || isPresent() || performance.now() < failedAt + REBUILD_MS) return
    // A large import recreates the indexes at its end; without them, the table cannot be read in pages efficiently.
    if (!store.read((reader) => countFindings(reader) >= minFindings && hasAllIndexes(reader))) return
    building = build().finally(() => {
      building = undefined
    })
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
    let worked = false
    attempt(() => {
      // One unit of work for each tick, which bounds the wait of a question that arrives meanwhile.
      worked = store.read(followChanges) || store.read(findEngine)?.runMaintenanceStep() === true
      buildIfNeeded()
    })
    if (!closed) timer = setTimeout(tick, worked ? BUSY_MS : CALM_MS)
  }
  tick()

  return {
    rebuildIfNeeded: () => attempt(buildIfNeeded),
    close: () => {
      closed = true
      clearTimeout(timer)
    },
  }
}
